"""A change: ratio with interval, test, and smallest change that the test could show (docs/method.md, "Comparing two
states"). Pure functions of the samples of one run a side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plots.read.intervals import LEVEL, MOST, Estimate, of_median, ratio

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
