"""A table as Markdown and CSV."""

from __future__ import annotations

import csv
import io

from plots.write.tables import WORDS, Cell, Column, Table


def head(column: Column) -> str:
    return column.group if column.role in ("ours", *WORDS) else column.role


def heads(table: Table) -> list[str]:
    """One head a column; the paper's carries the metric's name where it stands alone."""
    ours = {column.name for column in table.columns if column.role == "ours"}
    return [f"{c.group}, paper" if c.role == "paper" and c.name not in ours else head(c) for c in table.columns]


def markdown(table: Table) -> str:
    lines = [f"**{escape_md(table.title)}**", ""] if table.title else []
    lines += [f"<sub>{escape_md(table.size)}</sub>", ""] if table.size else []
    lines.append("| " + " | ".join(map(escape_md, heads(table))) + " |")
    lines.append("|" + "|".join(":--" if c.role in WORDS else "--:" for c in table.columns) + "|")
    lines += ["| " + " | ".join(markdown_cell(cell) for cell in row) + " |" for row in table.rows]
    notes = [f"{superscript(i)} {escape_md(s)}" for i, s in enumerate(table.footnotes, start=1)]
    for sentence in [*notes, *map(escape_md, table.remarks)]:
        lines += ["", f"<sub>{sentence}</sub>"]
    return "\n".join(lines) + "\n"


def markdown_cell(cell: Cell) -> str:
    value = f"**{escape_md(cell.text)}**" if cell.best else escape_md(cell.text) + "†" * cell.coarse
    text = value + (f" <sub>[{cell.interval}]</sub>" if cell.interval else "")
    return text + "".join(superscript(mark) for mark in cell.marks)


def plain_cell(cell: Cell) -> str:
    text = cell.text + "†" * cell.coarse + (f" [{cell.interval}]" if cell.interval else "")
    return text + "".join(superscript(mark) for mark in cell.marks)


def superscript(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))


def escape_md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def csv_text(table: Table) -> str:
    """One line a row, raw numbers: `<metric>`, then with `_low`, `_high`, `_paper`, `_ratio`; last the `reason`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = []
    for c in table.columns:
        suffixes = ("", "_low", "_high") if c.role == "ours" else ("",) if c.role in WORDS else (f"_{c.role}",)
        names += [c.name + suffix for suffix in suffixes]
    writer.writerow([*names, "reason"])
    for row in table.rows:
        marks = sorted({mark for cell in row for mark in cell.marks})
        reasons = [table.footnotes[mark - 1] for mark in marks] + ["coarse"] * any(cell.coarse for cell in row)
        values = ["" if v is None else v for cell in row for v in cell.raw]
        writer.writerow([*values, "; ".join(reasons)])
    return out.getvalue()
