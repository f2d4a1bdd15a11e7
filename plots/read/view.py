"""The lines that one exhibit shows of one machine, with the paper's rows beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from plots.read import results, words
from plots.read.exhibits import Exhibit, Printed
from plots.read.intervals import Estimate, exact, ratio
from plots.read.metrics import metric, over_baseline
from plots.read.mixed import case_of, consistent
from plots.read.rates import parts
from plots.read.results import Line, Machine, device, doubt
from plots.read.select import grouped, matches, prefer, same, select, separating, sort_key, value_of

NOT_READ = ("n", "d")  # 0 in a line whose data set was not there


@dataclass(frozen=True)
class Row:
    """One row of a table or point of a curve; `line` is None if only the paper has it."""

    fields: dict[str, Any]
    line: Line | None
    printed: tuple[Printed, ...] = ()


@dataclass(frozen=True, eq=False)  # hashed by identity, for the caches
class View:
    exhibit: Exhibit
    machine: Machine
    lines: tuple[Line, ...]
    left_out: tuple[str, ...] = ()  # sentences: how many lines, and why

    @property
    def profile(self) -> str:
        """`paper`, `quick`, or empty if nothing ran."""
        return self.lines[0]["profile"] if self.lines else ""

    def resized(self, lines: Sequence[Line]) -> list[str]:
        """The keys in which these lines' problems differ from the paper's."""
        return self.exhibit.resized(lines) if self.profile == "quick" else []

    @property
    def baseline(self) -> dict[str, Any]:
        return {**self.exhibit.table, **self.exhibit.figure}.get("baseline", {})

    @property
    def commits(self) -> list[str]:
        """The commits of the lines, with `+` for uncommitted changes."""
        return sorted(set(map(results.commit_of, self.lines)))

    @property
    def size(self) -> str:
        """`n = 50,000,000 · d = 4 · k = 4 · 5, 6 iterations · fp32, fp64 · paper profile`."""
        ran = [line for line in self.lines if line["n"] and line["samples_s"]] or [x for x in self.lines if x["n"]]
        if not ran:
            return ""
        parts = [f"{name} = {few({line[name] for line in ran})}" for name in ("n", "d", "k")]
        made = {line["iterations"] for line in ran if line["iterations"] is not None}
        counted = f"{few(made)} {'iteration' if made == {1} else 'iterations'}"
        precisions = ", ".join(sorted({line["precision"] for line in self.lines}))
        return " · ".join([*parts, *([counted] if made else []), precisions, f"{self.profile} profile"])

    @property
    def rounding(self) -> bool:
        """Whether the exhibit is about rounding, and so about coarse results."""
        return bool({**self.exhibit.table, **self.exhibit.figure}.get("rounding"))

    @property
    def place(self) -> list[str]:
        """The fields that tell rows or points apart: a table's rows; a figure's panels, series and x."""
        if self.exhibit.table:
            return list(self.exhibit.table["rows"])
        return list(dict.fromkeys(self.exhibit.fields("panels", "down", "series", "x", "sets")))

    @property
    def metrics(self) -> list[str]:
        """Those of a table's columns, or of a figure."""
        return list(self.exhibit.table.get("columns") or self.exhibit.figure["y"])

    def value(self, line: Line, name: str, others: Sequence[str] | None = None) -> Estimate | None:
        """The metric `name` of `line`; None for a wrong run. A speedup is over the line that the baseline selects and
        that agrees in the fields `others` (by default those of the place); over the best of several it waits for all.
        An efficiency is that by GPUs and ranks."""
        if line["verdict"]:
            return None
        own = metric(name).of(line, self.machine.record)
        if not over_baseline(name) or own is None:
            return own
        if self.awaited(line, name, others):
            return None
        base = self.base(line, others, name)
        unit = 100 / parts(line) if name.startswith("efficiency:") else 1.0
        if base is line:
            return exact(unit)
        theirs = metric(name).of(base, self.machine.record) if base else None
        times = theirs and ratio(theirs, own)
        return times and times.scaled(unit)

    def base(self, line: Line, others: Sequence[str] | None, name: str) -> Line | None:
        """The one line that a speedup of `line` is over; the best one if the baseline lists values."""
        known = self._shared(line, others)
        found = self._baselines(tuple(known)).get(tuple(known.values()), [])
        if len(found) > 1 and self._of_several:
            own = (metric(name).of(one, self.machine.record) for one in found)
            times = [(value.value, i) for i, value in enumerate(own) if value]
            return found[min(times)[1]] if times else None
        return found[0] if len(found) == 1 else None

    def awaited(self, line: Line, name: str, others: Sequence[str] | None = None) -> str:
        """Which of several baselines of `line` the sweeps make and has no line yet, as a clause; else empty."""
        base = self.base(line, others, name) if over_baseline(name) and self._of_several else None
        return self._awaited(base["case"], tuple(self._shared(line, others).items())) if base else ""

    @cache  # noqa: B019  a view lives as long as the program
    def _awaited(self, case: str, shared: tuple[tuple[str, Any], ...]) -> str:
        """The same beside the baseline of this case, which shares these fields."""
        known = dict(shared)
        ran = self._baselines(tuple(known))[tuple(known.values())]
        base = next(one for one in ran if one["case"] == case)
        devices = {one["implementation"]: device(one) for one in self.lines}
        fixed = {**self.exhibit.where, **self.baseline, **known}
        for rival in self.exhibit.beside(base, self.profile):
            name = rival["implementation"]
            apart = devices.get(name, name.partition("/")[0]) != device(base)
            if apart or any(not same(rival[field], wanted) for field, wanted in fixed.items() if field in rival):
                continue
            if not any(all(value_of(one, field) in (None, value) for field, value in rival.items()) for one in ran):
                return f"no line yet of {', '.join(map(words.field_value, rival.values()))}, one of its baselines"
        return ""

    @property
    def _of_several(self) -> bool:
        return any(isinstance(value, list) for value in self.baseline.values())

    def _shared(self, line: Line, others: Sequence[str] | None) -> dict[str, Any]:
        """The fields in which `line` and its baselines agree, by default those of the place, and their values."""
        given = [f for f in (self.place if others is None else others) if f not in self.baseline]
        fields = [f for f in given if f in self._baseline_fields(tuple(given))]
        return {f: value for f in fields if (value := value_of(line, f)) is not None}

    @cache  # noqa: B019  a view lives as long as the program
    def _baseline_fields(self, fields: tuple[str, ...]) -> set[str]:
        """Those of the fields that a line of the baseline has: it cannot disagree in a parameter that it lacks."""
        lines = select(self.lines, self.baseline)
        return {field for field in fields if any(value_of(line, field) is not None for line in lines)}

    @cache  # noqa: B019  a view lives as long as the program
    def _baselines(self, fields: tuple[str, ...]) -> dict[tuple[Any, ...], list[Line]]:
        """The lines that the baseline selects, by their values of the fields."""
        return grouped(select(self.lines, self.baseline), lambda line: tuple(value_of(line, f) for f in fields))

    def doubt(self, line: Line, name: str, others: Sequence[str] | None = None) -> str:
        """Why a time is marked (results.doubt): its own doubt, or its baseline's."""
        base = self.base(line, others, name) if over_baseline(name) else None
        lines = [line] if base is None else [line, base]
        if any(metric(name).rests_on(each) & set(each["disturbed_verbs"] or ()) for each in lines):
            return words.DISTURBED
        return next(filter(None, map(doubt, lines)), "") if metric(name).timed else ""

    def fair(self, line: Line, name: str) -> bool:
        """Whether this value may be the best: undoubted, or coarse if the exhibit is about rounding."""
        return self.doubt(line, name) in ("", *([words.COARSE] if self.rounding else []))

    def label(self, name: str, value: Any) -> str:
        """The exhibit's word for the value, else the value."""
        if name in NOT_READ and value == 0:
            return "–"
        word = self.exhibit.label(name, value)
        return word if word != str(value) else words.field_value(value)

    def order(self, fields: dict[str, Any]) -> tuple[Any, ...]:
        """The key that sorts by these fields: numbers by size, words as the exhibit lists them."""
        return tuple(sort_key(name, value, self.exhibit.listed(name)) for name, value in fields.items())

    def order_of(self, line: Line, names: Sequence[str]) -> tuple[Any, ...]:
        return self.order({name: value_of(line, name) for name in names})

    def said(self, line: Line, name: str) -> str:
        """The word for the line's value of a field."""
        return self.label(name, value_of(line, name))


