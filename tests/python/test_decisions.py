"""What is promised of numbers, intervals and decisions, and random errors (scripts/mutants) once broke unseen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from synthetic import line

from plots.decide import reach, verdicts
from plots.decide.lookup import may_match
from plots.decide.portability import portability
from plots.decide.rank import ranking
from plots.decide.side_by_side import Pair, Sides, problem_key
from plots.decide.verdicts import INCOMPARABLE, REPRODUCED
from plots.read import words
from plots.read.intervals import Estimate, exact, of_mean, of_median, ratio
from plots.read.sides import Case


def test_a_step_beside_an_exact_value_is_still_judged_by_the_measured_interval() -> None:
    wide = Estimate(1.05, 0.9, 1.2, 5)
    assert verdicts.step(exact(1.0), wide) == verdicts.step(wide, exact(1.0)) == 0
    assert verdicts.step(exact(1.0), exact(1.05)) == 1


@pytest.mark.parametrize("value", [3.0, 0.1, 7e-5])
def test_the_interval_of_equal_samples_holds_their_median(value: float) -> None:
    """The exponential of a logarithm is not the number itself."""
    for samples in range(2, 6):
        low, high = of_median([value] * samples).range
        assert low <= value <= high


def test_the_interval_of_a_mean_time_does_not_go_below_0() -> None:
    assert of_mean([0, 0, 10]).low == 0


def test_a_ratio_has_as_many_samples_as_the_fewer_side() -> None:
    few, many = Estimate(2, 1.9, 2.1, 5), Estimate(1, 0.9, 1.1, 9)
    assert ratio(few, many).samples == ratio(many, few).samples == 5


@pytest.mark.parametrize("kind", ["value", "mean"])
def test_a_value_of_another_size_is_not_comparable(kind: str) -> None:
    view = SimpleNamespace(comparable=False, exhibit=SimpleNamespace(resized=lambda: ["n"]))
    assert reach.limit(view, {"kind": kind})[0] != ""
    assert reach.within_reach(REPRODUCED, kind) == INCOMPARABLE


def test_another_seed_of_the_start_is_another_problem() -> None:
    one, other = (line(init={"method": "random", "seed": seed, "source": None}) for seed in (1, 2))
    exhibit = SimpleNamespace(swept=[])
    assert problem_key(one, exhibit) != problem_key(other, exhibit) == problem_key(other, exhibit)


def test_portability_is_over_the_problems_that_some_implementation_solved_on_every_platform() -> None:
    def made(name: str, k: int, seconds: float) -> dict:
        return line(implementation=f"cpu/lloyd/{name}", k=k, seconds=seconds)

    times = {
        "fast": {("a", 2): 1.0, ("b", 2): 2.0, ("a", 8): 1.0, ("b", 8): 9.0},
        "slow": {("a", 2): 1.0, ("b", 2): 2.0},
    }
    pairs = [
        Pair({}, {at: made(*case, seconds) for at, cases in times.items() if (seconds := cases.get(case))})
        for case in times["fast"]
    ]
    view = SimpleNamespace(value=lambda found, _: of_median(found["samples_s"]))
    exhibit = SimpleNamespace(swept=[])
    found = portability(Sides(exhibit, "paper", {"fast": view, "slow": view}, tuple(pairs)), "cpu", "application")
    assert found.problems == 1, "nobody solved k = 8 on the slow one"
    assert [c.pp for c in found.cascades] == [pytest.approx(1), pytest.approx(0.5)]


def test_only_the_fastest_of_a_problem_is_its_first() -> None:
    cases = [Case(name, {"k": "2"}, {"": (seconds,)}) for name, seconds in (("a", 1.0), ("b", 1.01))]
    assert [place.first for place in ranking(cases).places] == [1, 0]


def test_a_skipped_case_without_points_may_be_any_size() -> None:
    skipped = line(n=0, d=0, skip="no data set")
    assert may_match(skipped, {"n": 10, "k": 4})
    assert not may_match(skipped, {"n": 10, "k": 5})


def test_bounds_have_the_decimals_of_the_value_or_ten_times_as_large_their_own() -> None:
    assert words.interval(Estimate(1.234, 1.2, 12.34, 5)) == "1.200, 12.34"
    assert words.interval(Estimate(1.234, 1.2, 12.33, 5)) == "1.200, 12.330"
    assert words.interval(exact(1.5)) == words.interval(None) == words.interval(Estimate(1, None, None)) == ""
