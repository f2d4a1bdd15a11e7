"""A change: ratio with interval, test, and smallest change that the test could show (docs/method.md, "Comparing two
states"). From the samples of one run a side, or from short rounds in which both programs ran by turns."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from plots.read.intervals import LEVEL, MOST, Estimate, exp, of_median, ratio

FEWEST_ROUNDS = 6  # with fewer, no sign test reaches 5%
FEWEST_SAMPLES = 4  # a side; with fewer, Mann and Whitney's test cannot reach 5%
POWER = 0.8  # of the test for the smallest change seen


@dataclass(frozen=True)
class Change:
    """`ratio`: new over base. `p`: two-sided, None with too few samples. `least_p`: the smallest possible p."""

    ratio: Estimate
    p: float | None
    least_p: float
    test: str

    @property
    def in_rounds(self) -> bool:
        return self.test.startswith("sign flips")

    def detectable(self, tests: int) -> float | None:
        """The smallest change seen with 80% power among so many tests, 0.03 for 3% slower; None if none can be."""
        low, high = self.ratio.range
        if self.p is None or self.least_p * tests > 1 - LEVEL or not 0 < low <= high < math.inf:
            return None
        from scipy import special

        error = math.log(high / low) / (2 * float(special.ndtri((1 + LEVEL) / 2)))
        needed = -float(special.ndtri((1 - LEVEL) / (2 * tests))) + float(special.ndtri(POWER))
        return math.expm1(min(needed * error, MOST))


def of_samples(base: Sequence[float], new: Sequence[float]) -> Change | None:
    """The ratio of the medians with its interval, and Mann and Whitney's test, from one run a side."""
    found = [of_median(base), of_median(new)]
    if found[0] is None or found[1] is None or found[0].value <= 0:
        return None
    change = ratio(found[1], found[0])
    few = min(len(base), len(new))
    least = 2 / math.comb(len(base) + len(new), len(base))
    if change is None or few < FEWEST_SAMPLES:
        return change and Change(change, None, 1.0, "no test: too few runs")
    from scipy import stats

    p = stats.mannwhitneyu(new, base, method="auto").pvalue
    return Change(change, float(p), least, f"ranks, {len(base)} and {len(new)} runs")


def fewest_samples(tests: int) -> int:
    """Samples a side that a rank test needs among so many tests."""
    return next(m for m in range(FEWEST_SAMPLES, 100) if 2 * tests / math.comb(2 * m, m) <= 1 - LEVEL)


def fewest_rounds(tests: int) -> int:
    return next(m for m in range(FEWEST_ROUNDS, 100) if tests * 2.0 ** (1 - m) <= 1 - LEVEL)


def holm(values: Sequence[float]) -> list[float]:
    """P values corrected for their number (Holm 1979), in the same order."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    corrected, worst = [1.0] * len(values), 0.0
    for at, i in enumerate(order):
        worst = max(worst, min(1.0, (len(values) - at) * values[i]))
        corrected[i] = worst
    return corrected


QUIET = 0.05  # a round this much slower than the best one has half the weight
STEPS = 30  # a round on average: scores become integers, so that their sums can be counted
TINY = 1e-12  # below the resolution of any clock


def of_rounds(before: np.ndarray, after: np.ndarray) -> Change:
    """One change for all cases: where the scores of the rounds balance (Huber 1964). Its 95% interval holds all changes
    that the test does not reject."""
    logs, weights = after - before, quietness(before, after)
    rounds, least, most = logs.shape[1], float(logs.min()), float(logs.max())

    def scores(shift: float) -> np.ndarray:
        """One number a round: the sum of the cases' logarithms in units of their usual size, clipped to one unit."""
        usual = np.median(np.abs(logs - shift), axis=1, keepdims=True)
        return (weights * np.clip((logs - shift) / np.maximum(usual, TINY), -1, 1)).sum(axis=0)

    middle = crossing(lambda shift: scores(shift).sum() <= 0, least, most)
    low = crossing(lambda shift: p_of(scores(shift)) > 1 - LEVEL, least, middle)
    high = crossing(lambda shift: p_of(scores(shift)) <= 1 - LEVEL, middle, most)
    found = Estimate(*(exp(v) for v in (middle, low, high)), rounds, "sign flips")
    return Change(found, p_of(scores(0)), 2.0 ** (1 - rounds), f"sign flips, {rounds} rounds")


def quietness(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The weight of each case in each round; symmetric in both programs, so neither gains from it."""
    both = (before + after) / 2
    return 1 / (1 + (both - both.min(axis=1, keepdims=True)) / QUIET)


def p_of(scores: np.ndarray) -> float:
    """Fisher's randomization test, counted exactly: the share of sign choices with a sum as large as the observed."""
    total = float(np.abs(scores).sum())
    if total == 0:
        return 1.0
    steps = np.rint(scores * (STEPS * len(scores) / total)).astype(int).tolist()
    width = len(steps) + 1  # bits of a digit: no digit, nor the sum of all, reaches 2^width - 1
    ways = 1  # its digits count the ways to each sum, from the least sum on
    for step in map(abs, steps):
        ways += ways << (2 * step * width)
    largest = ways >> (sum(map(abs, steps)) + abs(sum(steps))) * width
    return min(1.0, 2 * (largest % ((1 << width) - 1)) / 2 ** len(steps))  # the remainder sums the digits


def crossing(beyond: Callable[[float], bool], low: float, high: float) -> float:
    """Where `beyond` becomes true, by 14 bisections."""
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return (low + high) / 2
