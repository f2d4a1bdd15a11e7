"""The commands of kmbench that are Python's: each starts its own, from any folder, and says what is missing."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from built import kmbench, lines_of, needs_kmbench
from conftest import TABLE
from synthetic import line

from plots.__main__ import parser

STARTED = ("compare", "replay", "hardware", "claims", "explain")
pytestmark = needs_kmbench


def test_replay_measures_with_the_program_that_started_it(tmp_path: Path) -> None:
    flags = "run --implementation cpu/lloyd/naive$ --dataset blobs --n 400 --d 3 --k 4 --iterations 3 --repetitions 2"
    assert kmbench(*flags.split(), "--out", tmp_path / "first", "--machine", "first").returncode == 0
    ran = kmbench("replay", "first/adhoc.jsonl", "--out", "again", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "What differs between the two" in ran.stdout and "1 pair" in ran.stdout
    assert "| commit |" not in ran.stdout, "the same program measures again"
    first, again = (lines_of(tmp_path / file) for file in ("first/adhoc.jsonl", "again/results/replay.jsonl"))
    assert len(first) == len(again) == 1
    for field in ("inertia", "judge_seed", "verdict"):
        assert again[0][field] == first[0][field], field


def test_what_the_user_names_goes_before_what_kmbench_knows(tmp_path: Path, bench) -> None:
    bench.exhibit(TABLE)
    bench.run([line(packages=p, seconds=0.1 * p) for p in (1, 10, 100)])
    ran = kmbench("replay", "results/demo/demo.jsonl", "--kmbench", "/nonexistent/kmbench", cwd=tmp_path)
    assert ran.returncode == 2 and ran.stderr.startswith("plots: /nonexistent/kmbench env")
    own = ["--results", bench.results, "--papers", bench.papers]
    ran = kmbench("explain", "demo/table1", "packages=10", "iteration", *own, cwd=tmp_path)
    assert ran.returncode == 0 and "row      2 of 3: packages = 10" in ran.stdout, ran.stderr
    ran = kmbench("hardware", "demo/table1", *own, "--out", "report", cwd=tmp_path)
    assert ran.returncode == 0 and "files in report/hardware" in ran.stdout, ran.stderr


def test_recorded_results_are_found_from_any_folder(tmp_path: Path) -> None:
    row = "threads=0,precision=fp32,packages=100"
    ran = kmbench("explain", "he2021/table3", row, "assign", "--machine", "h200", cwd=tmp_path)
    assert ran.returncode == 0 and "he2021/table3" in ran.stdout, ran.stderr


@pytest.mark.parametrize("command", STARTED)
def test_without_python_or_plots_it_is_one_line(command: str, tmp_path: Path) -> None:
    for folder in ("datasets", "papers"):
        (tmp_path / folder).mkdir()
    plots = tmp_path / "plots/__main__.py"
    for said in (f"kmbench: {command} is Python, in plots/ of a checkout", f"kmbench: no {tmp_path}/.venv/bin/python3"):
        ran = kmbench(command, "a", "b", KMBENCH_HOME=str(tmp_path))
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr.startswith(said) and ran.stderr.count("\n") == 1
        plots.parent.mkdir(exist_ok=True)
        plots.touch()


@pytest.mark.parametrize("command", STARTED)
def test_completion_offers_the_flags_that_it_takes(command: str) -> None:
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    flags = {name for action in commands.choices[command]._actions for name in action.option_strings} - {"-h"}
    script = kmbench("completion", "bash").stdout
    (choices,) = (text for text in script.splitlines() if text.strip().startswith(f"{command})"))
    offered = {word.strip('"') for word in choices.split("choices=")[1].split()}
    assert {word for word in offered if word.startswith("--")} == flags


def test_help_lists_them() -> None:
    said = kmbench("--help").stdout
    assert all(f"  {command} " in said for command in STARTED)
