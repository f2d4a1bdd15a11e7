"""Draws an exhibit: lines, bars, dots or stacks with the paper's values as hollow marks; other styles whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.draw import bars, line_curves, sets, style
from plots.draw.axes import grid, height_from_zero, log_height, note
from plots.draw.best_map import best_map
from plots.draw.by_iteration import by_iteration
from plots.draw.chain import chain_exhibit
from plots.draw.curves import Curve, drawable, looks, numeric
from plots.draw.heat import heat_exhibit
from plots.draw.roofline import roofline
from plots.draw.scatter import scatter_exhibit
from plots.read import words
from plots.read.intervals import Estimate, exact
from plots.read.metrics import metric
from plots.read.results import reason
from plots.read.select import prefer, same, select
from plots.read.view import Row, View, rows

PANEL = (4.3, 3.0)  # inches
ACROSS = 3  # panels side by side
NAMED, MOST_NAMES = 2, 8  # panels, and curves a panel, with direct labels
MOST_GAPS, MOST_PLACES = 6, 3  # gaps told one by one, and places of one
LEGEND_ROW, LEGEND_ROWS = 0.17, 3  # inches of one row of the legend; rows for which a panel's height has room
NOT_RUN = "not run"
PAINTERS = {
    "line": line_curves.paint,
    "bar": bars.paint,
    "stacked": bars.paint_stacked,
    "sets": sets.paint,
    "shares": sets.paint_shares,
}
WHOLE = {
    "scatter": scatter_exhibit,
    "map": best_map,
    "heat": heat_exhibit,
    "iterations": by_iteration,
    "roofline": roofline,
    "chain": chain_exhibit,
}


@dataclass(frozen=True)
class Panel:
    title: str
    metrics: list[str]
    curves: list[Curve]


@style.applied
def draw(view: View) -> Figure | None:
    if figure := WHOLE.get(view.exhibit.figure["style"], plot)(view):
        figure.get_layout_engine().execute(figure)  # lays out once, not once a format
        figure.set_layout_engine("none")
    return figure


def plot(view: View) -> Figure | None:
    """The panels with a value of ours; else those with one of the paper's."""
    panels = arrange(view)
    measured = [panel for panel in panels if any(curve.ours for curve in panel.curves)]
    panels = measured or [panel for panel in panels if any(curve.paper for curve in panel.curves)]
    if not panels:
        return None
    metrics = len(view.exhibit.figure["y"])  # where they fit, a row of panels holds one value of the panel field
    across = metrics if 1 < metrics <= ACROSS < len(panels) else 2 if len(panels) == 4 else min(ACROSS, len(panels))
    wide = PANEL[0] * (1.35 if len(panels) == 1 else 1)
    figure, axes = grid(len(panels), across, (wide, PANEL[1]), 0.35)
    painter = PAINTERS[view.exhibit.figure["style"]]
    most = max(len(panel.curves) for panel in panels)
    direct = len(panels) <= NAMED and 1 < most <= MOST_NAMES and curvy(view)
    shared = looks([curve for panel in panels for curve in panel.curves], direct)
    for ax, panel in zip(axes, panels, strict=True):
        painter(ax, panel.curves, panel.metrics, view, shared)
        for level in means(view, panel.metrics):
            ax.axhline(level, **style.MEAN)
        decorate(ax, view, panel)
        if direct:
            line_curves.named(ax, panel.curves, panel.metrics, shared)
    legend(figure, axes)
    ran = any(curve.ours for panel in panels for curve in panel.curves)
    told = "" if ran else f"Nothing of this was measured on {view.machine.name}: the paper's values."
    note(figure, view.size, told, "" if bars.sideways(view) else gaps(view, panels), title=view.exhibit.heading)
    return figure


def curvy(view: View) -> bool:
    """Whether its series are curves, which are named at their ends."""
    figure = view.exhibit.figure
    dotted = figure["style"] == "bar" and bool(figure.get("logy")) and not bars.sideways(view)
    return dotted or figure["style"] in ("line", "sets")


