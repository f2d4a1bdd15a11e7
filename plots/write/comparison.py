"""A comparison as tables (environment, implementations, cases) and as sentences."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from plots.decide import compare
from plots.decide.change import fewest_rounds, fewest_samples
from plots.decide.compare import Comparison, Group, Pair, Ranking
from plots.read import words
from plots.read.changes import Changed
from plots.read.history import Series
from plots.read.intervals import Estimate, exact, of_median
from plots.read.sides import Case, Side
from plots.read.words import plural
from plots.write.machine import flatten
from plots.write.tables import EMPTY, Cell, Column, Footnotes, Table, count, fields_named, word

PASSING = ("ceilings.", "floor.", "price.", "cpu.mhz", "gpu.power_w", "gpu.temperature_c", "gpu.sm_mhz", "gpu.mem_mhz")
EXPECTED = ("commit", "dirty", "date", "load", "build.commit", "build.dirty", "warnings", "kmbench_commit")
ALWAYS = (compare.SLOWER, compare.FASTER, compare.BROKEN, compare.COARSE, compare.OTHER)  # the verdicts that are shown
MS = 1e3
DIMENSIONLESS = 4  # digits of a ratio
MOST_FILES = 12  # in the table of what changed


def environment(base: Side, new: Side) -> Table:
    """Where the two sides' records differ, without passing values and names that only one kind of record has."""
    told = [flatten(side.environment) for side in (base, new)]
    alike = len({"cpu.model" in one for one in told}) == 1
    names = [name for name in dict.fromkeys(n for one in told for n in one) if not name.startswith(PASSING)]
    spoken = [name for name in names if alike or all(name in one for one in told)]
    differ = [name for name in spoken if told[0].get(name) != told[1].get(name)]
    columns = [Column("what", "field", ""), *fields_named("base", "new")]
    rows = [[word(name), *(word(one.get(name, words.MISSING)) for one in told)] for name in differ]
    other = [name for name in differ if name not in EXPECTED]
    remark = "" if differ else "Nothing that the records hold differs."
    if not (alike and all(told)):
        remark = "One side has no record of its machine: whether it was the same cannot be told."
    elif other:
        verb = "differ" if len(other) > 1 else "differs"
        remark = f"Not the code's change alone: {', '.join(other[:8])}{' …' if len(other) > 8 else ''} {verb} as well."
    return Table("environment", "What differs between the two", columns, rows, remarks=[remark] if remark else [])


def percent(value: float | None) -> str:
    return words.MISSING if value is None else f"{words.number(100 * value, 2, 1)}%"


