"""Curves over many sets of one kind: their median, and a bar over their range."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from plots.draw import line_curves, style
from plots.draw.curves import Curve, Looks, numeric
from plots.read.intervals import Estimate
from plots.read.view import View


def merged(pairs: Sequence[tuple[Any, Estimate]]) -> list[tuple[Any, Estimate]]:
    """One estimate an x: the median of its sets, with their range as bounds."""
    groups: dict[Any, list[float]] = {}
    for x, estimate in pairs:
        groups.setdefault(x, []).append(estimate.value)
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
