"""What is accepted in more than one form: exhibits by key, a Python in any folder, data in and out, from any folder."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import built
import numpy as np
import pytest
from built import ROOT

built.needed(built.KMBENCH)

SKLEARN = ["--implementation", "library/sklearn", "--dataset", "blobs", "--n", "100", "--k", "2", "--tolerance", "0"]


def kmbench(*args: object, **env: str) -> str:
    """Standard output of a run that ends well."""
    run = built.kmbench(*args, **env)
    assert run.returncode == 0, run.stderr
    return run.stdout


def python_at(path: Path) -> Path:
    """This Python behind a script of that name."""
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    path.chmod(0o755)
    return path


def test_an_exhibit_by_its_key_is_that_file() -> None:
    plan = kmbench("run", "he2021/table3", "--dry-run")
    assert "he2021/table3/cpu/lloyd/two_step/" in plan
    assert plan == kmbench("run", ROOT / "papers/he2021/table3.toml", "--dry-run")


def test_a_pattern_takes_all_and_a_name_only_its_own() -> None:
    blobs = ["--dataset", "blobs", "--n", "100", "--k", "2", "--benchmark_list_tests"]
    assert len(kmbench("run", "--implementation", "cpu/lloyd/naive", *blobs).splitlines()) == 1
    assert len(kmbench("run", "--implementation", "cpu/lloyd/naive.*", *blobs).splitlines()) > 1


@pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="no scikit-learn here")
def test_a_python_in_a_folder_with_a_space_has_its_modules(tmp_path: Path) -> None:
    python = python_at(tmp_path / "a folder; with $(touch injected) 'quotes'" / "python3")
    assert "0 of them skipped" in kmbench("run", *SKLEARN, "--dry-run", KMBENCH_PYTHON=str(python))


def test_a_python_is_a_program_and_no_shell_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    touch = "touch injected"
    for command in [f"{sys.executable};{touch}", f"$({touch})", f"{touch} #", f"sh -c '{touch}'"]:
        said = kmbench("run", *SKLEARN, "--dry-run", KMBENCH_PYTHON=command)
        assert f"scikit-learn is not installed for {command}" in said
    assert list(tmp_path.iterdir()) == []


def test_points_written_are_points_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for precision, dtype in [("fp32", np.float32), ("fp64", np.float64)]:
        for name in ["points.npy", "points.csv"]:
            kmbench("data", "blobs", "--n", "50", "--d", "3", "--precision", precision, "--out", name)
        exact = np.load("points.npy")
        assert exact.dtype == dtype
        assert exact.shape == (50, 3)
        assert np.array_equal(np.loadtxt("points.csv", delimiter=",", dtype=dtype), exact), "every digit that counts"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["points.csv", "points.npy"]


@pytest.mark.skipif(not (ROOT / ".venv/bin/python3").exists(), reason="no .venv: scripts/setup makes it")
def test_fetch_datasets_finds_numpy_from_any_folder(tmp_path: Path) -> None:
    script = ROOT / "scripts/fetch_datasets"
    run = subprocess.run([sys.executable, "-I", "-S", script, "none"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 2
    assert "unknown data set none" in run.stderr
    assert "Error" not in run.stderr
