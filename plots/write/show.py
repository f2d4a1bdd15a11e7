"""Shows lines of no exhibit: a table and a plot, chosen by the fields that differ."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Terminal

from plots.draw import figures
from plots.errors import UserError
from plots.read import results
from plots.read.exhibits import Exhibit
from plots.read.select import identity, value_of
from plots.read.view import View, gather
from plots.write import table_formats, tables
from plots.write.files import save_all

PLACES = ("dataset", "n", "d", "k", "precision", "implementation")
METRICS = ("iteration", "assign", "update", "iterations", "inertia", "wrong_share", "grade")
AD_HOC = "adhoc"
MOST_DRAWN = 100  # cases in one plot


def read(what: str, folder: Path, only: str | None) -> list[results.Machine]:
    """The machine of a file of lines, or with `adhoc` the machines with ad hoc lines below `folder`."""
    path = Path(what)
    if what != AD_HOC:
        if not path.is_file():
            raise UserError(f"{what}: no such file; show takes a .jsonl file, or {AD_HOC}")
        machine = results.load_file(path)
        if not machine.lines:
            raise UserError(f"{what}: holds no result line")
        return [machine]
    machines = results.load(folder, only)
    found = [machine for machine in machines if any(line["exhibit"] is None for line in machine.lines)]
    if not found:
        raise UserError(f"{folder}: no ad hoc lines; kmbench run --implementation … --dataset … makes some")
    return found


def view_of(machine: results.Machine, title: str, everything: bool, profile: str | None) -> View:
    """The lines as an exhibit of their own."""
    chosen = [line for line in machine.lines if everything or line["exhibit"] is None]
    lines = tuple({**line, "exhibit": None, "exhibit_hash": None} for line in chosen)
    settings = {name: [] for line in lines for name in line["dataset"].get("generator") or {}}
    spec = {"kind": "figure", "title": title, "reuse": [None], "figure": layout(lines), "sweep": [{"data": settings}]}
    alone = replace(machine, lines=lines)
    return gather(Exhibit("", AD_HOC, Path(), spec), alone, profile)


def layout(lines: Sequence[results.Line]) -> dict[str, Any]:
    """A figure over the number with most values, else over the implementation."""
    values: dict[str, set] = {}
    for line in lines:
        for name in identity(line):
            if name not in ("case", "init_seed", "data_seed", "max_iters") and value_of(line, name) is not None:
                values.setdefault(name, set()).add(value_of(line, name))
    numbers = [name for name, found in values.items() if len(found) > 1 and all(map(is_number, found))]
    x = max(numbers, key=lambda name: len(values[name]), default="implementation")
    told = [name for name in PLACES if name != x and len(values.get(name, ())) > 1]
    wide = x in numbers and min(values[x]) > 0 and max(values[x]) / min(values[x]) >= 50
    style = "line" if x in numbers else "bar"
    return {"style": style, "x": x, "y": ["iteration"], "series": told, "logx": wide, "logy": wide}


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def table(view: View) -> tables.Table:
    """A row a case, with every metric that a line has."""
    place = view.place
    rows = [name for name in PLACES if name in place] + [name for name in place if name not in PLACES]
    spec = {"kind": "table", "title": view.exhibit.title, "table": {"rows": rows, "columns": list(METRICS)}}
    whole = tables.build(View(Exhibit("", AD_HOC, Path(), spec), view.machine, view.lines, view.left_out))
    filled = [any(row[i].text != "–" for row in whole.rows) for i in range(len(whole.columns))]
    kept = [i for i, column in enumerate(whole.columns) if column.role == "field" or filled[i]]
    picked = [[row[i] for i in kept] for row in whole.rows]
    remarks = [*whole.remarks, *dict.fromkeys(tuned(line) for line in view.lines if line["tuned"])]
    return replace(whole, columns=[whole.columns[i] for i in kept], rows=picked, remarks=remarks)


def tuned(line: results.Line) -> str:
    """The values that `kmbench run --tuned` took, and where from."""
    values = ", ".join(f"{name} = {value}" for name, value in line["parameters"].items())
    return f"{line['implementation']}, --tuned ({line['tuned']}): {values}."


def show(view: View, out: Path, console: Console) -> list[Path]:
    made = table(view)
    print_table(made, console)
    stem = out / f"{view.exhibit.name}-{view.machine.name}"
    figure = figures.draw(view) if len(view.lines) <= MOST_DRAWN else None
    return table_formats.write_table(made, stem) + save_all(figure, stem, (".svg", ".png"))


def print_table(made: tables.Table, console: Console) -> None:
    if not console.is_terminal:
        console.print(table_formats.markdown(made), soft_wrap=True, markup=False, highlight=False)
        return
    shown = Terminal(title=escape(made.title), caption=escape(made.size), title_justify="left", box=None)
    for column in made.columns:
        shown.add_column(escape(column.group), justify="left" if column.role in tables.WORDS else "right")
    for row in made.rows:
        shown.add_row(*(escape(table_formats.plain_cell(cell)) for cell in row))
    console.print(shown)
    for sentence in [*(f"{i} {s}" for i, s in enumerate(made.footnotes, start=1)), *made.remarks]:
        console.print(sentence, markup=False, highlight=False, style="dim")
