"""Compares two sides, case by case and by implementation. Ranks implementations by the geometric mean of time over best
time, over the problems that all of them solved."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

import numpy as np

from plots.decide.change import FEWEST_ROUNDS, Change, holm, of_rounds, of_samples
from plots.read.intervals import LEVEL, Estimate, exp
from plots.read.select import grouped
from plots.read.sides import Case, Side, alike

SLOWER, FASTER, SAME, NOT_SLOWER, UNDECIDED = "slower", "faster", "same", "not slower", "undecided"
BROKEN, COARSE, NO_TIME, OTHER = "no time now", "coarse now", "no time", "another task"
VERDICTS = (SLOWER, BROKEN, COARSE, FASTER, UNDECIDED, NOT_SLOWER, SAME, NO_TIME, OTHER)  # in the order of the tables
REGRESSION, CANNOT_DECIDE = 1, 3  # exit codes
ENOUGH = 10  # problems of a ranking


@dataclass(frozen=True)
class Pair:
    """One case on both sides. `change` is None if either has no time (`why`). `p` and `detectable` are corrected for
    the number of tests."""

    name: str
    base: Case
    new: Case
    change: Change | None
    verdict: str
    why: str = ""
    p: float | None = None
    detectable: float | None = None

    @property
    def implementation(self) -> str:
        return self.base.implementation

    @property
    def ratio(self) -> Estimate | None:
        return self.change.ratio if self.change else None


@dataclass(frozen=True)
class Group:
    """All cases of one implementation."""

    implementation: str
    cases: int
    change: Change | None
    ratio: Estimate
    verdict: str
    p: float | None = None
    detectable: float | None = None


@dataclass(frozen=True)
class Comparison:
    """`within`: the share within which times are the same. `threshold`: the share from which slower is a regression.
    `families`: number of test families that share the 5% false-alarm rate."""

    base: Side
    new: Side
    pairs: list[Pair]
    groups: list[Group]
    only_base: list[str]
    only_new: list[str]
    within: float
    threshold: float
    families: int

    @property
    def slower(self) -> list[Group | Pair]:
        least = 1 + self.threshold
        return [one for one in (*self.groups, *self.pairs) if one.verdict == SLOWER and one.ratio.value >= least]

    @property
    def lost(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.verdict in (BROKEN, COARSE)]

    @property
    def blind(self) -> list[Pair]:
        """Undecided cases with so few runs or rounds that the clearest order decides nothing, alone and together."""
        together = {group.implementation for group in self.groups if group.detectable is not None}
        undecided = [pair for pair in self.pairs if pair.verdict == UNDECIDED and pair.detectable is None]
        return [pair for pair in undecided if pair.implementation not in together]

    @property
    def lacking(self) -> list[str]:
        """Cases of base that new lacks or skips."""
        skipped = [one.name for one in self.pairs if not one.base.reason and one.new.reason.startswith("skipped")]
        return [*self.only_base, *skipped]

    @property
    def code(self) -> int:
        if self.slower or self.lost:
            return REGRESSION
        nothing = not any(pair.change for pair in self.pairs)
        return CANNOT_DECIDE if self.blind or nothing or self.lacking else 0


def compare(base: Side, new: Side, within: float = 0.02, threshold: float = 0.05) -> Comparison:
    new = alike(new, base)
    base = alike(base, new)
    shared = sorted(base.cases.keys() & new.cases.keys())
    pairs = [pair_of(name, base.cases[name], new.cases[name]) for name in shared]
    by_implementation = grouped((pair for pair in pairs if pair.change), lambda pair: pair.implementation)
    groups = [group_of(name, of_one) for name, of_one in sorted(by_implementation.items())]
    only_base, only_new = (sorted(a.cases.keys() - b.cases.keys()) for a, b in ((base, new), (new, base)))
    families = 2 if any(group.change and group.cases > 1 for group in groups) else 1
    told = (decided(found, within, threshold, families) for found in (pairs, groups))
    return Comparison(base, new, *told, only_base, only_new, within, threshold, families)


def pair_of(name: str, base: Case, new: Case) -> Pair:
    """An undecided pair, or a pair with the reason why it cannot be decided."""
    if base.reason or new.reason:
        broke = not base.reason and new.reason.partition(":")[0] in ("wrong", "failed")
        why = f"base: {base.reason}" if base.reason else f"new: {new.reason}"
        return Pair(name, base, new, None, BROKEN if broke else NO_TIME, why)
    if base.points and new.points and base.points != new.points:
        return Pair(name, base, new, None, OTHER, "other points under the same name")
    if new.coarse and not base.coarse:
        return Pair(name, base, new, None, COARSE, "the new result is coarse, the old one was not")
    rounds = least_runs(base, new)
    change = together([rounds]) if len(rounds) >= FEWEST_ROUNDS else of_samples(base.samples, new.samples)
    if change is None:
        return Pair(name, base, new, None, NO_TIME, "a time of 0")
    why = "" if base.iterations == new.iterations else f"{base.iterations} iterations, now {new.iterations}"
    return Pair(name, base, new, change, UNDECIDED, why)


def least_runs(base: Case, new: Case) -> dict[str, tuple[float, float]]:
    """By shared round the logarithms of the two least runs: disturbances only make runs longer."""
    shared = sorted(base.rounds.keys() & new.rounds.keys())
    found = {name: (min(base.rounds[name]), min(new.rounds[name])) for name in shared}
    return {name: (math.log(one), math.log(two)) for name, (one, two) in found.items() if one > 0 and two > 0}


def together(cases: Sequence[dict[str, tuple[float, float]]]) -> Change | None:
    """The joint change of these cases, over the rounds that all of them have."""
    shared = sorted(set.intersection(*map(set, cases)))
    if len(shared) < FEWEST_ROUNDS:
        return None
    return of_rounds(*(np.array([[case[name][side] for name in shared] for case in cases]) for side in (0, 1)))


def group_of(implementation: str, pairs: Sequence[Pair]) -> Group:
    """With one run a side, all cases share its disturbances: the median has no interval and decides nothing."""
    change = together([least_runs(pair.base, pair.new) for pair in pairs])
    middle = median(pair.ratio.value for pair in pairs)
    ratio = change.ratio if change else Estimate(middle, None, None, len(pairs), "one run each")
    return Group(implementation, len(pairs), change, ratio, UNDECIDED)


def decided(found: Sequence, within: float, threshold: float, families: int) -> list:
    """The pairs or groups with verdicts, p corrected for the number of tests and of families."""
    tested = [i for i, one in enumerate(found) if one.change is not None and one.change.p is not None]
    corrected = dict(zip(tested, holm([found[i].change.p for i in tested]), strict=True))
    made = list(found)
    for i, one in enumerate(found):
        if one.change is not None:
            p = min(1.0, families * corrected[i]) if i in corrected else None
            seen = one.change.detectable(families * max(len(tested), 1))
            made[i] = replace(one, p=p, detectable=seen, verdict=verdict(one.change, p, within, threshold))
    return made


def verdict(change: Change, p: float | None, within: float, threshold: float) -> str:
    """Same: the whole interval is within the band. Faster, slower: the estimate is outside, the test significant, and 1
    outside the interval. Not slower: the whole interval is below the threshold. Else undecided, as is every ratio
    without an interval."""
    low, high = change.ratio.range
    if not change.ratio.known:
        return UNDECIDED
    if 1 / (1 + within) <= low and high <= 1 + within:
        return SAME
    outside = not 1 / (1 + within) < change.ratio.value < 1 + within
    if outside and p is not None and p <= 1 - LEVEL and not low <= 1 <= high:
        return SLOWER if low > 1 else FASTER
    return NOT_SLOWER if high < 1 + threshold else UNDECIDED


@dataclass(frozen=True)
class Place:
    """`mean`: 1 is the fastest everywhere. `first`: the number of problems that it won."""

    implementation: str
    mean: float
    first: int
    worst: float


@dataclass(frozen=True)
class Ranking:
    """`places`: the best first. `left_out`: who is in no ranking, with the number of problems solved."""

    places: list[Place]
    problems: int
    left_out: dict[str, int] = field(default_factory=dict)


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


def rankings(cases: Iterable[Case]) -> list[Ranking]:
    """Groups of implementations that solved the same problems. A group begins with who solved most, and takes in turn
    who shares most, while all share ten, or half of the first one's if it solved fewer than 20. The last ranking names
    those left out."""
    times = times_of(cases)
    found = []
    while times:
        group: list[str] = []
        shared = set().union(*times.values())
        for _ in range(len(times)):
            nearest = max(sorted(times.keys() - set(group)), key=lambda name: len(shared & times[name].keys()))
            common = shared & times[nearest].keys()
            if len(common) < (min(ENOUGH, (len(times[group[0]]) + 1) // 2) if group else 1):
                break
            group.append(nearest)
            shared = common
        if found and len(group) == 1:
            break
        found.append(ranking({name: times.pop(name) for name in group}, shared))
    if found:
        found[-1] = replace(found[-1], left_out={name: len(times[name]) for name in sorted(times)})
    return found


def ranking(times: dict[str, dict[str, float]], shared: set[str]) -> Ranking:
    best = {problem: min(own[problem] for own in times.values()) for problem in shared}
    places = []
    for name, own in times.items():
        ratios = [own[problem] / best[problem] for problem in sorted(shared)]
        mean = exp(fmean(map(math.log, ratios)))
        places.append(Place(name, mean, sum(ratio == 1 for ratio in ratios), max(ratios)))
    places.sort(key=lambda place: (place.mean, place.implementation))
    return Ranking(places, len(shared))
