"""Promises on numbers, intervals and decisions that random errors (scripts/mutants) once broke unseen. Intervals,
checked by hand and with the coverage that they promise."""

import math
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import cases
from synthetic import line

from plots.decide import change, compare, verdicts
from plots.decide.claim_text import told
from plots.decide.compare import rankings
from plots.decide.lookup import GPU, OTHER, THREADS, may_match, need_of
from plots.decide.portability import portability
from plots.decide.side_by_side import Pair, Sides, problem_key
from plots.decide.verdicts import FAILED, NOISE, REPRODUCED, TREND, Band
from plots.errors import UserError
from plots.read import tuning, words
from plots.read.intervals import Estimate, exact, of_mean, of_median, once, ratio
from plots.read.select import sort_key
from plots.read.sides import Case, name_of, shown
from plots.read.validate import bounded

WIDE, NEGATIVE = Estimate(1.05, 0.9, 1.2, 5), Estimate(-0.2, -0.3, -0.1, 5)
MANY, TINY = Estimate(1, 0.9, 1.1, 9), Estimate(0, 0, 0.1, 5)
CROSSING = Estimate(1.9, 1.8, 2.1, 5)
WORSE = [verdicts.INCOMPARABLE, REPRODUCED, verdicts.STAND_IN, TREND, NOISE, FAILED]
NO_POINTS = line(n=0, d=0, skip="no data set")


@cases(
    "of given wanted",
    # A step beside an exact value is still judged by the measured interval.
    (verdicts.step, (exact(1.0), WIDE), 0),
    (verdicts.step, (WIDE, exact(1.0)), 0),
    (verdicts.step, (exact(1.0), exact(1.05)), 1),
    (verdicts.step, (TINY, exact(1.0)), 1),  # no ratio to 0 exists
    (verdicts.step, (NEGATIVE, exact(0.1)), 1),  # an adjusted Rand index may be negative
    # An interval that touches the band, or holds it, is not outside.
    *((verdicts.inside, (Estimate(value, value - 1, value + 1, 5), Band(1, 4)), NOISE) for value in (0, 5)),
    (verdicts.inside, (Estimate(2, 0, 9, 5), Band(1, 4)), NOISE),
    *((verdicts.worst, (WORSE[: i + 1],), one) for i, one in enumerate(WORSE)),
    (verdicts.worst, ([],), verdicts.INCOMPARABLE),
    # A share is reached at exactly that share, and lost when too few can be inside.
    (verdicts.of_share, ([exact(1), exact(5)], Band(0, 2), 0.5), (REPRODUCED, 1)),
    (verdicts.of_share, ([CROSSING, exact(5)], Band(0, 2), 0.5), (NOISE, 1)),
    (verdicts.of_share, ([CROSSING, exact(5)], Band(0, 2), 0.6), (FAILED, 1)),
    (verdicts.of_equality, ([exact(1.0), exact(1.5)], 0.5), REPRODUCED),
    (verdicts.of_equality, ([exact(1.0), exact(1.5)], 0.4), FAILED),
    (verdicts.of_equality, ([exact(0.0), exact(0.5)], 0.5), FAILED),
    (verdicts.of_order, ([exact(1), exact(3), exact(2)],), TREND),  # broken, it goes by its ends
    (verdicts.of_order, ([exact(2), exact(3), exact(1)],), FAILED),
    (verdicts.of_difference, ([exact(0.0), exact(0.5)], 0.1), REPRODUCED),  # from 0, one of any size
    (verdicts.of_difference, ([exact(0.0), exact(0.0)], 0.1), FAILED),
    (ratio, (exact(6), exact(3)), exact(2)),
    (ratio, (exact(1), exact(0)), None),
    (ratio, (TINY, MANY), exact(0)),  # a ratio of 0 is exact
    (of_median, ([],), None),
    (of_mean, ([],), None),
    *(
        (change.holm, (p,), pytest.approx(q))
        for p, q in (([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5, 0.9], [1, 1]))
    ),
    (change.holm, ([],), []),
    # The fewest that can show a change: 2 tests / C(2m, m) and tests 2^(1-m) are at most 0.05.
    *((change.fewest_samples, (tests,), runs) for tests, runs in ((1, 4), (3, 5), (10, 6))),
    *((change.fewest_rounds, (tests,), rounds) for tests, rounds in ((1, 6), (2, 7), (10, 9))),
    *((change.of_samples, both, None) for both in (([], [1.0]), ([1.0], []), ([0.0], [1.0]))),
    (may_match, (NO_POINTS, {"n": 10, "k": 4}), True),  # a skipped case without points may be any size
    (may_match, (NO_POINTS, {"n": 10, "k": 5}), False),
    # An interval of a factor of ten is noise, and of two runs both are shown.
    (words.interval, (Estimate(1.234, 1.2, 11.99, 5),), "1.200, 11.990"),
    (words.interval, (Estimate(1.234, 1.2, 12, 5),), "noise"),
    (words.interval, (Estimate(1.5, 0, 4e8, 5),), "noise"),
    (words.interval, (of_median([0.5, 2.0]).scaled(10),), "5.00 and 20.00"),
    (words.interval, (Estimate(2.0, -5.0, 80.0, 5),), "-5.000, 80.000"),
    (words.both, (Estimate(0.0, -0.4, 0.6, 5),), "0 [-0.4000, 0.6000]"),
    *((words.interval, (one,), "") for one in (exact(1.5), None, Estimate(1, None, None))),
    # Numbers have four digits, and turn scientific below a ten thousandth and from ten billion on.
    (words.number, (0.00012346,), "0.0001235"),
    (words.number, (0.000012346,), "1.235e-05"),
    (words.number, (1234567890.5,), "1,234,567,890"),
    (words.number, (12345678900.5,), "1.235e+10"),
    (words.number, (9999,), "9999"),
    (words.number, (10_000,), "10,000"),
    (words.decimals_for, (1.2345,), 3),
    (words.decimals_for, (1234.5,), 0),
    (words.decimals_for, (1.2345, 2), 1),
    # A whole number is written as one in a name.
    *((shown, (value,), text) for value, text in ((3.0, "3"), (3, "3"), (0.5, "0.5"), (1e16, "1e+16"), ("a", "a"))),
)
def test_by_hand(of, given, wanted):
    assert of(*given) == wanted


