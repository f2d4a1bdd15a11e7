"""One exhibit on several machines: a whole table, and the main time of each other machine beside it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plots.decide.side_by_side import main_metric
from plots.read import words
from plots.read.view import View
from plots.write.tables import Cell, Column, Table

NOTHING = Cell(words.MISSING, raw=(None, None, None))
Key = tuple[str, ...]


def beside(first: Any, others: Sequence[Any]) -> Table:
    """The first machine's table with a column for each other one that shares its rows, and the rows that it lacks."""
    table, name = first.table, main_metric(first.view.exhibit)
    for other in others:
        metric = next((m for m in (name, *measured(table)) if m in measured(table) and m in measured(other.table)), "")
        if metric:
            size = f", {other.view.size.split(' · ')[0]}" if sizes(other.view) - sizes(first.view) else ""
            table = joined(table, other.table, metric, other.place, size)
    return table


def measured(table: Table | None) -> list[str]:
    """The metrics with a value of ours."""
    columns = [(i, c.name) for i, c in enumerate(table.columns) if c.role == "ours"] if table else []
    return [name for i, name in columns if any(row[i].filled for row in table.rows)]


def sizes(view: View) -> set[tuple[str, int]]:
    """Data sets that were there, with their n."""
    return {(line["dataset"]["name"], line["n"]) for line in view.lines if line["n"]}


def fields(table: Table) -> list[str]:
    return [c.name for c in table.columns if c.role == "field"]


def keys(table: Table, names: Sequence[str]) -> list[Key]:
    """A row by its fields; a repeated row without a value of ours also by its place."""
    at = [next(i for i, c in enumerate(table.columns) if c.name == name) for name in names]
    found: list[Key] = []
    for i, row in enumerate(table.rows):
        key = tuple(row[j].text for j in at)
        valued = any(c.role == "ours" and cell.filled for c, cell in zip(table.columns, row, strict=True))
        found.append((*key, str(i)) if key in found and not valued else key)
    return found


def joined(table: Table, other: Table, metric: str, place: Any, size: str) -> Table:
    """The table with the other's metric as one more column; unchanged if the shared fields do not tell rows apart."""
    names = [name for name in fields(table) if name in fields(other)]
    ours, theirs = keys(table, names), keys(other, names)
    if len(names) < len(fields(table)) or len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs):
        return table
    column = next(i for i, c in enumerate(other.columns) if (c.name, c.role) == (metric, "ours"))
    values = {key: row[column] for key, row in zip(theirs, other.rows, strict=True)}
    rows = {key: [*row, shown(values.get(key))] for key, row in zip(ours, table.rows, strict=True)}
    order, before = list(ours), None
    names = [c.name for c in other.columns]
    heads = {key: dict(zip(names, row, strict=True)) for key, row in zip(theirs, other.rows, strict=True)}
    for key in theirs:
        if key not in rows and values[key].filled:
            order.insert(order.index(before) + 1 if before in rows else 0, key)
            own = [replace(heads[key][c.name], marks=()) if c.role == "field" else NOTHING for c in table.columns]
            rows[key] = [*own, shown(values[key])]
        before = key if key in rows else before
    title = f"{place.label}: {other.columns[column].group}{size}"
    return replace(
        table,
        columns=[*table.columns, Column(f"{metric}@{place.at}", "beside", title)],
        rows=[rows[key] for key in order],
    )


def shown(cell: Cell | None) -> Cell:
    """The other machine's value, or a dash."""
    return replace(cell, marks=()) if cell and cell.filled else NOTHING


def together(tables: Sequence[tuple[Any, Table]]) -> Table:
    """Tables of machine records: a column a machine, the paper's last."""
    first = tables[0][1]
    columns = [Column(f"here@{at.at}", "beside", at.label) for at, _ in tables]
    records = [{row[0].text: row[1] for row in table.rows} for _, table in tables]
    rows = [[row[0], *(record.get(row[0].text, NOTHING) for record in records), *row[2:]] for row in first.rows]
    return replace(first, columns=[first.columns[0], *columns, *first.columns[2:]], rows=rows)
