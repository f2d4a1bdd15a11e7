"""Curves over numbers (or over words, evenly spaced)."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from plots.draw import style
from plots.draw.curves import Curve, Looks, errors, numeric, positions
from plots.read import words
from plots.read.select import ALL_THREADS, sort_key
from plots.read.view import View

MOST_TICKS = 9


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, looks: Looks) -> None:
    """Ours: solid, with the interval as a bar. The paper's: hollow marks on a thin dotted line of the same colour."""
    (name,) = metrics
    at = positions(list(curves))
    x = curves[0].x
    scale = numeric(at) and not (x == "threads" and ALL_THREADS in at)
    at.sort(key=lambda v: sort_key(x, v, view.exhibit.listed(x)))
    where = {v: v if scale else i for i, v in enumerate(at)}
    for curve in curves:
        look = {"color": looks.colour[curve.lead], "marker": looks.marker[curve.lead]}
        if pairs := curve.ours.get(name):
            y = [value.value for _, value in pairs]
            bounds = list(zip(*(errors(value) for _, value in pairs), strict=True))
            label = curve.name or f"measured on {view.machine.name}"
            bars = {"yerr": bounds, "linestyle": looks.dash[curve.name], "elinewidth": 0.9}
            ax.errorbar(
                [where[v] for v, _ in pairs],
                y,
                label=label,
                **bars,
                **look,
            )
        if pairs := curve.paper.get(name):
            label = f"{curve.name} (paper)" if curve.name else "paper"
            ax.plot(
                [where[v] for v, _ in pairs],
                [y for _, y in pairs],
                label=label,
                linestyle=(0, (1, 2)),
                linewidth=0.9,
                markerfacecolor="white",
                **look,
            )
    style.daggers(ax, [(where[v], y) for c in curves for v, y in c.coarse.get(name, [])])
    missing = [where[v] for c in curves for v in c.missing]
    if missing:
        ax.plot(missing, [0.015] * len(missing), transform=ax.get_xaxis_transform(), clip_on=False, **style.MISSING)
    ticks(ax, at, where, curves[0].x, view, scale)


def ticks(ax: Axes, at: list, where: dict, x: str, view: View, scale: bool) -> None:
    """The measured values themselves as ticks, where they are few."""
    if scale and view.exhibit.figure.get("logx") and min(at) > 0:
        ax.set_xscale("log")
    if not scale or len(at) <= MOST_TICKS:
        text = {where[v]: view.label(x, v) for v in at}
        crowded = sum(len(t) for t in text.values()) > 34
        ax.xaxis.set_major_locator(FixedLocator([where[v] for v in at]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: text.get(v, words.number(v))))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.tick_params(axis="x", rotation=35 if crowded else 0)