@pytest.mark.parametrize("value", [3.0, 0.1, 7e-5])
def test_an_interval_holds_its_own_median_and_ignores_order(value):
    """exp(log(x)) may differ from x."""
    for given in (*([value] * count for count in range(2, 6)), [1, 1, 1, 1, 100]):
        found = of_median(given)
        assert found.low <= found.value <= found.high
    assert of_median([1, 1, 1, 9]) == of_median([9, 1, 1, 1])


def test_a_ratio_has_as_many_samples_as_the_fewer_side():
    few = Estimate(2, 1.9, 2.1, 5)
    assert ratio(few, MANY).samples == ratio(MANY, few).samples == 5


def test_one_sample_has_no_interval():
    assert not ratio(once(6), exact(3)).known and not of_median([3]).known


def test_a_ratio_is_as_wide_as_both_sides_together():
    a = of_median([9, 10, 10, 10, 10, 10, 11])
    wide, narrow = ratio(a, a), ratio(a, exact(10))
    assert narrow.low == pytest.approx(0.9)
    assert wide.low < narrow.low < 1 < narrow.high < wide.high


def test_another_seed_of_the_start_is_another_problem():
    one, other = (line(init={"method": "random", "seed": seed, "source": None}) for seed in (1, 2))
    exhibit = SimpleNamespace(swept=[])
    assert problem_key(one, exhibit) != problem_key(other, exhibit) == problem_key(other, exhibit)


def test_runs_of_several_ranks_have_names_of_their_own():
    alone, together = line(), {**line(), "ranks": {"launch": "mpirun -n 4"}}
    assert name_of(together) == name_of(alone) + "/launch:mpirun -n 4"


def test_portability_is_over_the_problems_that_some_implementation_solved_on_every_platform():
    def made(name: str, k: int, seconds: float) -> dict:
        return line(implementation=f"cpu/lloyd/{name}", k=k, seconds=seconds)

    slow = {("a", 2): 1.0, ("b", 2): 2.0}
    times = {"fast": {**slow, ("a", 8): 1.0, ("b", 8): 9.0}, "slow": slow}
    lines = ({at: made(*case, of[case]) for at, of in times.items() if case in of} for case in times["fast"])
    pairs = [Pair({}, one) for one in lines]
    view = SimpleNamespace(value=lambda found, _: of_median(found["samples_s"]), doubt=lambda *_: "")
    exhibit = SimpleNamespace(swept=[])
    found = portability(Sides(exhibit, "paper", {"fast": view, "slow": view}, tuple(pairs)), "cpu", "application")
    assert found.problems == 1, "no implementation solved k = 8 on the slow platform"
    assert [c.pp for c in found.cascades] == [pytest.approx(1), pytest.approx(0.5)]


