"""Curves over numbers (or over words, evenly spaced)."""

import math
import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation

from plots.draw import style
from plots.draw.axes import apart, plain_log, readable
from plots.draw.curves import Curve, Looks, errors, numeric, positions
from plots.read import words
from plots.read.select import ALL_THREADS
from plots.read.view import View

MOST_TICKS = 9
AXIS, BESIDE_NAMES = 0.85, 0.4  # the axis's share of a panel's width; of one with names at its right
NAME, LONGEST, AXIS_HEIGHT = 11.0, 34, 2.1  # points from name to name; letters; inches
MARKS = (6.5, 4.0)  # points: of the first curve and of the last, so that one that lies below another still shows


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, looks: Looks) -> None:
    """Ours: solid lines with intervals. The paper's: hollow marks on a thin dotted line of the same colour."""
    (name,) = metrics
    at = positions(list(curves))
    x = curves[0].x
    bare = view.exhibit.figure["style"] == "bar"  # groups stand side by side, whatever their numbers
    scale = numeric(at) and not bare and not (x == "threads" and ALL_THREADS in at)
    at.sort(key=lambda v: view.order({x: v}))
    where = {v: v if scale else i for i, v in enumerate(at)}
    for i, curve in enumerate(curves):
        size = MARKS[0] - (MARKS[0] - MARKS[1]) * i / max(1, len(curves) - 1) if len(curves) > 1 else 4.5
        look = {"color": looks.colour[curve.lead], "marker": looks.marker[curve.name], "markersize": size}
        if pairs := curve.ours.get(name):
            known = {v: (value.value, *errors(value)) for v, value in pairs}
            order = sorted({*known, *curve.missing}, key=at.index)  # a case without a time breaks the line
            y, *bounds = zip(*(known.get(v, (math.nan,) * 3) for v in order), strict=True)
            label = f"_{curve.name}" if looks.direct else curve.name or f"measured on {view.machine.name}"
            bars = {"yerr": bounds, "linestyle": looks.dash[curve.name], "elinewidth": 0.9}
            ax.errorbar([where[v] for v in order], y, label=label, **bars, **look)
        if pairs := curve.paper.get(name):
            label = f"{curve.name} (paper)" if curve.name and not looks.direct else "paper"
            dots = {"linestyle": (0, (1, 2)), "linewidth": 0.9, "markerfacecolor": "white"}
            ax.plot([where[v] for v, _ in pairs], [y for _, y in pairs], label=label, **dots, **look)
        if pairs := curve.stated.get(name):
            own = {**style.TEXT, "color": looks.colour[curve.lead], "label": style.STATED}
            ax.plot([where[v] for v, _ in pairs], [y for _, y in pairs], **own)
        if bounds := curve.bands.get(name):
            at_x, low, high = zip(*bounds, strict=True)
            ax.vlines([where[v] for v in at_x], low, high, color=looks.colour[curve.lead], **style.BAND)
        style.gaps(ax, [where[v] for v in curve.missing], looks.colour[curve.lead])
    style.daggers(ax, [(where[v], y, doubt) for c in curves for v, y, doubt in c.doubtful.get(name, [])])
    ticks(ax, at, where, view, scale, BESIDE_NAMES if looks.direct else AXIS)


def named(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], looks: Looks) -> None:
    """Writes every curve's name right of the panel, at the height of its end."""
    ends = {}
    for curve in curves:
        if pairs := [(x, v.value) for x, v in curve.ours.get(metrics[0], [])] or curve.paper.get(metrics[0], []):
            ends[curve.name] = (curve, ax.transLimits.transform(ax.transScale.transform((1, pairs[-1][1])))[1])
    heights = apart([y for _, y in ends.values()], NAME / (72 * AXIS_HEIGHT))
    for (curve, _), y in zip(ends.values(), heights, strict=True):
        look = {"color": looks.colour[curve.lead], "marker": looks.marker[curve.name], "markersize": 4}
        beside = ax.transAxes + ScaledTranslation(10 / 72, 0, ax.figure.dpi_scale_trans)
        ax.plot([1], [y], transform=beside, clip_on=False, linestyle="none", **look)
        text = textwrap.fill(curve.name, LONGEST)
        own = {"xycoords": "axes fraction", "xytext": (18, 0), "textcoords": "offset points", "annotation_clip": False}
        ax.annotate(text, (1, y), **own, va="center", fontsize=7.5, color="#222222", linespacing=0.95)


def ticks(ax: Axes, at: list, where: dict, view: View, scale: bool, share: float) -> None:
    """Takes the measured values as ticks if they are few. `share`: of the panel's width."""
    x = view.exhibit.figure["x"]
    if scale and view.exhibit.figure.get("logx") and min(at) > 0:
        ax.set_xscale("log")
    log = ax.get_xscale() == "log"
    if log and len(at) > MOST_TICKS:
        at = at[:: -(-len(at) // MOST_TICKS)]
    if not scale or len(at) <= MOST_TICKS:
        names = [view.label(x, v) for v in at]
        crowded = sum(map(len, names)) > 34
        places = [math.log(where[v]) if log else where[v] for v in at]
        width = share * ax.figure.get_size_inches()[0] * 72 / ax.get_gridspec().ncols
        text = {where[at[i]]: names[i] for i in readable(places, names, width, not crowded)}
        ax.xaxis.set_major_locator(FixedLocator(list(text)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: text.get(v, words.number(v))))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.tick_params(axis="x", rotation=35 if crowded else 0)
    elif log:
        plain_log(ax.xaxis)
