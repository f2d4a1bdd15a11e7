"""An exhibit as a table: measured value with interval, the paper's value, and their ratio."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from plots.read import words
from plots.read.check import Line
from plots.read.exhibits import Exhibit, Printed
from plots.read.intervals import Estimate
from plots.read.metrics import WORD_COLUMNS, metric, wrong_share
from plots.read.results import coarse, reason
from plots.read.select import ALL_THREADS, grouped, matches, value_of
from plots.read.view import Row, View, rows
from plots.write.suspicious import suspicious

FIELD_TITLES = {"dataset": "data set", "max_iters": "iterations allowed", "init": "initial centroids"}
ROWS, WITHIN = 10, 1.10  # of the worst: rows that are shown; time over the best's that is near it
WORDS = ("field", "word")  # the roles of columns that hold no number


@dataclass(frozen=True)
class Column:
    """`role`: field, word, ours, paper, ratio or beside. Columns of one metric share `group`, its title."""

    name: str
    role: str
    group: str


@dataclass(frozen=True)
class Cell:
    text: str
    interval: str = ""
    doubt: str = ""  # of a time, or of a ratio of one (results.doubt): marked, never the best
    best: bool = False  # of the implementations of one problem
    marks: tuple[int, ...] = ()
    raw: tuple[float | str | None, ...] = ()

    @property
    def filled(self) -> bool:
        return bool(self.raw) and self.raw[0] is not None


@dataclass(frozen=True)
class Table:
    key: str
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    footnotes: list[str] = field(default_factory=list)  # footnotes[i] is marked i + 1
    remarks: list[str] = field(default_factory=list)
    size: str = ""  # n, d, k, iterations and the profile


class Footnotes:
    """Numbers sentences in the order of their first use."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def mark(self, sentence: str) -> int:
        if sentence not in self.sentences:
            self.sentences.append(sentence)
        return self.sentences.index(sentence) + 1


EMPTY = Cell(words.MISSING, raw=(None, None, None))


def word(text: str, marks: tuple[int, ...] = ()) -> Cell:
    return Cell(text, marks=marks, raw=(text,))


def count(number: int) -> Cell:
    return Cell(str(number), raw=(number,))


def estimated(value: Estimate | None, doubt: str = "") -> Cell:
    if value is None:
        return EMPTY
    return Cell(words.point(value), words.interval(value), doubt, raw=(value.value, value.low, value.high))


def untimed(why: str, notes: Footnotes) -> Cell:
    """A cell without a value: the first word of the reason, with the reason as footnote; else a dash."""
    marks = (notes.mark(why),) if why else ()
    return Cell(why.partition(":")[0] or words.MISSING, marks=marks, raw=(None, None, None))


def fields_named(*names: str, headers: dict[str, str] | None = None) -> list[Column]:
    titles = FIELD_TITLES | (headers or {})
    return [Column(name, "field", titles.get(name, name.replace("_", " "))) for name in names]


def titled(exhibit: Exhibit, name: str) -> str:
    """A metric's title, in the paper's words where the exhibit has them."""
    one = metric(name)
    return replace(one, label=exhibit.headers.get(name, one.label)).title


def build(view: View) -> Table:
    """The table of an exhibit, or of the points of a figure."""
    metrics, (found, fields) = view.metrics, rows(view, view.place)
    found, told = worst_rows(view, found, fields) if "worst" in view.exhibit.table else (found, [])
    with_paper = {name for row in view.exhibit.printed() for name in row.values}
    numbers = [name for name in metrics if name not in WORD_COLUMNS]
    with_ours = {name for name in numbers if any(view.value(line, name, fields) is not None for line in view.lines)}
    columns = fields_named(*fields, headers=view.exhibit.headers)
    for name in metrics:
        if name in WORD_COLUMNS:
            columns += [Column(name, "word", name)] if any(line[name] for line in view.lines) else []
            continue
        if name in view.exhibit.spec.get("labels", {}):  # its numbers stand for names
            columns.append(Column(name, "word", titled(view.exhibit, name)))
            continue
        roles = ("ours", "paper", "ratio") if name in with_paper else ("ours",)
        if name in with_paper and name not in with_ours and (with_ours or not view.lines):
            roles = ("paper",)  # no line has this metric: nothing to stand beside the paper's
        columns += [Column(name, role, titled(view.exhibit, name)) for role in roles]
    notes, methods = Footnotes(), {}
    cells = [[cell(view, row, column, fields, notes, methods) for column in columns] for row in found]
    cells = best_marked(found, columns, cells)
    said = told + remarks(view, fields[len(view.place) :], methods) + grade_remarks(view, cells)
    return Table(view.exhibit.key, view.exhibit.heading, columns, cells, notes.sentences, said, view.size)