def gaps(view: View, panels: Sequence[Panel]) -> str:
    """`× no time, by k: multi-pass at 8 (not run); …`"""
    x, found = view.exhibit.figure["x"], []
    for panel in panels:
        for curve in panel.curves:
            for why in dict.fromkeys(curve.missing.values()):
                those = [view.label(x, v) for v, word in curve.missing.items() if word == why]
                at = ", ".join(those) if len(those) <= MOST_PLACES else f"{len(those)} values"
                panel_of = panel.title.removesuffix(metric(panel.metrics[0]).label).strip(" ·")
                who = ", ".join(filter(None, (curve.name, panel_of)))
                whole = who and len(those) > 1 and not any(curve.ours.values())
                found.append(f"{f'{who} at {at}' if who and not whole else who or at} ({why})")
    found = list(dict.fromkeys(found))
    more = f"; {len(found) - MOST_GAPS} more (see the table)" * (len(found) > MOST_GAPS)
    return f"× no time, by {x.replace('_', ' ')}: {'; '.join(found[:MOST_GAPS])}{more}." if found else ""


def arrange(view: View) -> list[Panel]:
    """Panels by metric and by the panel field; a stack shows all its metrics in one."""
    figure, field = view.exhibit.figure, view.exhibit.figure.get("panels")
    base = list(dict.fromkeys(view.exhibit.fields("x", "series", "panels", "sets")))
    found, fields = rows(view, base)
    series = [*figure.get("series", []), *fields[len(base) :]]
    named = [f for f in series if len({str(row.fields.get(f)) for row in found}) > 1]
    titles = list(dict.fromkeys(view.label(field, row.fields[field]) for row in found)) if field else [""]
    groups = [figure["y"]] if figure["style"] == "stacked" else [[y] for y in figure["y"]]
    panels = []
    for title in titles:
        here = [row for row in found if not field or view.label(field, row.fields[field]) == title]
        for metrics in groups:
            name = metric(metrics[0]).label if len(groups) > 1 else ""
            heading = " · ".join(filter(None, (title, name)))
            panels.append(Panel(heading, metrics, curves(view, here, (series, named), metrics)))
    return panels


def curves(
    view: View, found: Sequence[Row], fields: tuple[Sequence[str], Sequence[str]], metrics: Sequence[str]
) -> list[Curve]:
    """One curve a value of the series fields, in row order. `fields`: these, and those that name a curve."""
    series, named = fields
    x, panels = view.exhibit.figure["x"], view.exhibit.fields("panels")
    others = [x, *series, *panels, *view.exhibit.fields("sets")]
    groups: dict[tuple[str, ...], Curve] = {}
    told = stated(view, metrics, others)
    plan: dict[str, list[Any]] = {}
    everywhere = list(dict.fromkeys(row.fields[x] for row in found if row.fields[x] is not None))
    for row in sorted(found, key=lambda row: view.order({f: row.fields.get(f) for f in others})):
        names = {f: spoken(view, f, row.fields[f]) for f in named if row.fields[f] is not None}
        whole = ", ".join(names.values())
        lead = names.get("implementation", "") if "implementation" in named else whole  # gives the colour
        curve = groups.setdefault(tuple(names.values()), Curve(whole, lead, x))
        plan.setdefault(curve.name, planned(view, {f: row.fields[f] for f in [*series, *panels]}, x))
        for at in [row.fields[x]] if row.fields[x] is not None else everywhere:
            for name in metrics:
                own = view.value(row.line, name, others) if row.line else None
                own = own if own is not None and drawable(own.value) else None
                add(curve, at, name, own, row)
                if row.line and (id(row.line), name) in told:
                    low, high = told[id(row.line), name]
                    if low == high:
                        curve.stated.setdefault(name, []).append((at, low))
                    else:
                        curve.bands.setdefault(name, []).append((at, low, high))
                if own is not None and (doubt := view.doubt(row.line, name, others)):
                    curve.doubtful.setdefault(name, []).append((at, own.value, doubt))
    for curve in groups.values():
        ran = {at for pairs in curve.ours.values() for at, _ in pairs} | set(curve.missing)
        curve.missing |= {at: NOT_RUN for at in plan[curve.name] if curve.ours and at not in ran}
    return [curve for curve in groups.values() if curve.ours or curve.paper or curve.missing]


