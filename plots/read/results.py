"""Reads result lines and machine records from results/<machine>/ (docs/results.md)."""

import re
import sys
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from plots.errors import UserError
from plots.read import check, json_text, schema, words
from plots.read.check import PROFILES, Line
from plots.read.disturbed import disturbed
from plots.read.select import grouped

RECORDED = Path(__file__).resolve().parents[2] / "results"  # in a checkout or installed
MOST_CASES = 5000  # of one exhibit and profile: more than a table can show
LONGEST = 64 << 20  # bytes of one line
PAPER = re.compile(rb'"exhibit": ?"([^"\\/]+)/')  # of a line that is not parsed yet
RECORD = schema.load("machine.json")
RECORD_CHECKS = schema.Compiler(RECORD)


@dataclass(frozen=True, eq=False)  # hashed by identity, for the caches
class Machine:
    """One folder of results/: its name, its record (machine.json, else {}) and its lines."""

    name: str
    record: dict[str, Any] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    folder: Path = Path()
    skipped: tuple[str, ...] = ()  # sentences about the lines of a file that are no result lines
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)  # by exhibit and profile: lines past MOST_CASES

    @cached_property
    def by_exhibit(self) -> dict[str | None, list[Line]]:
        return grouped(self.lines, lambda line: line["exhibit"])

    @property
    def threads(self) -> int | None:
        threads = json_text.inner(self.record, "cpu", "threads")
        return threads if type(threads) is int else None


def load(results: Path, only: str | None = None, papers: Collection[str] | None = None) -> list[Machine]:
    """Every machine below `results`, by name; with `papers`, without the lines of other papers. Raises UserError for a
    missing folder or machine and a bad file."""
    if not results.is_dir():
        raise UserError(f"{results}: no such folder of results")
    folders = sorted(p for p in results.iterdir() if any(p.glob("*.jsonl")) or (p / "machine.json").is_file())
    if not folders and any(results.glob("*.jsonl")):
        raise UserError(f"{results} is the folder of one machine; --results takes the folder above it")
    if not folders:
        raise UserError(f"{results}: no results of any machine; run kmbench first")
    if only is not None and only not in (names := [p.name for p in folders]):
        raise UserError(f"{results}: no results of machine {only}; there are {', '.join(names)}")
    folders = [p for p in folders if only in (None, p.name)]
    return [load_machine(folder, papers) for folder in folders]


def load_machine(folder: Path, papers: Collection[str] | None = None) -> Machine:
    return machine_of(folder.name, folder, sorted(folder.glob("*.jsonl")), papers)


def load_file(path: Path) -> Machine:
    """The lines of one file; machine.json beside it is their machine's record."""
    return machine_of(path.stem, path.parent, [path])


def machine_of(name: str, folder: Path, files: Iterable[Path], papers: Collection[str] | None = None) -> Machine:
    pool: dict[str, Any] = {}
    dropped: Counter[tuple[str, str]] = Counter()
    told: list[str] = []
    lines = latest((line for path in files for line in read_lines(path, pool, told, papers)), dropped)
    return Machine(name, record(folder / "machine.json"), lines, folder, tuple(told), dropped)


def record(path: Path) -> dict[str, Any]:
    """The machine record; {} if there is no file."""
    found = json_text.read(path) if path.exists() else {}
    if not isinstance(found, dict):
        raise UserError(f"{path}: not a machine record, but {type(found).__name__}")
    for name, node in RECORD["properties"].items():
        if not RECORD_CHECKS.check(node)(found.get(name)):
            raise UserError(f"{path}: {name} is {str(found[name])[:40]!r}, not {node['title']}")
    return found


def read_lines(
    path: Path,
    pool: dict[str, Any] | None = None,
    told: list[str] | None = None,
    papers: Collection[str] | None = None,
) -> Iterator[Line]:
    """The result lines of one file, one at a time; with `papers`, those of others are passed over. What is no result
    line is counted in one sentence on stderr and in `told`. Raises UserError for a line of a later kmbench, and for a
    file of lines without a result line."""
    pool, found, bad, first = {} if pool is None else pool, 0, 0, ""
    wanted = None if papers is None else {key.encode() for key in papers}
    try:
        with path.open("rb") as file:
            for at, raw in enumerate(iter(lambda: file.readline(LONGEST), b""), start=1):
                start = file.tell() - len(raw)
                if not raw.strip():
                    continue
                if wanted is not None and (named := PAPER.search(raw)) and named[1] not in wanted:
                    found += 1
                    continue
                try:
                    line = check.line(parsed(raw, file, f"{path}:{at}"), f"{path}:{at}", pool)
                except check.LaterError:
                    raise
                except UserError as e:
                    bad, first = bad + 1, first or str(e)
                    continue
                found += 1
                yield {**line, "places": [(path, start)]}
    except OSError as e:
        raise UserError(f"{path}: {e.strerror or e}") from e
    if bad and not found and not first.endswith(CUT_OFF):
        raise UserError(first)
    if bad:
        sentence = f"{words.plural(bad, 'line')} skipped, {'' if bad == 1 else 'the first: '}{first}"
        print(f"plots: {sentence}", file=sys.stderr)
        if told is not None:
            told.append(sentence)


