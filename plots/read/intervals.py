"""Estimates with 95% intervals: of a median, of a mean, and of a ratio."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

LEVEL = 0.95
MOST = 709.0  # the exponential of more overflows


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval. `low` and `high` equal an exact value; they are None for a single measurement."""

    value: float
    low: float | None
    high: float | None
    samples: int = 1
    method: str = "exact"

    @property
    def known(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def exact(self) -> bool:
        return self.low == self.value == self.high

    @property
    def range(self) -> tuple[float, float]:
        return (self.low, self.high) if self.low is not None and self.high is not None else (self.value, self.value)

    def scaled(self, factor: float) -> "Estimate":
        """`factor` (positive) times this."""
        return self.mapped(lambda x: x * factor)

    def shifted(self, constant: float) -> "Estimate":
        return self.mapped(lambda x: x + constant)

    def mapped(self, rising: Callable[[float], float]) -> "Estimate":
        bounds = (None if bound is None else rising(bound) for bound in (self.low, self.high))
        return Estimate(rising(self.value), *bounds, self.samples, self.method)

    def inverse_of(self, constant: float) -> "Estimate":
        """`constant` over this (both positive): a rate from a time."""
        low = None if self.high is None else over(constant, self.high)
        high = None if self.low is None else over(constant, self.low) if self.low > 0 else math.inf
        return replace(self, value=over(constant, self.value), low=low, high=high)


def over(a: float, b: float) -> float:
    """a / b; infinite over 0, but 0 over 0 is 0."""
    return a / b if b else math.copysign(math.inf, a) if a else 0.0


def exp(x: float) -> float:
    """Infinite on overflow."""
    return math.exp(x) if x < MOST else math.inf


def exact(value: float) -> Estimate:
    return Estimate(value, value, value)


def once(value: float) -> Estimate:
    return Estimate(value, None, None, method="measured once")


def of_median(samples: Sequence[float]) -> Estimate | None:
    """Median and its 95% interval; None for no samples, and for a median past the range of numbers.

    From six samples on: order statistics, the narrowest pair (x_r, x_{m+1-r}) that holds the median with a binomial
    probability of at least 95%. Below: Student's t on the logarithms, widened to the median."""
    return median_of(tuple(sorted(map(float, samples))))


@lru_cache(1 << 16)
def median_of(x: tuple[float, ...]) -> Estimate | None:
    """The same of samples in order."""
    m = len(x)
    if m == 0:
        return None
    median = statistics.median(x)
    if not math.isfinite(median):
        return None
    if m == 1:
        return once(median)
    if m >= 6:
        r = rank(m)
        return Estimate(median, x[r - 1], x[m - r], m, "order statistics")
    if x[0] <= 0:
        return Estimate(median, x[0], x[-1], m, "range")
    import numpy as np

    logs = np.log(x)
    half, centre = half_width(logs), float(np.mean(logs))
    low, high = exp(centre - half), exp(centre + half)
    return Estimate(median, min(low, median), max(high, median), m, "t of logarithms")


@cache
def rank(m: int) -> int:
    """From which end of `m` samples the interval of their median begins."""
    from scipy import special

    return next(r for r in range(m) if special.bdtr(r, m, 0.5) >= (1 - LEVEL) / 2)


@cache
def student(m: int) -> float:
    """Student's t of a two-sided 95% interval, of `m` values."""
    from scipy import special

    return float(special.stdtrit(m - 1, (1 + LEVEL) / 2))


def half_width(x: Sequence[float]) -> float:
    """Half of the 95% interval of the mean of two values or more, by Student's t."""
    import numpy as np

    return student(len(x)) * float(np.std(x, ddof=1)) / math.sqrt(len(x))


def of_mean(series: Sequence[float]) -> Estimate | None:
    """Mean and its 95% interval by Student's t; None for an empty series, and for a mean past the range of numbers."""
    import numpy as np

    x = np.asarray(series, dtype=float)
    if len(x) == 0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.mean(x))
        half = half_width(x) if len(x) > 1 else 0.0
    if not math.isfinite(mean):
        return None
    if len(x) == 1:
        return once(mean)
    low = mean - half if x.min() < 0 else max(mean - half, 0.0)
    return Estimate(mean, low, mean + half, len(x), "t over iterations")


def geometric_mean(values: Sequence[float]) -> Estimate:
    """Of positive values, with Student's t on their logarithms; of one value, without an interval."""
    import numpy as np

    logs = np.log(np.asarray(values, dtype=float))
    middle = exp(float(np.mean(logs)))
    if len(logs) == 1:
        return once(middle)
    half = half_width(logs)
    return Estimate(middle, middle * exp(-half), middle * exp(half), len(logs), "t over problems")


def ratio(numerator: Estimate, denominator: Estimate) -> Estimate | None:
    """numerator / denominator with its 95% interval; None if the denominator is 0, either is negative, or it overflows.

    MOVER on logarithms (Zou and Donner 2008): on each side the two distances from estimate to bound add in squares."""
    if denominator.value <= 0 or numerator.value < 0:
        return None
    value = numerator.value / denominator.value
    if not math.isfinite(value):
        return None
    samples = min(numerator.samples, denominator.samples)
    if numerator.exact and denominator.exact:
        return exact(value)
    if not numerator.known or not denominator.known:
        return Estimate(value, None, None, samples, "measured once")
    if value == 0:
        return exact(0.0)
    (n_low, n_high), (d_low, d_high) = numerator.range, denominator.range
    down = math.hypot(log_gap(numerator.value, n_low), log_gap(d_high, denominator.value))
    up = math.hypot(log_gap(n_high, numerator.value), log_gap(denominator.value, d_low))
    return Estimate(value, value * exp(-down), value * exp(up), samples, "MOVER of logarithms")


def log_gap(larger: float, smaller: float) -> float:
    return math.log(larger / smaller) if smaller > 0 else math.inf
