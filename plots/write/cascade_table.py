"""Efficiency of every implementation on every machine, and performance portability, as a table."""

from collections.abc import Sequence

from plots.decide.side_by_side import Sides
from plots.read import words
from plots.read.cascades import Portability
from plots.write.tables import Cell, Column, Footnotes, Table


def cascades(sides: Sides, found: Sequence[tuple[str, Portability]]) -> Table:
    """Every implementation's efficiency on every platform, and PP; `found`: by kind of efficiency."""
    platforms = list(dict.fromkeys(p for _, one in found for p in one.platforms))
    columns = [Column(name, "field", name) for name in ("efficiency", "device", "implementation")]
    columns += [Column(f"efficiency:{p}", "ours", p) for p in platforms]
    columns.append(Column("pp", "ours", "PP"))
    notes, cells = Footnotes(), []
    for kind, one in found:
        for cascade in one.cascades:
            by = {platform: efficiency for platform, efficiency, _ in cascade.steps}
            row = [Cell(text, raw=(text,)) for text in (kind, one.device, cascade.implementation)]
            row += [
                plain(by.get(p), notes.mark("not tried there") if p in cascade.missing else None) for p in platforms
            ]
            cells.append([*row, plain(cascade.pp)])
    remarks = [
        "PP: performance portability, the harmonic mean of the efficiencies over all of these machines, 0 where an "
        "implementation solves not every problem (Pennycook, Sewall and Lee 2019). Application: the best time measured "
        "on the machine over its own. Architecture: its share of the machine's floor; above 1 it does less than the "
        "least work.",
        *(
            f"{one.device.upper()}, {kind}: {one.problems} problems, geometric mean."
            for kind, one in found
            if one.cascades
        ),
        *(f"{one.device.upper()}: {one.why}." for kind, one in found if one.why and kind == found[0][0]),
    ]
    title = f"{sides.exhibit.heading}: performance portability"
    return Table(f"{sides.exhibit.key}/portability", title, columns, cells, notes.sentences, remarks)


def plain(value: float | None, mark: int | None = None) -> Cell:
    text = words.MISSING if value is None else f"{value:.3f}"
    return Cell(text, marks=(mark,) if mark else (), raw=(value, None, None))
