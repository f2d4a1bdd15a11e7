"""Explains one cell of an exhibit's table: samples, command, commit, judge, and the paper's value."""

from collections.abc import Sequence

from plots.decide.claim_text import selectors
from plots.errors import UserError
from plots.read import disturbed, words
from plots.read.exhibits import Exhibit, Paper
from plots.read.metrics import METRICS, WORD_COLUMNS, metric, over_baseline
from plots.read.results import Line, reason
from plots.read.select import matches, same
from plots.read.view import Row, View, rows
from plots.write.claim_sheet import place
from plots.write.tables import against_paper, titled

MOST_SAMPLES = 40
Part = tuple[str, str]


def explain(view: View, paper: Paper, row: str, column: str) -> str:
    """`row`: its number, from 1, or `field=value,…`. `column`: a metric. Raises UserError for any other."""
    name = metric_of(column, view.metrics, view.exhibit)
    found, fields = rows(view, view.place)
    number = row_of(row, found, fields)
    one = found[number - 1]
    parts: list[Part] = [
        ("exhibit", f"{view.exhibit.key}: {view.exhibit.heading}"),
        ("machine", f"{view.machine.name}, {view.profile or 'no'} profile"),
        ("row", f"{number} of {len(found)}: " + ", ".join(f"{f} = {view.label(f, one.fields[f])}" for f in fields)),
        ("column", f"{name}: {titled(view.exhibit, name)}"),
        *(of_line(view, one.line, name, fields) if one.line else [("value", "nothing of this row was run here")]),
        *of_paper(view, paper, one, name, fields),
    ]
    width = max(len(label) for label, _ in parts)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in parts) + "\n"


def metric_of(column: str, shown: Sequence[str], exhibit: Exhibit) -> str:
    """A column of the table, else any metric at all."""
    numbers = [name for name in shown if name not in WORD_COLUMNS]
    for name in numbers:
        if column in (name, metric(name).label, exhibit.headers.get(name), titled(exhibit, name)):
            return name
    try:
        return metric(column).name
    except UserError:
        raise UserError(
            f"no column {column!r}; this table has {', '.join(numbers)}; any metric will do: {', '.join(METRICS)}"
        ) from None


def row_of(text: str, found: Sequence[Row], fields: Sequence[str]) -> int:
    if text.isdecimal():
        if not 1 <= int(text) <= len(found):
            known = f"has rows 1 to {len(found)}" if found else "is empty"
            raise UserError(f"row {text}: the table {known}")
        return int(text)
    wanted: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or name not in fields:
            raise UserError(f"row {text!r}: a number, or field=value,… is needed; fields: {', '.join(fields)}")
        wanted[name] = value
    fitting = [i for i, row in enumerate(found, start=1) if all(is_value(row.fields[f], v) for f, v in wanted.items())]
    if len(fitting) != 1:
        told = f"rows {', '.join(map(str, fitting[:8]))}{' …' if len(fitting) > 8 else ''}" if fitting else "no row"
        raise UserError(f"row {text!r} is {told} of {len(found)}; fields: {', '.join(fields)}")
    return fitting[0]


def is_value(value: object, text: str) -> bool:
    """Whether the text is this value: 1e6 and 1,000,000 are alike."""
    if str(value) == text:
        return True
    try:
        return same(value, float(text.replace(",", "")))
    except ValueError:
        return False


