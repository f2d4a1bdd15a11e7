"""A failure costs its own case, also beside interleaved ones, and is tried again; test_faults.py has every fault. A
killed run goes on where it was; more repetitions continue a case; two runs never share a folder.

KILLS sets the number of kills at random moments (default 8)."""

import json
import os
import random
import re
import subprocess
import time
from pathlib import Path

import built
import numpy as np
import pytest
from built import FAULTY, KMBENCH, QUIET, by_implementation, flags, kmbench, lines_of, needed, succeeded, whole_lines
from conftest import cases

needed(KMBENCH, FAULTY)
INTERLEAVED = "--benchmark_enable_random_interleaving=true"
SLOW = ["run", *flags(implementation="^faults/slow$", dataset="blobs", n=100)]
NAIVE = ["run", *flags(implementation="cpu/lloyd/naive", dataset="blobs")]
CASES, TEN = 60, 10


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


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    path = tmp_path / "adhoc.jsonl"
    command = [*SLOW, *flags(k=f"2:{TEN + 1}:+1", repetitions=2, set="sleep_ms=40", out=tmp_path)]
    with subprocess.Popen([FAULTY, *command], **QUIET) as parent:
        built.wait_until(lambda: len(whole_lines(path)) >= 2)
        parent.kill()
    built.wait_until(lambda: built.unlocked(tmp_path))  # its worker ends too
    before = lines_of(path)
    assert 2 <= len(before) < TEN, "the kill has to come in the middle"
    assert all(line["verdict"] == "" for line in before), "no process could record the case in flight as failed"

    path.open("a").write('{"schema": 1, "case": "torn')
    again = succeeded(*command, program=FAULTY)
    assert f"{len(before)} of {TEN} cases have results already" in again.stderr
    after = lines_of(path)
    assert after[: len(before)] == before, "old lines are never edited"
    assert len(after) == len({line["case"] for line in after}) == TEN, "nothing repeated, nothing lost"

    content = path.read_bytes()
    third = kmbench(*command, program=FAULTY)
    assert third.returncode == 0 and f"{TEN} of {TEN} cases have results already" in third.stderr
    assert path.read_bytes() == content
    succeeded(*command, "--redo", "--filter", "k:2/", program=FAULTY)
    assert len(lines_of(path)) == TEN + 1


def test_killed_again_and_again_a_run_loses_nothing_that_had_ended(tmp_path):
    moments, path = random.Random(7), tmp_path / "adhoc.jsonl"
    command = [KMBENCH, *NAIVE, *flags(n=2000, k=f"2:{CASES + 1}:+1", repetitions=2, out=tmp_path)]
    kept: list[str] = []
    for _ in range(int(os.environ.get("KILLS", "8"))):
        with subprocess.Popen(command, **QUIET) as run:
            time.sleep(moments.uniform(0, 0.4))
            run.kill()
        built.wait_until(lambda: not (tmp_path / ".lock").exists() or built.unlocked(tmp_path))  # its worker ends too
        now = whole_lines(path)
        assert now[: len(kept)] == kept, "old lines are never edited"
        for line in now:
            assert json.loads(line)["verdict"] == "", "no process could record the case in flight"
        kept = now
        if len(kept) > CASES - 5:  # nearly done: begin anew
            path.unlink()
            kept = []
    assert subprocess.run(command, env=built.ENVIRONMENT, capture_output=True).returncode == 0
    after = whole_lines(path)
    assert after[: len(kept)] == kept
    assert len({json.loads(line)["case"] for line in after}) == len(after) == CASES, "nothing lost, nothing twice"


def test_more_repetitions_continue_a_case(tmp_path):
    def run(repetitions: int, *more: str) -> str:
        ran = succeeded(*NAIVE, *flags(n=300, k=3, repetitions=repetitions, out=tmp_path), *more)
        return ran.stderr

    def told() -> list[tuple]:
        return [(line["continues"], len(line["samples_s"])) for line in lines_of(tmp_path / "adhoc.jsonl")]

    run(2)
    said = run(5)
    first, *then = lines_of(tmp_path / "adhoc.jsonl")
    if first["dirty"]:
        assert "1 of these have fewer runs than asked for and are not continued" in said
        assert told() == [(None, 2)]
        return
    assert "1 of 1 cases have fewer runs than asked for: the missing ones follow" in said
    assert told() == [(None, 2), (2, 3)] and then[0]["case"] == first["case"]
    for enough in (5, 3):
        assert "1 of 1 cases have results already" in run(enough)
    assert len(told()) == 2
    run(5, "--redo")
    assert told()[2:] == [(None, 5)]


def test_a_finished_case_is_told_to_have_no_energy(tmp_path):
    asked = [*NAIVE, *flags(n=300, k=3, repetitions=2, out=tmp_path)]
    succeeded(*asked)
    assert "1 of these have no energy: --redo --energy measures it\n" in succeeded(*asked, "--energy").stderr
    succeeded(*asked, "--energy", "--redo")
    assert "have no energy" not in succeeded(*asked, "--energy").stderr


def test_two_runs_at_once_into_one_folder_are_refused(tmp_path):
    slow = [*SLOW, *flags(k="2:90:+1", set="sleep_ms=100", out=tmp_path)]
    with subprocess.Popen([FAULTY, *slow], **QUIET) as first:
        built.wait_until(lambda: whole_lines(tmp_path / "adhoc.jsonl"))
        second = kmbench(*NAIVE, *flags(n=300, k=3, out=tmp_path))
        first.kill()
    built.refused(second, "another kmbench is writing")
