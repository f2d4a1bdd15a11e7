"""An exhibit as a figure: lines, bars or stacks, the paper's values as hollow marks; a scatter plot; a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.draw import bars, line_curves, sets, shares, style
from plots.draw.axes import height_from, log_height, note
from plots.draw.best_map import best_map
from plots.draw.by_iteration import by_iteration
from plots.draw.curves import Curve, drawable, looks
from plots.draw.heat import heat_exhibit
from plots.draw.scatter import scatter_exhibit
from plots.read import words
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.results import reason
from plots.read.select import separating, sort_key
from plots.read.view import Row, View, rows

PANEL = (4.3, 3.0)  # inches
ACROSS = 3  # panels side by side
LEGEND_ROW, LEGEND_ROWS = 0.17, 3  # inches of one row of the legend; rows for which a panel's height has room
PAINTERS = {
    "line": line_curves.paint,
    "bar": bars.paint,
    "stacked": bars.paint_stacked,
    "sets": sets.paint,
    "shares": shares.paint,
}


@dataclass(frozen=True)
class Panel:
    title: str
    metrics: list[str]
    curves: list[Curve]


def draw(view: View) -> Figure | None:
    """The figure, or None where there is nothing to draw. The caller saves it (plots.style.save)."""
    with matplotlib.rc_context(fname=style.STYLE):
        if view.exhibit.figure["style"] == "scatter":
            return scatter_exhibit(view)
        if view.exhibit.figure["style"] == "map":
            return best_map(view)
        if view.exhibit.figure["style"] == "heat":
            return heat_exhibit(view)
        if view.exhibit.figure["style"] == "iterations":
            return by_iteration(view)
        panels = arrange(view)
        measured = [panel for panel in panels if any(curve.ours for curve in panel.curves)]
        panels = measured or [panel for panel in panels if any(curve.paper for curve in panel.curves)]
        return plot(view, panels) if panels else None


def plot(view: View, panels: Sequence[Panel]) -> Figure:
    metrics = len(view.exhibit.figure["y"])  # where they fit, a row of panels holds one value of the panel field
    across = metrics if 1 < metrics <= ACROSS < len(panels) else 2 if len(panels) == 4 else min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    wide = PANEL[0] * (1.35 if len(panels) == 1 else 1)
    figure = Figure(figsize=(wide * across, PANEL[1] * down + 0.35))
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    painter = PAINTERS[view.exhibit.figure["style"]]
    shared = looks([curve for panel in panels for curve in panel.curves])
    for ax, panel in zip(axes, panels, strict=False):
        painter(ax, panel.curves, panel.metrics, view, shared)
        decorate(ax, view, panel)
    for ax in axes[len(panels) :]:
        ax.remove()
    legend(figure, list(figure.axes))
    ran = any(curve.ours for panel in panels for curve in panel.curves)
    note(figure, view.size, "" if ran else f"Nothing of this was measured on {view.machine.name}: the paper's values.")
    figure.draw_without_rendering()  # lays out once, not once a format
    figure.set_layout_engine("none")
    return figure


def arrange(view: View) -> list[Panel]:
    """Panels by metric and by the panel field; a stack shows all its metrics in one."""
    figure = view.exhibit.figure
    x, field = figure["x"], figure.get("panels")
    base = list(dict.fromkeys([x, *figure.get("series", []), *([field] if field else []), *apart(figure)]))
    series = [*figure.get("series", []), *separating(view.lines, base)]
    found, _ = rows(view, base)
    named = [f for f in series if len({str(row.fields.get(f)) for row in found}) > 1]
    titles = list(dict.fromkeys(view.label(field, row.fields[field]) for row in found)) if field else [""]
    groups = [figure["y"]] if figure["style"] == "stacked" else [[y] for y in figure["y"]]
    panels = []
    for title in titles:
        here = [row for row in found if not field or view.label(field, row.fields[field]) == title]
        for metrics in groups:
            name = metric(metrics[0]).label if len(groups) > 1 else ""
            panels.append(
                Panel(" · ".join(t for t in (title, name) if t), metrics, curves(view, here, (series, named), metrics))
            )
    return panels


def curves(
    view: View, found: Sequence[Row], fields: tuple[Sequence[str], Sequence[str]], metrics: Sequence[str]
) -> list[Curve]:
    """One curve a value of the series fields, in the order of the rows. `fields`: those, and those of them that name a
    curve, the same in every panel."""
    figure = view.exhibit.figure
    series, named = fields
    x, panels = figure["x"], [figure["panels"]] if "panels" in figure else []
    others = [x, *series, *panels, *apart(figure)]
    groups: dict[tuple[str, ...], Curve] = {}
    everywhere = list(dict.fromkeys(row.fields[x] for row in found if row.fields[x] is not None))
    for row in sorted(found, key=lambda r: tuple(sort_key(f, r.fields.get(f), view.exhibit.listed(f)) for f in others)):
        names = tuple(spoken(view, f, row.fields[f]) for f in named if row.fields[f] is not None)
        curve = groups.setdefault(names, Curve(", ".join(names), lead(view, row, named), x))
        for at in [row.fields[x]] if row.fields[x] is not None else everywhere:
            for name in metrics:
                own = view.value(row.line, name, others) if row.line else None
                own = own if own is not None and drawable(own.value) else None
                add(curve, at, name, own, row)
                if own is not None and (doubt := view.doubt(row.line, name, others)):
                    curve.doubtful.setdefault(name, []).append((at, own.value, doubt))
    return [curve for curve in groups.values() if curve.ours or curve.paper or curve.missing]


def apart(figure: dict[str, Any]) -> list[str]:
    """The field that tells sets of one kind apart, which a curve holds together."""
    return [figure["sets"]] if "sets" in figure else []


def add(curve: Curve, at: Any, name: str, own: Estimate | None, row: Row) -> None:
    """One point of ours, and the paper's beside it."""
    if own is not None:
        curve.ours.setdefault(name, []).append((at, own))
    elif row.line and reason(row.line) and at not in curve.missing:
        curve.missing.append(at)
    for printed in row.printed:
        theirs = words.parse(printed.values.get(name, ""), printed.unit(name))
        if theirs is not None:
            curve.paper.setdefault(name, []).append((at, theirs))


