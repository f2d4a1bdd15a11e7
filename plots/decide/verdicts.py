"""Verdicts of estimates (docs/exhibits.md, "How a claim is decided"). Pure functions."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plots.read.intervals import Estimate, exact, over, ratio

REPRODUCED, STAND_IN, TREND, FAILED = "reproduced", "reproduced (stand-in)", "trend only", "not reproduced"
NOISE, INCOMPARABLE = "undecided (noise)", "not comparable"
VERDICTS = (REPRODUCED, STAND_IN, TREND, FAILED, NOISE, INCOMPARABLE)
# The worst decided verdict of several counts; a failure outweighs noise.
WORST_FIRST = (FAILED, NOISE, TREND, STAND_IN, REPRODUCED)


def worst(verdicts: Iterable[str]) -> str:
    """The worst decided verdict; not comparable if none is decided."""
    found = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in found), INCOMPARABLE)


@dataclass(frozen=True)
class Band:
    """low <= value <= high, and the side of 1 on which a ratio is expected (-1, 0 for no side, 1)."""

    low: float
    high: float
    side: int = 0


def band(
    expect: float | None = None, within: float = 1.0, at_least: float | None = None, at_most: float | None = None
) -> Band:
    """The band of a claim's keys: [expect / within, expect * within], cut by at_least and at_most."""
    low, high = (expect / within, expect * within) if expect is not None else (-math.inf, math.inf)
    low = low if at_least is None else max(low, at_least)
    high = high if at_most is None else min(high, at_most)
    if expect is not None:
        return Band(low, high, (expect > 1) - (expect < 1))
    return Band(low, high, (at_least is not None and at_least >= 1) - (at_most is not None and at_most <= 1))


def inside(value: Estimate, wanted: Band) -> str:
    """reproduced: the interval lies in the band. undecided: it crosses an edge. not reproduced: it lies outside."""
    low, high = value.range
    if wanted.low <= low and high <= wanted.high:
        return REPRODUCED
    return FAILED if high < wanted.low or low > wanted.high else NOISE


def of_ratio(value: Estimate, wanted: Band) -> str:
    """As `inside`; outside, but on the expected side of 1, the trend is right."""
    verdict = inside(value, wanted)
    low, high = value.range
    if verdict == FAILED and ((wanted.side > 0 and low > 1) or (wanted.side < 0 and high < 1)):
        return TREND
    return verdict


def opposite(value: Estimate, wanted: Band) -> bool:
    """Whether the value is beyond noise on the other side of 1 than the whole band."""
    low, high = value.range
    return (wanted.low >= 1 and high < 1) or (wanted.high <= 1 and low > 1)


def step(before: Estimate, after: Estimate) -> int:
    """1 if `after` is larger beyond noise, -1 if smaller, 0 if the interval of the ratio holds 1."""
    if (before.exact and after.exact) or before.value <= 0 or after.value < 0:
        return (after.value > before.value) - (after.value < before.value)
    low, high = (ratio(after, before) or exact(1.0)).range
    return 1 if low > 1 else -1 if high < 1 else 0


def of_order(values: Sequence[Estimate]) -> str:
    """reproduced: every step is up beyond noise. trend only: the last is above the first, some step is not up."""
    steps = [step(a, b) for a, b in itertools.pairwise(values)]
    ends = step(values[0], values[-1])
    if all(s > 0 for s in steps):
        return REPRODUCED
    tied = any(a.exact and b.exact and a.value == b.value for a, b in itertools.pairwise(values))
    if all(s >= 0 for s in steps) and not tied:  # noise cannot hide growth in a tie of exact values
        return NOISE
    return TREND if ends > 0 else FAILED


def of_trend(values: Sequence[Estimate], direction: str, within: float = 1.1) -> str:
    """up: the last is above the first and no step is down, beyond noise (down: the mirror). trend only: the ends alone.
    flat: the largest over the smallest is at most `within`."""
    if direction == "flat":
        return of_equality(values, within - 1)
    steps = [step(a, b) for a, b in itertools.pairwise(values)]
    ends = step(values[0], values[-1])
    if direction == "down":
        steps, ends = [-s for s in steps], -ends
    if any(s < 0 for s in steps):
        return TREND if ends > 0 else FAILED
    if ends == 0:
        return FAILED if values[0].exact and values[-1].exact else NOISE
    return REPRODUCED if ends > 0 else FAILED


def of_location(values: Sequence[Estimate], expected: Sequence[int], extreme: str) -> str:
    """reproduced: the extreme is at an expected index, beyond noise. undecided: a tie with another index. trend only:
    the extreme is next to an expected index."""
    sign = -1 if extreme == "min" else 1
    best = max(range(len(values)), key=lambda i: (sign * values[i].value, i in expected))
    rivals = [i for i, value in enumerate(values) if i != best and sign * step(value, values[best]) <= 0]
    if best in expected:
        doubtful = [i for i in rivals if i not in expected and not (values[i].exact and values[best].exact)]
        return NOISE if doubtful else REPRODUCED
    if any(i in expected for i in rivals):
        return NOISE
    return TREND if any(abs(best - i) == 1 for i in expected) else FAILED


def of_bound(values: Sequence[Estimate], wanted: Band) -> str:
    """One value outside fails; else one that crosses an edge leaves it undecided."""
    return worst(inside(value, wanted) for value in values)


def of_share(values: Sequence[Estimate], wanted: Band, share: float) -> tuple[str, int]:
    """Whether at least that share of the values lies in the band, and how many points do."""
    verdicts, needed = [inside(value, wanted) for value in values], share * len(values)
    count = sum(wanted.low <= value.value <= wanted.high for value in values)
    if verdicts.count(REPRODUCED) >= needed:
        return REPRODUCED, count
    return (FAILED if len(values) - verdicts.count(FAILED) < needed else NOISE), count


def of_difference(values: Sequence[Estimate], at_least: float) -> str:
    """The largest over the smallest is at least 1 + at_least; trend only: they differ by less."""
    smallest, largest = min(values, key=lambda v: v.value), max(values, key=lambda v: v.value)
    if smallest.value <= 0:
        return REPRODUCED if largest.value > smallest.value else FAILED
    spread = ratio(largest, smallest)
    return of_ratio(spread, Band(1 + at_least, math.inf, 1)) if spread else FAILED


def of_equality(values: Sequence[Estimate], within: float = 0.0) -> str:
    """The largest over the smallest is at most 1 + within."""
    smallest, largest = min(values, key=lambda v: v.value), max(values, key=lambda v: v.value)
    if smallest.value == largest.value and smallest.exact and largest.exact:
        return REPRODUCED
    spread = ratio(largest, smallest)
    if spread is None:
        gap = over(abs(largest.value - smallest.value), max(abs(largest.value), abs(smallest.value)))
        return REPRODUCED if gap <= within else FAILED
    return inside(spread, Band(-math.inf, 1 + within))
