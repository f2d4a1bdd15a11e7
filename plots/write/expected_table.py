"""The paper's times scaled to this hardware, as a table."""

from plots.decide.expected import Expected, expected
from plots.decide.side_by_side import Pair, Sides
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.metrics import metric
from plots.read.results import Line
from plots.read.view import View
from plots.write.side_tables import Made, build
from plots.write.tables import EMPTY, Cell, Column, Footnotes, Table, estimated


def expectations(sides: Sides, paper: Paper) -> Table:
    """The paper's time, the expected time on each machine, and ours over that."""
    made = [Made(Column("theirs", "ours", "the paper's"), lambda one, _: theirs(one, sides, paper))]
    made += [column for at, view in sides.views.items() for column in of_machine(at, view, paper)]
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


def theirs(one: Pair, sides: Sides, paper: Paper) -> Cell:
    """The case's value in the paper."""
    lines = [(view, one.lines[at]) for at, view in sides.views.items() if at in one.lines]
    found = next(filter(None, (expected(one, line, view.machine, paper) for view, line in lines)), None)
    return EMPTY if not found or found.theirs is None else with_unit(found.theirs, found)


def with_unit(value: float, found: Expected) -> Cell:
    return Cell(f"{words.number(value)} {metric(found.metric).unit}".strip(), raw=(value, None, None))


def of_machine(at: str, view: View, paper: Paper) -> list[Made]:
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
        Made(Column(f"expected:{at}", "ours", f"expected, {at}"), expect),
        Made(Column(f"binds:{at}", "word", f"there → here, {at}"), binds),
        Made(Column(f"over:{at}", "ours", f"ours / expected, {at}"), over),
    ]
