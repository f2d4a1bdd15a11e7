"""A table as Markdown and CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from plots.read import words
from plots.write.files import write
from plots.write.tables import WORDS, Cell, Column, Table

WIDE = 12  # columns: in a wider table of Markdown the paper's value and the ratio stand beneath ours


def head(column: Column) -> str:
    return column.group if column.role in ("ours", *WORDS) else column.role


def heads(table: Table) -> list[str]:
    """One head a column; the paper's has the metric's name if it stands alone."""
    ours = {column.name for column in table.columns if column.role == "ours"}
    return [f"{c.group}, paper" if c.role == "paper" and c.name not in ours else head(c) for c in table.columns]


def markdown(table: Table) -> str:
    lines = [f"**{escape_md(table.title)}**", ""] if table.title else []
    lines += [f"<sub>{escape_md(table.size)}</sub>", ""] if table.size else []
    titles, shown = heads(table), together(table)
    over = [
        escape_md(titles[i]) + (f"<br><sub>{' · '.join(titles[j] for j in below)}</sub>" if below else "")
        for i, *below in shown
    ]
    align = "".join("l" if table.columns[i].role in WORDS else "r" for i, *_ in shown)
    lines += md_table(over, align, ([stacked([row[i] for i in group]) for group in shown] for row in table.rows))
    notes = [f"{superscript(i)} {escape_md(s)}" for i, s in enumerate(table.footnotes, start=1)]
    for sentence in [*notes, *map(escape_md, table.remarks)]:
        lines += ["", f"<sub>{sentence}</sub>"]
    return "\n".join(lines) + "\n"


def md_table(head: Sequence[str], align: str, rows: Iterable[Iterable[object]]) -> list[str]:
    """The lines of a table in Markdown; `align` has an l or an r for each column."""
    rule = "".join({"l": "|:--", "r": "|--:"}[side] for side in align) + "|"
    first, *others = (f"| {' | '.join(map(str, row))} |" for row in (head, *rows))
    return [first, rule, *others]


def together(table: Table) -> list[list[int]]:
    """Columns by index; in a wide table a metric's three together."""
    found: list[list[int]] = []
    for i, column in enumerate(table.columns):
        above = table.columns[found[-1][0]] if found else None
        beneath = column.role in ("paper", "ratio") and above and (above.name, above.role) == (column.name, "ours")
        if beneath and len(table.columns) > WIDE:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def stacked(cells: list[Cell]) -> str:
    """The first, and the others beneath it in small type."""
    first, *others = map(markdown_cell, cells)
    said = " · ".join(text for text in others if text != words.MISSING)
    return f"{first}<br><sub>{said}</sub>" if said else first


def markdown_cell(cell: Cell) -> str:
    value = f"**{escape_md(cell.text)}**" if cell.best else escape_md(cell.text) + words.DOUBTS.get(cell.doubt, "")
    text = value + (f" <sub>[{cell.interval}]</sub>" if cell.interval else "")
    return text + "".join(superscript(mark) for mark in cell.marks)


def plain_cell(cell: Cell) -> str:
    text = cell.text + words.DOUBTS.get(cell.doubt, "") + (f" [{cell.interval}]" if cell.interval else "")
    return text + "".join(superscript(mark) for mark in cell.marks)


def superscript(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))


def escape_md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def csv_text(table: Table) -> str:
    """One line a row, raw numbers: `<metric>`, with `_low`, `_high`, `_paper`, `_ratio`; last the `reason`."""
    names = []
    for c in table.columns:
        suffixes = ("", "_low", "_high") if c.role == "ours" else ("",) if c.role in WORDS else (f"_{c.role}",)
        names += [c.name + suffix for suffix in suffixes]
    rows: list[list[Any]] = [[*names, "reason"]]
    for row in table.rows:
        marks = sorted({mark for cell in row for mark in cell.marks})
        reasons = [table.footnotes[mark - 1] for mark in marks] + sorted({cell.doubt for cell in row} - {""})
        values = ["" if v is None else v for cell in row for v in cell.raw]
        rows.append([*values, "; ".join(reasons)])
    return csv_of(rows)


TEXTS = {".md": markdown, ".csv": csv_text}


def write_table(table: Table, stem: Path, formats: dict[str, Callable[[Table], str]] = TEXTS) -> list[Path]:
    return [write(stem.with_name(stem.name + ending), text(table)) for ending, text in formats.items()]


def csv_of(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)
    return out.getvalue()


def csv_cell(value: Any) -> Any:
    """Puts an apostrophe before text that a spreadsheet would compute (= + - @); numbers stay."""
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")) or is_number(value):
        return value
    return "'" + value


def is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").removesuffix("%"))
    except ValueError:
        return False
    return True
