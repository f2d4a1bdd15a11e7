"""Writes one exhibit of one machine: tables as .md, .csv, .tex; figures as .svg, .pdf, .png."""

from collections.abc import Sequence
from pathlib import Path

from plots.draw import figures
from plots.read.exhibits import Exhibit, Paper
from plots.read.results import Machine
from plots.read.view import View, gather
from plots.write import latex, machine, table_formats, tables
from plots.write.files import save_all
from plots.write.parallel import each
from plots.write.tables import Table

TABLE_FORMATS = {**table_formats.TEXTS, ".tex": latex.latex}
FIGURE_FORMATS = (".svg", ".pdf", ".png")


def table_of(view: View) -> Table | None:
    """The exhibit's table; None for a scatter plot and a roofline."""
    if view.exhibit.kind == "machine":
        return machine.table(view.exhibit, view.machine)
    return None if view.exhibit.figure.get("style") in ("scatter", "roofline") else tables.build(view)


def place(out: Path, machine: str, exhibit: Exhibit) -> Path:
    """The path of an exhibit's files, without an ending."""
    return out / machine / exhibit.paper / exhibit.name


def write_exhibit(
    exhibit: Exhibit, where: Machine, out: Path, profile: str | None = None, formats: Sequence[str] = ()
) -> list[Path]:
    view, stem = gather(exhibit, where, profile), place(out, where.name, exhibit)
    table = table_of(view)
    written = table_formats.write_table(table, stem, TABLE_FORMATS) if table else []
    figure = figures.draw(view) if exhibit.kind == "figure" else None
    return written + save_all(figure, stem, formats or FIGURE_FORMATS)


def write_all(
    papers: list[Paper], machines: list[Machine], out: Path, profile: str | None = None, formats: Sequence[str] = ()
) -> list[Path]:
    jobs = [(e, m, out, profile, formats) for m in machines for p in papers for e in p.exhibits]
    return [path for made in each(lambda job: write_exhibit(*job), jobs) for path in made]