def cell(
    view: View, row: Row, column: Column, fields: Sequence[str], notes: Footnotes, methods: dict[str, set]
) -> Cell:
    printed = next((p for p in row.printed if column.name in p.values), None)
    if column.role == "word":
        value = spoken(view, row.line, column.name) if row.line else None
        return Cell(view.label(column.name, value), raw=(value,))
    if column.role == "field":
        value = row.fields[column.name]
        marks = tuple(notes.mark(p.note) for p in row.printed if p.note) if column.name == fields[0] else ()
        telling = "implementation" if "implementation" in fields else fields[0]
        if row.line and row.line["departs"] and column.name == telling:
            marks += (notes.mark(f"departs from the task: {row.line['departs']}"),)
        if row.line and column.name == telling and (doubted := suspicious(view).get(id(row.line))):
            marks += (notes.mark(doubted),)
        return Cell(view.label(column.name, value), marks=tuple(dict.fromkeys(marks)), raw=(value,))
    if column.role == "paper":
        text = printed.values[column.name] if printed else ""
        unit = printed.unit(column.name) if printed else ""
        return Cell(f"{text} {unit}".strip() or words.MISSING, raw=(text or None,))
    if column.role == "ratio":
        value = against_paper(view, row, printed, column.name, fields)
        if value is None:
            return Cell(words.MISSING, raw=(None,))
        doubt = view.doubt(row.line, column.name, fields)
        return Cell(words.number(value, 3, words.decimals_for(value, 3)), doubt=doubt, raw=(value,))
    own = view.value(row.line, column.name, fields) if row.line else None
    if own is None:
        return untimed(reason(row.line) if row.line else "", notes)
    methods.setdefault(own.method, set()).add((metric(column.name).label, own.samples))
    return estimated(own, view.doubt(row.line, column.name, fields))


def spoken(view: View, line: Line, name: str) -> str | None:
    """The word of a column of words: the line's own, or what a metric's number stands for."""
    if name in WORD_COLUMNS:
        return line[name]
    value = view.value(line, name)
    return view.exhibit.label(name, f"{value.value:g}") if value else None


