"""Machines in one picture: a grey dot a problem, its geometric mean with the interval in black."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.draw import style
from plots.draw.axes import log_height, note
from plots.read import words
from plots.read.across import BOUNDS, Comparison, named

ROW, WIDE = 0.25, 8.6  # inches of a row and of the figure
TOLD = {
    **{what: f"bound by {what}" for what in BOUNDS},
    "iteration": "an iteration",
    "end_to_end": "a clustering with copies",
}


@style.applied
def draw(groups: Sequence[tuple[str, Sequence[Comparison]]]) -> Figure | None:
    """A panel a group, below its title; None without a comparison."""
    shown = [(title, found) for title, found in groups if found]
    if not shown:
        return None
    heights = [len(found) + 2.2 for _, found in shown]
    figure = Figure(figsize=(WIDE, ROW * sum(heights) + 1.1))
    axes = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights).flat
    for ax, (title, found) in zip(axes, shown, strict=True):
        forest(ax, found)
        ax.set_title(title, loc="left")
    said = "Right of the line: faster. A grey dot: one problem. Black: their geometric mean, with its 95% interval."
    note(figure, said, title="Machines side by side")
    return figure


def forest(ax: Axes, found: Sequence[Comparison]) -> None:
    for y, one in enumerate(found):
        low, high = one.value.range
        ax.plot(one.each, [y] * len(one.each), linestyle="none", marker=".", markersize=4, color="#AAAAAA")
        ax.plot([low, high], [y, y], color=style.PAPER_INK, linewidth=1.6, zorder=3)
        ax.plot([one.value.value], [y], marker="D", markersize=5, color=style.PAPER_INK, zorder=4)
        told = f"{words.number(one.value.value, 3)}   {words.field_value(len(one.each))} problems"
        ax.annotate(told, (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=7.5)
    ax.axvline(1, color="#888888", linewidth=0.8)
    log_height(ax, side="x")
    labels = [f"{named(one.new)} over {named(one.base)}, {TOLD[one.what]}" for one in found]
    ax.set_yticks(range(len(found)), labels, fontsize=7.5)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.set_xlabel("times as fast")
