"""The promises of `compare`, on recorded noise: few false alarms among 200 cases, and a slow-down of 5% found.

noise.json: the same program by turns with itself (scripts/interleave, 20 rounds of five runs of 0.06 to 17 ms, OpenMP
with one passive thread) on a two-core virtual machine under a load of 13 to 24, as rates.py keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rates

from plots.decide.compare import compare

NOISE = json.loads(Path(__file__).with_name("noise.json").read_text())
IMPLEMENTATIONS = sorted({name.partition("|")[0] for name in NOISE})
ROUNDS = 20


def test_the_noise_is_of_many_cases_and_not_small() -> None:
    assert len(NOISE) >= 36 and len(IMPLEMENTATIONS) >= 9
    assert {len(rounds) for rounds in NOISE.values()} == {ROUNDS}
    rough = [max(samples) / min(samples) for rounds in NOISE.values() for pair in rounds for samples in pair]
    assert sum(r > 1.05 for r in rough) > len(rough) / 2


def test_two_hundred_cases_of_the_same_program_are_rarely_called_another() -> None:
    tables = [compare(*rates.table(NOISE, 200, ROUNDS, seed)) for seed in range(10)]
    counts = [rates.called_another(made) for made in tables]
    assert all(cases <= 0.05 * 200 for cases, _ in counts)
    assert sum(cases for cases, _ in counts) <= 0.005 * 2000, "Holm's correction: hardly ever one"
    assert sum(groups for _, groups in counts) <= 0.05 * sum(len(made.groups) for made in tables)


def test_without_rounds_the_same_program_is_rarely_called_another_either() -> None:
    tables = [compare(*rates.table(NOISE, 200, 2, seed)) for seed in range(10)]
    assert all(rates.called_another(made)[0] <= 0.05 * 200 for made in tables)


def test_five_percent_in_one_implementation_are_found_and_no_other_is_blamed() -> None:
    tries = [(name, seed) for name in IMPLEMENTATIONS for seed in range(4)]
    results = [
        rates.found(compare(*rates.table(NOISE, 200, ROUNDS, 1000 + seed, {name: 1.05})), name) for name, seed in tries
    ]
    assert sum(hit for hit, _ in results) >= 0.9 * len(tries)
    assert sum(others for _, others in results) == 0


@pytest.mark.parametrize("name", IMPLEMENTATIONS[:3])
def test_the_slow_down_found_is_the_one_that_is_there(name: str) -> None:
    made = compare(*rates.table(NOISE, 200, ROUNDS, 7, {name: 1.2}))
    (group,) = [group for group in made.groups if group.implementation == name]
    assert 1.15 < group.change.ratio.value < 1.25 and group.change.ratio.low > 1.1
    assert made.regressions[0] == name
