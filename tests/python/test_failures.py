"""A failure costs its own case, also beside interleaved ones, and is tried again. test_faults.py has every fault."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from built import FAULTY, KMBENCH, by_implementation, flags, kmbench, lines_of, needed, succeeded
from conftest import cases

needed(KMBENCH, FAULTY)

INTERLEAVED = "--benchmark_enable_random_interleaving=true"


@pytest.fixture
def points(tmp_path: Path) -> list[str]:
    """200 points and four initial centroids, one of them too far away for any point."""
    values = np.random.default_rng(1).normal(size=(200, 3))
    centroids = values[:4].copy()
    centroids[3] = 1e6
    np.save(tmp_path / "points.npy", values)
    np.save(tmp_path / "initial.npy", centroids)
    return flags(data=tmp_path / "points.npy", k=4, init=tmp_path / "initial.npy", out=tmp_path)


def by_fault(folder: Path) -> dict[str, dict]:
    return {name.split("/")[-1]: line for name, line in by_implementation(folder).items()}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_crash_with_interleaved_repetitions_is_blamed_on_the_one_that_crashed(points, tmp_path, seed):
    which = flags(implementation="^faults/(crash|slow|throws)$|^cpu/lloyd/naive$", set="sleep_ms=0", order_seed=seed)
    more = [*flags(warmup=0, repetitions=3), INTERLEAVED]
    assert kmbench("run", *which, *points, *more, program=FAULTY).returncode == 1
    found = by_fault(tmp_path)
    assert "signal 11" in found["crash"]["failure"]
    assert found["throws"]["failure"] == "the solver gave up"
    assert len(found["naive"]["samples_s"]) == len(found["slow"]["samples_s"]) == 3


@cases(
    "fault verdict",
    ("skips_iteration_three", "iteration 3 does not go on where"),
    ("points_made_writable", "^it changed the points$"),
)
def test_interleaved_repetitions_are_replayed_and_a_fault_costs_its_case_alone(points, tmp_path, fault, verdict):
    which = flags(implementation=f"^faults/(slow|{fault})$|^cpu/lloyd/(naive|two_step)$", set="sleep_ms=0")
    kmbench("run", *which, *points, *flags(warmup=0, repetitions=4), INTERLEAVED, program=FAULTY)
    found = by_fault(tmp_path)
    assert re.search(verdict, found.pop(fault)["verdict"])
    assert all(line["verdict"] == "" and line["replayed"]["links"] > 1 for line in found.values()), found


def test_failures_are_tried_again_and_wrong_answers_are_not(points, tmp_path):
    command = ["run", *flags(implementation="^faults/(throws|wrong_mean)$"), *points]
    assert [kmbench(*command, program=FAULTY).returncode for _ in range(2)] == [1, 1]
    tried = sorted(line["implementation"] for line in lines_of(tmp_path / "adhoc.jsonl"))
    assert tried == ["faults/throws", "faults/throws", "faults/wrong_mean"]


def test_checks_of_a_fault_end_with_code_1():
    run = kmbench("check", "--filter", "^faults/stale/fp64/d = 2$", program=FAULTY)
    assert run.returncode == 1
    assert "WRONG  faults/stale/fp64/d = 2: iteration" in run.stdout
    succeeded("check", "--filter", "^cpu/lloyd/naive/fp64/d = 2$")


def test_an_export_has_every_sample_and_every_reason(points, tmp_path):
    which = flags(implementation="^faults/(wrong_mean|throws)$|^cpu/lloyd/naive$", repetitions=3)
    kmbench("run", *which, *points, program=FAULTY)
    run = succeeded("export", tmp_path / "adhoc.jsonl")
    document = json.loads(run.stdout)
    assert document["context"].keys() >= {"date", "host_name"}
    entries: dict[str, list[dict]] = {}
    for entry in document["benchmarks"]:
        assert (entry["run_name"], entry["run_type"]) == (entry["name"], "iteration")
        assert "/iters:10/" in entry["name"] and entry["name"].endswith("initial.npy1")
        entries.setdefault(entry["name"].split("//")[0], []).append(entry)
    times = [entry["real_time"] for entry in entries["cpu/lloyd/naive"]]
    assert times == pytest.approx([1e3 * sample for sample in by_fault(tmp_path)["naive"]["samples_s"]])
    for at, entry in enumerate(entries["cpu/lloyd/naive"]):
        assert (entry["repetitions"], entry["repetition_index"], entry["time_unit"]) == (3, at, "ms")
        assert entry["iterations"] == 1 and isinstance(entry["cpu_time"], (int, float))
    (throws,), (wrong,) = entries["faults/throws"], entries["faults/wrong_mean"]
    assert throws["error_message"] == "the solver gave up"
    assert wrong["error_occurred"] is True and wrong["error_message"].startswith("centroid ")
    succeeded("export", tmp_path / "adhoc.jsonl", "--out", tmp_path / "gb.json")
    assert json.loads((tmp_path / "gb.json").read_text()) == document