def few(numbers: set[int]) -> str:
    """`4`, `1, 10, 100`, or `1000 to 100,000,000 (6 values)`."""
    at = [words.field_value(number) for number in sorted(numbers)]
    return ", ".join(at) if len(at) <= 3 else f"{at[0]} to {at[-1]} ({len(at)} values)"


def gather(exhibit: Exhibit, machine: Machine, profile: str | None = None) -> View:
    """The lines that the exhibit reads on this machine, of one profile, chosen by its first source. Made once."""
    return gathered(exhibit, machine, profile)


@cache
def gathered(exhibit: Exhibit, machine: Machine, profile: str | None) -> View:
    lines: list[Line] = []
    for source in exhibit.sources:
        lines += results.of_exhibit(machine, source, lines[0]["profile"] if lines else profile)
    agreeing, left_out = consistent(select(lines, exhibit.where), exhibit.swept, exhibit.makes)
    agreeing.sort(key=lambda line: (exhibit.sources.index(line["exhibit"]), line["case"]))
    if len(exhibit.sources) > 1:
        kept = apart(agreeing)
        twice, agreeing = len(agreeing) - len(kept), kept
        left_out += [f"Left out: {twice} lines of cases that are here already."] * bool(twice)
    dropped = sum(machine.dropped[source, line["profile"]] for source in exhibit.sources for line in lines[:1])
    if dropped:
        left_out.append(f"Left out: {dropped} older lines, more than a table can show.")
    view = View(exhibit, machine, tuple(agreeing))
    places = grouped(view.lines, lambda line: repr([value_of(line, name) for name in view.place]))
    shown = (line for group in places.values() for line in prefer(group, exhibit.where))
    return View(exhibit, machine, tuple(shown), tuple(left_out))


