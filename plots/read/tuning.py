"""Reads the lines of a tuning by problem (tuning/<device>/<implementation>.jsonl, docs/tuning.md)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import json_text, results
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.select import grouped, sort_key, value_of

PROBLEM = ("implementation", "dataset", "n", "d", "k", "precision", "init", "init_seed", "max_iters", "tolerance")


@dataclass(frozen=True)
class Tuning:
    """One problem with some parameters fixed: the last line of each setting, in the order of the search, the defaults
    first. `again`: the newest rounds of the fastest settings and the defaults."""

    device: str
    lines: tuple[results.Line, ...]
    again: tuple[results.Line, ...] = ()
    fixed: frozenset[tuple[str, Any]] = frozenset()  # parameters with their only value, as the command gave it

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
        fixed = "".join(f" · {name} = {value}" for name, value in sorted(self.fixed))
        return f"{one['implementation']}, {value_of(one, 'dataset')} · {shape}{fixed}"

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
    found = [one for group in groups for one in tunings(path.parent.name, group, again)]
    if not any(len(one.lines) > 1 for one in found):
        raise UserError(f"{path}: no problem with two settings, so no tuning; kmbench tune writes them")
    return found


def problem(line: results.Line) -> str:
    """Without the points' hash, which a failed point lacks."""
    return repr([value_of(line, name) for name in PROBLEM])


def fixed_by(line: results.Line) -> frozenset[tuple[str, Any]]:
    """The parameters to which the line's command gave one value: --set NAME=VALUE."""
    names, flag = set(), ""
    for word in json_text.parse(results.raw_lines([line]))["argv"]:
        if word.startswith("--"):
            flag, _, word = word.partition("=")
        if flag == "--set" and re.fullmatch("[^=]+=[^,:]+", word):
            names.add(word.partition("=")[0])
    return frozenset((name, value) for name, value in line["parameters"].items() if name in names)


def tunings(device: str, lines: Sequence[results.Line], again: Sequence[results.Line]) -> list[Tuning]:
    """One for each set of fixed values, of the lines of the newest commit alone. kmbench tune does not repeat what a
    search that fixed less has measured, so those lines belong to it, too."""

    def of_newest(line: results.Line) -> bool:
        return all(line[name] == lines[-1][name] for name in ("commit", "dirty"))

    by = [(fixed_by(line), line) for line in lines if of_newest(line)]
    same = [(fixed_by(one), one) for one in again if problem(one) == problem(lines[-1]) and of_newest(one)]
    found = []
    for fixed in dict.fromkeys(fixed for fixed, _ in by):
        wider = [line for other, line in by if other <= fixed]
        own = {line["case"]: line for line in wider if fixed <= line["parameters"].items()}
        defaults = {**wider[0]["parameters"], **dict(fixed)}
        order = sorted(own.values(), key=lambda line: line["parameters"] != defaults)
        found.append(Tuning(device, tuple(order), tuple(newest([one for other, one in same if other == fixed])), fixed))
    return found


def newest(again: Sequence[results.Line]) -> Sequence[results.Line]:
    """The lines from where the number of the round last began anew."""
    begins = [at for at in range(1, len(again)) if again[at]["order"] < again[at - 1]["order"]]
    return again[begins[-1] :] if begins else again
