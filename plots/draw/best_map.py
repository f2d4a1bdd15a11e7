"""A map of winners: a cell a problem, coloured by the fastest implementation, with its time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.draw import style
from plots.draw.axes import note, row_of_maps
from plots.read import words
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.results import Line
from plots.read.select import grouped, value_of
from plots.read.view import View

CELL = (0.78, 0.36)  # inches
NOBODY = "#DDDDDD"
ALPHA = 0.6
CLOSE = "≈"  # another's interval reaches the best one's


@dataclass(frozen=True)
class Cell:
    winner: str  # "" without a time
    value: Estimate | None = None
    close: bool = False


def best_of(view: View, lines: Sequence[Line], name: str) -> Cell:
    """The best of these lines of one problem, without coarse and disturbed ones."""
    fair = [(line, value) for line in lines if (value := view.value(line, name)) and view.fair(line, name)]
    times = [(contender(view, line), value) for line, value in fair]
    if not times:
        return Cell("")
    sign = -1 if metric(name).better == "higher" else 1
    (winner, best), *others = sorted(times, key=lambda pair: sign * pair[1].value)
    (low, high), rivals = best.range, [value.range for who, value in others if who != winner]
    return Cell(winner, best, any(low <= other[1] and other[0] <= high for other in rivals))


def contender(view: View, line: Line) -> str:
    """The name of a rival; the chosen implementation if it chooses another."""
    chosen = metric("counter:choice").of(line, {})
    name = view.exhibit.label("counter:choice", round(chosen.value)) if chosen else ""
    if "/" in name:
        return name
    series = view.exhibit.figure.get("series", ["implementation"])
    return ", ".join(view.said(line, field) for field in series)


def along(view: View, fields: Sequence[str], lines: Iterable[Line]) -> list[tuple[Any, ...]]:
    """Every place on an axis of these fields, in reading order."""
    found = {tuple(value_of(line, field) for field in fields) for line in lines}
    return sorted(found, key=lambda at: view.order(dict(zip(fields, at, strict=True))))


def places(view: View) -> tuple[list[Line], list[str], list[str], list[list[tuple[Any, ...]]]]:
    """The lines with a time, the panel fields, all fields, and the places of panels, rows and columns."""
    measured = [line for line in view.lines if line["samples_s"]]
    fields = [view.exhibit.fields(key) for key in ("panels", "down", "x")]
    return measured, fields[0], [name for own in fields for name in own], [along(view, own, measured) for own in fields]


def named(view: View, fields: Sequence[str], place: Sequence[Any]) -> str:
    """`d = 4, n = 100`; an implementation and a device stand without their field."""
    parts = [(field, view.label(field, value)) for field, value in zip(fields, place, strict=True)]
    bare = {"implementation": str, "device": str.upper}
    return ", ".join(bare[field](word) if field in bare else f"{field} = {word}" for field, word in parts)


def best_map(view: View) -> Figure | None:
    """A panel a value of the panel field, rows the fields of `down`, columns x; None if nothing was measured."""
    (name,) = view.exhibit.figure["y"]
    measured, panel_fields, fields, (panels, rows, columns) = places(view)
    if not measured:
        return None
    figure, axes = row_of_maps(len(panels), len(columns) * CELL[0] + 1.9, len(rows) * CELL[1] + 1.6)
    cases = grouped(measured, lambda line: tuple(value_of(line, f) for f in fields))
    for ax, panel in zip(axes, panels, strict=True):
        cells = {
            (x, y): best_of(view, cases.get((*panel, *row, *column), []), name)
            for y, row in enumerate(rows)
            for x, column in enumerate(columns)
        }
        colour = style.colours({cell.winner for cell in cells.values()} - {""})
        for at, cell in cells.items():
            paint(ax, at, cell, colour.get(cell.winner, NOBODY))
        frame(ax, view, (rows, columns))
        ax.set_title(named(view, panel_fields, panel))
    coarse = "coarse ones included" if view.rounding else "none of them coarse"
    said = f"{metric(name).title} of the best, {coarse}; {CLOSE} noise leaves it open; grey: not run, or no time"
    note(figure, view.size, said, title=view.exhibit.heading)
    return figure


def paint(ax: Axes, at: tuple[int, int], cell: Cell, colour: str) -> None:
    x, y = at
    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", alpha=ALPHA))
    if cell.value is not None:
        text = f"{CLOSE} " * cell.close + words.number(cell.value.value, 2)
        ax.text(x, y - 0.17, text, fontsize=7.5, **style.CENTRED)
        ax.text(x, y + 0.23, cell.winner.rpartition("/")[2], fontsize=6, **style.CENTRED)


def frame(ax: Axes, view: View, axes: tuple[Sequence[tuple], Sequence[tuple]]) -> None:
    spec, (rows, columns) = view.exhibit.figure, axes
    for y, (before, after) in enumerate(pairwise(rows)):
        if before[0] != after[0] and len(before) > 1:  # a gap between groups of rows
            ax.axhline(y + 0.5, color="white", linewidth=3)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(columns)), [view.label(spec["x"], at) for (at,) in columns])
    ax.set_yticks(range(len(rows)), [named(view, spec["down"], at) for at in rows])
    ax.set_xlabel(spec.get("xlabel", spec["x"].replace("_", " ")))
    ax.grid(False)
