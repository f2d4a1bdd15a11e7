"""Medians by commit over the first median: a panel an implementation, a curve a case, marks at new levels."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from plots.draw import style
from plots.draw.axes import grid, log_height, note
from plots.draw.curves import FARTHEST
from plots.read.history import Series
from plots.read.select import grouped

PANEL, ACROSS, MOST_PANELS = (4.3, 2.6), 3, 12
LEAST_RANGE = 1.1  # most over least of a panel's axis: a percent is not drawn as a cliff
MOST_NAMED = 12  # commits with a name below the axis


@style.applied
def draw(found: Sequence[Series], levels: dict[str, list[int]], commits: Sequence[str]) -> Figure | None:
    """`levels`: by case, the indices among its own commits at which a level begins. Shows the largest changes."""
    panels = grouped(found, lambda one: one.implementation)
    spread = {name: max(max(one.values) / min(one.values) for one in own) for name, own in panels.items()}
    kept = sorted(panels, key=lambda name: (-spread[name], name))[:MOST_PANELS]
    if not kept:
        return None
    figure, axes = grid(len(kept), min(ACROSS, len(kept)), PANEL, 0.3)
    for ax, name in zip(axes, sorted(kept), strict=True):
        ax.set_title(name)
        for one in panels[name]:
            paint(ax, one, levels[one.name], commits)
        named = range(0, len(commits), -(-len(commits) // MOST_NAMED))
        ax.xaxis.set_major_locator(FixedLocator(list(named)))
        ax.set_xticklabels([commits[i] for i in named], rotation=35, ha="right", fontsize=6.5)
        log_height(ax, LEAST_RANGE)
        ax.set_ylabel("time / first")
    marked = any(levels[one.name] for name in kept for one in panels[name])
    note(figure, "A curve a case: its medians over the first." + " Diamonds: another level begins." * marked)
    return figure


def paint(ax, one: Series, levels: Sequence[int], commits: Sequence[str]) -> None:
    at = [commits.index(commit) for commit in one.medians]
    values = [min(value / one.values[0], FARTHEST) for value in one.values]
    colour = style.colours([one.implementation])[one.implementation]
    ax.plot(at, values, color=colour, marker=".", linewidth=0.8, alpha=0.6)
    ax.plot([at[i] for i in levels], [values[i] for i in levels], "D", color=style.PAPER_INK, markersize=4)
