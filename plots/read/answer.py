"""Metrics of runs to convergence: saved distances, shares of the time, times by iteration."""

from typing import Any

from plots.read.check import Line
from plots.read.intervals import Estimate, exact, once, over
from plots.read.labeling import PARTS


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
