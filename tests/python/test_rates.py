"""The promises of `compare` on recorded noise: few false alarms among 200 cases, and a 5% slow-down is found.

The noise (noise.json, by rates.py) is a program by turns with itself: scripts/interleave, 40 rounds of five runs of
0.06 to 9 ms, passive OpenMP threads. It ran on a two-core virtual machine that also compiled, at load 4 to 6.

Then rounds of two programs by turns: the sign-flip test, its interval, and disturbances of both."""

import json
import math
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import rates
from conftest import ROOT
from synthetic import line, samples, side

from plots.decide import change
from plots.decide.change import Change, of_rounds, p_of, quietness
from plots.decide.compare import compare
from plots.read import sides
from plots.read.sides import Side

NOISE = json.loads(Path(__file__).with_name("noise.json").read_text())
IMPLEMENTATIONS = sorted({name.partition("|")[0] for name in NOISE})
ROUNDS = 24  # fewer than the 40 recorded rounds, so that tries differ


def test_the_noise_is_of_many_cases_and_not_small():
    assert len(NOISE) >= 36 and len(IMPLEMENTATIONS) >= 4
    assert {len(rounds) for rounds in NOISE.values()} == {40}
    rough = [max(samples) / min(samples) for rounds in NOISE.values() for pair in rounds for samples in pair]
    assert sum(r > 1.05 for r in rough) > len(rough) / 2


def test_two_hundred_cases_of_the_same_program_are_rarely_called_another_with_rounds_or_without():
    tables = [compare(*rates.table(NOISE, 200, ROUNDS, seed)) for seed in range(6)]
    counts = [rates.called_another(made) for made in tables]
    assert all(cases <= 0.05 * 200 for cases, _ in counts)
    assert sum(cases for cases, _ in counts) <= 0.005 * 1200, "Holm's correction makes one rare"
    assert sum(groups for _, groups in counts) <= 0.05 * sum(len(made.groups) for made in tables)
    tables = [compare(*rates.table(NOISE, 200, 2, seed)) for seed in range(10)]
    assert all(rates.called_another(made)[0] <= 0.05 * 200 for made in tables)


def found_of(tables: list[tuple[str, Side, Side]]) -> tuple[float, float]:
    """The share of tables in which the slowed implementation is found, and the share that blame another."""
    hits, blamed = rates.counted([rates.found(compare(base, new), name) for name, base, new in tables])
    return hits / len(tables), blamed / len(tables)


@pytest.fixture(scope="module")
def slowed() -> list[tuple[str, Side, Side]]:
    """Nine cases of each implementation; each implementation in turn is 5% slower, ten times."""
    names = [name for name in IMPLEMENTATIONS for _ in range(10)]
    return [(name, *rates.table(NOISE, len(NOISE), ROUNDS, 1000 + at, {name: 1.05})) for at, name in enumerate(names)]


def test_five_percent_in_one_implementation_are_found_and_no_other_is_blamed(slowed):
    found, blamed = found_of(slowed)
    assert found >= 0.95 and blamed <= 0.05


def unpaired(side: Side, seed: int) -> Side:
    """Shuffles the rounds of one side, so that a disturbance of both sides looks like one of a single side."""
    names = [str(i) for i in range(ROUNDS)]
    order = random.Random(seed).sample(names, ROUNDS)
    cases = {
        name: replace(case, rounds={one: case.rounds[other] for one, other in zip(names, order, strict=True)})
        for name, case in side.cases.items()
    }
    return replace(side, cases=cases)


def test_it_takes_the_pairs_and_the_quiet_rounds_to_find_it(slowed, monkeypatch):
    some = slowed[::4]
    assert found_of([(name, base, unpaired(new, at)) for at, (name, base, new) in enumerate(some)])[0] < 0.5
    monkeypatch.setattr(change, "quietness", lambda before, after: np.ones_like(before))
    assert found_of(some)[0] < 0.95


@pytest.mark.parametrize("name", IMPLEMENTATIONS[:3])
def test_the_found_slow_down_has_the_true_size(name):
    made = compare(*rates.table(NOISE, 36, ROUNDS, 7, {name: 1.2}))
    (group,) = [group for group in made.groups if group.implementation == name]
    assert 1.15 < group.change.ratio.value < 1.25 and group.change.ratio.low > 1.1
    assert made.slower[0] is group


def in_rounds(folder: Path, name: str, cases: dict[str, list[float]]) -> Path:
    """A folder of rounds; each value of a case is the time of one round."""
    for at in range(len(next(iter(cases.values())))):
        lines = [line(None, samples_s=samples(values[at], 5), k=int(k)) for k, values in cases.items()]
        side(folder / name, f"{at:02}", lines)
    return folder / name


def of_two(folder: Path, base: dict, new: dict) -> list[sides.Side]:
    return [sides.read(in_rounds(folder, name, found)) for name, found in (("base", base), ("new", new))]


def logs_of(logs: list[float]) -> Change:
    """The change of one case over equally quiet rounds."""
    return of_rounds(-np.array([logs]) / 2, np.array([logs]) / 2)


