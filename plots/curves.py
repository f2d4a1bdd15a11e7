"""A curve: one series of a figure, ours and the paper's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plots.intervals import Estimate


@dataclass
class Curve:
    """`ours` and `paper` hold, by metric, pairs of x and value; `lead`: the part of the name that gives the colour.

    `missing` holds the x of cases that were skipped, failed or were wrong."""

    name: str
    lead: str
    x: str
    ours: dict[str, list[tuple[Any, Estimate]]] = field(default_factory=dict)
    paper: dict[str, list[tuple[Any, float]]] = field(default_factory=dict)
    missing: list[Any] = field(default_factory=list)


def positions(curves: list[Curve]) -> list[Any]:
    """Every x of these curves, once, in the order of first appearance."""
    found = [x for c in curves for side in (c.ours, c.paper) for pairs in side.values() for x, _ in pairs]
    return list(dict.fromkeys([*found, *(x for c in curves for x in c.missing)]))


def numeric(values: list[Any]) -> bool:
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def errors(value: Estimate) -> tuple[float, float]:
    """Distances from the value to its bounds; NaN (no bar is drawn) where it is exact or was measured once."""
    if value.exact or not value.known:
        return float("nan"), float("nan")
    low, high = value.range
    return max(value.value - low, 0.0), max(high - value.value, 0.0)
