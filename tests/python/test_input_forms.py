"""Inputs in several forms: threads of an exhibit, a Python in any folder, data as .npy and .csv."""

import importlib.util
import os
import re
import signal
import subprocess
import sys

import built
import numpy as np
import pytest
from built import flags, lines_of

built.needed(built.KMBENCH)
SKLEARN = ["run", *flags(implementation="library/sklearn", dataset="blobs", n=100, k=2, tolerance=0), "--dry-run"]


def kmbench(*args: object, **env: str) -> str:
    """The standard output of a run that ends with code 0."""
    return built.succeeded(*args, **env).stdout


def test_an_exhibit_takes_no_more_threads_than_there_are(tmp_path):
    sweep = {"implementation": "cpu/lloyd/two_step", "dataset": "blobs", "k": 3, "set.threads": [1, 256]}
    plan = kmbench("run", built.exhibit(tmp_path / "papers/demo/one.toml", **sweep), "--dry-run")
    assert "skip: 256 threads, but the machine has" in plan and "2 cases, 1 of them skipped" in plan
    asked = flags(implementation="cpu/lloyd/two_step", dataset="blobs", k=3, set="threads=256")
    assert "0 of them skipped" in kmbench("run", *asked, "--dry-run"), "whoever asks for them gets them"


@pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="no scikit-learn here")
def test_a_python_in_a_folder_with_a_space_has_its_modules(tmp_path):
    python = built.script(tmp_path / "a folder; with $(touch injected) 'quotes'" / "python3", sys.executable)
    assert "0 of them skipped" in kmbench(*SKLEARN, KMBENCH_PYTHON=str(python))


def test_a_python_is_a_program_and_no_shell_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    touch = "touch injected"
    for command in [f"{sys.executable};{touch}", f"$({touch})", f"{touch} #", f"sh -c '{touch}'"]:
        assert f"scikit-learn is not installed for {command}" in kmbench(*SKLEARN, KMBENCH_PYTHON=command)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["points.npy", "points.csv"])
def test_interrupted_data_leave_no_file(tmp_path, name):
    asked = [built.KMBENCH, "data", "blobs", *flags(n=1_000_000, d=40), "--out", tmp_path / name]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, env=built.ENVIRONMENT) as run:
        built.wait_until(lambda: list(tmp_path.iterdir()))
        run.send_signal(signal.SIGTERM)  # a shell in the background leaves SIGINT ignored
        assert run.stderr.read() == "\ninterrupted\n"
    assert run.returncode == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["points.npy", "points.csv"])
def test_data_are_written_through_a_link(tmp_path, name):
    (tmp_path / "there").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "there" / name)
    for n in (10, 20):  # the file is new, then replaced
        kmbench("data", "blobs", *flags(n=n, d=2, out=tmp_path / name))
        assert f": {n} x 2, " in kmbench("data", tmp_path / "there" / name, "--out", tmp_path / "copy.npy")
        assert (tmp_path / name).is_symlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
@pytest.mark.parametrize("command", ["export", "calibrate"])
def test_a_file_that_may_not_be_read_is_told(tmp_path, command):
    (tmp_path / "lines.jsonl").write_text("{}")
    (tmp_path / "lines.jsonl").chmod(0)
    built.refused(built.kmbench(command, tmp_path / "lines.jsonl"), "lines.jsonl: Permission denied")


@pytest.mark.parametrize(("precision", "dtype"), [("fp32", np.float32), ("fp64", np.float64)])
def test_points_written_are_points_read(tmp_path, monkeypatch, precision, dtype):
    monkeypatch.chdir(tmp_path)
    wanted = flags(n=100, d=3, k=4, precision=precision)
    said = kmbench("data", "blobs", *wanted, "--out", "points.npy")
    kmbench("data", "blobs", *wanted, "--out", "points.csv")
    values = np.load("points.npy")
    assert (values.shape, values.dtype) == ((100, 3), dtype) and np.isfinite(values).all()
    assert np.array_equal(np.loadtxt("points.csv", delimiter=",", dtype=dtype), values), "no digit is lost"
    kmbench("data", "points.npy", *flags(precision=precision, out="again.npy"))
    assert (np.load("again.npy") == values).all()
    assert len(list(tmp_path.iterdir())) == 3
    naive = flags(implementation="cpu/lloyd/naive", k=4, precision=precision, out="out")
    for name in ("again.npy", "points.csv"):
        kmbench("run", *naive, "--data", name)
    first, second = lines_of(tmp_path / "out/adhoc.jsonl")
    assert [first["dataset"]["hash"]] == [second["dataset"]["hash"]] == re.findall(r"hash ([0-9a-f]{32})", said)
    assert first["inertia"] == second["inertia"]