def test_the_first_is_the_fastest_alone_with_its_best_parameters():
    def case(name: str, threads: str, seconds: float) -> Case:
        return Case(name, {"k": "2", "set.threads": threads}, {"": (seconds,)})

    (near,) = rankings([case("a", "1", 1.0), case("b", "1", 1.01)])
    assert [place.first for place in near.places] == [1, 0]
    (found,) = rankings([case("a", "1", 4.0), case("a", "2", 1.0), case("b", "1", 2.0)])
    assert [(place.implementation, place.mean) for place in found.places] == [("a", 1), ("b", 2)]


def test_implementations_that_solved_other_problems_are_ranked_apart():
    def solved(name: str, first: int, last: int) -> list[Case]:
        return [Case(name, {"k": str(k)}, {"": (1.0,)}) for k in range(first, last)]

    cases = [*solved("a", 0, 30), *solved("b", 0, 12), *solved("c", 0, 9), *solved("d", 0, 9), *solved("e", 40, 41)]
    found = rankings(cases)
    assert [sorted(place.implementation for place in one.places) for one in found] == [["a", "b"], ["c", "d"]]
    assert [one.problems for one in found] == [12, 9], "a and b share ten and more, c would leave nine"
    assert [one.left_out for one in found] == [{}, {"e": 1}]


def test_the_band_of_an_expected_1_has_no_side():
    assert [verdicts.band(expect=value, within=1.1).side for value in (0.9, 1, 1.2)] == [-1, 0, 1]
    assert [verdicts.band(at_least=value).side for value in (0.9, 1, 1.2)] == [0, 1, 1]
    assert [verdicts.band(at_most=value).side for value in (0.9, 1, 1.2)] == [-1, -1, 0]


def test_a_test_of_changes_needs_enough_times():
    few = change.of_samples([0.1, 0.2], [0.3, 0.4])
    assert (few.p, few.least_p, few.ratio.value) == (None, 1.0, pytest.approx(0.35 / 0.15))
    assert change.of_samples([1.0], [0.0]).ratio.value == 0, "a new time of 0 is a change"


def test_words_lie_in_listed_order_numbers_by_size_and_nothing_last():
    mixed = ["b", None, "z", 3, "a", 1]
    assert sorted(mixed, key=lambda value: sort_key("x", value, ["z", "b"])) == [1, 3, "z", "b", "a", None]
    assert sorted([0, 2, 1], key=lambda value: sort_key("threads", value)) == [1, 2, 0], "0: all threads"


@cases("value fits", (2**63 - 1, True), (2**63, False), (-(2**63), True), (-(2**63) - 1, False))
def test_whole_numbers_of_an_exhibit_have_64_bits(value, fits):
    with nullcontext() if fits else pytest.raises(UserError):
        bounded({"k": [value]})


def test_a_skipped_case_waits_for_a_gpu_only_where_there_is_none():
    def need(gpu: object, **fields: object) -> str:
        view = SimpleNamespace(machine=SimpleNamespace(record={"gpu": gpu}))
        return need_of(view, [line(samples_s=[], **fields)])

    on_gpu = {"device": "gpu", "skip": "no GPU"}
    assert need(None, **on_gpu) == GPU
    assert need({"name": "H200"}, **on_gpu) == need(None, device="cpu", skip="k is too large") == OTHER
    assert need(None, skip="run kmbench fetch higgs first") == "data higgs"
    assert need(None, skip="40 threads, but the machine has 16") == THREADS


