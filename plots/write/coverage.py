"""How many printed numbers of a paper stand beside a line of ours, by exhibit and machine; the needs of the rest."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plots.decide.lookup import why_none
from plots.read import words
from plots.read.exhibits import Exhibit, Paper, Printed
from plots.read.results import Line, Machine
from plots.read.select import grouped, matches
from plots.read.view import View, gather, rows
from plots.write.claim_sheet import NEEDS
from plots.write.machine import device
from plots.write.table_formats import md_table
from plots.write.tables import Column, Table, word

LINE, STAND_IN = "line", "stand-in"
MACHINE, SYSTEM, OTHER_THREADS = "other machines", "other systems", "other numbers of threads"
VALUE = "a value that no line holds"
CHOICE = "choose_starts"  # the phase without which the phase `init` is not a paper's: only taking the start up
HEAD = ("exhibit", "numbers", "machine", "beside a line", "beside a stand-in", "beside nothing", "what these need")
Place = tuple[str, str]  # a printed row and a metric


@dataclass(frozen=True)
class Covered:
    """The printed numbers of one exhibit on one machine; `without`: by need those beside no line."""

    exhibit: str
    machine: str
    lines: int
    stand_ins: int
    without: Counter[str]

    @property
    def numbers(self) -> int:
        return self.lines + self.stand_ins + self.without.total()


def covered(view: View, machine: str = "") -> Covered:
    """`machine`: its name in the table, if that is not its folder's."""
    numbers, kinds = own_numbers(view.exhibit), Counter()
    beside = placed(view) if numbers else {}
    for place, row in numbers.items():
        found = beside.get(place, set())
        kinds[LINE if "" in found else STAND_IN if found else need(view, row)] += 1
    without = Counter({what: count for what, count in kinds.items() if what not in (LINE, STAND_IN)})
    return Covered(view.exhibit.key, machine or view.machine.name, kinds[LINE], kinds[STAND_IN], without)


def own_numbers(exhibit: Exhibit) -> dict[Place, Printed]:
    """Every number that the exhibit prints, once, including numbers derived from its own table; others count there."""
    own = f"derived from {exhibit.spec.get('number')}:"
    shown = [row for row in exhibit.printed() if not row.stand_in] if exhibit.kind != "machine" else []
    printed = [row for row in shown if row.source == "printed" or row.source.startswith(own)]
    values = {(repr(row.shown), name): row for row in printed for name in row.values}
    return {place: row for place, row in values.items() if words.parse(row.values[place[1]]) is not None}


def placed(view: View) -> dict[Place, set[str]]:
    """For every printed value beside a value of ours: the stand-ins it is beside, empty for the paper's own data."""
    beside: dict[Place, set[str]] = {}
    found, fields = rows(view, view.place)
    for row in (row for row in found if row.line):
        for printed in row.printed:
            for name in printed.values:
                if tells(row.line, name) and view.value(row.line, name, fields) is not None:
                    beside.setdefault((repr(printed.shown), name), set()).add(printed.stand_in)
    return beside


def tells(line: Line, name: str) -> bool:
    """Whether the line's metric is the paper's quantity."""
    if name == "iterations":  # a fixed number is not how many it needs
        return line["tolerance"] is not None
    return name != "init" or CHOICE in line["prepare_phases"] or CHOICE in line["phases"]


def need(view: View, row: Printed) -> str:
    """The need of a line beside this row."""
    known = view.exhibit.implementations
    if "machine" in row.key:
        return MACHINE
    if known and row.key.get("implementation", known[0]) not in known:
        return SYSTEM
    if isinstance(row.key.get("threads"), str):
        return OTHER_THREADS
    keys = [one.key for one in view.exhibit.printed() if one.shown == row.shown]
    if any(line["verdict"] == "" and matches(line, key) for line in view.lines for key in keys):
        return VALUE
    what = why_none(view, row.key)[1]
    return NEEDS.get(what) or f"data: {what.partition(' ')[2]}"


def all_covered(papers: Iterable[Paper], machines: Sequence[Machine], profile: str | None = None) -> list[Covered]:
    return [covered(gather(e, m, profile)) for p in papers for e in p.exhibits if own_numbers(e) for m in machines]


def table(found: Sequence[Covered]) -> Table:
    """A row for every exhibit and machine."""
    columns = [Column(name, "word", name) for name in HEAD]
    shown = [one for one in found if one.numbers]
    body = [[word(text) for text in cells(one.exhibit, one.machine, [one])] for one in shown]
    remarks = []
    for machine, own in grouped(shown, lambda one: one.machine).items():
        _, numbers, _, *rest = cells("", machine, own)
        told = ", ".join(f"{count or 0} {name}" for name, count in zip(HEAD[3:6], rest, strict=False))
        remarks.append(f"{machine}: of {numbers} printed numbers {told}.")
    return Table("coverage", "Printed numbers with a line beside them", columns, body, remarks=remarks)


def cells(what: str, machine: str, found: Sequence[Covered]) -> tuple[str, ...]:
    """One row under HEAD; a 0 is empty."""
    without = sum((one.without for one in found), Counter())
    sums = (sum(one.lines for one in found), sum(one.stand_ins for one in found), without.total())
    ordered = sorted(without.items(), key=lambda pair: (-pair[1], pair[0]))
    told = ", ".join(f"{text} ({count})" for text, count in ordered)
    return (what, str(sum(sums)), machine, *(str(count or "") for count in sums), told)


def summary(papers: Sequence[Paper], machines: Sequence[Machine]) -> str:
    """A row for every paper and machine with a line beside a printed number, as Markdown."""
    shown = []
    for paper in papers:
        for machine in machines:
            found = all_covered([paper], [machine])
            if any(one.lines + one.stand_ins for one in found):
                shown.append(cells(f"`{paper.key}`", device(machine), found))
    return "\n".join(md_table(("paper", *HEAD[1:]), "lrlrrrl", shown))
