"""Reads the lines of a tuning by problem (tuning/<device>/<implementation>.jsonl, docs/tuning.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import results
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.select import grouped, sort_key, value_of

PROBLEM = ("implementation", "dataset", "n", "d", "k", "precision", "init", "init_seed", "max_iters", "tolerance")


@dataclass(frozen=True)
class Tuning:
    """One problem: the last line of each setting, in the order of the search, the defaults first. `again`: the newest
    rounds of the fastest settings and the defaults."""

    device: str
    lines: tuple[results.Line, ...]
    again: tuple[results.Line, ...] = ()

    @property
    def default(self) -> results.Line:
        return self.lines[0]

    @property
    def axes(self) -> list[str]:
        """The parameters with more than one tried value."""
        names = self.default["parameters"]
        return [name for name in names if len({value_of(line, name) for line in self.lines}) > 1]

    @property
    def right(self) -> list[results.Line]:
        """Right lines, neither coarse nor disturbed unless the defaults are."""
        fair = [line for line in self.lines if time(line, "iteration") is not None]
        return [line for line in fair if results.doubt(line) in ("", results.doubt(self.default))]

    @property
    def title(self) -> str:
        one = self.default
        shape = f"n = {one['n']:,} · d = {one['d']} · k = {one['k']} · {one['precision']}"
        return f"{one['implementation']}, {value_of(one, 'dataset')} · {shape}"

    @property
    def best(self) -> results.Line | None:
        return min(self.right, key=lambda line: time(line, "iteration").value, default=None)

    def values(self, name: str) -> list[Any]:
        return sorted({value_of(line, name) for line in self.lines}, key=lambda value: sort_key(name, value))


def time(line: results.Line, name: str) -> Estimate | None:
    return metric(name).of(line, {})


def load(path: Path) -> list[Tuning]:
    """The tunings of one file. Raises UserError if it is missing or no tuning: no problem has two settings."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; kmbench tune writes tuning/<device>/<implementation>.jsonl")
    winners = path.with_name(path.name.removesuffix(".jsonl") + ".winners.jsonl")
    again = list(results.read_lines(winners)) if winners.is_file() else []
    groups = grouped(results.read_lines(path), problem).values()
    found = [tuning(path.parent.name, group, again) for group in groups]
    if not any(len(one.lines) > 1 for one in found):
        raise UserError(f"{path}: no problem with two settings, so no tuning; kmbench tune writes them")
    return found


def problem(line: results.Line) -> str:
    """Without the points' hash, which a failed point lacks."""
    return repr([value_of(line, name) for name in PROBLEM])


def tuning(device: str, lines: Sequence[results.Line], again: Sequence[results.Line]) -> Tuning:
    """Takes the lines of the newest commit alone."""
    commit = (lines[-1]["commit"], lines[-1]["dirty"])
    last = {line["case"]: line for line in lines if (line["commit"], line["dirty"]) == commit}
    same = [one for one in again if problem(one) == problem(lines[-1]) and (one["commit"], one["dirty"]) == commit]
    return Tuning(device, tuple(last.values()), tuple(newest(same)))


def newest(again: Sequence[results.Line]) -> Sequence[results.Line]:
    """The lines from where the number of the round last began anew."""
    begins = [at for at in range(1, len(again)) if again[at]["order"] < again[at - 1]["order"]]
    return again[begins[-1] :] if begins else again