def test_flipped_signs_are_counted_as_trying_all_of_them():
    scores = np.array([3.0, -1, 4, 1, -5, 9, 2, 6, 5])
    tried = [abs(sum(s * x for s, x in zip(signs, scores, strict=True))) for signs in product((-1, 1), repeat=9)]
    assert p_of(scores) == pytest.approx(np.mean([one >= abs(scores.sum()) for one in tried]), rel=0.02)
    assert [p_of(np.ones(rounds)) for rounds in (6, 20, 40)] == [2.0 ** (1 - rounds) for rounds in (6, 20, 40)]
    assert p_of(np.ones(200)) == pytest.approx(2 / 2**200)
    assert p_of(np.zeros(8)) == 1
    few = [p_of(np.array(three)) for three in ([1.0, 2, 3], [-1.0, 2, 3])]
    assert few == [2 / 8, 4 / 8], "of 2^3 signs, two give a sum as large as 6, and four as large as 4"


def test_the_numbers_that_kmbench_tune_is_held_to():
    """bench/tune/rounds.cpp is the same test in C++: tests/tune_test.cpp reads the same file."""
    for one in json.loads((ROOT / "tests/rounds.json").read_text()):
        change = of_rounds(np.log([one["before"]]), np.log([one["after"]]))
        found = {"ratio": change.ratio.value, "low": change.ratio.low, "high": change.ratio.high, "p": change.p}
        assert found == {name: pytest.approx(one[name], rel=1e-6) for name in found}


def test_the_estimate_lies_in_its_interval_and_none_in_all_rounds_is_none():
    change = logs_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    low, middle, high = (math.log(v) for v in (change.ratio.low, change.ratio.value, change.ratio.high))
    assert 0.1 <= low < 0.2 < middle < 0.5 < high <= 0.6
    assert change.p == pytest.approx(2 / 2**6)
    assert logs_of([0.0] * 8).p == 1 and logs_of([0.0] * 8).ratio.range == (1, 1)
    assert logs_of([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3]).ratio.value == pytest.approx(1, abs=1e-3), "scores balance there"


def test_the_interval_holds_the_change_that_is_there():
    """Heavy tails, and machine states that both programs share."""
    draw = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        states = draw.exponential(0.3, (4, 14))
        before, after = (states + 0.02 * draw.standard_t(2, (4, 14)) for _ in range(2))
        change = of_rounds(before, after + math.log(1.1))
        held += change.ratio.low <= 1.1 <= change.ratio.high
    assert 0.91 < held / 200 < 0.99


def test_rounds_in_which_both_were_quiet_count_for_more():
    before, after = np.array([[0.0, 0, 0.5, 0.1]]), np.array([[0.0, 0.1, 0.5, 0.0]])
    weights = quietness(before, after)
    assert weights[0] == pytest.approx([1, 0.5, 1 / 11, 0.5])
    assert (quietness(after, before) == weights).all(), "the weights do not depend on the side"


def test_a_disturbance_of_both_programs_is_no_change(tmp_path):
    """The machine is half as fast in half of the rounds; the new program is 3% slower in each."""
    drift = [1.0 + (at % 3) + 0.001 * at for at in range(12)]
    base, new = ({"2": [factor * d for d in drift], "3": drift} for factor in (1, 1.03))
    made = compare(*of_two(tmp_path, base, new))
    assert [pair.verdict for pair in made.pairs] == ["slower", "same"]
    assert made.pairs[0].change.ratio.value == pytest.approx(1.03)


def test_cases_of_one_implementation_speak_together(tmp_path):
    """Together they give one number a round, which tells more than any case."""
    random = np.random.default_rng(5)
    cases = {str(k): np.exp(random.normal(0, 0.04, 20)) for k in range(2, 14)}
    slower = {k: 1.03 * np.exp(random.normal(0, 0.04, 20)) for k in cases}
    made = compare(*of_two(tmp_path, cases, slower))
    (group,) = made.groups
    assert (group.verdict, group.cases) == ("slower", 12)
    assert 1.015 < group.change.ratio.value < 1.045
    assert group.detectable < min(pair.detectable for pair in made.pairs)


def test_no_more_than_one_table_in_twenty_blames_anything(tmp_path):
    """Cases and implementations share that chance, unless the implementation has one case."""
    random = np.random.default_rng(8)
    cases = {str(k): np.exp(random.normal(0, 0.04, 8)) for k in range(2, 4)}
    both = of_two(tmp_path, cases, cases)
    assert compare(*both).families == 2
    alone = compare(*(replace(side, cases=dict([*side.cases.items()][:1])) for side in both))
    assert alone.families == 1


def test_a_change_within_the_band_is_not_called_one(tmp_path):
    """4% slower in every third round and 1% in the others: a certain change, but too small to matter."""
    cases = {"2": [1.0 + 0.1 * (at % 2) for at in range(24)]}
    slower = {"2": [value * (1.04 if at % 3 == 0 else 1.01) for at, value in enumerate(cases["2"])]}
    base, new = of_two(tmp_path, cases, slower)
    for within, verdict in ((0.02, "not slower"), (0.005, "slower"), (0.05, "same")):
        (pair,) = compare(base, new, within).pairs
        assert pair.p < 0.001 and pair.verdict == verdict


def test_the_smallest_change_is_one_that_is_seen_four_times_of_five():
    random = np.random.default_rng(11)
    noise = 0.03
    told = np.median([logs_of(random.normal(0, noise, 20)).detectable(1) for _ in range(100)])
    seen = np.mean([logs_of(random.normal(math.log1p(told), noise, 20)).p < 0.05 for _ in range(400)])
    assert 0.7 < seen < 0.9
    assert logs_of(random.normal(0, noise, 20)).detectable(100) > told
    assert logs_of(random.normal(0, noise, 8)).detectable(100) is None, "2^-7 is not 0.05 / 100"
