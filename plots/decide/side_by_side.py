"""One exhibit on several machines, its cases paired."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plots.read.check import PROFILES
from plots.read.exhibits import Exhibit, Printed
from plots.read.results import Line, Machine
from plots.read.select import matches, separating, value_of
from plots.read.view import View, gather


@dataclass(frozen=True)
class Pair:
    """One case: its lines by machine, and the paper's rows."""

    fields: dict[str, Any]
    lines: dict[str, Line]
    printed: tuple[Printed, ...] = ()


@dataclass(frozen=True)
class Sides:
    """`views`: the machines with lines of the exhibit. `pairs`: in reading order."""

    exhibit: Exhibit
    profile: str
    views: dict[str, View]
    pairs: tuple[Pair, ...]
    remarks: tuple[str, ...] = ()

    @property
    def fields(self) -> list[str]:
        return list(self.pairs[0].fields) if self.pairs else []


def sides(exhibit: Exhibit, machines: Sequence[Machine], profile: str | None = None) -> Sides:
    """Takes the profile asked for, else that of most machines."""
    found = {p: {m.name: v for m in machines if (v := gather(exhibit, m, p)).lines} for p in PROFILES}
    chosen = profile or max(PROFILES, key=lambda p: len(found[p]))  # a tie goes to the paper's
    views = found[chosen]
    remarks = [f"Not run in the {chosen} profile on {', '.join(m.name for m in machines if m.name not in views)}."]
    kept: dict[tuple[str, str, str], dict[str, Line]] = {}
    nowhere: Counter[str] = Counter()
    for name, view in views.items():
        for line in view.lines:
            if line["n"] == 0 or line["d"] == 0:
                nowhere[name] += 1
            else:
                case = line["implementation"], repr(sorted(line["parameters"].items())), problem_key(line, exhibit)
                kept.setdefault(case, {})[name] = line
    remarks += [f"Left out: {n} cases whose data set was not on {name}." for name, n in nowhere.items()]
    if not kept:
        return Sides(exhibit, chosen, {}, (), tuple(remarks[1:]))
    first = next(iter(views.values()))
    alone = [next(iter(lines.values())) for lines in kept.values()]
    place = [name for name in first.place if name != "machine"]
    fields = list(dict.fromkeys([*place, *separating(alone, place)]))
    printed = first.exhibit.printed()
    pairs = []
    for one, lines in zip(alone, kept.values(), strict=True):
        rows = tuple(row for row in printed if matches(one, row.key))
        pairs.append(Pair({name: value_of(one, name) for name in fields}, lines, rows))
    pairs.sort(key=lambda one: first.order(one.fields))
    return Sides(exhibit, chosen, views, tuple(pairs), tuple(remarks[len(views) == len(machines) :]))


PROBLEM = ("dataset", "n", "d", "k", "precision", "max_iters", "tolerance", "init", "init_seed")


def problem_key(line: Line, exhibit: Exhibit) -> str:
    """The problem without its solver, with the generator's settings that the exhibit varies."""
    return repr([value_of(line, name) for name in (*PROBLEM, *exhibit.swept)])


def main_metric(exhibit: Exhibit) -> str:
    """The metric that machines are compared by: the exhibit's first whole time, else the iteration's."""
    shown = [*exhibit.table.get("columns", []), *exhibit.figure.get("y", [])]
    return next((name for name in shown if name in WHOLE), "iteration")


WHOLE = ("iteration", "run", "overall", "end_to_end", "end_to_end_iteration", "iteration_event", "run_event")
