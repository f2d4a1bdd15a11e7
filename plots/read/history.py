"""The recorded lines of one machine as series: the median of every case by commit."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.read import results
from plots.read.disturbed import time_of
from plots.read.intervals import Estimate
from plots.read.select import grouped
from plots.read.sides import name_of, parts_of


@dataclass
class Series:
    """One case: `medians` in seconds by commit, in the order of their first measurement."""

    name: str
    implementation: str
    parts: dict[str, str]
    medians: dict[str, Estimate] = field(default_factory=dict)

    @property
    def values(self) -> list[float]:
        return [median.value for median in self.medians.values()]


def read(folder: Path) -> list[results.Line]:
    """Every line of a machine's folder, replaced ones included."""
    pool: dict[str, Any] = {}
    return [line for path in sorted(folder.glob("*.jsonl")) for line in results.read_lines(path, pool)]


def by_commit(lines: Iterable[results.Line]) -> dict[str, list[results.Line]]:
    """In the order of the first measurement."""
    return grouped(sorted(lines, key=lambda line: line["date"]), results.commit_of)


def series(lines: Iterable[results.Line]) -> list[Series]:
    """By name, without wrong, failed, skipped, coarse and disturbed results. The later line of a commit counts;
    uncommitted changes make another commit, marked +."""
    found: dict[str, Series] = {}
    for commit, own in by_commit(lines).items():
        for line in results.latest(own):
            value = None if results.reason(line) or results.doubt(line) else time_of(line)
            if value is not None and value.value > 0:
                name = name_of(line)
                one = found.setdefault(name, Series(name, line["implementation"], parts_of(line)))
                one.medians[commit] = value
    return [found[name] for name in sorted(found)]
