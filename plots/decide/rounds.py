"""How much slower one program is than another, from short rounds in which both ran by turns (docs/method.md,
"Comparing two states"). Pure functions of the logarithms of least runs, arrays of cases by rounds."""

from collections.abc import Callable

import numpy as np

from plots.decide.change import Change
from plots.read.intervals import LEVEL, Estimate, exp

QUIET = 0.05  # a round this much slower than the best one has half the weight
STEPS = 30  # a round on average: scores become integers, so that their sums can be counted
TINY = 1e-12  # below the resolution of any clock


def of_rounds(before: np.ndarray, after: np.ndarray) -> Change:
    """One change for all cases: where the scores of the rounds balance (Huber 1964). Its 95% interval holds all changes
    that the test does not reject."""
    logs, weights = after - before, quietness(before, after)
    rounds, least, most = logs.shape[1], float(logs.min()), float(logs.max())

    def scores(shift: float) -> np.ndarray:
        return scores_of(logs - shift, weights)

    middle = crossing(lambda shift: scores(shift).sum() <= 0, least, most)
    low = crossing(lambda shift: p_of(scores(shift)) > 1 - LEVEL, least, middle)
    high = crossing(lambda shift: p_of(scores(shift)) <= 1 - LEVEL, middle, most)
    found = Estimate(*(exp(v) for v in (middle, low, high)), rounds, "sign flips")
    return Change(found, p_of(scores(0)), 2.0 ** (1 - rounds), f"sign flips, {rounds} rounds")


def quietness(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The weight of each case in each round; symmetric in both programs, so neither gains from it."""
    both = (before + after) / 2
    return 1 / (1 + (both - both.min(axis=1, keepdims=True)) / QUIET)


def scores_of(logs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One number a round: the sum of the cases' logarithms in units of their usual size, clipped to one unit."""
    usual = np.median(np.abs(logs), axis=1, keepdims=True)
    return (weights * np.clip(logs / np.maximum(usual, TINY), -1, 1)).sum(axis=0)


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