def of_line(view: View, line: Line, name: str, fields: Sequence[str]) -> list[Part]:
    value = view.value(line, name, fields)
    why = reason(line)
    method = f" ({value.method}, {value.samples} samples)" if value and not value.exact and value.known else ""
    told = f"{words.both(value)} {metric(name).unit}".rstrip() + method if value else view.awaited(line, name, fields)
    text = why or told or "not in this line"
    doubt = view.doubt(line, name, fields)
    parts = [("value", text + (f"; {doubt}, hence never the best" if doubt else ""))]
    if not why:
        parts += samples(line, name)
    if over_baseline(name) and (base := view.base(line, fields, name)):
        parts.append(("baseline", f"{base['implementation']}, case {base['case']}"))
    commands = [one + " --profile quick" * (line["profile"] == "quick") for one in view.exhibit.commands]
    changes = " with uncommitted changes" if line["dirty"] else ""
    parts += [
        ("case", line["case"]),
        ("line", "; ".join(f"{path.name}, byte {offset}" for path, offset in line.get("places", [])) or "–"),
        ("command", "; ".join(commands) or "kmbench run --implementation … --dataset …"),
        ("commit", f"{line['commit'] or '?'}{changes}, measured {line['date']}"),
        ("judge", judged(line)),
    ]
    if library := line["library"]:
        parts.append(("library", f"{library['name']} {library['version'] or 'of an unknown version'}"))
    return parts


def samples(line: Line, name: str) -> list[Part]:
    """The timed runs, and the iterations of the traced run if the metric is a phase."""
    run = words.plural(line["iterations"], "iteration")
    parts = [("samples", f"{listed(line['samples_s'])} s a run of {run}")]
    if once := metric(name).rests_on(line) & set(line["disturbed_verbs"] or ()):
        parts.append(("disturbed", f"{', '.join(sorted(once))}, measured once: {words.TAKEN}"))
    if out := sum(disturbed.flags(line)):
        parts.append(("disturbed", f"{out} of {len(line['samples_s'])} runs: {words.TAKEN}"))
    phase = name.removeprefix("speedup:").removeprefix("efficiency:").removeprefix("phase:")
    if phase in line["phases"]:
        parts.append(("traced", f"{listed(line['phases'][phase])} s an iteration"))
    return parts


def listed(values: Sequence[float]) -> str:
    shown = ", ".join(f"{value:.6g}" for value in values[:MOST_SAMPLES])
    return shown + (f", … ({len(values)} in all)" if len(values) > MOST_SAMPLES else "")


def judged(line: Line) -> str:
    if line["verdict"] is None:
        return "nothing to judge"
    if line["verdict"]:
        return f"wrong: {line['verdict']}"
    parts = [f"right, {line['grade']}" if line["grade"] else "right (no grade: a line of schema 1)"]
    if line["judged_points"] is not None:
        parts.append(f"{words.field_value(line['judged_points'])} of {words.field_value(line['n'])} labels judged")
    if line["wrong_labels"] is not None:
        parts.append(f"{line['wrong_labels']} not the nearest centroid's")
    if line["mean_error"] is not None:
        parts.append(f"means off by at most {line['mean_error']:.2g}")
    return ", ".join(parts)


def of_paper(view: View, paper: Paper, row: Row, name: str, fields: Sequence[str]) -> list[Part]:
    parts = []
    printed = next((p for p in row.printed if name in p.values), None)
    if printed:
        ratio = against_paper(view, row, printed, name, fields)
        unit = printed.unit(name) or metric(name).unit
        times = f"; ours is {words.number(ratio, 3)} times that" if ratio else ""
        parts.append(("paper", f"{printed.values[name]}{unit and f' {unit}'} ({printed.source}){times}"))
        if printed.note:
            parts.append(("note", printed.note))
    else:
        parts.append(("paper", "prints no such value"))
    address = f"https://doi.org/{paper.record['doi']}" if paper.record.get("doi") else ""
    where = [view.exhibit.number, paper.citation, address]
    parts.append(("source", ", ".join(part for part in where if part) or paper.title))
    about = [c for c in view.exhibit.claims if row.line and any(s and matches(row.line, s) for s in selectors(c))]
    named = [f" ({place(c['section'])})" if c.get("section") else "" for c in about]
    return [*parts, *(("claim", f"{c['id']}: {c['text']}{at}") for c, at in zip(about, named, strict=True))]
