"""Runs the built programs and reads their lines. KMBENCH_BUILD names the build folder (default build)."""

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from line_schema import VALIDATOR

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("KMBENCH_BUILD", "build")
KMBENCH, FAULTY, TESTS = BUILD / "kmbench", BUILD / "kmbench_faulty", BUILD / "kmbench_tests"
WARNING = "warning: the machine is not quiet"  # what a program may say first on a busy machine
# Without the user's settings of OpenBLAS: one of them chooses its kernels.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
ENVIRONMENT["KMBENCH_HOME"] = str(ROOT)
QUIET = {"env": ENVIRONMENT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # else Open MPI refuses
needs_kmbench = pytest.mark.skipif(not KMBENCH.exists(), reason=f"no {KMBENCH}: build it, or set KMBENCH_BUILD")


def needed(*programs: Path) -> None:
    """Skips the calling test file if a program is missing."""
    for program in programs:
        if not program.exists():
            pytest.skip(f"no {program}: build it, or set KMBENCH_BUILD", allow_module_level=True)


def kmbench(*args: object, program: Path = KMBENCH, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess:
    """Runs the program with these environment variables added. A hang fails the test."""
    command = [program, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**ENVIRONMENT, **env}, timeout=600)


def succeeded(*args: object, **named: Any) -> subprocess.CompletedProcess:
    """Runs the program like kmbench() and asserts that it ends with code 0."""
    run = kmbench(*args, **named)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


def flags(**values: object) -> list[str]:
    """flags(n=300, order_seed=1) is --n 300 --order-seed 1."""
    return [word for name, value in values.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def lines_of(file: Path) -> list[dict]:
    """The result lines of a file, each checked against the schema. A missing file has none."""
    text = file.read_text() if file.exists() else ""
    assert text == "" or text.endswith("\n")
    found = [json.loads(line) for line in text.splitlines()]
    for line in found:
        VALIDATOR.validate(line)
    return found


def whole_lines(file: Path) -> list[str]:
    """The texts of the lines that end; a line in writing does not."""
    return file.read_text().split("\n")[:-1] if file.exists() else []


def wait_until(there: Callable[[], bool]) -> None:
    """Fails after two minutes, which is a hang on any machine."""
    deadline = time.monotonic() + 120
    while not there():
        assert time.monotonic() < deadline, "it did not come within two minutes"
        time.sleep(0.01)


def processes(text: object) -> list[str]:
    """The running processes whose command holds this text."""
    return subprocess.run(["pgrep", "-af", str(text)], capture_output=True, text=True).stdout.splitlines()


def unlocked(folder: Path) -> bool:
    """Whether no kmbench writes to the folder. Where one is about to start, this may take its lock."""
    with (folder / ".lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def by_implementation(folder: Path) -> dict[str, dict]:
    """The lines of a folder's adhoc.jsonl by implementation, one each."""
    found = lines_of(folder / "adhoc.jsonl")
    named = {line["implementation"]: line for line in found}
    assert len(named) == len(found), "one line a case"
    return named


def refused(ran: subprocess.CompletedProcess, says: str) -> None:
    """Asserts code 2, an empty stdout, and one line of stderr with these words; a warning of load may precede it."""
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    lines = [line for line in ran.stderr.splitlines() if not line.startswith(WARNING)]
    assert len(lines) == 1 and lines[0].startswith("kmbench: ") and says in lines[0], ran.stderr


def written(path: Path, text: str) -> Path:
    """Writes a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def executable(path: Path, text: str) -> Path:
    """Writes a program in the language that its first line names."""
    written(path, text).chmod(0o755)
    return path


def script(path: Path, *words: object) -> Path:
    """Writes a shell script that runs these words."""
    return executable(path, f'#!/bin/sh\nexec {" ".join(repr(str(word)) for word in words)} "$@"\n')


def exhibit(path: Path, more: str = "", **sweep: object) -> Path:
    """Writes a table of one sweep; `more` follows it."""
    axes = "".join(f"{name} = {json.dumps(value)}\n" for name, value in sweep.items())
    return written(path, f'kind = "table"\ntitle = "made up"\n[[sweep]]\n{axes}{more}')