@cases(
    "value low high p said",
    (1.0, 0.96, 1.04, 0.001, compare.SAME),  # all of it within the band, significant or not
    (1.2, 1.1, 1.3, 0.05, compare.SLOWER),
    (1.2, 1.1, 1.3, 0.051, compare.UNDECIDED),
    (1.2, 1.1, 1.3, None, compare.UNDECIDED),
    (0.8, 0.7, 0.9, 0.001, compare.FASTER),
    (0.93, 0.9, 0.96, 0.001, compare.FASTER),
    (0.96, 0.93, 0.99, 0.001, compare.NOT_SLOWER),  # a change, and too small a one
    (1.04, 1.01, 1.07, 0.001, compare.UNDECIDED),
    (1.2, 0.9, 1.5, 0.001, compare.UNDECIDED),
    (1.2, None, None, 0.001, compare.UNDECIDED),  # measured once,
)
def test_a_change_is_called_one_outside_the_band_with_a_small_p_and_an_interval_without_1(value, low, high, p, said):
    found = change.Change(Estimate(value, low, high, 5), p, 0.001, "by hand")
    assert compare.verdict(found, p, 0.05, 0.05) == said


def test_the_smallest_detectable_change_by_hand():
    """(z of the level per test + z of the power, 1.960 + 0.842) times the standard error of the logarithm."""
    found = change.Change(Estimate(1, 1 / 1.1, 1.1, 9), 0.5, 1e-6, "by hand")
    error = math.log(1.1) / 1.959964
    assert found.detectable(1) == pytest.approx(math.expm1((1.959964 + 0.841621) * error), rel=1e-5)
    assert found.detectable(2) == pytest.approx(math.expm1((2.241403 + 0.841621) * error), rel=1e-5)
    assert change.Change(found.ratio, 0.5, 0.04, "").detectable(2) is None, "p = 0.04 is not small in two tests"


def test_differences_equalities_and_shares_are_told_in_percent():
    items = {"metric": "iteration", "items": [{"k": 1}, {"k": 2}]}
    assert told({"kind": "difference", "at_least": 0.1, **items})[0] == "differ by at least 10%"
    assert told({"kind": "equality", "within": 0.05, **items})[0] == "equal within 5%"
    share = {"kind": "share", "metric": "iteration", "at_most": 2.0, "share": 0.9}
    assert "in 90% of the cases or more" in told(share)[1]


def test_what_all_items_share_is_told_once():
    apart = {"kind": "equality", "metric": "iteration", "items": [{"k": 1, "d": 3}, {"k": 2, "d": 3}]}
    assert told(apart)[1].endswith(": k = 1 · k = 2 (d = 3)")
    assert told({**apart, "items": [{"k": 1, "d": 3}]})[1].endswith(": k = 1, d = 3")


def test_a_coarse_point_of_a_tuning_counts_only_beside_a_coarse_default():
    fine, coarse = line(seconds=2.0), line(seconds=1.0, grade="coarse")
    assert tuning.Tuning("h200", (fine, coarse)).right == [fine]
    assert tuning.Tuning("h200", (coarse, fine)).right == [coarse, fine]


def test_order_statistics_by_hand():
    """Of ten, ranks 2 and 9: P(1 < Binomial(10, 1/2) < 9) = 97.9%, and ranks 3 and 8 reach 89% only."""
    found = of_median([5, 1, 9, 3, 7, 2, 8, 4, 10, 6])
    assert (found.value, found.low, found.high, found.method) == (5.5, 2, 9, "order statistics")
    assert of_median(range(1, 7)).range == (1, 6)
    assert of_median(range(1, 6)).method == "t of logarithms", "six samples are the fewest"


def test_the_mean_of_a_series_by_hand():
    found = of_mean([1, 2, 3])
    assert (found.value, found.high - 2) == (2, pytest.approx(4.3027 / math.sqrt(3), rel=1e-4))


def test_the_interval_of_a_mean_time_does_not_go_below_0():
    assert of_mean([0, 0, 10]).low == 0
    assert of_mean([-3, -1]).low < -2, "below zero nothing is cut off"


@cases("of samples runs least", *((1, n, 1000, 930) for n in (3, 5, 6, 11, 30)), (2, 9, 500, 465))
def test_the_interval_holds_the_true_value_in_95_of_100_cases(of, samples, runs, least):
    """The true value is 1: of a median, or of the ratio of two."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(runs):
        first, *second = (of_median(np.exp(rng.normal(0, 0.1, samples))) for _ in range(of))
        low, high = (ratio(first, *second) if second else first).range
        held += low <= 1 <= high
    assert held >= least
