"""A killed run goes on where it was; more repetitions continue a case; two runs never share a folder.

KILLS sets the number of kills at random moments (default 8)."""

import json
import os
import random
import subprocess
import time

import built
from built import ENVIRONMENT, FAULTY, KMBENCH, QUIET, flags, kmbench, lines_of, needed, refused, succeeded, whole_lines

needed(KMBENCH, FAULTY)
SLOW = ["run", *flags(implementation="^faults/slow$", dataset="blobs", n=100)]
NAIVE = ["run", *flags(implementation="cpu/lloyd/naive", dataset="blobs")]
CASES, TEN = 60, 10


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
    assert subprocess.run(command, env=ENVIRONMENT, capture_output=True).returncode == 0
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
    refused(second, "another kmbench is writing")
