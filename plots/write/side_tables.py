"""Machines side by side, as tables: time and ratio, shares of their own ceilings, price and energy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plots.decide.expected import floor_here
from plots.decide.side_by_side import Pair, Sides, main_metric
from plots.read import words
from plots.read.intervals import Estimate, ratio
from plots.read.metrics import device, metric
from plots.read.results import Line, doubt, reason
from plots.read.view import View
from plots.write.tables import FIELD_TITLES, Cell, Column, Footnotes, Table

DOUBTS = {
    words.COARSE: "† coarse: explained by rounding, yet too far from fp64's result to rank.",
    words.DISTURBED: f"‡ disturbed: {words.TAKEN}.",
}
NO_PRICE = "no price recorded"


@dataclass(frozen=True)
class Made:
    """A column besides the fields: its name, its head, and its cell for a case."""

    column: Column
    cell: Callable[[Pair, Footnotes], Cell]


def build(sides: Sides, key: str, title: str, made: Sequence[Made], remarks: Sequence[str] = ()) -> Table:
    """A table of the exhibit's cases; rows in which no column has anything to say are left out."""
    notes = Footnotes()
    columns = [Column(name, "field", FIELD_TITLES.get(name, name.replace("_", " "))) for name in sides.fields]
    view = next(iter(sides.views.values()), None)
    cells = []
    for one in sides.pairs:
        found = [column.cell(one, notes) for column in made]
        if any(cell.text != words.MISSING for cell in found):
            heads = [Cell(view.label(name, value), raw=(value,)) for name, value in one.fields.items()] if view else []
            cells.append([*heads, *found])
    told = [
        *remarks,
        *(text for why, text in DOUBTS.items() if any(cell.doubt == why for row in cells for cell in row)),
        *sides.remarks,
    ]
    heading = f"{sides.exhibit.heading}: {title}"
    return Table(key, heading, [*columns, *(m.column for m in made)], cells, notes.sentences, told, sizes(sides.views))


def sizes(views: dict[str, View]) -> str:
    """What was run, once where it was the same everywhere."""
    found = {name: view.size for name, view in views.items()}
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return "; ".join(f"{name}: {size}" for name, size in found.items())


def number(name: str, at: str, unit: bool = True) -> Column:
    title = metric(name).title if unit else metric(name).label
    return Column(f"{name}:{at}", "ours", f"{title}, {at}")


def measured(view: View, line: Line | None, name: str, notes: Footnotes) -> Cell:
    """The metric of the line; what has no time says why, what was not measured is a dash."""
    if line is None:
        return Cell(words.MISSING, raw=(None, None, None))
    value = view.value(line, name)
    if value is None:
        why = reason(line)
        marks = (notes.mark(why),) if why else ()
        return Cell(why.partition(":")[0] or words.MISSING, marks=marks, raw=(None, None, None))
    return of(value, view.doubt(line, name))


def of(value: Estimate, marked: str = "") -> Cell:
    return Cell(words.point(value), words.interval(value), marked, raw=(value.value, value.low, value.high))


def times(sides: Sides) -> Table:
    """The exhibit's time on every machine, and how many times as fast as the first each other one is."""
    name, (base, *others) = main_metric(sides.exhibit), list(sides.views)
    made = [Made(number(name, at), shows(sides.views[at], name)) for at in sides.views]
    column = [Column(f"faster:{at}", "ours", f"{at} is … times as fast as {base}") for at in others]
    made += [Made(c, faster(sides, name, base, at)) for c, at in zip(column, others, strict=True)]
    title = f"{metric(name).label}, machine by machine"
    return build(sides, f"{sides.exhibit.key}/time", title, made, in_common(sides))


def in_common(sides: Sides) -> list[str]:
    """How many cases there are two machines to compare for, unless it is all of them."""
    both = sum(len(one.lines) > 1 for one in sides.pairs)
    if both == len(sides.pairs):
        return []
    return [f"{both} of these {len(sides.pairs)} cases were run on more than one of the machines."]


def shows(view: View, name: str) -> Callable[[Pair, Footnotes], Cell]:
    return lambda one, notes: measured(view, one.lines.get(view.machine.name), name, notes)


def faster(sides: Sides, name: str, base: str, at: str) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, _: Footnotes) -> Cell:
        lines = [one.lines.get(m) for m in (base, at)]
        values = [line and sides.views[m].value(line, name) for m, line in zip((base, at), lines, strict=True)]
        if not all(values):
            return Cell(words.MISSING, raw=(None, None, None))
        value = ratio(*(values[::-1] if metric(name).better == "higher" else values))
        return of(value, next(filter(None, map(doubt, filter(None, lines))), "")) if value else Cell(words.MISSING)

    return cell


def ceilings(sides: Sides) -> Table:
    """Shares of the machine's own measured ceilings, and which of them binds."""
    made = []
    for at, view in sides.views.items():
        made += [Made(number(name, at), shows(view, name)) for name in ("memory_share", "arithmetic_share")]
        made.append(Made(Column(f"bound:{at}", "word", f"bound by, {at}"), bound(view)))
    lost = [at for at, view in sides.views.items() if not view.machine.record.get("floor")]
    remarks = [
        "Shares of what kmbench ceilings measured on that machine with all threads: its memory bandwidth, its plain "
        "fused multiply-adds. Counted is the least work of an iteration; above 100%: caches, matrix units, or "
        "distances that were proven needless.",
        *(f"No ceilings of {at}: run kmbench ceilings there." for at in lost),
    ]
    return build(sides, f"{sides.exhibit.key}/ceilings", "share of the machine's own ceilings", made, remarks)


def bound(view: View) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, _: Footnotes) -> Cell:
        line = one.lines.get(view.machine.name)
        found = line and not reason(line) and floor_here(line, view.machine)
        return Cell(found.resource, raw=(found.resource,)) if found else Cell(words.MISSING, raw=(None,))

    return cell


def costs(sides: Sides) -> Table:
    """Dollars for a million iterations and joules an iteration; why there are none."""
    made, remarks = [], []
    for at, view in sides.views.items():
        made += [Made(number(name, at), shows(view, name)) for name in ("cost", "energy")]
        used = sorted({device(line) for line in view.lines if line["samples_s"]})
        prices = view.machine.record.get("price") or {}
        remarks += [
            f"{at}: {NO_PRICE} of its {d.upper()} (kmbench env --price {d}=…)." for d in used if not prices.get(d)
        ]
        remarks += [f"{at}: {why}." for why in no_energy(view)]
    return build(sides, f"{sides.exhibit.key}/cost", "price and energy", made, remarks)


def no_energy(view: View) -> list[str]:
    """Why cases have no energy, each reason once."""
    right = [line for line in view.lines if line["verdict"] == ""]
    why = {(line["energy"] or {}).get("skipped") for line in right if line["energy"]} - {None}
    unasked = sum(line["energy"] is None for line in right)
    told = [f"energy not measured in {unasked} cases (kmbench run --energy)"] if unasked else []
    return [*(f"no energy: {text}" for text in sorted(why)), *told]
