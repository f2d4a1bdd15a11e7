"""A table's rows as the page shows them: value, paper's value and ratio share a cell; equal reasons are merged."""

import math
from itertools import groupby
from typing import Any

from markupsafe import Markup

from plots.read.metrics import metric
from plots.read.words import MISSING
from plots.write.beside import NOTHING
from plots.write.tables import WORDS, Cell, Column, Table

NO_TIME = ("skipped", "failed", "wrong", "did not run")


def groups(table: Table) -> list[list[Column]]:
    """Columns of one metric together; every field alone."""
    return [list(g) for _, g in groupby(table.columns, key=lambda c: (c.role in WORDS and c.name, c.name))]


def body(table: Table) -> list[list[dict[str, Any]]]:
    """The rows as cells with the number of columns each takes. `again`: the row above has the same field. `rows`: how
    many rows of the machine's own table it is."""
    found, heads = [], groups(table)
    for i, row in enumerate(table.rows):
        cells: list[dict[str, Any]] = []
        said: list[tuple[int, ...]] = []  # reasons of this row
        above, at = table.rows[i - 1] if i else [None] * len(row), 0
        for group in heads:
            column, cell, over = group[0], row[at], above[at]
            below = {c.role: row[at + j] for j, c in enumerate(group) if j and row[at + j].text != MISSING}
            at += len(group)
            none = column.role == "ours" and cell.text in NO_TIME
            nothing = column.role in ("paper", "word") and cell.text == MISSING
            again_none = none and cell.marks in said
            if cells and cells[-1]["none"] and not below and (nothing or again_none):
                cells[-1]["span"] += 1
            else:
                again = column.role == "field" and over is not None and over.text == cell.text
                cell = Cell(MISSING) if again_none else cell
                said += [cell.marks] * none
                cells.append({"cell": cell, "column": column, "span": 1, "none": none, "again": again, "below": below})
        others = any(cell is NOTHING for c, cell in zip(table.columns, row, strict=True) if c.role != "beside")
        cells[0]["rows"] = int(not others)
        found.append(cells)
    return [row for _, run in groupby(found, key=reason_alone) for row in folded(list(run))]


def reason_alone(cells: list[dict[str, Any]]) -> tuple[int, ...] | None:
    """The footnote of a row that shows only why it has no time; None for every other row."""
    told = (c for c in cells if c["column"].role != "field")
    shown = [c for c in told if c["column"].role != "beside" or c["cell"].text != MISSING]
    return shown[0]["cell"].marks if len(shown) == 1 and shown[0]["none"] and not shown[0]["below"] else None


def folded(rows: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """More than two rows with the same reason alone become one: the first, the last, and their number."""
    if len(rows) <= 2 or reason_alone(rows[0]) is None:
        return rows
    fields = [c for c in rows[0] if c["column"].role == "field"]
    first, last = (", ".join(c["cell"].text for c in row if c["column"].role == "field") for row in (rows[0], rows[-1]))
    text = Cell(f"{len(rows)} cases: {first} … {last}")
    whole = {"cell": text, "span": len(fields), "again": True, "rows": sum(row[0]["rows"] for row in rows)}
    return [[{**fields[0], **whole}, *rows[0][len(fields) :]]]


def look(cell: dict[str, Any]) -> Markup:
    """The tag of a cell and its classes: a field is a head of its row, a value of ours has no class."""
    role = cell["column"].role
    names = {"field": [], "ours": [], "word": ["field"], "beside": [kind(cell["column"])]}.get(role, [role])
    names += [n for n, on in (("why", cell["none"]), ("best", cell["cell"].best), ("again", cell["again"])) if on]
    text = " ".join(names)
    tag = "th" if role == "field" else "td"
    return Markup(f'{tag} class="{text}"' if " " in text else f"{tag} class={text}" if text else tag)


def kind(column: Column) -> str:
    """`beside m1`: a column of the second machine of the page."""
    return f"beside m{column.name.rpartition('@')[2]}"


def tint(name: str, ratio: float | str | None) -> str:
    """The class of a ratio by powers of two: up1 to up4 if ours is better, down1 to down4 if the paper's is."""
    if not isinstance(ratio, (int, float)) or ratio <= 0 or not metric(name).better:
        return ""
    lead = math.log2(ratio) * (1 if metric(name).better == "higher" else -1)
    return f"{'up' if lead > 0 else 'down'}{math.ceil(min(4, abs(lead)))}" if lead else ""
