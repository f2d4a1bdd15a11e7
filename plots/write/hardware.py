"""Machines side by side: three sentences, one picture and one table with CPUs and GPUs in the same row. For each
exhibit a page, tables as CSV and TeX, and the cascade."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from plots.decide import devices as decided
from plots.decide.portability import portability
from plots.decide.side_by_side import Sides, main_metric
from plots.draw import across as picture
from plots.read import words
from plots.read.across import BOUNDS, Comparison, Device, Portability, named
from plots.read.exhibits import Paper
from plots.read.metrics import metric
from plots.read.select import grouped
from plots.read.words import plural
from plots.write import side_tables
from plots.write.files import save_all, write
from plots.write.render import FIGURE_FORMATS, TABLE_FORMATS
from plots.write.table_formats import markdown, write_table
from plots.write.tables import EMPTY, Cell, Column, Table, count, estimated, fields_named, word

SHEETS = {ending: text for ending, text in TABLE_FORMATS.items() if ending != ".md"}
PROBLEM = ("dataset", "n", "d", "k", "precision", "iterations")
TITLES = {decided.ITERATION: "an iteration", decided.WHOLE: "a whole clustering, set-up and copies included"}
UNKNOWN = "cannot tell"
BINDS = dict(zip(BOUNDS, ("where memory binds", "where arithmetic binds", "where a launch binds"), strict=True))


def write_all(exhibits: Sequence[Sides], order: Sequence[str], out: Path) -> tuple[str, list[Path]]:
    """The sentences with the table of comparisons as Markdown, and the files out/hardware/devices*."""
    pairs, across = found(exhibits, order)
    tables = [comparisons([*pairs, *across]), *(problems(exhibits, name) for name in TITLES)]
    told = "\n".join([*sentences(pairs, across), "", markdown(tables[0])])
    stem, kept = out / "hardware/devices", [one for one in tables if one.rows]
    if not kept:
        return "", []
    pages = "\n".join([told, *(markdown(one) for one in kept[1:])])
    files = [write(stem.with_name("devices.md"), pages)]
    for one in kept:
        files += write_table(one, stem.with_name(one.key), SHEETS)
    figure = picture.machines(panels([*pairs, *across]))
    return told, files + save_all(figure, stem, FIGURE_FORMATS)


def found(exhibits: Sequence[Sides], order: Sequence[str]) -> tuple[list[Comparison], list[Comparison]]:
    """Machine against machine, and GPU against CPU."""
    across = [one for name in TITLES for one in decided.gpus_over_cpus(exhibits, name)]
    return decided.machines(exhibits, order), across


def story(exhibits: Sequence[Sides], order: Sequence[str]) -> tuple[list[str], Figure | None]:
    pairs, across = found(exhibits, order)
    return sentences(pairs, across), picture.machines(panels([*pairs, *across]))


def panels(compared: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """GPUs, CPUs, and every CPU beside the GPU that shares most problems with it; means of few problems stay out."""
    sure = [one for one in compared if len(one.each) >= decided.LEAST]
    across = grouped((one for one in sure if one.new[1] != one.base[1]), lambda one: one.base)
    same = {kind: [one for one in sure if one.new[1] == one.base[1] == kind] for kind in ("gpu", "cpu")}
    beside = [one for own in across.values() for one in most(own)]
    titles = ("GPU over GPU", "CPU over CPU", "GPU over CPU, the fastest recorded of each")
    return list(zip(titles, (*same.values(), beside), strict=True))


def sentences(pairs: Sequence[Comparison], across: Sequence[Comparison]) -> list[str]:
    """Of GPUs (else of CPUs) the two that share most problems, then the GPU and the CPU that do."""
    told = []
    pairs, across = ([one for one in some if valued(one) != UNKNOWN] for some in (pairs, across))
    kind = "gpu" if any(one.new[1] == "gpu" for one in pairs) else "cpu"
    if same := most([one for one in pairs if one.new[1] == kind]):
        first, *others = (f"{valued(one)}{{}} {BINDS[one.what]} ({plural(len(one.each), 'problem')})" for one in same)
        parts = [first.format(" times as fast"), *(one.format("") for one in others)]
        told.append(f"- {named(same[0].new)} against {named(same[0].base)}: {', '.join(parts)}.")
    for one in most(across):
        head, many = TITLES[one.what].capitalize(), plural(len(one.each), "problem")
        told.append(f"- {head}: {named(one.new)} is {valued(one)} times as fast as {named(one.base)} ({many}).")
    return told


def most(found: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of the two devices with the most problems."""
    weights: Counter[tuple[Device, Device]] = Counter()
    for one in found:
        weights[one.base, one.new] += len(one.each)
    return [one for one in found if (one.base, one.new) == weights.most_common(1)[0][0]]


