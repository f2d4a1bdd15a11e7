"""Intervals: checked by hand, and with the coverage that they promise."""

import math

import numpy as np
import pytest

from plots.read.intervals import exact, of_mean, of_median, once, ratio


def test_order_statistics_by_hand():
    """Of ten, ranks 2 and 9: P(1 < Binomial(10, 1/2) < 9) = 97.9%, and ranks 3 and 8 reach 89% only."""
    found = of_median([5, 1, 9, 3, 7, 2, 8, 4, 10, 6])
    assert (found.value, found.low, found.high, found.method) == (5.5, 2, 9, "order statistics")
    assert of_median(range(1, 7)).range == (1, 6)
    assert of_median(range(1, 6)).method == "t of logarithms", "six samples are the fewest"


@pytest.mark.parametrize("samples", [3, 5, 6, 11, 30])
def test_the_interval_holds_the_median_in_95_of_100_cases(samples):
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(1000):
        low, high = of_median(np.exp(rng.normal(0, 0.1, samples))).range
        held += low <= 1 <= high
    assert held >= 930


def test_the_interval_holds_its_own_median_and_ignores_order():
    assert of_median([1, 1, 1, 9]) == of_median([9, 1, 1, 1])
    found = of_median([1, 1, 1, 1, 100])
    assert found.low <= found.value <= found.high


def test_no_samples_no_estimate_one_sample_no_interval():
    assert of_median([]) is None
    assert of_mean([]) is None
    assert not of_median([3]).known


def test_the_mean_of_a_series_by_hand():
    found = of_mean([1, 2, 3])
    assert found.value == 2
    assert found.high - 2 == pytest.approx(4.3027 / math.sqrt(3), rel=1e-4)


def test_a_ratio_of_exact_values_is_exact_and_of_single_ones_unknown():
    assert ratio(exact(6), exact(3)) == exact(2)
    assert not ratio(once(6), exact(3)).known
    assert ratio(exact(1), exact(0)) is None


def test_a_ratio_is_as_wide_as_both_sides_together():
    a = of_median([9, 10, 10, 10, 10, 10, 11])
    wide, narrow = ratio(a, a), ratio(a, exact(10))
    assert narrow.low == pytest.approx(0.9)
    assert wide.low < narrow.low < 1 < narrow.high < wide.high


def test_the_interval_of_a_ratio_covers_the_true_one():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(500):
        a, b = (of_median(np.exp(rng.normal(mean, 0.05, 9))) for mean in (math.log(2), 0))
        low, high = ratio(a, b).range
        held += low <= 2 <= high
    assert held >= 465
