"""A tuning as a table, the defaults' time beside the best's, and in the results format T4 (version 1.0.0) of Kernel
Tuner, KTT and BAT."""

from collections.abc import Iterable
from typing import Any

from plots.decide import tuned
from plots.read.metrics import metric
from plots.read.results import Line, reason
from plots.read.tuning import Tuning
from plots.write.tables import Cell, Column, Table, count, estimated, word

COLUMNS = [
    Column("problem", "field", "problem"),
    Column("settings", "word", "settings tried"),
    Column("wrong", "word", "wrong"),
    Column("failed", "word", "failed"),
    Column("default", "ours", "defaults (ms)"),
    Column("best", "ours", "best (ms)"),
    Column("regret", "ours", "regret of the defaults (%)"),
    Column("values", "word", "the best's values, where not the defaults'"),
]
REMARK = "Regret: the defaults' time over the best's, less 1, in rounds where there were any (docs/tuning.md)."


def regret(tunings: list[Tuning]) -> Table:
    return Table("tuning", "Regret of the defaults", COLUMNS, [row(one) for one in tunings], remarks=[REMARK])


def row(one: Tuning) -> list[Cell]:
    times = [tuned.shown(one, line) for line in (one.default, tuned.kept(one))]
    over = tuned.over_best(one)
    lost = over and over.shifted(-1).scaled(100)
    wrong = sum(reason(line).startswith("wrong") for line in one.lines)
    failed = sum(bool(line["failure"] or line["skip"]) for line in one.lines)
    counts = map(count, (len(one.lines), wrong, failed))
    return [word(one.title), *counts, *map(estimated, (*times, lost)), word(changed(one))]


def changed(one: Tuning) -> str:
    """The best's parameters that differ from the defaults."""
    best = tuned.kept(one)
    if best is None:
        return "nothing tried has a time"
    own, default = best["parameters"], one.default["parameters"]
    return ", ".join(f"{name} = {value}" for name, value in own.items() if value != default[name]) or "none"


def t4(lines: Iterable[Line]) -> dict[str, Any]:
    """One result a line, times in ms; a wrong point has no time."""
    return {"schema_version": "1.0.0", "results": [result(line) for line in lines]}


def result(line: Line) -> dict[str, Any]:
    """`time` is the median of an iteration; `runtimes` are the timed runs."""
    why = reason(line)
    runs = [] if why else [1e3 * seconds for seconds in line["samples_s"]]
    time = metric("iteration").of(line, {})
    measured = [{"name": "time", "value": time.value, "unit": "ms"}] if time else []
    measured += [{"name": "grade", "value": line["grade"], "unit": ""}] if line["grade"] and not why else []
    return {
        "timestamp": line["date"],
        "configuration": dict(line["parameters"]),
        "times": {
            "compilation_time": 0,
            "runtimes": runs,
            "framework": 0 if why else 1e3 * (line["prepare_s"] or 0),
            "search_algorithm": 0,
        },
        "invalidity": invalidity(line),
        "correctness": int(line["verdict"] == ""),
        "measurements": measured,
        "objectives": ["time"],
    }


def invalidity(line: Line) -> str:
    """T4's word for why a configuration does not count; `correct` if it does."""
    if line["skip"]:
        return "constraints"
    if line["failure"]:
        return "timeout" if line["failure"].startswith("no end after") else "runtime"
    return "correct" if line["verdict"] == "" else "correctness"
