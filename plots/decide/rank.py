"""Ranks implementations by the geometric mean of time over best time, over the problems that all of them solved."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, median

from plots.read.intervals import exp
from plots.read.sides import Case


@dataclass(frozen=True)
class Place:
    """`mean`: 1 is the fastest everywhere. `first`: the number of problems that it won."""

    implementation: str
    mean: float
    first: int
    worst: float


@dataclass(frozen=True)
class Ranking:
    """`places`: the best first. `left_out`: the others with the number of problems that they solved."""

    places: list[Place]
    problems: int
    left_out: dict[str, int]


def times_of(cases: Iterable[Case]) -> dict[str, dict[str, float]]:
    """By implementation and problem the least median of several parameter values, without coarse and wrong cases."""
    found: dict[str, dict[str, float]] = {}
    for case in cases:
        if case.reason or case.coarse or not case.samples or not 0 < (time := median(case.samples)) < math.inf:
            continue
        parts = (text for label, text in case.parts.items() if not label.startswith("set.") and label != "exhibit")
        own, problem = found.setdefault(case.implementation, {}), "/".join(parts)
        own[problem] = min(time, own.get(problem, math.inf))
    return found


def ranking(cases: Iterable[Case]) -> Ranking:
    """Leaves out those that solved the fewest problems until all share one."""
    times = times_of(cases)
    kept = sorted(times, key=lambda name: (-len(times[name]), name))
    while kept and not (shared := set.intersection(*(set(times[name]) for name in kept))):
        kept.pop()
    if not kept:
        return Ranking([], 0, {})
    best = {problem: min(times[name][problem] for name in kept) for problem in shared}
    places = []
    for name in kept:
        ratios = [times[name][problem] / best[problem] for problem in sorted(shared)]
        mean = exp(fmean(map(math.log, ratios)))
        places.append(Place(name, mean, sum(ratio == 1 for ratio in ratios), max(ratios)))
    places.sort(key=lambda place: (place.mean, place.implementation))
    return Ranking(places, len(shared), {name: len(times[name]) for name in sorted(times) if name not in kept})
