"""One side of a comparison: its cases, each with its samples by round and a name that pairs it.

A side is a .jsonl file, a folder of such files, a folder of such folders, or a file of Google Benchmark's JSON. Each
folder in a folder is one round, as scripts/regress makes them."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import check, disturbed, json_text, results, schema, words

ONE = ""  # the name of the only round of a file


@dataclass
class Case:
    """Seconds of iterate by round, or `reason`, why there are none. `parts` name the case, by label (`set.threads`:
    `threads:2`); `points` is the hash of the points; `ids` are those of its lines."""

    implementation: str
    parts: dict[str, str]
    rounds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    reason: str = ""
    coarse: bool = False
    disturbed: bool = False  # a round of it was, and is left out
    points: str | None = None
    iterations: int | None = None
    ids: set[str] = field(default_factory=set)

    @property
    def samples(self) -> list[float]:
        return [sample for one in self.rounds.values() for sample in one]


@dataclass(frozen=True)
class Side:
    """`environment`: the records of machine and build by dotted names."""

    title: str
    cases: dict[str, Case]
    environment: dict[str, Any]


def read(path: Path) -> Side:
    """Raises UserError for a path that is no side, holds no case, or is broken."""
    if path.is_dir():
        side = of_folder(path)
    elif not path.is_file():
        accepted = "result lines (.jsonl), a folder of them or of rounds, Google Benchmark's JSON"
        raise UserError(f"{path}: no such file or folder, or not a regular one; accepted: {accepted}")
    elif path.suffix == ".json":
        side = of_google_benchmark(path)
    else:
        machine = results.load_file(path)
        side = of_lines(str(path), {ONE: machine.lines}, machine.record)
    if not side.cases:
        raise UserError(f"{path}: holds no case")
    return side


def of_folder(path: Path) -> Side:
    folders = sorted({file.parent for file in [*path.glob("*.jsonl"), *path.glob("*/*.jsonl")]})
    if not folders:
        raise UserError(f"{path}: holds no .jsonl, nor do the folders in it")
    if path in folders:
        folders = [path]
    machines = {folder.name: results.load_machine(folder) for folder in folders}
    named = sorted({str(machine.record.get("id")) for machine in machines.values()})
    if len(named) > 1:
        raise UserError(f"{path}: folders of several machines ({', '.join(named)}): name one machine's")
    rounds = {name: machine.lines for name, machine in machines.items()}
    return of_lines(str(path), rounds, next(iter(machines.values())).record)


def of_lines(title: str, rounds: dict[str, Sequence[results.Line]], record: dict[str, Any]) -> Side:
    cases: dict[str, Case] = {}
    told: dict[str, set[str]] = {name: set() for name in ("commit", "dirty", "date")}
    known = {line["case"]: parts_of(line) for lines in rounds.values() for line in lines if line["dataset"].get("hash")}
    for name, lines in rounds.items():
        own = [(known.get(line["case"]) or parts_of(line), line) for line in sorted(lines, key=lambda x: x["date"])]
        for parts, line in {named(line["implementation"], parts): (parts, line) for parts, line in own}.values():
            add(cases, name, parts, line)
            for what, values in told.items():
                values.add(str(line[what])[:10] if what == "date" else str(line[what]))
    for case in cases.values():
        if case.disturbed and not case.rounds:
            case.reason = case.reason or f"{words.DISTURBED}: {words.TAKEN}"
    said = {name: ", ".join(sorted(values)) for name, values in told.items() if values}
    return Side(title, cases, {**said, **record})


def add(cases: dict[str, Case], name: str, parts: dict[str, str], line: results.Line) -> None:
    """A wrong, failed or skipped run in any round leaves the case without a time."""
    case = cases.setdefault(named(line["implementation"], parts), Case(line["implementation"], parts))
    case.ids.add(line["case"])
    case.reason = case.reason or results.reason(line)
    case.coarse |= results.coarse(line)
    case.points, case.iterations = case.points or line["dataset"].get("hash"), case.iterations or line["iterations"]
    if case.reason:
        case.rounds = {}
    elif results.doubt(line) == words.DISTURBED:
        case.disturbed = True
    elif line["samples_s"]:
        case.rounds[name] = tuple(disturbed.samples(line))
    else:
        case.reason, case.rounds = "it holds no run", {}


def name_of(line: results.Line) -> str:
    """As `kmbench export` has it."""
    return named(line["implementation"], parts_of(line))


def named(implementation: str, parts: dict[str, str]) -> str:
    before = [parts["exhibit"]] if "exhibit" in parts else []
    return "/".join([*before, implementation, *(text for label, text in parts.items() if label != "exhibit")])


def alike(side: Side, other: Side) -> Side:
    """`side` with the names of `other` for its cases without points: a failed line lacks settings of its points."""
    names = {one: name for name, case in other.cases.items() for one in case.ids}

    def shared(name: str, case: Case) -> str:
        return next((names[one] for one in case.ids if one in names and not case.points), name)

    return replace(side, cases={shared(name, case): case for name, case in side.cases.items()})


def parts_of(line: results.Line) -> dict[str, str]:
    """Everything that identifies a case, in the words and the order of `kmbench export`."""
    found = {"exhibit": line["exhibit"]} if line["exhibit"] else {}
    found |= {"dataset": line["dataset"]["name"]} | {name: f"{name}:{line[name]}" for name in ("n", "d", "k")}
    found["precision"] = line["precision"]
    for what, settings in (("data", line["dataset"].get("generator") or {}), ("set", line["parameters"])):
        found |= {f"{what}.{name}": f"{name}:{shown(settings[name])}" for name in sorted(settings)}
    if line["tolerance"] is not None:
        found["tol"] = f"tol:{shown(line['tolerance'])}"
    found["iters"] = f"iters:{line['max_iters']}"
    found["init"] = "".join(shown(line["init"].get(name)) for name in ("method", "seed"))
    if ranks := line.get("ranks"):
        found["launch"] = f"launch:{shown(ranks['launch'])}"
    return found


def shown(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e16 else str(value)


# cpu/lloyd/naive/blobs/n:1000/d:2/…, as kmbench export writes it; else the text before the first argument.
EXPORTED = re.compile(r"(?P<what>.+?)/(?P<dataset>[^/]+)/(?P<rest>n:\d+/d:\d+/k:\d+/.*)")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
LARGEST = 256 << 20  # bytes
TIME = schema.Compiler(check.DOCUMENT).check({"$ref": "#/$defs/time"})


def of_google_benchmark(path: Path) -> Side:
    """The repetitions of Google Benchmark's JSON, without aggregates: wall clock of an iteration of its loop."""
    if path.stat().st_size > LARGEST:
        raise UserError(f"{path}: {path.stat().st_size} bytes; accepted: up to {LARGEST}")
    given = json_text.read(path)
    entries = given.get("benchmarks") if isinstance(given, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError(f"{path}: not Google Benchmark's JSON: no array of benchmarks")
    single = [entry for entry in entries if entry.get("run_type", "iteration") == "iteration"]
    if entries and not single:
        raise UserError(f"{path}: only aggregates; runs are needed: without --benchmark_report_aggregates_only")
    cases: dict[str, Case] = {}
    for name, seconds, reason in [run_of(entry, i, path) for i, entry in enumerate(single)]:
        found = EXPORTED.fullmatch(name)
        implementation, _, rest = (found["what"], "", "") if found else name.partition("/")
        parts = {"dataset": found["dataset"], **by_label(found["rest"])} if found else by_label(rest) if rest else {}
        case = cases.setdefault(name, Case(implementation, parts))
        case.reason = case.reason or reason
        case.rounds = {} if case.reason else {ONE: (*case.rounds.get(ONE, ()), seconds)}
    context = given.get("context")
    return Side(str(path), cases, context if isinstance(context, dict) else {})


def run_of(entry: dict[str, Any], i: int, path: Path) -> tuple[str, float, str]:
    """The name of a run, its seconds, and the reason for none."""
    name = entry.get("run_name", entry.get("name"))
    if not isinstance(name, str) or not name:
        raise UserError(f"{path}: benchmark {i} has no name")
    for sign, message, said in (("error_occurred", "error_message", "failed"), ("skipped", "skip_message", "skipped")):
        if entry.get(sign):
            return name, math.nan, f"{said}: {entry.get(message) or 'no reason given'}"
    unit, time = entry.get("time_unit", "ns"), entry.get("real_time")
    if not isinstance(unit, str) or unit not in SECONDS:
        raise UserError(f"{path}: {name[:200]}: time_unit is {json.dumps(unit)[:40]}; accepted: {', '.join(SECONDS)}")
    if not TIME(time):
        raise UserError(f"{path}: {name[:200]}: real_time is {json.dumps(time)[:40]}, not a time")
    return name, time * SECONDS[unit], ""


def by_label(text: str) -> dict[str, str]:
    """The parts of `d:4/fp32`, each under the text before its colon, else under its place."""
    parts = text.split("/")
    return {part.partition(":")[0] if ":" in part else f"place {i}": part for i, part in enumerate(parts)}
