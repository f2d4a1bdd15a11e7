"""What the paper's times would be here by the hardware alone, as a table."""

from collections.abc import Callable

from plots.decide.expected import Expected, expected
from plots.decide.side_by_side import Pair, Sides
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.metrics import metric
from plots.read.view import View
from plots.write.side_tables import Made, build, of
from plots.write.tables import Cell, Column, Footnotes, Table


def expectations(sides: Sides, paper: Paper) -> Table:
    """The paper's time, what it would be on each machine by the binding resource, and ours over that."""
    made = [Made(Column("theirs", "ours", "the paper's"), theirs(sides, paper))]
    for at, view in sides.views.items():
        made.append(Made(Column(f"expected:{at}", "ours", f"expected, {at}"), expect(view, paper)))
        made.append(Made(Column(f"binds:{at}", "word", f"there → here, {at}"), binds(view, paper)))
        made.append(Made(Column(f"over:{at}", "ours", f"ours / expected, {at}"), over(view, paper)))
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


def first_expected(one: Pair, sides: Sides, paper: Paper) -> Expected | None:
    return next(
        (
            e
            for at, v in sides.views.items()
            if at in one.lines and (e := expected(one, one.lines[at], v.machine, paper))
        ),
        None,
    )


def theirs(sides: Sides, paper: Paper) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, _: Footnotes) -> Cell:
        found = first_expected(one, sides, paper)
        if not found or found.theirs is None:
            return Cell(words.MISSING, raw=(None, None, None))
        text = f"{words.number(found.theirs)} {metric(found.metric).unit}".strip()
        return Cell(text, raw=(found.theirs, None, None))

    return cell


def expect(view: View, paper: Paper) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, notes: Footnotes) -> Cell:
        line = one.lines.get(view.machine.name)
        found = line and expected(one, line, view.machine, paper)
        if not found:
            return Cell(words.MISSING, raw=(None, None, None))
        if found.value is None:
            return Cell("unknown", marks=(notes.mark(found.why),), raw=(None, None, None))
        return Cell(f"{words.number(found.value)} {metric(found.metric).unit}".strip(), raw=(found.value, None, None))

    return cell


def binds(view: View, paper: Paper) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, _: Footnotes) -> Cell:
        line = one.lines.get(view.machine.name)
        found = line and expected(one, line, view.machine, paper)
        text = f"{found.there} → {found.here}" if found and found.value is not None else words.MISSING
        return Cell(text, raw=(text if found else None,))

    return cell


def over(view: View, paper: Paper) -> Callable[[Pair, Footnotes], Cell]:
    def cell(one: Pair, _: Footnotes) -> Cell:
        line = one.lines.get(view.machine.name)
        found = line and expected(one, line, view.machine, paper)
        own = found and view.value(line, found.metric)
        if not found or not found.value or own is None or view.resized([line]):
            return Cell(words.MISSING, raw=(None, None, None))
        return of(own.scaled(1 / found.value), view.doubt(line, found.metric))

    return cell
