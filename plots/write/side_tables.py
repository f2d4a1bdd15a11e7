"""Machines side by side, as tables: time and ratio, shares of own ceilings, price and energy, portability, the paper's
times scaled to this hardware."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from plots.decide.expected import Expected, expected, floor_here
from plots.decide.side_by_side import Pair, Sides, main_metric
from plots.read import words
from plots.read.across import Portability
from plots.read.exhibits import Paper
from plots.read.intervals import ratio
from plots.read.metrics import metric
from plots.read.results import Line, reason
from plots.read.view import View
from plots.write.tables import EMPTY, Cell, Column, Footnotes, Table, estimated, fields_named, untimed, word

DOUBTS = {
    words.COARSE: "† coarse: explained by rounding, yet too far from fp64's result to rank.",
    words.DISTURBED: f"‡ disturbed: {words.TAKEN}.",
}
Made = tuple[Column, Callable[[Pair, Footnotes], Cell]]  # a column besides the fields, and its cell for a case


def build(sides: Sides, key: str, title: str, made: Sequence[Made], remarks: Sequence[str] = ()) -> Table:
    """A table of the exhibit's cases, without rows of dashes."""
    notes = Footnotes()
    view = next(iter(sides.views.values()), None)
    cells = []
    for one in sides.pairs:
        found = [cell(one, notes) for _, cell in made]
        if any(cell.text != words.MISSING for cell in found):
            heads = [Cell(view.label(name, value), raw=(value,)) for name, value in one.fields.items()]
            cells.append([*heads, *found])
    told = [
        *remarks,
        *(text for why, text in DOUBTS.items() if any(cell.doubt == why for row in cells for cell in row)),
        *sides.remarks,
    ]
    heading, columns = f"{sides.exhibit.heading}: {title}", [*fields_named(*sides.fields), *(c for c, _ in made)]
    return Table(key, heading, columns, cells, notes.sentences, told, sizes(sides.views))


def sizes(views: dict[str, View]) -> str:
    """The machines' sizes; one size if it is the same everywhere."""
    found = {name: view.size for name, view in views.items() if view.size}
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return "; ".join(f"{name}: {size}" for name, size in found.items())


def number(name: str, at: str) -> Column:
    return Column(f"{name}:{at}", "ours", f"{metric(name).title}, {at}")


def measured(view: View, name: str, one: Pair, notes: Footnotes) -> Cell:
    """The metric of the case; the reason if it has no time, a dash if it was not measured."""
    line = one.lines.get(view.machine.name)
    if line is None:
        return EMPTY
    value = view.value(line, name)
    return untimed(reason(line), notes) if value is None else estimated(value, view.doubt(line, name))


def times(sides: Sides) -> Table:
    """The exhibit's time on every machine, and how many times as fast as the first each other one is."""
    name, (base, *others) = main_metric(sides.exhibit), list(sides.views)
    made = [(number(name, at), partial(measured, sides.views[at], name)) for at in sides.views]
    column = [Column(f"faster:{at}", "ours", f"{at} is … times as fast as {base}") for at in others]
    made += [(c, partial(faster, sides, name, base, at)) for c, at in zip(column, others, strict=True)]
    title, cases = f"{metric(name).label}, machine by machine", len(sides.pairs)
    both = sum(len(one.lines) > 1 for one in sides.pairs)
    remarks = [f"{both} of these {cases} cases were run on more than one of the machines."] if both < cases else []
    return build(sides, f"{sides.exhibit.key}/time", title, made, remarks)


def faster(sides: Sides, name: str, base: str, at: str, one: Pair, _: Footnotes) -> Cell:
    lines = [one.lines.get(m) for m in (base, at)]
    values = [line and sides.views[m].value(line, name) for m, line in zip((base, at), lines, strict=True)]
    if not all(values):
        return EMPTY
    value = ratio(*values)
    doubts = filter(None, (sides.views[m].doubt(line, name) for m, line in zip((base, at), lines, strict=True)))
    return estimated(value, next(doubts, "")) if value else Cell(words.MISSING)


