"""Values with their 95% intervals: (value, low, high); low and high are None for a single measurement."""

import math
import statistics
from functools import cache

from scipy import stats


def exact(x):
    return (x, x, x)


def once(x):
    return (x, None, None)


def ends(e):
    return (e[0], e[0]) if e[1] is None else (e[1], e[2])


def is_exact(e):
    return e[0] == e[1] == e[2]


def scaled(e, factor):
    return tuple(None if x is None else x * factor for x in e)


@cache
def quantile(freedom):
    """The 97.5% quantile of Student's t."""
    return stats.t.ppf(0.975, freedom)


@cache
def rank(m):
    """The lower rank of the narrowest symmetric pair of m order statistics that holds the median with 95%."""
    return int(stats.binom.ppf(0.025, m, 0.5))


def mean_and_half(x):
    """The mean and half of its interval."""
    return math.fsum(x) / len(x), quantile(len(x) - 1) * statistics.stdev(x) / math.sqrt(len(x))


def median(samples):
    x = sorted(samples)
    m = len(x)
    if m < 2:
        return once(x[0]) if x else None
    middle = statistics.median(x)
    if m >= 6:
        return (middle, x[rank(m) - 1], x[m - rank(m)])
    if x[0] <= 0:
        return (middle, x[0], x[-1])
    centre, half = mean_and_half([math.log(v) for v in x])
    return (middle, min(math.exp(centre - half), middle), max(math.exp(centre + half), middle))


def mean(series):
    if len(series) < 2:
        return once(series[0]) if series else None
    centre, half = mean_and_half(series)
    return (centre, max(centre - half, 0.0), centre + half)


def ratio(a, b):
    """MOVER on logarithms."""
    if b[0] <= 0 or a[0] < 0:
        return None
    value = a[0] / b[0]
    if is_exact(a) and is_exact(b):
        return exact(value)
    if a[1] is None or b[1] is None:
        return once(value)
    if value == 0:
        return exact(0.0)

    def gap(large, small):
        return math.log(large / small) if small > 0 else math.inf

    down = math.hypot(gap(a[0], a[1]), gap(b[2], b[0]))
    up = math.hypot(gap(a[2], a[0]), gap(b[0], b[1]))
    return (value, value * math.exp(-down), value * math.exp(up))