def worst_rows(view: View, found: Sequence[Row], fields: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows that `[table] worst` leaves, worst first, and a sentence about each implementation's regret."""
    chosen, name = view.exhibit.table.get("worst"), view.exhibit.table["columns"][0]
    fair = [row for row in found if row.line and matches(row.line, chosen) and view.fair(row.line, name)]
    timed = [(value.value, row) for row in fair if (value := view.value(row.line, name, fields))]
    told = [
        regret_sentence(who, [value for value, _ in group])
        for who, group in grouped(timed, lambda pair: pair[1].line["implementation"]).items()
    ]
    return [row for _, row in sorted(timed, key=lambda pair: pair[0])[:ROWS]], told


def regret_sentence(who: str, speedups: Sequence[float]) -> str:
    """Regret is the time over the best's, the inverse of the speedup over the best."""
    mean = math.exp(-sum(map(math.log, speedups)) / len(speedups))
    near = 100 * sum(value >= 1 / WITHIN for value in speedups) / len(speedups)
    return (
        f"{who}, {len(speedups)} problems: its time over the best's is {words.number(mean, 3)} in the geometric mean, "
        f"at most {WITHIN:.2f} on {words.number(near, 3)}% of them, {words.number(1 / min(speedups), 3)} at worst."
    )


def best_marked(found: Sequence[Row], columns: Sequence[Column], cells: list[list[Cell]]) -> list[list[Cell]]:
    """The cells, the best of each problem marked if several implementations solve it and intervals are apart."""
    problems: dict[str, list[int]] = {}
    for i, row in enumerate(found):
        if row.line and "implementation" in row.fields:
            own = [v for f, v in row.fields.items() if f != "implementation" and f not in row.line["parameters"]]
            problems.setdefault(repr(own), []).append(i)
    for at, column in enumerate(columns):
        if column.role != "ours" or not metric(column.name).timed:
            continue
        sign = -1 if metric(column.name).better == "higher" else 1
        for rows_of_one in problems.values():
            rivals = [i for i in rows_of_one if cells[i][at].filled]
            fair = [i for i in rivals if not cells[i][at].doubt]
            if fair and len({found[i].fields["implementation"] for i in rivals}) > 1:
                first, *others = sorted(fair, key=lambda i: sign * cells[i][at].raw[0])
                if not any(overlap(cells[first][at], cells[i][at]) for i in others):
                    cells[first][at] = replace(cells[first][at], best=True)
    return cells


def overlap(a: Cell, b: Cell) -> bool:
    """Whether two intervals meet; a single measurement is a point."""
    (low_a, high_a), (low_b, high_b) = (
        (value if low is None else low, value if high is None else high) for value, low, high in (a.raw, b.raw)
    )
    return low_a <= high_b and low_b <= high_a


def grade_remarks(view: View, cells: Sequence[Sequence[Cell]]) -> list[str]:
    doubts = {cell.doubt for row in cells for cell in row}
    found = []
    if words.DISTURBED in doubts:
        found.append(f"‡ disturbed: {words.TAKEN}. Never the best, and no claim rests on it.")
    if words.COARSE in doubts:
        shares = (wrong_share(line, {}) for line in view.lines if coarse(line))
        worst = max((share.value for share in shares if share), default=0.0)
        subject = ", except here, where rounding is the subject" if view.rounding else ""
        found.append(
            "† coarse: explained by the rounding of its arithmetic, yet with labels or means too far from fp64's "
            f"(wrong labels: up to {words.number(worst, 3)}%). Never the best, and no claim rests on it{subject}."
        )
    return found


def against_paper(view: View, row: Row, printed: Printed | None, name: str, fields: Sequence[str]) -> float | None:
    """Ours over the paper's; None for another size, a disturbed time, and anything but a time of a stand-in."""
    if not row.line or not printed or (printed.stand_in and not metric(name).timed):
        return None
    if view.resized([row.line]) or view.doubt(row.line, name, fields) == words.DISTURBED:
        return None
    own, theirs = view.value(row.line, name, fields), words.parse(printed.values[name], printed.unit(name))
    return own.value / theirs if own is not None and theirs else None


def unlinked(line: Line) -> bool:
    """Whether a time rests on one run: no run of another length was tied to it, because its library cannot make one."""
    replayed = line.get("replayed")
    return bool(line["samples_s"] and replayed and replayed["links"] == 0 and replayed["skipped"])


def remarks(view: View, added: Sequence[str], methods: dict[str, set]) -> list[str]:
    found = []
    if not view.lines:
        found.append(f"Nothing of this was run on {view.machine.name}: paper's values only.")
    elif view.profile == "quick":
        other = ", ".join(view.resized(view.lines))
        change = f", with another {other} than the paper's: no ratios there" if other else ""
        found.append(f"Quick profile{change}.")
    if view.lines and len(view.commits) > 1:
        found.append(f"Lines of {len(view.commits)} commits: {', '.join(view.commits)}.")
    found += view.left_out
    known = view.machine.threads
    used = {value_of(line, "threads") or ALL_THREADS for line in view.lines if line["samples_s"]}
    if known and (more := sorted(count for count in used if count > known)):  # kmbench run skips these here
        found.append(f"Rows with {' and '.join(map(str, more))} threads are of another host: this machine has {known}.")
    why = {line["implementation"]: line["replayed"]["skipped"] for line in view.lines if unlinked(line)}
    if why:
        found.append(f"Not replayed: {'; '.join(f'{name} ({reason})' for name, reason in sorted(why.items()))}.")
    if added:
        found.append(f"Shown besides, for they tell cases apart: {', '.join(added)}.")
    for method, what in sorted(methods.items()):
        if method not in ("exact", "measured once"):
            twice = {pair for pair in what if pair[1] == 2 and method.startswith("t of log")}
            for some, told in ((what - twice, "95% interval"), (twice, "a and b")):
                names = ", ".join(dict.fromkeys(name for name, _ in sorted(some)))
                counts = "–".join(map(str, sorted({f([c for _, c in some]) for f in (min, max)}))) if some else ""
                how = "run twice, both values" if some is twice else f"{method}, {counts} samples"
                found += [f"[{told}] of {names}: {how}."] * bool(some)
    if "measured once" in methods:
        names = sorted({name for name, _ in methods["measured once"]})
        found.append(f"Measured once, no interval: {', '.join(names)}.")
    sources = sorted({row.source for row in view.exhibit.printed()})
    if sources:
        theirs = f" ({view.exhibit.machine})" if view.exhibit.machine else ""
        found.append(f"paper: {' and '.join(sources)}{theirs}; ratio: ours / paper.")
    return found
