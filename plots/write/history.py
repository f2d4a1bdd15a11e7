"""The history of one machine as a table: first and last median of every case, and changes of its level."""

from collections.abc import Sequence

from plots.decide.levels import FEWEST, change_points
from plots.read import words
from plots.read.history import Series
from plots.read.intervals import of_median, ratio
from plots.write.comparison import plural, ratio_cell, time_cell, told_apart
from plots.write.tables import Column, Table, count, fields_named, word


def levels_of(found: Sequence[Series]) -> dict[str, list[int]]:
    return {one.name: change_points([value.value for value in one.medians.values()]) for one in found}


def table(found: Sequence[Series], levels: dict[str, list[int]], machine: str) -> Table:
    """A row a case, the largest changes first."""
    columns = fields_named("implementation", "case", "commits")
    columns += [Column("first", "ours", "first run (ms)"), Column("last", "ours", "last run (ms)")]
    columns += [Column("ratio", "ours", "last / first"), Column("levels", "word", "another level from")]
    labels, shared = told_apart(found)
    rows = []
    for one in sorted(found, key=lambda one: (-abs(change(one) - 1), one.name)):
        commits, values = list(one.medians), list(one.medians.values())
        case = "/".join(text for label, text in one.parts.items() if label in labels) or words.MISSING
        told = [step(one, levels[one.name], i) for i in range(len(levels[one.name]))]
        ends = [time_cell(value) for value in (values[0], values[-1])]
        level = word("; ".join(told) or (words.MISSING if len(commits) < FEWEST else "none"))
        ends.append(ratio_cell(ratio(values[-1], values[0])))
        rows.append([word(one.implementation), word(case), count(len(commits)), *ends, level])
    remarks = [
        "[95% interval] of last / first. Levels: binary segmentation, permutation test on ranks at 1% "
        f"(docs/method.md), from {FEWEST} commits on; the factor is that of the medians after and before."
    ]
    title = f"Medians of the timed runs by commit on {machine}: {plural(len(rows), 'case')}"
    return Table("history", title, columns, rows, [], remarks, shared)


def change(one: Series) -> float:
    values = list(one.medians.values())
    return values[-1].value / values[0].value


def step(one: Series, levels: Sequence[int], i: int) -> str:
    """`3f2a91c0de ×1.21`."""
    values, edges = [value.value for value in one.medians.values()], [0, *levels, len(one.medians)]
    before, after = (of_median(values[edges[j] : edges[j + 1]]) for j in (i, i + 1))
    return f"{list(one.medians)[levels[i]]} ×{words.number(after.value / before.value, 3, 2)}"
