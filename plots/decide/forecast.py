"""Planned cases of `kmbench run`, and how long they will take on a machine."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read.json_text import inner, parse, table
from plots.read.rates import amount
from plots.read.results import Line
from plots.read.select import grouped

OVERHEAD_S = 0.3  # of a case: process, poison, page faults; chosen
DATA_S = 10e-9  # of a value of the points: made and hashed on the host; chosen
ABOVE_FLOOR = 10  # times the floor, for an implementation without lines; chosen
PROBLEM = ("dataset", "n", "d", "k", "precision")


@dataclass(frozen=True)
class Case:
    """A planned case. `line`: the fields of its future result line."""

    id: str
    name: str
    exhibit: str
    exhibit_hash: str
    line: Line
    runs: int  # timed, warm-up and traced
    guess_s: float  # kmbench's own forecast of them
    skip: str = ""  # why it cannot run here

    @property
    def points(self) -> str:
        dataset = self.line["dataset"]
        return repr([dataset["name"], sorted(dataset["generator"].items()), *(self.line[name] for name in PROBLEM[1:])])


def planned(text: str) -> list[Case]:
    """From `kmbench run … --dry-run --benchmark_format=json`."""
    cases = []
    for raw in text.encode().splitlines():
        try:
            one = parse(raw)
            line = {**one, "device": "gpu" if one["implementation"].startswith("gpu/") else "cpu"}
            line["dataset"] = {**one["dataset"], "generator": one["dataset"].get("settings", {})}
            runs = one["repetitions"] + one["warmup"] + 1
            names = ("case", "name", "exhibit", "exhibit_hash")
            cases.append(Case(*(one[name] for name in names), line, runs, one["forecast_s"], one["skip"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UserError(f"kmbench's plan: no case: {raw[:60].decode(errors='replace')!r}") from None
    return cases


def raw_lines(folders: Iterable[Path]) -> list[Line]:
    """Right lines with a time as they stand in their files, because readers do not keep judge_s."""
    files = (path for folder in folders for path in sorted(folder.glob("*.jsonl")))
    lines = (table(raw) for path in files for raw in path.read_bytes().splitlines())
    return [line for line in lines if line.get("verdict") == "" and line.get("samples_s")]


class Forecast:
    """Seconds of cases on one machine, from its recorded lines, else from its ceilings (`floor` of machine.json)."""

    def __init__(self, lines: Sequence[Line], record: dict[str, Any]) -> None:
        self.record = record
        self.factor = 1.0  # measured over forecast seconds; learnt on the way
        self.own = {line["case"]: line for line in lines}
        self.alike = grouped(lines, lambda line: (line["implementation"], line["precision"]))
        self.known: dict[str, float] = {}

    def seconds(self, cases: Iterable[Case]) -> float:
        """Seconds of the cases in a row; shared points count once."""
        cases = list(cases)
        points = {case.points: case.line["n"] * case.line["d"] * DATA_S for case in cases}
        return self.factor * (sum(map(self.alone, cases)) + sum(points.values()))

    def alone(self, case: Case) -> float:
        """Seconds without making the points."""
        if case.id not in self.known:
            self.known[case.id] = OVERHEAD_S + self.measured(case)
        return self.known[case.id]

    def measured(self, case: Case) -> float:
        if case.id in self.own:
            return spent(self.own[case.id], case.runs)
        lines = self.alike.get((case.line["implementation"], case.line["precision"]), [])
        if not lines:
            return 2 * self.by_ceilings(case)
        line = min(lines, key=lambda line: distance(case.line, line))
        most = case.line["max_iters"]
        least = most if case.line["tolerance"] is None else min(most, line["iterations"])
        return spent(line, case.runs) * work(case.line, least) / work(line, line["iterations"])

    def by_ceilings(self, case: Case) -> float:
        line, floor = case.line, inner(self.record, "floor", case.line["device"])
        bandwidth, flops = inner(floor, "bytes_per_s"), inner(floor, "flops_per_s", line["precision"])
        if not flops or not bandwidth:
            return case.guess_s
        least = max(amount("points", line) / bandwidth, amount("product", line) / flops)
        return ABOVE_FLOOR * least * line["max_iters"] * case.runs


def spent(line: Line, runs: int) -> float:
    """Seconds of so many runs, of preparing and of judging (unknown: as long as the runs)."""
    made = statistics.median(line["samples_s"]) * runs
    judging = line.get("judge_s")
    return made + (line.get("prepare_s") or 0) + (made if judging is None else judging)


def work(line: Line, iterations: int) -> float:
    return line["n"] * line["d"] * (line["k"] + 4) * iterations


def distance(case: Line, line: Line) -> float:
    """How unlike two cases of one implementation are: logarithms of sizes, and differing parameters."""
    sizes = sum(abs(math.log(case[name] / line[name])) for name in ("n", "d", "k"))
    other = sum(line["parameters"].get(name) != value for name, value in case["parameters"].items())
    return sizes + other
