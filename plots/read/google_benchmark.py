"""Reads Google Benchmark's JSON: its context, and the name and time of every run."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import check, json_text, schema

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
LARGEST = 256 << 20  # bytes
TIME = schema.Compiler(check.DOCUMENT).check({"$ref": "#/$defs/time"})


@dataclass(frozen=True)
class Run:
    """One repetition: wall clock of an iteration of its loop, or the reason for no time."""

    name: str
    seconds: float
    reason: str = ""


def read(path: Path) -> tuple[dict[str, Any], list[Run]]:
    """The context and the runs, without aggregates. Raises UserError if there is no run."""
    if path.stat().st_size > LARGEST:
        raise UserError(f"{path}: {path.stat().st_size} bytes; accepted: up to {LARGEST}")
    found = json_text.read(path)
    entries = found.get("benchmarks") if isinstance(found, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError(f"{path}: not Google Benchmark's JSON: no array of benchmarks")
    single = [entry for entry in entries if entry.get("run_type", "iteration") == "iteration"]
    if entries and not single:
        raise UserError(f"{path}: only aggregates; runs are needed: without --benchmark_report_aggregates_only")
    context = found.get("context")
    return context if isinstance(context, dict) else {}, [run_of(entry, i, path) for i, entry in enumerate(single)]


def run_of(entry: dict[str, Any], i: int, path: Path) -> Run:
    name = entry.get("run_name", entry.get("name"))
    if not isinstance(name, str) or not name:
        raise UserError(f"{path}: benchmark {i} has no name")
    for field, message, said in (("error_occurred", "error_message", "failed"), ("skipped", "skip_message", "skipped")):
        if entry.get(field):
            return Run(name, math.nan, f"{said}: {entry.get(message) or 'no reason given'}")
    unit, time = entry.get("time_unit", "ns"), entry.get("real_time")
    if not isinstance(unit, str) or unit not in SECONDS:
        raise UserError(f"{path}: {name[:200]}: time_unit is {json.dumps(unit)[:40]}; accepted: {', '.join(SECONDS)}")
    if not TIME(time):
        raise UserError(f"{path}: {name[:200]}: real_time is {json.dumps(time)[:40]}, not a time")
    return Run(name, time * SECONDS[unit])
