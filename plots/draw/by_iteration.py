"""A counter, or the time, along the iterations of the traced run: a curve a line. So are numbered counters."""

from itertools import count, takewhile

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.draw import style
from plots.draw.axes import grid, height_from_zero, log_height, note, plain_log
from plots.draw.curves import drawable
from plots.read.check import Line
from plots.read.metrics import metric
from plots.read.select import separating
from plots.read.times import traced
from plots.read.view import View


def series_of(line: Line, name: str) -> list[float]:
    """A number an iteration: `counter:<name>`, or for `iteration` the phases' sum in ms. [] if it cannot be drawn."""
    if line["verdict"] != "":
        return []
    counters, counter = line.get("counters") or {}, name.partition(":")[2]
    numbered = (counters.get(f"{counter}_{at}") for at in count(1))  # of a chain, which has one iteration
    counted = counters.get(counter) or [values[0] for values in takewhile(bool, numbered)]
    found = traced(line) if name == "iteration" else list(counted)
    return found if all(map(drawable, found)) else []


def by_iteration(view: View) -> Figure | None:
    """A curve a line, a panel a value of the panel field; None if no line has the counter or the time."""
    spec = view.exhibit.figure
    (name,) = spec["y"]
    panels = view.exhibit.fields("panels")
    fields = [*spec.get("series", []), *separating(view.lines, [*spec.get("series", []), *panels])]
    lines = [line for line in view.lines if series_of(line, name)]
    lines.sort(key=lambda line: view.order_of(line, [*panels, *fields]))
    if not lines:
        return None
    titles = list(dict.fromkeys(view.said(line, f) for line in lines for f in panels)) or [""]
    figure, axes = grid(len(titles), min(3, len(titles)), (5.8 if len(titles) == 1 else 4.0, 2.8), 0.6)
    heads = ["" if f in spec.get("series", []) else f"{f} = " for f in fields]
    told = {id(line): [head + view.said(line, f) for head, f in zip(heads, fields, strict=True)] for line in lines}
    names = {at: ", ".join(parts) for at, parts in told.items()}
    shown = list(dict.fromkeys(names.values()))
    looks = (style.colours(shown), style.markers(shown))
    for ax, title in zip(axes, titles, strict=True):
        here = [line for line in lines if not panels or view.said(line, panels[0]) == title]
        paint(ax, [(names[id(line)], series_of(line, name)) for line in here], looks, spec)
        ax.set_title(title)
        ax.set_xlabel(spec.get("xlabel", "iteration"))
        ax.set_ylabel(spec.get("ylabel", metric(name).title))
    entries = {label: h for ax in figure.axes for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=3, fontsize=7)
    note(figure, view.size, title=view.exhibit.heading)
    return figure


def paint(ax: Axes, curves: list[tuple[str, list[float]]], looks: tuple[dict, dict], spec: dict) -> None:
    """Draws markers only on short runs' curves."""
    colours, markers = looks
    for name, series in curves:
        cut = series[: int(spec.get("xmax", 1e9))]
        marker = markers[name] if len(cut) <= 60 else None
        ax.plot(range(1, len(cut) + 1), cut, color=colours[name], marker=marker, markersize=3, linewidth=1, label=name)
    if spec.get("logx"):
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    log_height(ax) if spec.get("logy") else height_from_zero(ax)
