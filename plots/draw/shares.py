"""Distributions over many sets: for every value the share of the sets with at most that value."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from plots.draw.curves import Curve, Looks
from plots.read.view import View


def steps(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """Corners of the stair: values in order, and the share (%) of them up to each."""
    ordered = sorted(values)
    return ordered, [100 * (i + 1) / len(ordered) for i in range(len(ordered))]


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], _: View, looks: Looks) -> None:
    """A stair a series, the number of sets, and a thin line at 1, where both sides are equal."""
    (name,) = metrics
    counts = {len(curve.ours[name]) for curve in curves if name in curve.ours}
    counted = len(counts) > 1
    if len(counts) == 1:
        ax.text(1, 1.03, f"{counts.pop()} sets", transform=ax.transAxes, ha="right", fontsize=7.5, color="#666666")
    for curve in curves:
        if pairs := curve.ours.get(name):
            values, shares = steps([value.value for _, value in pairs])
            label = f"{curve.name} ({len(values)} sets)".strip() if counted else curve.name
            look = {"color": looks.colour[curve.lead], "linestyle": looks.dash[curve.name]}
            ax.step([values[0], *values], [0, *shares], where="post", label=label, **look)
    ax.axvline(1, color="#999999", linewidth=0.8)
    ax.set_ylim(0, 102)