def ceilings(sides: Sides) -> Table:
    """Shares of the machine's own measured ceilings, and the binding one."""
    made = []
    for at, view in sides.views.items():
        made.append((number("memory_share", at), partial(measured, view, "memory_share")))
        made.append((number("arithmetic_share", at), partial(arithmetic, view)))
        made.append((Column(f"bound:{at}", "word", f"bound by, {at}"), partial(bound, view)))
    lost = [at for at, view in sides.views.items() if not view.machine.record.get("floor")]
    remarks = [
        "Shares of what kmbench ceilings measured on that machine with all threads: its memory bandwidth, its plain "
        "fused multiply-adds. Counted is the least work of an iteration; above 100%: caches, or distances that were "
        "proven needless.",
        *(f"No ceilings of {at}: run kmbench ceilings there." for at in lost),
    ]
    return build(sides, f"{sides.exhibit.key}/ceilings", "share of the machine's own ceilings", made, remarks)


MATRIX = "of its fastest matrix units (2 n d k operations): more than plain multiply-adds can do"


def arithmetic(view: View, one: Pair, notes: Footnotes) -> Cell:
    """The share of plain multiply-adds; past these, of the matrix units, where they have a ceiling."""
    line = one.lines.get(view.machine.name)
    plain_share, own = (line and view.value(line, name) for name in ("arithmetic_share", "product_share"))
    if line and plain_share and own and plain_share.value > 100 > own.value:
        return replace(measured(view, "product_share", one, notes), marks=(notes.mark(MATRIX),))
    return measured(view, "arithmetic_share", one, notes)


def bound(view: View, one: Pair, _: Footnotes) -> Cell:
    line = one.lines.get(view.machine.name)
    found = line and not reason(line) and floor_here(line, view.machine)
    return word(found.resource) if found else Cell(words.MISSING, raw=(None,))


def costs(sides: Sides) -> Table:
    """Dollars for a million iterations where a machine has a price, and joules an iteration or the reason for none."""
    made, remarks = [], []
    for at, view in sides.views.items():
        priced = view.machine.record.get("price")
        names = ("cost", "energy") if priced else ("energy",)
        made += [(number(name, at), partial(measured, view, name)) for name in names]
        remarks += [f"{at}: {why}." for why in no_energy(view)]
    return build(sides, f"{sides.exhibit.key}/cost", "price and energy", made, remarks)


def no_energy(view: View) -> list[str]:
    """Why cases have no energy, each reason once."""
    right = [line for line in view.lines if line["verdict"] == ""]
    why = {(line["energy"] or {}).get("skipped") for line in right if line["energy"]} - {None}
    unasked = sum(line["energy"] is None for line in right)
    told = [f"energy not measured in {unasked} cases (kmbench run --energy)"] if unasked else []
    return [*(f"no energy: {text}" for text in sorted(why)), *told]


def cascades(sides: Sides, found: Sequence[tuple[str, Portability]]) -> Table:
    """Every implementation's efficiency on every platform, and PP. `found`: by kind of efficiency."""
    platforms = list(dict.fromkeys(p for _, one in found for p in one.platforms))
    columns = fields_named("efficiency", "device", "implementation")
    columns += [Column(f"efficiency:{p}", "ours", p) for p in platforms]
    columns.append(Column("pp", "ours", "PP"))
    notes, cells = Footnotes(), []
    for kind, one in found:
        for cascade in one.cascades:
            by = {platform: efficiency for platform, efficiency, _ in cascade.steps}
            row = [word(text) for text in (kind, one.device, cascade.implementation)]
            for p in platforms:
                row.append(plain(by.get(p), (notes.mark("not tried there"),) if p in cascade.missing else ()))
            cells.append([*row, plain(cascade.pp)])
    told = [(f"{one.device.upper()}, {kind}", one) for kind, one in found]
    remarks = [
        "PP: performance portability, the harmonic mean of the efficiencies over all of these machines, 0 where an "
        "implementation solves not every problem (Pennycook, Sewall and Lee 2019). Application: the best time measured "
        "on the machine over its own. Architecture: its share of the machine's floor; above 1 it does less than the "
        "least work.",
        *(f"{at}: {one.problems} problems, geometric mean." for at, one in told if one.cascades),
        *(f"{one.device.upper()}: {one.why}." for kind, one in found if one.why and kind == found[0][0]),
    ]
    title = f"{sides.exhibit.heading}: performance portability"
    return Table(f"{sides.exhibit.key}/portability", title, columns, cells, notes.sentences, remarks)


