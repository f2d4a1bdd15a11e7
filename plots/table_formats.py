"""A table as Markdown, CSV and LaTeX (booktabs)."""

from __future__ import annotations

import csv
import io
from itertools import groupby

from plots.tables import Cell, Column, Table


def head(column: Column) -> str:
    return column.group if column.role in ("field", "ours") else column.role


def heads(table: Table) -> list[str]:
    """One head a column; the paper's carries the metric's name where it stands alone."""
    ours = {column.name for column in table.columns if column.role == "ours"}
    return [f"{c.group}, paper" if c.role == "paper" and c.name not in ours else head(c) for c in table.columns]


def markdown(table: Table) -> str:
    lines = [f"**{escape_md(table.title)}**", ""] if table.title else []
    lines.append("| " + " | ".join(map(escape_md, heads(table))) + " |")
    lines.append("|" + "|".join(":--" if c.role == "field" else "--:" for c in table.columns) + "|")
    lines += ["| " + " | ".join(markdown_cell(cell) for cell in row) + " |" for row in table.rows]
    notes = [f"{superscript(i)} {escape_md(s)}" for i, s in enumerate(table.footnotes, start=1)]
    for sentence in [*notes, *map(escape_md, table.remarks)]:
        lines += ["", f"<sub>{sentence}</sub>"]
    return "\n".join(lines) + "\n"


def markdown_cell(cell: Cell) -> str:
    text = escape_md(cell.text) + (f" <sub>[{cell.interval}]</sub>" if cell.interval else "")
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
        suffixes = ("", "_low", "_high") if c.role == "ours" else ("",) if c.role == "field" else (f"_{c.role}",)
        names += [c.name + suffix for suffix in suffixes]
    writer.writerow([*names, "reason"])
    for row in table.rows:
        marks = sorted({mark for cell in row for mark in cell.marks})
        values = ["" if v is None else v for cell in row for v in cell.raw]
        writer.writerow([*values, "; ".join(table.footnotes[mark - 1] for mark in marks)])
    return out.getvalue()


SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "×": r"$\times$",
    "–": "--",
    "−": "$-$",
    "²": r"$^2$",
    "∞": r"$\infty$",
    "≈": r"$\approx$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "…": r"\dots{}",
    "<": "$<$",
    ">": "$>$",
}


def escape_tex(text: str) -> str:
    return "".join(SPECIAL.get(c, c) for c in text)


def latex(table: Table) -> str:
    """A floating table for \\usepackage{booktabs}; each metric's columns stand under one rule."""
    groups = [list(g) for _, g in groupby(table.columns, key=lambda c: (c.role == "field" and c.name, c.group))]
    top, rules, at = [], [], 1
    for group in groups:
        if len(group) == 1:
            top.append("" if group[0].role == "field" else escape_tex(group[0].group))
        else:
            top.append(rf"\multicolumn{{{len(group)}}}{{c}}{{{escape_tex(group[0].group)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + len(group) - 1}}}")
        at += len(group)
    sub = [escape_tex(c.group) if c.role == "field" else c.role for c in table.columns]
    align = "".join("l" if c.role == "field" else "r" for c in table.columns)
    notes = [rf"$^{{{i}}}$~{escape_tex(s)}" for i, s in enumerate(table.footnotes, start=1)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_tex(table.title)}}}",
        rf"\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        " & ".join(top) + r" \\",
        *rules,
        " & ".join(sub) + r" \\",
        r"\midrule",
        *(" & ".join(latex_cell(cell) for cell in row) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    lines += [rf"\par\smallskip{{\footnotesize {s}}}" for s in [*notes, *map(escape_tex, table.remarks)]]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def latex_cell(cell: Cell) -> str:
    text = escape_tex(cell.text) + (rf" {{\scriptsize[{escape_tex(cell.interval)}]}}" if cell.interval else "")
    return text + (rf"$^{{{','.join(map(str, cell.marks))}}}$" if cell.marks else "")