def planned(view: View, fields: dict[str, Any], x: str) -> list[Any]:
    """The values of a numeric x that the sweeps give this curve."""
    sweeps = view.exhibit.sweeps(view.profile)
    plain = [{name.rpartition(".")[2]: values for name, values in sweep.items()} for sweep in sweeps]
    swept = {name for sweep in plain for name in sweep}
    wanted = {f: value for f, value in fields.items() if f in swept and value is not None}
    fitting = [s[x] for s in plain if x in s and all(f in s and same(v, s[f]) for f, v in wanted.items())]
    return [at for values in fitting if numeric(values) for at in values]


def stated(view: View, metrics: Sequence[str], others: Sequence[str]) -> dict[tuple[int, str], tuple[float, float]]:
    """The paper text's number, or its two bounds, by line and metric. A ratio is times our value of its other side."""
    found = {}
    for claim in view.exhibit.claims:
        sides = [claim[s] for s in ("numerator", "denominator") if s in claim] or [claim.get("where", {})]
        lines = [prefer(select(view.lines, side), side) for side in sides]
        plain = "numerator_metric" not in claim and "denominator_metric" not in claim
        numbers = [claim["expect"]] if "expect" in claim else [claim.get("at_least"), claim.get("at_most")]
        if not plain or None in numbers or claim["kind"] not in ("ratio", "value") or claim["metric"] not in metrics:
            continue
        if all(len(of_one) == 1 for of_one in lines):
            base = view.value(lines[1][0], claim["metric"], others) if claim["kind"] == "ratio" else exact(1.0)
            if base and drawable(base.value * numbers[-1]):
                found[id(lines[0][0]), claim["metric"]] = base.value * numbers[0], base.value * numbers[-1]
    return found


def means(view: View, metrics: Sequence[str]) -> list[float]:
    """The means over many cases that the paper's text states."""
    claims = [c for c in view.exhibit.claims if c["kind"] == "mean" and c["metric"] in metrics and "expect" in c]
    return list(dict.fromkeys(claim["expect"] for claim in claims))


def add(curve: Curve, at: Any, name: str, own: Estimate | None, row: Row) -> None:
    if own is not None:
        curve.ours.setdefault(name, []).append((at, own))
    elif row.line and (why := reason(row.line)):
        curve.missing.setdefault(at, why.partition(":")[0])
    for printed in row.printed:
        theirs = words.parse(printed.values.get(name, ""), printed.unit(name))
        if theirs is not None:
            curve.paper.setdefault(name, []).append((at, theirs))


def spoken(view: View, field: str, value: Any) -> str:
    """A value in a curve's name; a bare number stands with its field."""
    label = view.label(field, value)
    if field == "threads" and label.isdigit():
        return f"{label} thread{'s' * (label != '1')}"
    return f"{field.replace('_', ' ')} {label}" if label[:1].isdigit() and not isinstance(value, str) else label


def decorate(ax: Axes, view: View, panel: Panel) -> None:
    figure = view.exhibit.figure
    ax.set_title(panel.title)
    ax.set_xlabel(figure.get("xlabel", figure["x"].replace("_", " ")))
    one = metric(panel.metrics[0])
    ax.set_ylabel(figure.get("ylabel", one.title if len(panel.metrics) == 1 else f"time ({one.unit})"))
    if bars.sideways(view):
        ax.set(xlabel=ax.get_ylabel(), ylabel="")
        if figure.get("logy"):
            log_height(ax, side="x")
    else:
        log_height(ax) if figure.get("logy") else height_from_zero(ax)
    if not figure.get("logy") and ax.get_ylim()[1] >= 10_000:
        ax.yaxis.set_major_formatter("{x:,.0f}")


def legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """One legend below all panels, for which the figure grows; none for a single nameless curve."""
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if any(not label.startswith("measured on") for label in entries):
        width = figure.get_size_inches()[0] * 72
        columns = max(1, min(len(entries), int(width / (7 * max(map(len, entries)) * 0.72 + 40))))
        names = sorted(entries, key=lambda name: (name in style.NOTES, name.endswith("paper"), "(paper)" in name))
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + LEGEND_ROW * max(0, -(-len(names) // columns) - LEGEND_ROWS))
        figure.legend([entries[name] for name in names], names, loc="outside lower center", ncols=columns)
