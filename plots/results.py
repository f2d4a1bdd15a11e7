"""Result lines and machine records, read from results/<machine>/ (format: docs/results.md)."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.errors import UserError

Line = dict[str, Any]
PROFILES = ("paper", "quick")
REQUIRED = (
    "schema",
    "case",
    "exhibit",
    "profile",
    "implementation",
    "parameters",
    "dataset",
    "n",
    "d",
    "k",
    "precision",
    "samples_s",
    "phases",
    "verdict",
    "skip",
    "failure",
)


@dataclass(frozen=True)
class Machine:
    """One folder of results/: its name, its record (machine.json, {} where there is none) and its lines."""

    name: str
    record: dict[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    folder: Path = Path()


def load(results: Path, only: str | None = None) -> list[Machine]:
    """Every machine below `results`, by name; of a case that occurs twice the later line.

    Raises UserError when there is no such folder or machine, or a line is not a result line.
    """
    if not results.is_dir():
        raise UserError(f"{results}: no such folder of results")
    folders = sorted(p for p in results.iterdir() if p.is_dir() and any(p.glob("*.json*")))
    if only is not None:
        folders = [p for p in folders if p.name == only]
    if not folders:
        raise UserError(f"{results}: no results of {'machine ' + only if only else 'any machine'}; run kmbench first")
    return [load_machine(folder) for folder in folders]


def load_machine(folder: Path) -> Machine:
    record = folder / "machine.json"
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in read_lines(path)]
    return Machine(folder.name, read_json(record) if record.exists() else {}, tuple(latest(lines)), folder)


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=no_constant)
    except (ValueError, OSError) as e:
        raise UserError(f"{path}: not JSON: {e}") from e


def read_lines(path: Path) -> list[Line]:
    """The lines of one file. A last line without a newline is a case that was killed: left out, and said so."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines: list[Line] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw, parse_constant=no_constant)
        except ValueError as e:
            if number == len(text.splitlines()) and not text.endswith("\n"):
                print(f"{path}:{number}: cut off, left out", file=sys.stderr)
                break
            raise UserError(f"{path}:{number}: not JSON: {e}") from e
        lines.append(check(line, f"{path}:{number}"))
    return lines


def no_constant(name: str) -> None:
    """JSON has no NaN and no Infinity, though Python reads them: missing is null."""
    raise ValueError(f"{name} where a missing value is null")


def check(line: Any, where: str) -> Line:
    """`line` itself, when it holds what every reader here relies on; else UserError."""
    if not isinstance(line, dict):
        raise UserError(f"{where}: not a result line, but {type(line).__name__}")
    missing = [name for name in REQUIRED if name not in line]
    if missing:
        raise UserError(f"{where}: not a result line: {', '.join(missing)} missing")
    if line["schema"] != 1:
        raise UserError(f"{where}: schema {line['schema']}, where this program reads 1")
    if line["profile"] not in PROFILES:
        raise UserError(f"{where}: profile {line['profile']!r} is not one of {', '.join(PROFILES)}")
    return line


def latest(lines: list[Line]) -> list[Line]:
    """The later line of every (profile, case), in an order that does not depend on the order of the run."""
    by_case = {(str(line["exhibit"]), line["profile"], line["case"]): line for line in lines}
    return [by_case[key] for key in sorted(by_case)]


def of_exhibit(machine: Machine, key: str, profile: str | None = None) -> list[Line]:
    """The machine's lines of one exhibit: of `profile`, or the paper's where there are any, else the quick one's."""
    lines = [line for line in machine.lines if line["exhibit"] == key]
    profiles = (profile,) if profile else PROFILES
    chosen = ([line for line in lines if line["profile"] == p] for p in profiles)
    return next((c for c in chosen if c), [])


def reason(line: Line) -> str:
    """Why this case has no time, in one sentence; empty when it has one."""
    for field_name, word in (("skip", "skipped"), ("failure", "failed"), ("verdict", "wrong")):
        if line[field_name]:
            return f"{word}: {line[field_name]}"
    return "did not run" if line["verdict"] is None else ""
