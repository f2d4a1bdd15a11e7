"""Points in a mapped file: right runs and faults are told apart; a file that shrinks costs its case."""

import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from built import ENVIRONMENT, FAULTY, by_implementation, flags, kmbench, needed

needed(FAULTY)
HEADER = 128  # bytes of a .npy before its values


@pytest.fixture
def points(tmp_path: Path) -> Path:
    file = tmp_path / "points.npy"
    np.save(file, np.random.default_rng(3).random((20_000, 4), np.float32))
    return file


SHORT = flags(iterations=3, repetitions=2)


def command(points: Path, name: str, *more: str) -> list[str]:
    return ["run", *flags(data=points, k=5, implementation=name, out=points.parent / "out"), *more]


def go(points: Path, name: str, *more: str) -> subprocess.CompletedProcess:
    return kmbench(*command(points, name, *more), program=FAULTY, OMP_WAIT_POLICY="passive")


def test_faults_show_on_mapped_points(points):
    names = "cpu/lloyd/out_of_core|cpu/lloyd/two_step|faults/wrong_label|faults/writes_points|faults/count_plus_one"
    run = go(points, f"^({names})$", "--data-set", "map=1", *SHORT)
    assert run.returncode == 1, run.stderr
    found = by_implementation(points.parent / "out")
    for name in ("cpu/lloyd/out_of_core", "cpu/lloyd/two_step"):
        assert found[name]["verdict"] == "" and found[name]["samples_s"], found[name]
        assert found[name]["dataset"]["generator"] == {"map": 1}
    assert "is nearer" in found["faults/wrong_label"]["verdict"]
    assert "but the mean of its" in found["faults/count_plus_one"]["verdict"]
    assert found["faults/writes_points"]["failure"] == "it wrote to the points, which are not its own"


def maps(file: Path) -> bool:
    """Whether a process maps the values of the file, not its header alone."""
    for entry in Path("/proc").glob("[0-9]*/maps"):
        try:
            regions = [line.split() for line in entry.read_text().splitlines() if line.endswith(str(file))]
        except OSError:
            continue
        sizes = [int(end, 16) - int(begin, 16) for begin, end in (region[0].split("-") for region in regions)]
        if any(size > file.stat().st_size // 2 for size in sizes):
            return True
    return False


def test_a_file_that_shrinks_costs_its_case(points):
    arguments = command(points, "cpu/lloyd/naive", *flags(data_set="map=1", iterations=1_000_000, repetitions=1))
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([FAULTY, *arguments], env={**ENVIRONMENT, "OMP_WAIT_POLICY": "passive"}, **pipes)
    seen = 0
    for _ in range(600):  # the parent maps it too, for a moment
        seen = seen + 1 if maps(points) else 0
        if seen == 5:
            break
        time.sleep(0.1)
    assert seen == 5, "nobody mapped the file"
    os.truncate(points, HEADER)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1, said
    line = by_implementation(points.parent / "out")["cpu/lloyd/naive"]
    assert line["failure"] == "the file that the points are mapped from became shorter"