def apart(lines: Sequence[Line]) -> list[Line]:
    """The lines without cases that another source has too: the first that ran wins, else the first."""
    firsts: dict[str, Line] = {}
    cases = {id(line): case_of(line) for line in lines}
    for line in sorted(lines, key=lambda line: bool(line["skip"])):
        firsts.setdefault(cases[id(line)], line)
    return [line for line in lines if firsts[cases[id(line)]]["exhibit"] == line["exhibit"]]


def rows(view: View, fields: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows in reading order, and their fields: the given ones, then those that tell our lines apart besides.

    A row that only the paper has keeps its printed fields, unless it already stands beside a line of ours."""
    fields = [*fields, *separating(view.lines, fields)]
    printed = view.exhibit.printed()
    found: list[tuple[Any, Row]] = []
    used: set[int] = set()
    for line in view.lines:
        unread = [name for name in NOT_READ if line[name] == 0]
        keys = [{name: value for name, value in row.key.items() if name not in unread} for row in printed]
        beside = [i for i, key in enumerate(keys) if matches(line, key)]
        used |= set(beside)
        theirs = {name: value for i in beside[:1] for name, value in printed[i].key.items() if name in unread}
        own = {name: theirs.get(name, value_of(line, name)) for name in fields}
        found.append((view.order(own), Row(own, line, tuple(printed[i] for i in beside))))
    beside_ours = {repr((printed[i].shown, printed[i].values)) for i in used}
    rest = (row for i, row in enumerate(printed) if i not in used and not row.stand_in)
    lonely = (row for row in rest if repr((row.shown, row.values)) not in beside_ours)
    for group in grouped(lonely, lambda row: tuple(str(row.shown.get(name)) for name in fields)).values():
        place = {name: group[0].key.get(name) for name in fields}
        shown = {name: group[0].shown.get(name) for name in fields}
        found.append((view.order(place), Row(shown, None, tuple(group))))
    found.sort(key=lambda pair: (pair[0], pair[1].line is None))
    return [row for _, row in found], fields
