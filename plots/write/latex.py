"""A table in LaTeX (booktabs, graphicx) that fits its page.

A wide or long table is split into parts that repeat the fields. Intervals stand beneath their values. Widths are
estimates, so a part that is still too wide is scaled to the line."""

from collections.abc import Sequence
from itertools import chain, groupby
from typing import Any

from plots.read import words
from plots.write.tables import WORDS, Cell, Column, Table

WIDTH, HEIGHT = 400, 470  # points; an article has 345 and 550, so a part is scaled by at most that much
LETTER, SMALL, GAP = 4.4, 3.4, 6.0  # points: a character of \footnotesize, one of an interval, the gap between columns
LINE, SECOND = 10.0, 8.0
FLOATS = 12  # in a row: LaTeX holds back 18 at most until a page ends
NAMES = ("times", "to", "infty", "approx", "le", "ge", "cdot", "dagger", "ddagger")
SPECIAL = {
    **{letter: rf"\{letter}" for letter in "&%$#_{}"},
    **{sign: rf"$\{name}$" for sign, name in zip("×→∞≈≤≥·†‡", NAMES, strict=True)},
    **{power: f"$^{at}$" for at, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
    "<": "$<$",
    ">": "$>$",
}
MARKS = {words.COARSE: r"$^\dagger$", words.DISTURBED: r"$^\ddagger$"}
Rows = Sequence[Sequence[Cell]]


def escape(text: str) -> str:
    return "".join(SPECIAL.get(c, c) for c in text)


def latex(table: Table) -> str:
    """Floating tables, one a part; the columns of a metric stand under one rule."""
    fields = [i for i, column in enumerate(table.columns) if column.role == "field"]
    across = wide_parts(table, fields)
    heights = [LINE + SECOND * any(cell.interval for cell in row) for row in table.rows]
    sentences = sum(12 + 8 * (len(text) // 100) for text in [*table.footnotes, *table.remarks])
    down = packed(table.rows, heights, HEIGHT - min(sentences, HEIGHT / 2))
    parts = [(columns, rows) for rows in down for columns in across]
    made = [part(table, columns, rows, i, len(parts)) for i, (columns, rows) in enumerate(parts, start=1)]
    held = ["\n".join(made[i : i + FLOATS]) for i in range(0, len(made), FLOATS)]
    return "% needs \\usepackage{booktabs,graphicx}\n" + "\n\\clearpage\n".join(held)


def wide_parts(table: Table, fields: Sequence[int]) -> list[list[int]]:
    """Columns by index: the fields, then as many metrics as fit."""
    others = [i for i in range(len(table.columns)) if i not in fields]
    groups = [list(g) for _, g in groupby(others, key=lambda i: table.columns[i].name)]
    wide = [width(table, i) for i in range(len(table.columns))]
    found = packed(groups, [sum(wide[i] for i in group) for group in groups], WIDTH - sum(wide[i] for i in fields))
    return [[*fields, *chain(*part)] for part in found]


def packed(items: Sequence[Any], sizes: Sequence[float], room: float) -> list[list[Any]]:
    """The items in order, in parts that fit into the room; a part has one at least."""
    parts: list[list[Any]] = [[]]
    taken = 0.0
    for item, size in zip(items, sizes, strict=True):
        if parts[-1] and taken + size > room:
            parts.append([])
            taken = 0.0
        parts[-1].append(item)
        taken += size
    return parts


def width(table: Table, i: int) -> float:
    """The width of column `i`, in points."""
    column, cells = table.columns[i], [row[i] for row in table.rows]
    heads = head(column).split(r" \\ ")
    wide = [max(len(cell.text) * LETTER + 4 * len(cell.marks), len(cell.interval) * SMALL + 6) for cell in cells]
    alone = column.role in WORDS or sum(other.name == column.name for other in table.columns) == 1
    return GAP + max([0.0, *wide, *(len(text) * LETTER for text in heads if alone)])


def part(table: Table, columns: Sequence[int], rows: Rows, number: int, parts: int) -> str:
    """Part `number` of `parts`: these columns of these rows with their footnotes; the last has the remarks."""
    shown = [table.columns[i] for i in columns]
    groups = [list(g) for _, g in groupby(shown, key=lambda c: (c.role in WORDS and c.name, c.group))]
    top, rules, at = [], [], 1
    for group in groups:
        if len(group) == 1:
            top.append(head(group[0]))
        else:
            top.append(rf"\multicolumn{{{len(group)}}}{{c}}{{{escape(group[0].group)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + len(group) - 1}}}")
        at += len(group)
    sub = [c.role if len(group) > 1 else "" for group in groups for c in group]
    align = "".join("l" if c.role in WORDS else "r" for c in shown)
    used = sorted({mark for row in rows for i in columns for mark in row[i].marks})
    notes = [rf"$^{{{mark}}}$~{escape(table.footnotes[mark - 1])}" for mark in used]
    sentences = [*notes, *(map(escape, table.remarks) if number == parts else ())]
    caption = escape(f"{table.title} ({number} of {parts})" if parts > 1 else table.title)
    return "\n".join(
        [
            r"\begin{table}[p]" if parts > 1 else r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.key}{f':{number}' if parts > 1 else ''}}}",
            *([rf"\par{{\footnotesize {escape(table.size)}\par}}\smallskip"] if table.size else []),
            r"\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\setbox0=\hbox{{\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(top) + r" \\",
            *rules,
            *([" & ".join(sub) + r" \\"] if rules else []),
            r"\midrule",
            *(line for row in rows for line in row_lines([row[i] for i in columns])),
            r"\bottomrule",
            r"\end{tabular}}",
            r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\box0}\else\box0\fi",
            *(rf"\par\smallskip{{\scriptsize {sentence}\par}}" for sentence in sentences),
            r"\end{table}",
            "",
        ]
    )


def head(column: Column) -> str:
    return escape(f"{column.group}, paper" if column.role == "paper" else column.group)


def row_lines(cells: Sequence[Cell]) -> list[str]:
    """The values, with their intervals beneath."""
    lines = [" & ".join(map(value, cells)) + r" \\"]
    if any(cell.interval for cell in cells):
        below = [rf"{{\fontsize{{6}}{{7}}\selectfont [{escape(c.interval)}]}}" if c.interval else "" for c in cells]
        lines = [lines[0] + "[-2pt]", " & ".join(below) + r" \\"]
    return lines


def value(cell: Cell) -> str:
    text = rf"\textbf{{{escape(cell.text)}}}" if cell.best else escape(cell.text)
    return text + MARKS.get(cell.doubt, "") + (rf"$^{{{','.join(map(str, cell.marks))}}}$" if cell.marks else "")