def lead(view: View, row: Row, named: Sequence[str]) -> str:
    """What colours a curve: its implementation where implementations are told apart, else all of its name."""
    fields = ["implementation"] if "implementation" in named else named
    return ", ".join(spoken(view, f, row.fields[f]) for f in fields if row.fields[f] is not None)


def spoken(view: View, field: str, value: Any) -> str:
    """A value as a curve's name: a bare number says of what."""
    label = view.label(field, value)
    return f"{field.replace('_', ' ')} {label}" if label[:1].isdigit() and not isinstance(value, str) else label


def decorate(ax: Axes, view: View, panel: Panel) -> None:
    figure = view.exhibit.figure
    ax.set_title(panel.title)
    ax.set_xlabel(figure.get("xlabel", figure["x"].replace("_", " ")))
    one = metric(panel.metrics[0])
    ax.set_ylabel(figure.get("ylabel", one.title if len(panel.metrics) == 1 else f"time ({one.unit})"))
    if figure.get("logy"):
        log_height(ax)
    elif figure.get("ymin", 0) is not None:
        height_from(ax, figure.get("ymin", 0))
    if not figure.get("logy") and ax.get_ylim()[1] >= 10_000:
        ax.yaxis.set_major_formatter("{x:,.0f}")


def legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """One legend for all panels, below them, for which the figure grows; none for a single nameless curve."""
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        width = figure.get_size_inches()[0] * 72
        columns = max(1, min(len(entries), int(width / (7 * max(map(len, entries)) * 0.72 + 40))))
        names = sorted(entries, key=lambda name: (name in style.NOTES, name.endswith("paper"), "(paper)" in name))
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + LEGEND_ROW * max(0, -(-len(names) // columns) - LEGEND_ROWS))
        figure.legend([entries[name] for name in names], names, loc="outside lower center", ncols=columns)
