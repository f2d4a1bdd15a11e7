"""Metrics of the traced run: the labeling of wu2011 and its parts, saved distances, shares of the time."""

from collections.abc import Callable
from typing import Any

from plots.read.check import Line
from plots.read.intervals import Estimate, exact, once, over

STEADY = 0.01  # the least relative change of the mean M between iterations that counts (wu2011, Section III)
PARTS = ("icd", "rid", "centroid_data", "new_centroids")  # phases within another: of icd_rid, and of update
BESIDES = ("icd_rid", "rearrange")  # phases of EALT that are not labeling itself


def ealt(line: Line, _: dict[str, Any]) -> Estimate | None:
    """Equivalent average labeling time in ms: (total - updating) / iterations (Equation 10), of the traced run."""
    phases = line["phases"]
    if line["verdict"] != "" or not line.get("iterations") or "update" not in phases:
        return None
    total = sum(sum(series) for name, series in phases.items() if name not in ("update", *PARTS))
    return once(1e3 * total / line["iterations"]) if total > 0 else None


def ealt_share(name: str, line: Line, record: dict[str, Any]) -> Estimate | None:
    """A phase's part of EALT, in percent; `labeling`: the rest of a run with such phases."""
    whole = ealt(line, record)
    if whole is None or (name == "labeling" and not any(line["phases"].get(phase) for phase in BESIDES)):
        return None
    sums = {phase: 1e3 * sum(series) / line["iterations"] for phase, series in line["phases"].items()}
    part = whole.value - sum(sums.get(phase, 0.0) for phase in BESIDES) if name == "labeling" else sums.get(name)
    return None if part is None else once(100 * part / whole.value)


def of_m(formula: Callable[[list[float], Line], float | None], line: Line, _: dict[str, Any]) -> Estimate | None:
    """A number computed from the mean M of every iteration of the traced run."""
    series = (line.get("counters") or {}).get("mean_m")
    value = formula(series, line) if series and line["verdict"] == "" else None
    return None if value is None else exact(value)


def saved(series: list[float], line: Line) -> float:
    """Distances not computed, in percent of n k, over all iterations: the bound of Figure 3."""
    return 100 * (1 - over(sum(series) / len(series), line["k"]))


def saved_in_warps(series: list[float], line: Line) -> float | None:
    """The same if 32 points in a row take as long as the slowest: a point waits for M (1 + R), R of Equation 2."""
    waits = line["counters"].get("warp_imbalance")
    if not waits or len(waits) != len(series):
        return None
    return saved([m * (1 + r) for m, r in zip(series, waits, strict=True)], line)


def settled(series: list[float], _: Line) -> float | None:
    """The first iteration whose mean M differs from the one before by less than 1%."""
    steady = (i for i in range(1, len(series)) if abs(series[i] - series[i - 1]) < STEADY * series[i - 1])
    return next((i + 1.0 for i in steady), None)


def distances_saved(line: Line, _: dict[str, Any]) -> Estimate | None:
    """Distances that were not computed, in percent of n k an iteration; repeated ones count twice."""
    series = (line.get("counters") or {}).get("distances")
    if not series or line["verdict"] != "":
        return None
    return exact(100 * (1 - over(sum(series), line["n"] * line["k"] * len(series))))


def time_share(name: str, line: Line, _: dict[str, Any]) -> Estimate | None:
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