CUT_OFF = "cut off, the case was killed"


def parsed(raw: bytes, file: IO[bytes], where: str) -> Any:
    """The JSON of one line. Raises UserError if it is not JSON or too long."""
    if len(raw) == LONGEST and not raw.endswith(b"\n"):
        while (more := file.readline(LONGEST)) and not more.endswith(b"\n"):
            pass
        raise UserError(f"{where}: longer than {LONGEST >> 20} MiB")
    try:
        return json_text.parse(raw)
    except ValueError as e:
        raise UserError(f"{where}: not JSON: {e}" if raw.endswith(b"\n") else f"{where}: {CUT_OFF}") from e


def raw_lines(lines: Iterable[Line]) -> bytes:
    found = []
    for path, offset in (place for line in lines for place in line.get("places", [])):
        with path.open("rb") as file:
            file.seek(offset)
            found.append(file.readline(LONGEST).rstrip(b"\n") + b"\n")
    return b"".join(found)


def latest(lines: Iterable[Line], dropped: Counter[tuple[str, str]] | None = None) -> tuple[Line, ...]:
    """The later line of every (exhibit, profile, case), in the order of writing, with the samples that it continues. Of
    one exhibit and profile the last MOST_CASES are kept, the others counted in `dropped`."""
    tables: dict[tuple[str, str], dict[str, Line]] = {}
    for line in lines:
        place = (str(line["exhibit"]), line["profile"])
        cases = tables.setdefault(place, {})
        before = cases.pop(line["case"], None)
        cases[line["case"]] = line if before is None else pooled(before, line)
        if len(cases) > MOST_CASES:
            del cases[next(iter(cases))]
            if dropped is not None:
                dropped[place] += 1
    return tuple(line for cases in tables.values() for line in cases.values())


SAME_RUN = ("commit", "dirty", "device", "exhibit_hash", "grade", "iterations")


def pooled(before: Line, line: Line) -> Line:
    """`line` with the samples of the one before it, if it continues that and nothing changed between; else `line`."""
    one_run = (
        line["continues"] == len(before["samples_s"]) > 0
        and line["verdict"] == before["verdict"] == ""
        and line["dirty"] is False
        and all(line[name] == before[name] for name in SAME_RUN)
        and line["dataset"].get("hash") == before["dataset"].get("hash")
    )
    if not one_run:
        return line
    series = {name: before[name] + line[name] for name in check.SERIES}
    for name in check.DELAYS:  # an unknown delay counts as none
        if before[name] or line[name]:
            none, more = (array("d", bytes(8 * len(one["samples_s"]))) for one in (before, line))
            series[name] = (before[name] or none) + (line[name] or more)
    return {**line, **series, "places": before.get("places", []) + line.get("places", [])}


def of_exhibit(machine: Machine, key: str | None, profile: str | None = None) -> list[Line]:
    """The machine's lines of one exhibit, of `profile`; by default the paper's if there are any, else quick's."""
    lines = machine.by_exhibit.get(key, [])
    profiles = (profile,) if profile else PROFILES
    chosen = ([line for line in lines if line["profile"] == p] for p in profiles)
    return next((c for c in chosen if c), [])


def reason(line: Line) -> str:
    """Why this case has no time, in one sentence; else empty."""
    for field_name, word in (("skip", "skipped"), ("failure", "failed"), ("verdict", "wrong")):
        if line[field_name]:
            return f"{word}: {line[field_name]}"
    return "did not run" if line["verdict"] is None else ""


def commit_of(line: Line) -> str:
    return f"{str(line['commit'] or '?')[:10]}{'+' * bool(line['dirty'])}"


def device(line: Line) -> str:
    """`cpu` or `gpu`; in lines of schema 1 by the folder of the implementation."""
    return line["device"] or ("gpu" if line["implementation"].startswith("gpu/") else "cpu")


def coarse(line: Line) -> bool:
    """Whether rounding explains its result, yet it is too far from fp64's to rank or to support a claim."""
    return line["grade"] == "coarse"


def doubt(line: Line) -> str:
    """Why its times are marked and never the best: one of DOUBTS, or empty."""
    return words.DISTURBED if disturbed(line) else words.COARSE if coarse(line) else ""
