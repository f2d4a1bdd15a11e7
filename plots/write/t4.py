"""A tuning in the results format T4 (version 1.0.0) of Kernel Tuner, KTT and the suite BAT. Times are in ms."""

from collections.abc import Iterable
from typing import Any

from plots.read.metrics import metric
from plots.read.results import Line, reason

VERSION = "1.0.0"
OBJECTIVE = "time"


def document(lines: Iterable[Line]) -> dict[str, Any]:
    """One result a line; a wrong point has no time."""
    return {"schema_version": VERSION, "results": [result(line) for line in lines]}


def result(line: Line) -> dict[str, Any]:
    """`time` is the median of an iteration; `runtimes` are the timed runs."""
    why = reason(line)
    runs = [] if why else [1e3 * seconds for seconds in line["samples_s"]]
    time = metric("iteration").of(line, {})
    measured = [{"name": OBJECTIVE, "value": time.value, "unit": "ms"}] if time else []
    measured += [] if why else [{"name": name, "value": line[name], "unit": ""} for name in ("grade",) if line[name]]
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
        "objectives": [OBJECTIVE],
    }


def invalidity(line: Line) -> str:
    """T4's word for why a configuration does not count; `correct` if it does."""
    if line["skip"]:
        return "constraints"
    if line["failure"]:
        return "timeout" if line["failure"].startswith("no end after") else "runtime"
    return "correct" if line["verdict"] == "" else "correctness"
