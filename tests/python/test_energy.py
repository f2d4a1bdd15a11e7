"""kmbench run --energy: joules or the reason why not, in runs of their own, and never of a wrong case.

KMBENCH_BUILD names the build folder (default build)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT

BUILD = ROOT / os.environ.get("KMBENCH_BUILD", "build")
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/result.schema.json").read_text()))
FLAGS = [
    "--dataset",
    "blobs",
    "--n",
    "500",
    "--d",
    "3",
    "--k",
    "4",
    "--iterations",
    "3",
    "--repetitions",
    "2",
    "--machine",
    "here",
]


def run(program: str, implementation: str, out: Path, *more: str) -> dict:
    """The one line of a run."""
    if not (BUILD / program).exists():
        pytest.skip(f"no {BUILD / program}: build it, or set KMBENCH_BUILD")
    command = [BUILD / program, "run", "--implementation", implementation, *FLAGS, "--out", str(out), *more]
    subprocess.run(command, capture_output=True, check=False)
    (text,) = (out / "adhoc.jsonl").read_text().splitlines()
    SCHEMA.validate(json.loads(text))
    return json.loads(text)


def test_energy_is_measured_or_says_why_not(tmp_path):
    line = run("kmbench", "cpu/lloyd/naive", tmp_path, "--energy")
    energy = line["energy"]
    assert (energy["joules"] is None) == bool(energy["skipped"])
    assert energy["source"].startswith("RAPL")
    assert len(line["samples_s"]) == 2 and line["verdict"] == ""


def test_without_being_asked_there_is_none(tmp_path):
    assert run("kmbench", "cpu/lloyd/naive", tmp_path)["energy"] is None


def test_a_wrong_case_has_no_energy(tmp_path):
    line = run("kmbench_faulty", "faults/all_labels_zero", tmp_path, "--energy")
    assert line["verdict"] and line["energy"] is None
