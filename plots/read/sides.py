"""One side of a comparison: its cases, each with its samples by round and a name that pairs it.

A side is a .jsonl file, a folder of such files, a folder of such folders (each is one round, as scripts/regress makes
them), or a file of Google Benchmark's JSON."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import disturbed, google_benchmark, results, words

ONE = ""  # the name of the only round


@dataclass
class Case:
    """Seconds of iterate by round, or `reason`, why there are none. `parts` name the case, by label (`set.threads`:
    `threads:2`); `points` is the hash of the points."""

    implementation: str
    parts: dict[str, str]
    rounds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    reason: str = ""
    coarse: bool = False
    disturbed: bool = False  # a round of it was, and is left out
    points: str | None = None
    iterations: int | None = None

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
        lines, record = results.latest(results.read_lines(path)), results.record(path.with_name("machine.json"))
        side = of_lines(str(path), {ONE: lines}, record)
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
    rounds = {ONE if len(folders) == 1 else name: machine.lines for name, machine in machines.items()}
    return of_lines(str(path), rounds, next(iter(machines.values())).record)


def of_lines(title: str, rounds: dict[str, Iterable[results.Line]], record: dict[str, Any]) -> Side:
    cases: dict[str, Case] = {}
    told: dict[str, set[str]] = {name: set() for name in ("commit", "dirty", "date")}
    for name, lines in rounds.items():
        for line in lines:
            add(cases, name, line)
            for what, values in told.items():
                values.add(str(line[what])[:10] if what == "date" else str(line[what]))
    for case in cases.values():
        if case.disturbed and not case.rounds:
            case.reason = case.reason or f"{words.DISTURBED}: {words.TAKEN}"
    said = {name: ", ".join(sorted(values)) for name, values in told.items() if values}
    return Side(title, cases, {**said, **record})


def add(cases: dict[str, Case], name: str, line: results.Line) -> None:
    """A wrong, failed or skipped run in any round leaves the case without a time."""
    case = cases.setdefault(name_of(line), Case(line["implementation"], parts_of(line)))
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
    parts = parts_of(line)
    exhibit = parts.pop("exhibit", None)
    return "/".join([*([exhibit] if exhibit else []), line["implementation"], *parts.values()])


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
    return found | {"init": "".join(shown(line["init"].get(name)) for name in ("method", "seed"))}


def shown(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e16 else str(value)


# cpu/lloyd/naive/blobs/n:1000/d:2/…, as kmbench export writes it; else the text before the first argument.
EXPORTED = re.compile(r"(?P<what>.+?)/(?P<dataset>[^/]+)/(?P<rest>n:\d+/d:\d+/k:\d+/.*)")


def of_google_benchmark(path: Path) -> Side:
    environment, runs = google_benchmark.read(path)
    cases: dict[str, Case] = {}
    for run in runs:
        found = EXPORTED.fullmatch(run.name)
        implementation, _, rest = (found["what"], "", "") if found else run.name.partition("/")
        parts = {"dataset": found["dataset"], **by_label(found["rest"])} if found else by_label(rest) if rest else {}
        case = cases.setdefault(run.name, Case(implementation, parts))
        case.reason = case.reason or run.reason
        case.rounds = {} if case.reason else {ONE: (*case.rounds.get(ONE, ()), run.seconds)}
    return Side(str(path), cases, environment)


def by_label(text: str) -> dict[str, str]:
    """The parts of `d:4/fp32`, each under the text before its colon, else under its place."""
    parts = text.split("/")
    return {part.partition(":")[0] if ":" in part else f"place {i}": part for i, part in enumerate(parts)}
