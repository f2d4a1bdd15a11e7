"""Many sets of one kind: curves of their median with a bar over their range, and the distribution of their values."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from plots.draw import line_curves, style
from plots.draw.curves import Curve, Looks, numeric
from plots.read.intervals import Estimate
from plots.read.select import grouped
from plots.read.view import View


def merged(pairs: Sequence[tuple[Any, Estimate]]) -> list[tuple[Any, Estimate]]:
    """One estimate an x: the median of its sets, with their range as bounds."""
    groups = {x: [one.value for _, one in own] for x, own in grouped(pairs, lambda pair: pair[0]).items()}
    return [(x, Estimate(median(v), min(v), max(v), len(v), "range of the sets")) for x, v in groups.items()]


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, looks: Looks) -> None:
    whole = [
        replace(
            curve,
            ours={name: merged(pairs) for name, pairs in curve.ours.items()},
            missing={},  # gaps are marked, and break no line
            paper={name: list(dict(pairs).items()) for name, pairs in curve.paper.items()},
        )
        for curve in curves
    ]
    line_curves.paint(ax, whole, metrics, view, looks)
    for curve in curves:
        ran = {x for pairs in curve.ours.values() for x, _ in pairs}
        places = [x for x in curve.missing if x not in ran and numeric([x])]
        style.gaps(ax, places, looks.colour[curve.lead])


def steps(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """Corners of the stair: values in order, and the share (%) of them up to each."""
    ordered = sorted(values)
    return ordered, [100 * (i + 1) / len(ordered) for i in range(len(ordered))]


def paint_shares(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], _: View, looks: Looks) -> None:
    """The share of the sets with at most each value, a stair a series. At a thin line at 1 both sides are equal."""
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
