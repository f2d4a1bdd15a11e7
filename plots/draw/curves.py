"""A curve: one series of a figure, ours and the paper's."""

from dataclasses import dataclass, field
from typing import Any

from plots.draw import style
from plots.read.intervals import Estimate
from plots.read.select import grouped

FARTHEST = 1e100  # past it an axis has no room


@dataclass
class Curve:
    """`lead` gives the colour. By metric, `ours`, `paper` and `stated` (from its text) hold pairs of x and value,
    `bands` (from its text) x and two bounds; `doubtful`: the marked points of `ours`. `missing`: by x, why a case has
    no time."""

    name: str
    lead: str
    x: str
    ours: dict[str, list[tuple[Any, Estimate]]] = field(default_factory=dict)
    paper: dict[str, list[tuple[Any, float]]] = field(default_factory=dict)
    stated: dict[str, list[tuple[Any, float]]] = field(default_factory=dict)
    bands: dict[str, list[tuple[Any, float, float]]] = field(default_factory=dict)
    missing: dict[Any, str] = field(default_factory=dict)
    doubtful: dict[str, list[tuple[Any, float, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Looks:
    """Colour by lead; marker, dash and fill by name: the same in every panel."""

    colour: dict[str, str]
    fill: dict[str, str]  # of bars, by the whole name
    marker: dict[str, str]
    dash: dict[str, Any]
    direct: bool = False  # curves are named at their ends, not in the legend


def looks(curves: list[Curve], direct: bool = False) -> Looks:
    leads = {curve.name: curve.lead for curve in curves}
    alike = grouped(leads, leads.get).values()
    dash = {name: style.DASHES[i % len(style.DASHES)] for names in alike for i, name in enumerate(names)}
    return Looks(style.colours(leads.values()), style.colours(leads), style.markers(leads), dash, direct)


def positions(curves: list[Curve]) -> list[Any]:
    """Every x of these curves, once, in the order of first appearance."""
    found = [x for c in curves for side in (c.ours, c.paper, c.stated) for pairs in side.values() for x, _ in pairs]
    return list(dict.fromkeys([*found, *(x for c in curves for x in c.missing)]))


def drawable(value: float) -> bool:
    """Whether matplotlib's arithmetic has room for the value."""
    return abs(value) < FARTHEST


def numeric(values: list[Any]) -> bool:
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) and drawable(v) for v in values)


def errors(value: Estimate) -> tuple[float, float]:
    """Distances from the value to its bounds; NaN, so that no bar is drawn, without an interval."""
    if value.exact or not value.known:
        return float("nan"), float("nan")
    low, high = value.range
    return max(value.value - low, 0.0), max(min(high, FARTHEST) - value.value, 0.0)
