"""The promises of `compare` on recorded noise: few false alarms among 200 cases, and a 5% slow-down is found.

The noise (noise.json, by rates.py) is a program by turns with itself: scripts/interleave, 40 rounds of five runs of
0.06 to 9 ms, passive OpenMP threads. It ran on a two-core virtual machine that also compiled, at load 4 to 6."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rates

from plots.decide import change
from plots.decide.compare import compare
from plots.read.sides import Side

NOISE = json.loads(Path(__file__).with_name("noise.json").read_text())
IMPLEMENTATIONS = sorted({name.partition("|")[0] for name in NOISE})
ROUNDS = 24  # fewer than the 40 recorded rounds, so that tries differ


def test_the_noise_is_of_many_cases_and_not_small():
    assert len(NOISE) >= 36 and len(IMPLEMENTATIONS) >= 4
    assert {len(rounds) for rounds in NOISE.values()} == {40}
    rough = [max(samples) / min(samples) for rounds in NOISE.values() for pair in rounds for samples in pair]
    assert sum(r > 1.05 for r in rough) > len(rough) / 2


def test_two_hundred_cases_of_the_same_program_are_rarely_called_another():
    tables = [compare(*rates.table(NOISE, 200, ROUNDS, seed)) for seed in range(6)]
    counts = [rates.called_another(made) for made in tables]
    assert all(cases <= 0.05 * 200 for cases, _ in counts)
    assert sum(cases for cases, _ in counts) <= 0.005 * 1200, "Holm's correction makes one rare"
    assert sum(groups for _, groups in counts) <= 0.05 * sum(len(made.groups) for made in tables)


def test_without_rounds_the_same_program_is_rarely_called_another_either():
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
