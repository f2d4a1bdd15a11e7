"""The history of one machine: a figure in text, and a table of the first and last median of every case."""

import math
from collections.abc import Sequence
from statistics import fmean

from plots.decide.levels import FEWEST
from plots.read import words
from plots.read.history import Series
from plots.read.intervals import exact, of_median, ratio
from plots.read.select import grouped
from plots.read.words import plural
from plots.write.comparison import ratio_cell, time_cell, told_apart
from plots.write.tables import Column, Table, count, fields_named, word

BARS = "▁▂▃▄▅▆▇█"
LEAST_RANGE = 1.1  # most over least of a row of bars: a percent is not drawn as a cliff
MOST_BARS, MOST_ROWS = 40, 12
RATIO = Column("ratio", "ours", "last / first")


def picture(found: Sequence[Series], commits: Sequence[str], machine: str) -> Table:
    """A row an implementation, the largest changes first: the geometric mean of its cases by commit over the first."""
    rows = []
    for name, own in grouped(found, lambda one: one.implementation).items():
        means = [mean_over_first(own, commit) for commit in commits]
        known = [mean for mean in means if mean is not None]
        rows.append((name, len(own), bars(means[-MOST_BARS:]), known[-1]))
    rows.sort(key=lambda row: (-abs(math.log(row[-1])), row[0]))
    told = [f"From {commits[max(0, len(commits) - MOST_BARS)]} to {commits[-1]}; · where nothing was measured."]
    if len(rows) > MOST_ROWS:
        told.append(f"{len(rows) - MOST_ROWS} implementations changed less.")
    cells = [[word(name), count(n), word(bar), ratio_cell(exact(last))] for name, n, bar, last in rows[:MOST_ROWS]]
    columns = [*fields_named("implementation", "cases"), Column("bars", "word", "by commit"), RATIO]
    return Table("picture", f"Time over the first commit's on {machine}", columns, cells, remarks=told)


def mean_over_first(own: Sequence[Series], commit: str) -> float | None:
    logs = [math.log(one.medians[commit].value / one.values[0]) for one in own if commit in one.medians]
    return math.exp(fmean(logs)) if logs else None


def bars(values: Sequence[float | None]) -> str:
    """A block a value, from the least to the largest; a range below 10% fills a part of the height."""
    logs = [math.log(value) for value in values if value is not None]
    if not logs:
        return "·" * len(values)
    low, high = min(logs), max(max(logs), min(logs) + math.log(LEAST_RANGE))
    return "".join("·" if v is None else BARS[round((math.log(v) - low) / (high - low) * 7)] for v in values)


def table(found: Sequence[Series], levels: dict[str, list[int]], machine: str, most: int | None = None) -> Table:
    """A row a case, the largest changes first; all unless `most` says how many."""
    columns = fields_named("implementation", "case", "commits")
    columns += [Column("first", "ours", "first run (ms)"), Column("last", "ours", "last run (ms)"), RATIO]
    long = any(len(one.medians) >= FEWEST for one in found)
    columns += [Column("levels", "word", "another level from")] if long else []
    short, shared = told_apart(found)
    rows = []
    for one in sorted(found, key=lambda one: (-abs(one.values[-1] / one.values[0] - 1), one.name))[:most]:
        values = list(one.medians.values())
        told = [step(one, levels[one.name], i) for i in range(len(levels[one.name]))]
        ends = [time_cell(value) for value in (values[0], values[-1])]
        ends.append(ratio_cell(ratio(values[-1], values[0])))
        level = word("; ".join(told) or (words.MISSING if len(values) < FEWEST else "none"))
        rows.append([word(one.implementation), word(short(one)), count(len(values)), *ends, *([level] if long else [])])
    remarks = ["[95% interval] of last / first."]
    if len(rows) < len(found):
        remarks[0] += f" {len(found) - len(rows)} cases changed less (--all shows them)."
    told = (
        "binary segmentation, permutation test on ranks at 1% (docs/method.md); factor of the medians after and before"
    )
    remarks.append(f"Levels: {told}." if long else f"A new level can be told from {FEWEST} commits on.")
    title = f"Medians of the timed runs by commit on {machine}: {plural(len(found), 'case')}"
    return Table("history", title, columns, rows, [], remarks, shared)


def step(one: Series, levels: Sequence[int], i: int) -> str:
    """`3f2a91c0de ×1.21`."""
    edges = [0, *levels, len(one.medians)]
    before, after = (of_median(one.values[edges[j] : edges[j + 1]]) for j in (i, i + 1))
    return f"{list(one.medians)[levels[i]]} ×{words.number(after.value / before.value, 3, 2)}"