def valued(one: Comparison) -> str:
    """`1.06 [1.04, 1.08]`; `cannot tell` of an interval that is only noise."""
    if words.interval(one.value, 3) == words.NOISE:
        return UNKNOWN
    value, low, high = (words.number(v, 3) for v in (one.value.value, *one.value.range))
    return f"{value} [{low}, {high}]" if one.value.known else value


REMARK = (
    "Geometric means over problems, with Student's t on their logarithms; all threads, no coarse or disturbed time. "
    "Machine over machine: the same implementations on both; bytes, operations or a launch with its end bind by the "
    "ceilings of the second, which most implementations do not reach. GPU over CPU: the fastest recorded of each."
)


def comparisons(found: Sequence[Comparison]) -> Table:
    numbers = [Column("faster", "ours", "times as fast"), Column("problems", "ours", "problems")]
    rows = []
    for one in found:
        heads = [named(one.new), named(one.base), BINDS.get(one.what) or TITLES[one.what]]
        own = Cell(valued(one), raw=(one.value.value, one.value.low, one.value.high))
        rows.append([*map(word, heads), own, count(len(one.each))])
    columns = [*fields_named("device", "over", "what"), *numbers]
    return Table("devices", "Machines in few numbers", columns, rows, remarks=[REMARK])


def problems(exhibits: Sequence[Sides], name: str) -> Table:
    """A row a problem, a column a device: its fastest time, and by which implementation."""
    best = decided.best(exhibits, name)
    devices = sorted({device for own in best.values() for device in own}, key=lambda at: (at[1] != "gpu", at[0]))
    unit = metric(name).unit
    columns = [*fields_named(*PROBLEM), *(Column(named(at), "ours", f"{named(at)} ({unit})") for at in devices)]
    rows = []
    for task, own in best.items():
        till = f"{task.max_iters}" if task.tolerance is None else f"until at most {task.tolerance:g} change"
        heads = [task.dataset, task.n, task.d, task.k, task.precision, till]
        rows.append([*(Cell(words.field_value(v), raw=(v,)) for v in heads), *(fastest(own.get(at)) for at in devices)])
    return Table(f"devices-{name}", f"The fastest of each device: {TITLES[name]}", columns, rows)


def fastest(found: tuple | None) -> Cell:
    if found is None:
        return EMPTY
    _, line, value = found
    own = estimated(value)
    return Cell(f"{own.text} {line['implementation'].partition('/')[2]}", raw=own.raw)


def cascades_of(both: Sides) -> list[tuple[str, Portability]]:
    """By kind of efficiency, for measured devices."""
    name = main_metric(both.exhibit)
    found = [(k, portability(both, d, k, name)) for k in ("application", "architecture") for d in ("cpu", "gpu")]
    return [(kind, one) for kind, one in found if one.platforms]


def tables(both: Sides, paper: Paper) -> list[Table]:
    """The tables of one exhibit that have rows or remarks, in reading order."""
    made = [make(both) for make in (side_tables.times, side_tables.ceilings, side_tables.costs)]
    made += [side_tables.expectations(both, paper), side_tables.cascades(both, cascades_of(both))]
    return [table for table in made if table.rows or table.key.endswith(("/cost", "/portability"))]


def page(made: Sequence[Table]) -> str:
    """These tables as Markdown; of one without rows, the title and the remarks."""
    return "\n".join(
        markdown(one) if one.rows else "\n\n".join([f"**{one.title}**", *one.remarks]) + "\n" for one in made
    )


def write_exhibit(both: Sides, paper: Paper, out: Path) -> list[Path]:
    """Under out/hardware/<paper>/: <exhibit>.md, <exhibit>-<table>.csv and .tex, <exhibit>-cascade.svg, .pdf, .png."""
    stem, made = out / "hardware" / both.exhibit.key, tables(both, paper)
    written = [write(stem.with_name(stem.name + ".md"), page(made))]
    for table in made:
        if table.rows:
            written += write_table(table, stem.with_name(f"{stem.name}-{table.key.rpartition('/')[2]}"), SHEETS)
    figure = picture.cascades(cascades_of(both))
    return written + save_all(figure, stem.with_name(f"{stem.name}-cascade"), FIGURE_FORMATS)