def ratio_cell(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return EMPTY
    text = words.number(estimate.value, DIMENSIONLESS, 3)
    bounds = "" if not estimate.known or estimate.exact else ", ".join(words.number(v, 4, 3) for v in estimate.range)
    return Cell(text, bounds, raw=(estimate.value, estimate.low, estimate.high))


def verdict_text(verdict: str, made: Comparison) -> str:
    shares = {compare.SAME: f"same within {100 * made.within:g}%"}
    shares[compare.NOT_SLOWER] = f"not slower than {100 * made.threshold:g}%"
    return shares.get(verdict, verdict)


def decision(one: Pair | Group, made: Comparison, marks: tuple[int, ...] = ()) -> list[Cell]:
    p = words.MISSING if one.p is None else f"{one.p:.2g}"
    seen = Cell(percent(one.detectable), raw=(one.detectable,))
    return [ratio_cell(one.ratio), Cell(p, raw=(one.p,)), seen, word(verdict_text(one.verdict, made), marks)]


DECISION = [
    Column("ratio", "ours", "new / base"),
    Column("p", "word", "p"),
    Column("smallest_seen", "word", "smallest change seen"),
    Column("verdict", "word", "verdict"),
]


def by_implementation(made: Comparison) -> Table:
    columns = [*fields_named("implementation", "cases"), *DECISION]
    rows = [[word(one.implementation), count(one.cases), *decision(one, made)] for one in made.groups]
    remarks = []
    if any(group.change is None for group in made.groups):
        remarks = [
            "One run a side: what it suffers falls on all cases of an implementation alike, so that their median "
            "decides nothing. scripts/regress measures in rounds."
        ]
    return Table("implementations", "By implementation, all of its cases together", columns, rows, remarks=remarks)


def by_case(made: Comparison, everything: bool = False) -> Table:
    """The cases that changed, or all of them."""
    pairs = [pair for pair in made.pairs if everything or pair.verdict in ALWAYS]
    pairs.sort(key=lambda p: (compare.VERDICTS.index(p.verdict), -(p.ratio.value if p.ratio else 0)))
    short, shared = told_apart([pair.base for pair in made.pairs])
    columns = fields_named("implementation", "case")
    columns += [Column("base", "ours", "base, a run (ms)"), Column("new", "ours", "new, a run (ms)"), *DECISION]
    notes, rows = Footnotes(), []
    for pair in pairs:
        marks = (notes.mark(pair.why),) if pair.why else ()
        medians = ((side, of_median(side.samples) if pair.change else None) for side in (pair.base, pair.new))
        times = [time_cell(value, words.COARSE if side.coarse else "") for side, value in medians]
        rows.append([word(pair.implementation), word(short(pair.base)), *times, *decision(pair, made, marks)])
    title = "Cases" if everything else "Cases that changed"
    return Table("cases", title, columns, rows, notes.sentences, remarks(made), shared)


def told_apart(cases: Sequence[Case | Series]) -> tuple[Callable[[Case | Series], str], str]:
    """The text that tells a case apart, and the text that all share. A setting counts only among the cases of its own
    data set or implementation."""
    texts: dict[str, list[str]] = {}
    values: dict[tuple[str, str], set[str]] = {}
    for case in cases:
        owners = {"data": case.parts.get("dataset", ""), "set": case.implementation}
        for label, text in case.parts.items():
            texts.setdefault(label, []).append(text)
            values.setdefault((label, owners.get(label.partition(".")[0], "")), set()).add(text)
    everywhere = {label for label, found in texts.items() if len(found) == len(cases)}
    apart = {label for (label, owner), found in values.items() if len(found) > 1 or not (owner or label in everywhere)}
    shared = [found[0] for label, found in texts.items() if label in everywhere - apart and len(set(found)) == 1]

    def short(case: Case | Series) -> str:
        return "/".join(text for label, text in case.parts.items() if label in apart) or words.MISSING

    return short, " · ".join(shared)


def time_cell(value: Estimate | None, doubt: str = "") -> Cell:
    """Seconds in ms, without the interval."""
    if value is None:
        return EMPTY
    ms = value.scaled(MS)
    return Cell(words.point(ms), doubt=doubt, raw=(ms.value, ms.low, ms.high))


def remarks(made: Comparison) -> list[str]:
    methods = Counter(pair.change.test for pair in made.pairs if pair.change)
    several = len(methods) > 1
    ways = "; ".join(test + f" ({plural(count, 'case')})" * several for test, count in methods.most_common())
    found = []
    if methods:
        found.append(
            f"[95% interval] of new / base; p: {ways}, corrected after Holm for {plural(sum(methods.values()), 'case')}"
            f"{' and for the implementations beside them' if made.families > 1 else ''}; "
            "smallest change seen: what would have been told from none four times of five (docs/method.md)."
        )
    if any(pair.change.in_rounds for pair in made.pairs if pair.change):
        found.append("base and new are medians of all runs; their ratio is that of the least runs of each round.")
    if any(pair.base.coarse or pair.new.coarse for pair in made.pairs):
        found.append("† coarse: explained by rounding, yet too far from fp64's result.")
    return found


def sight(made: Comparison) -> str:
    """Which changes the undecided cases could have shown; empty if none."""
    found = [pair.detectable for pair in made.pairs if pair.verdict == compare.UNDECIDED]
    seen = sorted(value for value in found if value is not None)
    if not seen:
        return ""
    low, middle, high = (percent(value) for value in (seen[0], median(seen), seen[-1]))
    many = plural(len(seen), "undecided case")
    span = low if low == high else f"{low} to {high}"
    return f"Of {many} a change of {span} would have been seen{f' ({middle} by the median)' * (low != high)}."


def summary(made: Comparison) -> str:
    """`216 pairs: 3 slower · 200 same within 2% · 13 undecided. Only in base: 2 cases.`"""
    counts = Counter(pair.verdict for pair in made.pairs)
    told = " · ".join(f"{counts[v]} {verdict_text(v, made)}" for v in compare.VERDICTS if counts[v])
    text = f"{plural(len(made.pairs), 'pair')}: {told}." if made.pairs else "No case is on both sides."
    for names, side in ((made.only_base, "base"), (made.only_new, "new")):
        text += f" Only in {side}: {plural(len(names), 'case')}." if names else ""
    return text


def conclusion(made: Comparison) -> str:
    return " ".join(filter(None, (outcome(made), own_commit(made))))


def outcome(made: Comparison) -> str:
    share = f"{100 * made.threshold:g}%"
    if found := [*made.slower, *made.lost]:
        more = f" And {len(found) - 5} more." if len(found) > 5 else ""
        return f"Regression past {share}: {'; '.join(map(blamed, found[:5]))}.{more}"
    if made.blind:
        return cannot_decide(made)
    timed = [pair.ratio for pair in made.pairs if pair.ratio]
    if not timed:
        return "Cannot decide: no case has a time on both sides."
    if made.lacking:
        lost = f"{plural(len(made.lacking), 'case')} of base, such as {made.lacking[0]}"
        return f"Cannot decide: new lacks {lost}; --filter chooses shared ones."
    hidden = sum(not ratio.known or ratio.range[1] >= 1 + made.threshold for ratio in timed)
    if hidden or len(timed) < len(made.pairs):
        rest = f"; {plural(hidden, 'case')} may hide one." if hidden else "."
        return f"No regression past {share} was seen{rest}"
    most = max((ratio.range[1] for ratio in timed), default=1) - 1
    return f"No regression of {share}: {f'at most {percent(most)} slower' if most > 0 else 'no case is slower'}."


def blamed(one: Pair | Group) -> str:
    """`all cases of cpu/lloyd/naive, 1.078 [1.026, 1.122] times the time`."""
    name = f"all cases of {one.implementation}" if isinstance(one, Group) else one.name
    if one.change is None:
        return f"{name}, {one.verdict}"
    cell = ratio_cell(one.ratio)
    return f"{name}, {cell.text} [{cell.interval}] times the time"


def cannot_decide(made: Comparison) -> str:
    """`Cannot decide: 3 runs a side, 5 are needed.`, and the largest change among these cases."""
    tests = made.families * sum(pair.change is not None for pair in made.pairs)
    rounds = [pair for pair in made.blind if pair.change.in_rounds]
    runs = [min(len(pair.base.samples), len(pair.new.samples)) for pair in made.blind]
    had = min([pair.ratio.samples for pair in rounds] or runs)
    few, needed = plural(had, "round" if rounds else "run"), (fewest_rounds if rounds else fewest_samples)(tests)
    side = "" if rounds else " a side"
    which = "" if len(made.blind) == len(made.pairs) else f" ({len(made.blind)} of {plural(len(made.pairs), 'case')})"
    worst = max(made.blind, key=lambda pair: pair.ratio.value)
    largest = words.number(worst.ratio.value, DIMENSIONLESS, 3)
    return f"Cannot decide: {few}{side}, {needed} are needed{which}. The largest ratio is {largest} ({worst.name})."


def own_commit(made: Comparison) -> str:
    """A warning if both sides have one commit, with uncommitted changes; else empty."""
    sides = (made.base, made.new)
    commits, changes = ([str(side.environment.get(name, "")) for side in sides] for name in ("commit", "dirty"))
    changed = [name for name, said in zip(("base", "new"), changes, strict=True) if "True" in said]
    if not changed or commits[0] != commits[1] or commits[0] in ("", "None") or "," in commits[0]:
        return ""
    whose = "Both sides have" if len(changed) == 2 else f"{changed[0].capitalize()} has"
    return f"Both sides are commit {commits[0][:10]}. {whose} uncommitted changes: the verdict is about these."


def unpaired(made: Comparison) -> Table:
    """The number of cases without a counterpart, by side and implementation."""
    counts = Counter()
    for side, names, where in (("base", made.only_base, made.base), ("new", made.only_new, made.new)):
        counts.update((side, where.cases[name].implementation) for name in names)
    rows = [[word(side), word(what), count(n)] for (side, what), n in sorted(counts.items())]
    return Table("unpaired", "Without a counterpart", fields_named("only in", "implementation", "cases"), rows)


def parts(made: Comparison, files: Sequence[Changed] = (), everything: bool = False) -> list[str | Table]:
    """Everything in reading order, the environment first; its remark if it has no rows."""
    around = environment(made.base, made.new)
    found = [around if around.rows else around.remarks[0], *([changes(files)] if files else [])]
    found += [summary(made), conclusion(made), *filter(None, [sight(made)])]
    tables = (by_implementation(made), by_case(made, everything), unpaired(made))
    return [*found, *(table for table in tables if table.rows)]


def changes(files: Sequence[Changed]) -> Table:
    """git diff --stat: the most changed files first."""
    lines = {one.file: (one.added or 0) + (one.removed or 0) for one in files}
    shown = sorted(files, key=lambda one: (-lines[one.file], one.file))[:MOST_FILES]
    rows = [[word(one.file), *(EMPTY if n is None else count(n) for n in (one.added, one.removed))] for one in shown]
    columns = [*fields_named("file"), Column("added", "ours", "lines added"), Column("removed", "ours", "removed")]
    total = f"{plural(len(files), 'file')}, {plural(sum(lines.values()), 'line')} (git diff --numstat)."
    return Table("files", "What changed", columns, rows, remarks=[total])


def ranks(made: Ranking, sides: Sequence[str]) -> Table:
    columns = [*fields_named("place", "implementation"), Column("mean", "ours", "times the best")]
    columns += [Column("first", "word", "first"), Column("worst", "ours", "at worst")]
    rows = []
    for at, place in enumerate(made.places, start=1):
        mean, worst = (ratio_cell(exact(value)) for value in (place.mean, place.worst))
        rows.append([count(at), word(place.implementation), mean, count(place.first), worst])
    solved = plural(made.problems, "problem")
    told = [f"Geometric mean over {solved} that all of these solved; of several parameter values the fastest counts."]
    if made.left_out:
        names = ", ".join(f"{name} ({plural(count, 'problem')})" for name, count in made.left_out.items())
        told.append(f"In no ranking: {names}.")
    return Table("rank", f"Implementations of {', '.join(sides)}", columns, rows, remarks=told)
