"""The paper's time scaled to this machine by the binding resource, as if only the hardware differed."""

from dataclasses import dataclass
from typing import Any

from plots.decide.side_by_side import WHOLE, Pair
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.intervals import over
from plots.read.rates import speeds
from plots.read.results import Line, Machine, device
from plots.read.select import ALL_THREADS, value_of


@dataclass(frozen=True)
class Floor:
    """The least seconds of an iteration on a machine, and the resource that binds it: memory or arithmetic."""

    seconds: float
    resource: str


@dataclass(frozen=True)
class Expected:
    """`value` in the metric's unit; None, with `why`, if it is unknown."""

    metric: str
    theirs: float | None
    value: float | None
    there: str = ""
    here: str = ""
    why: str = ""


def floor(work: dict[str, Any] | None, bytes_per_s: float | None, flops_per_s: float | None) -> Floor | None:
    """The larger of bytes / bandwidth and flops / arithmetic; None unless both are known."""
    if not work or not bytes_per_s or not flops_per_s:
        return None
    memory, arithmetic = work["bytes"] / bytes_per_s, work["flops"] / flops_per_s
    return Floor(max(memory, arithmetic), "memory" if memory >= arithmetic else "arithmetic")


def floor_here(line: Line, machine: Machine) -> Floor | None:
    return floor(line["work"], *speeds(line, machine.record).values())


def expected(one: Pair, line: Line, machine: Machine, paper: Paper) -> Expected | None:
    """None if the paper prints no whole time of this case."""
    printed = next(((p, m) for m in WHOLE for p in one.printed if m in p.values), None)
    theirs = printed and words.parse(printed[0].values[printed[1]], printed[0].unit(printed[1]))
    if not printed or not theirs:
        return None
    name = printed[1]
    peak = paper.record.get("peak", {}).get(device(line), {})
    there = floor(line["work"], peak.get("bandwidth_gbs", 0) * 1e9, peak.get(f"{line['precision']}_gflops", 0) * 1e9)
    here = floor_here(line, machine)
    if device(line) == "cpu" and value_of(line, "threads") not in (None, ALL_THREADS):
        why = "some of the threads: peaks are those of all"
    elif there is None:
        why = f"no peaks of the paper's {device(line).upper()} in its paper.toml"
    elif here is None:
        why = f"no ceilings of {machine.name}, or no work in the line: kmbench ceilings"
    elif not here.seconds:  # both are 0
        why = "no work in the line"
    else:
        value = theirs * over(here.seconds, there.seconds)
        return Expected(name, theirs, value, there.resource, here.resource)
    return Expected(name, theirs, None, why=why)
