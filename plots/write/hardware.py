"""Writes the comparison of machines: for each exhibit a page, tables as CSV and TeX, and the cascade."""

from pathlib import Path

from plots.decide.portability import portability
from plots.decide.side_by_side import Sides, main_metric
from plots.draw import cascade, style
from plots.read.across import Portability
from plots.read.exhibits import Paper
from plots.write import side_tables
from plots.write.files import write
from plots.write.render import FIGURE_FORMATS, TABLE_FORMATS
from plots.write.table_formats import markdown
from plots.write.tables import Table


def cascades_of(both: Sides) -> list[tuple[str, Portability]]:
    """By kind of efficiency, for measured devices."""
    name = main_metric(both.exhibit)
    found = [(k, portability(both, d, k, name)) for k in ("application", "architecture") for d in ("cpu", "gpu")]
    return [(kind, one) for kind, one in found if one.platforms]


def tables(both: Sides, paper: Paper) -> list[Table]:
    """The tables of one exhibit that have rows, in reading order."""
    made = [
        side_tables.times(both),
        side_tables.ceilings(both),
        side_tables.costs(both),
        side_tables.expectations(both, paper),
        side_tables.cascades(both, cascades_of(both)),
    ]
    return [table for table in made if table.rows or table.key.endswith(("/cost", "/portability"))]


def page(both: Sides, paper: Paper) -> str:
    """Its tables as Markdown; of one without rows, the title and the remarks."""
    made = tables(both, paper)
    return "\n".join(
        markdown(one) if one.rows else "\n\n".join([f"**{one.title}**", *one.remarks]) + "\n" for one in made
    )


def write_exhibit(both: Sides, paper: Paper, out: Path) -> list[Path]:
    """Under out/hardware/<paper>/: <exhibit>.md, <exhibit>-<table>.csv and .tex, <exhibit>-cascade.svg, .pdf, .png."""
    stem = out / "hardware" / both.exhibit.key
    written = [write(stem.with_name(stem.name + ".md"), page(both, paper))]
    for table in tables(both, paper):
        name = f"{stem.name}-{table.key.rpartition('/')[2]}"
        for ending, text in TABLE_FORMATS.items() if table.rows else ():
            if ending != ".md":
                written.append(write(stem.with_name(name + ending), text(table)))
    figure = cascade.draw(cascades_of(both))
    return written + style.save_all(figure, stem.with_name(f"{stem.name}-cascade"), FIGURE_FORMATS)
