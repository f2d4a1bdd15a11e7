"""The stages of a chain as boxes in their order, each with its time: a row a case, darker the larger its share."""

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from plots.draw.axes import grid, note
from plots.read import words
from plots.read.metrics import metric
from plots.read.view import View

BOX = (0.84, 0.62)  # of the distance to the next box, and to the next row
ROW, HEAD, WIDE = 0.46, 0.9, 1.5  # inches: a row, the title and names above, a column
COLOURS = "YlGnBu"
DARK = 0.55  # of the colours, above which text is white


def chain_exhibit(view: View) -> Figure | None:
    """Columns are the metrics of `y`, rows the values of x and the series; None if nothing was measured."""
    stages, fields = view.exhibit.figure["y"], view.exhibit.fields("series", "x")
    lines = [line for line in view.lines if any(view.value(line, stage) for stage in stages)]
    if not lines:
        return None
    lines.sort(key=lambda line: view.order_of(line, fields))
    figure, (ax,) = grid(1, 1, (WIDE * (len(stages) + 1), ROW * len(lines) + HEAD), 0.35)
    for row, line in enumerate(lines):
        times = [view.value(line, stage) for stage in stages]
        whole = sum(time.value for time in times if time) or 1.0
        last = None
        for column, time in enumerate(times):
            if time is None:  # a stage that this chain has not
                continue
            share = time.value / whole
            face = matplotlib.colormaps[COLOURS](share)
            ax.add_patch(Rectangle((column, row), *BOX, facecolor=face, edgecolor="#444444", linewidth=0.7))
            text = f"{words.number(time.value, 3)} ms\n{100 * share:.0f}%"
            centre = (column + BOX[0] / 2, row + BOX[1] / 2)
            ax.text(*centre, text, ha="center", va="center", fontsize=6.5, color="white" if share > DARK else "#222222")
            if last is not None:
                ends = ((last + BOX[0], centre[1]), (column, centre[1]))
                ax.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=6, linewidth=0.7, color="#444444"))
            last = column
    ax.set_xlim(-0.05, len(stages) - 1 + BOX[0] + 0.05)
    ax.set_ylim(len(lines) - 1 + BOX[1] + 0.1, -0.1)
    ax.set_xticks([column + BOX[0] / 2 for column in range(len(stages))], [metric(stage).label for stage in stages])
    names = [" · ".join(view.said(line, f) for f in fields) for line in lines]
    ax.set_yticks([row + BOX[1] / 2 for row in range(len(lines))], names)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    told = f"Rows: {', '.join(fields)}. Colour: a stage's share of the row."
    note(figure, view.size, told, title=view.exhibit.heading)
    return figure
