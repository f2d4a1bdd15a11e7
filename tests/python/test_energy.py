"""kmbench run --energy: joules or the reason why not, in runs of their own, and never of a wrong case."""

from __future__ import annotations

from pathlib import Path

from built import FAULTY, KMBENCH, kmbench, lines_of, needed

needed(KMBENCH, FAULTY)
FLAGS = ["--dataset", "blobs", "--n", 500, "--d", 3, "--k", 4, "--iterations", 3, "--repetitions", 2, "--machine", "me"]


def run(program: Path, implementation: str, out: Path, *more: str) -> dict:
    """The one line of a run."""
    kmbench("run", "--implementation", implementation, *FLAGS, "--out", out, *more, program=program)
    (line,) = lines_of(out / "adhoc.jsonl")
    return line


def test_energy_is_measured_or_says_why_not(tmp_path):
    line = run(KMBENCH, "cpu/lloyd/naive", tmp_path, "--energy")
    energy = line["energy"]
    assert (energy["joules"] is None) == bool(energy["skipped"])
    assert energy["source"].startswith("RAPL")
    assert len(line["samples_s"]) == 2 and line["verdict"] == ""


def test_without_being_asked_there_is_none(tmp_path):
    assert run(KMBENCH, "cpu/lloyd/naive", tmp_path)["energy"] is None


def test_a_wrong_case_has_no_energy(tmp_path):
    line = run(FAULTY, "faults/all_labels_zero", tmp_path, "--energy")
    assert line["verdict"] and line["energy"] is None
