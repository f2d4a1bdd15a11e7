"""Shared by the Python scripts: the tree and its build, .venv, refusals in one line, tables with their origin."""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KMBENCH_BUILD", ROOT / "build")).resolve()


def stop(message: object) -> NoReturn:
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def in_venv(module: str, package: str) -> None:
    """Restarts the script in .venv, if there is one. Refuses Pythons before 3.11 or without the module."""
    python = ROOT / ".venv/bin/python3"
    if Path(sys.prefix) != ROOT / ".venv" and python.exists():
        os.execv(python, [str(python), *sys.argv])
    if sys.version_info < (3, 11) or importlib.util.find_spec(module) is None:
        stop(f"Python 3.11 with {package} is needed: run scripts/setup first")


class Parser(argparse.ArgumentParser):
    """Refuses in one line. The script's head describes its arguments."""

    def __init__(self) -> None:
        super().__init__(add_help=False)

    def error(self, message: str) -> NoReturn:
        stop(message)


def kmbench() -> Path:
    """The built program."""
    if not (BUILD / "kmbench").is_file():
        stop(f"no program {BUILD}/kmbench: build it, or set KMBENCH_BUILD")
    return BUILD / "kmbench"


def origin() -> str:
    """`2026-11-26, commit 1c6d341, 2 threads`."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return f"{datetime.date.today()}, commit {described.stdout.strip()}, {os.cpu_count()} threads"


def keep(text: str, out: Path | None) -> None:
    """Writes the table, or prints it."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n")
    else:
        print(text)
