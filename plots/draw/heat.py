"""A map of time over two parameters: the least time of each cell, coloured by its distance from the best."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from plots.draw import style
from plots.draw.axes import note, row_of_maps
from plots.draw.best_map import frame, named, places
from plots.draw.curves import FARTHEST
from plots.read import tuning, words
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.select import grouped, value_of
from plots.read.tuning import Tuning
from plots.read.view import View

CELL = (0.62, 0.34)  # inches
COLOURS = "YlGnBu"
NONE = "#EEEEEE"
ZERO = "#DCEFDC"
LEAST_SPREAD = 1.5  # a worst cell nearer to the best than this is not drawn as dark as one that is far from it


@dataclass(frozen=True)
class Cell:
    value: float | None  # None: tried, but nothing there counts
    default: bool = False


Cells = Mapping[tuple[Any, Any], Cell]


def paint(ax: Axes, columns: Sequence[Any], rows: Sequence[Any], cells: Cells, spread: float) -> None:
    """Cells by (column, row); frames the best unless it is 0, and dashes the defaults. White: not tried."""
    best, framed = least_of(cells), best_of(cells)
    norm, colours = LogNorm(1, spread), matplotlib.colormaps[COLOURS]
    for (column, row), cell in cells.items():
        x, y = columns.index(column), rows.index(row)
        far = min(max(1.0, (cell.value or 0) / best), FARTHEST)
        face = NONE if cell.value is None else colours(norm(far)) if cell.value else ZERO
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="white"))
        text = "×" if cell.value is None else words.number(cell.value, 3)
        dark = cell.value is not None and norm(far) > 0.55
        ax.text(x, y, text, fontsize=7, color="white" if dark else "#222222", **style.CENTRED)
        for marked, dash in ((cell.value is not None and cell.value == framed, "-"), (cell.default, (0, (3, 2)))):
            if marked:
                edge = {"fill": False, "edgecolor": "#BB2222", "linestyle": dash, "linewidth": 1.4}
                ax.add_patch(Rectangle((x - 0.44, y - 0.4), 0.88, 0.8, **edge))
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(False)


def least_of(cells: Cells) -> float:
    """The least value above 0, where the colours begin."""
    return min((cell.value for cell in cells.values() if cell.value), default=1.0)


def best_of(cells: Cells) -> float | None:
    """The least value, which is framed; None if it is 0."""
    return min((cell.value for cell in cells.values() if cell.value is not None), default=None) or None


def least(times: Iterable[Estimate | None]) -> float | None:
    return min((time.value for time in times if time), default=None)


def spread_of(panels: Sequence[Cells]) -> float:
    """How far the worst cell is from the best of its panel, at least LEAST_SPREAD: the darkest colour."""
    far = (max((cell.value or 0 for cell in cells.values()), default=0) / least_of(cells) for cells in panels)
    return min(max(LEAST_SPREAD, *far), FARTHEST)


def legend(figure: Figure, defaults: bool, best: bool = True) -> None:
    marks = [Patch(fill=False, edgecolor="#BB2222", linewidth=1.4, label="best")] if best else []
    if defaults:
        marks.append(Patch(fill=False, edgecolor="#BB2222", linestyle=(0, (3, 2)), linewidth=1.4, label="defaults"))
    if marks:
        figure.legend(handles=marks, loc="outside lower center", ncols=2)


def heat_exhibit(view: View) -> Figure | None:
    """A panel a value of the panel field, rows the field of `down`, columns x; None if nothing was measured."""
    (name,) = view.exhibit.figure["y"]
    measured, panel_fields, fields, (panels, rows, columns) = places(view)
    if not measured:
        return None
    found: list[dict[tuple[Any, Any], Cell]] = [{} for _ in panels]
    cases = grouped(view.lines, lambda line: tuple(value_of(line, field) for field in fields))
    for (*place, column), lines in cases.items():
        panel, row, at = tuple(place[: len(panel_fields)]), tuple(place[len(panel_fields) :]), (column,)
        if panel in panels and row in rows and at in columns:
            times = (view.value(line, name) for line in lines if not view.doubt(line, name))
            found[panels.index(panel)][at, row] = Cell(least(times))
    figure, axes = row_of_maps(len(panels), len(columns) * CELL[0] + 1.6, len(rows) * CELL[1] + 1.7)
    spread = spread_of(found)
    for ax, panel, cells in zip(axes, panels, found, strict=True):
        paint(ax, columns, rows, cells, spread)
        frame(ax, view, (rows, columns))
        ax.set_title(named(view, panel_fields, panel))
        if ax is not axes[0]:  # the same rows
            ax.set_yticklabels([])
    legend(figure, False, any(best_of(cells) for cells in found))
    none = any(cell.value is None for cells in found for cell in cells.values())
    full = all(len(cells) == len(rows) * len(columns) for cells in found)
    marks = "; × no time, or a marked one (see the table)" * none + "; empty: not run" * (not full)
    note(figure, view.size, metric(name).title + marks, title=view.exhibit.heading)
    return figure


@style.applied
def heat_tuning(one: Tuning, x: str, y: str, name: str) -> Figure:
    """The least time at each pair of values, over all other parameters."""
    columns, rows = one.values(x), one.values(y)
    counting = {line["case"] for line in one.right}
    cells: dict[tuple[Any, Any], Cell] = {}
    for at, lines in grouped(one.lines, lambda line: (value_of(line, x), value_of(line, y))).items():
        times = (tuning.time(line, name) for line in lines if line["case"] in counting)
        cells[at] = Cell(least(times), any(line is one.default for line in lines))
    figure, (ax,) = row_of_maps(1, len(columns) * CELL[0] + 1.6, len(rows) * CELL[1] + 1.7)
    paint(ax, columns, rows, cells, spread_of([cells]))
    ax.set_xticks(range(len(columns)), [str(value) for value in columns])
    ax.set_yticks(range(len(rows)), [str(value) for value in rows])
    ax.set_xlabel(x.replace("_", " "))
    ax.set_ylabel(y.replace("_", " "))
    legend(figure, True)
    said = f"{metric(name).title}, the least over the other parameters; × nothing there is right; empty: not tried"
    note(figure, one.title, said)
    return figure