def plain(value: float | None, marks: tuple[int, ...] = ()) -> Cell:
    return Cell(words.MISSING if value is None else f"{value:.3f}", marks=marks, raw=(value, None, None))


def expectations(sides: Sides, paper: Paper) -> Table:
    """The paper's time, the expected time on each machine, and ours over that."""
    made = [(Column("theirs", "ours", "the paper's"), lambda one, _: in_paper(one, sides, paper))]
    made += [column for at, view in sides.views.items() for column in expected_on(at, view, paper)]
    peaks = paper.record.get("peak", {})
    remarks = [
        f"The paper's machine: {sides.exhibit.machine}." if sides.exhibit.machine else "The paper names no machine.",
        *(f"Its {d.upper()}: {peak_text(peak)}." for d, peak in peaks.items()),
        "Expected: the paper's value times the least time of an iteration here (by measured ceilings) over that there "
        "(by those peaks). The binding resource is the one of memory and arithmetic that takes longer. A peak is more "
        "than any program reaches, a ceiling is what one did: the expectation is a cautious one.",
    ]
    return build(sides, f"{sides.exhibit.key}/expected", "expected by the hardware alone", made, remarks)


def peak_text(peak: dict) -> str:
    named = {"bandwidth_gbs": "GB/s", "fp32_gflops": "GFLOP/s fp32", "fp64_gflops": "GFLOP/s fp64"}
    parts = [f"{words.number(float(peak[name]))} {unit}" for name, unit in named.items() if name in peak]
    return f"{', '.join(parts)} ({peak['source']})"


def in_paper(one: Pair, sides: Sides, paper: Paper) -> Cell:
    lines = [(view, one.lines[at]) for at, view in sides.views.items() if at in one.lines]
    found = next(filter(None, (expected(one, line, view.machine, paper) for view, line in lines)), None)
    return EMPTY if not found or found.theirs is None else with_unit(found.theirs, found)


def with_unit(value: float, found: Expected) -> Cell:
    return Cell(f"{words.number(value)} {metric(found.metric).unit}".strip(), raw=(value, None, None))


def expected_on(at: str, view: View, paper: Paper) -> list[Made]:
    """The expected time on one machine, the binding resources, and the measured time over the expected one."""

    def known(one: Pair) -> tuple[Line | None, Expected | None]:
        line = one.lines.get(at)
        return line, line and expected(one, line, view.machine, paper)

    def expect(one: Pair, notes: Footnotes) -> Cell:
        _, found = known(one)
        if found and found.value is None:
            return Cell("unknown", marks=(notes.mark(found.why),), raw=(None, None, None))
        return with_unit(found.value, found) if found else EMPTY

    def binds(one: Pair, _: Footnotes) -> Cell:
        _, found = known(one)
        text = f"{found.there} → {found.here}" if found and found.value is not None else words.MISSING
        return Cell(text, raw=(text if found else None,))

    def over(one: Pair, _: Footnotes) -> Cell:
        line, found = known(one)
        own = found and view.value(line, found.metric)
        if not found or not found.value or own is None or view.resized([line]):
            return EMPTY
        return estimated(own.scaled(1 / found.value), view.doubt(line, found.metric))

    return [
        (Column(f"expected:{at}", "ours", f"expected, {at}"), expect),
        (Column(f"binds:{at}", "word", f"there → here, {at}"), binds),
        (Column(f"over:{at}", "ours", f"ours / expected, {at}"), over),
    ]
