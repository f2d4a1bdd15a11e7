"""Times of a line: of its timed runs, of verbs measured once, of the traced run's phases with wu2011's labeling."""

from collections.abc import Callable
from functools import partial
from typing import Any

from plots.read.check import Line
from plots.read.disturbed import time_of
from plots.read.intervals import Estimate, of_mean, once
from plots.read.json_text import inner

PHASES = ("assign", "update", "transfer", "transpose", "init")
PARTS = ("icd", "rid", "centroid_data", "new_centroids")  # phases within another: of icd_rid, and of update
BESIDES = ("icd_rid", "rearrange")  # phases of EALT that are not labeling itself
Record = dict[str, Any]
Formula = Callable[[Line, Record], Estimate | None]


def run_s(line: Line, _: Record, samples: str = "samples_s") -> Estimate | None:
    """Iterate, by default by the wall clock: the median of the timed runs. A wrong run has no time."""
    return time_of(line, samples) if line["verdict"] == "" else None


def per_iteration(of: Formula, line: Line, record: Record) -> Estimate | None:
    whole = of(line, record)
    return whole.scaled(1 / line["iterations"]) if whole and line.get("iterations") else None


def point_iteration(line: Line, record: Record) -> Estimate | None:
    """Nanoseconds of an iteration over the number of points."""
    whole = per_iteration(run_s, line, record)
    return whole and whole.scaled(1e9 / line["n"])


def with_verbs(fields: tuple[str, ...], line: Line, record: Record) -> Estimate | None:
    """Iterate plus other verbs, which were measured once: iterate's interval, shifted."""
    whole = run_s(line, record)
    parts = [line.get(field) for field in fields]
    return None if whole is None or None in parts else whole.shifted(sum(parts))


def verb(field: str, line: Line, _: Record) -> Estimate | None:
    return once(line[field]) if line["verdict"] == "" and line.get(field) is not None else None


def phase(name: str, line: Line, _: Record) -> Estimate | None:
    """The mean over the iterations of the traced run; a phase of prepare has one measurement."""
    if line["verdict"] != "":
        return None
    if line["phases"].get(name):
        return of_mean(line["phases"][name])
    seconds = inner(line, "prepare_phases", name)
    return None if seconds is None else once(seconds)


def init(line: Line, record: Record) -> Estimate | None:
    """he2021's choice of a start where it was timed; else the taking up of the given one."""
    return phase("choose_starts", line, record) or phase("init", line, record)


def milliseconds(of: Formula, line: Line, record: Record) -> Estimate | None:
    seconds = of(line, record)
    return seconds and seconds.scaled(1e3)


def ealt(line: Line, _: Record) -> Estimate | None:
    """Equivalent average labeling time in ms: (total - updating) / iterations (Equation 10), of the traced run."""
    phases = line["phases"]
    if line["verdict"] != "" or not line.get("iterations") or "update" not in phases:
        return None
    total = sum(sum(series) for name, series in phases.items() if name not in ("update", *PARTS))
    return once(1e3 * total / line["iterations"]) if total > 0 else None


def ealt_share(name: str, line: Line, record: Record) -> Estimate | None:
    """A phase's part of EALT, in percent; `labeling`: the rest of a run with such phases."""
    whole = ealt(line, record)
    if whole is None or (name == "labeling" and not any(line["phases"].get(phase) for phase in BESIDES)):
        return None
    sums = {phase: 1e3 * sum(series) / line["iterations"] for phase, series in line["phases"].items()}
    part = whole.value - sum(sums.get(phase, 0.0) for phase in BESIDES) if name == "labeling" else sums.get(name)
    return None if part is None else once(100 * part / whole.value)


def phase_share(name: str, line: Line, _: Record) -> Estimate | None:
    """A phase's share of the traced run's iterations, in percent."""
    sums = {phase: sum(series) for phase, series in line["phases"].items()}
    whole = sum(seconds for phase, seconds in sums.items() if phase not in PARTS)
    return once(100 * sums[name] / whole) if line["verdict"] == "" and name in sums and whole > 0 else None


def imbalance(line: Line, _: Record) -> Estimate | None:
    """The slowest rank's time over the mean of all, the mean over the timed runs."""
    runs = list(zip(*(inner(line, "ranks", "walls_s") or []), strict=True))
    return of_mean([max(walls) * len(walls) / sum(walls) for walls in runs]) if runs and all(map(sum, runs)) else None


def time_share(name: str, line: Line, _: Record) -> Estimate | None:
    """A phase's share of prepare + iterate + download, in percent. `other`: the rest. `first_assign`: the first
    iteration's (taylor2021's InitializePoints); `later_assigns`: the others'."""
    verbs = [line.get(field) for field in ("prepare_s", "download_s")]
    if line["verdict"] != "" or None in verbs or not line["phases"]:
        return None
    sums = {phase: sum(series) for phase, series in line["phases"].items()}
    inside = sum(seconds for phase, seconds in sums.items() if phase not in PARTS)  # of the traced run alone
    whole = inside + sum(verbs)
    sums["other"] = whole - inside
    if assigns := line["phases"].get("assign"):
        sums |= {"first_assign": assigns[0], "later_assigns": sum(assigns[1:])}
    part = sums.get(name)
    return None if part is None or whole <= 0 else once(100 * part / whole)


def traced(line: Line) -> list[float]:
    """Milliseconds of each iteration of the traced run, the sum of its phases; [] if their lengths differ."""
    series = [times for phase, times in line["phases"].items() if phase not in PARTS]
    return [1e3 * sum(parts) for parts in zip(*series, strict=True)] if len(set(map(len, series))) == 1 else []


EVENTS = partial(run_s, samples="samples_event_s")
END_TO_END = partial(with_verbs, ("prepare_s", "download_s"))
TIMES = {  # name: label, formula in seconds
    "iteration": ("iteration", partial(per_iteration, run_s)),
    "iteration_event": ("iteration, GPU events", partial(per_iteration, EVENTS)),
    "overall": ("prepare + iterate", partial(with_verbs, ("prepare_s",))),
    "run": ("iterate", run_s),
    "run_event": ("iterate, GPU events", EVENTS),
    "end_to_end": ("prepare + iterate + download", END_TO_END),
    "end_to_end_iteration": ("end to end / iterations", partial(per_iteration, END_TO_END)),
    "prepare": ("prepare", partial(verb, "prepare_s")),
    "download": ("download", partial(verb, "download_s")),
    **{name: (name.replace("_", " "), partial(phase, name)) for name in PHASES},
    "init": ("init", init),
}
