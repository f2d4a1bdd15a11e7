"""Grouped bars and stacks of phases; dots on a logarithmic axis, where the length of a bar means nothing."""

import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from plots.draw import line_curves, style
from plots.draw.curves import Curve, Looks, errors, numeric, positions
from plots.read import words
from plots.read.metrics import metric
from plots.read.view import View

WIDE = 45  # characters of all the groups' names beside each other
GROUP = 0.82  # of the distance between two groups, the share that bars fill


def groups_of(curves: Sequence[Curve], view: View) -> tuple[list[Any], list[str]]:
    x = curves[0].x
    at = sorted(positions(list(curves)), key=lambda v: view.order({x: v}))
    return at, [view.label(x, v) for v in at]


def slots(ax: Axes, curves: Sequence[Curve], view: View) -> dict:
    """Places and names the groups; returns the centre of each group by x."""
    at, text = groups_of(curves, view)
    room = int(WIDE / len(at))
    crowded = sum(map(len, text)) > WIDE and max(len(word) for name in text for word in name.split()) > room
    text = [name if crowded else textwrap.fill(name, max(room, 1), break_long_words=False) for name in text]
    ax.set_xticks(range(len(at)), text, rotation=35 if crowded else 0, ha="right" if crowded else "center")
    ax.set_xlim(-0.6, len(at) - 0.4)
    return {v: i for i, v in enumerate(at)}


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, looks: Looks) -> None:
    """One bar a series in every group, with its interval; a hollow diamond for the paper's value."""
    (name,) = metrics
    if view.exhibit.figure.get("logy"):
        dots(ax, curves, name, view, looks) if sideways(view) else line_curves.paint(ax, curves, metrics, view, looks)
        return
    groups, width = slots(ax, curves, view), GROUP / len(curves)
    alone = not any(curve.ours for curve in curves)
    for i, curve in enumerate(curves):
        where = {x: at + width * offset(curves, i, x) for x, at in groups.items()}
        if pairs := curve.ours.get(name):  # an empty series would leave an empty handle in the legend
            heights = [value.value for _, value in pairs]
            bounds = list(zip(*(errors(value) for _, value in pairs), strict=True))
            look = {"color": looks.fill[curve.name], "error_kw": {"elinewidth": 0.9, "ecolor": "#333333"}}
            label = curve.name or f"measured on {view.machine.name}" * (len(curves) == 1)
            ax.bar([where[x] for x, _ in pairs], heights, width * 0.92, yerr=bounds, label=label, **look)
        style.gaps(ax, [where[x] for x in curve.missing], looks.fill[curve.name])
        style.daggers(ax, [(where[x], y, doubt) for x, y, doubt in curve.doubtful.get(name, [])])
        own = (looks.fill[curve.name], f"{curve.name} (paper)") if alone and curve.name else ("white", "paper")
        diamonds(ax, [(where[x], y) for x, y in curve.paper.get(name, [])], *own)
        diamonds(ax, [(where[x], y) for x, y in curve.stated.get(name, [])], "white", style.STATED)


def sideways(view: View) -> bool:
    """Whether the groups lie below each other: stacks, and logarithmic bars over names."""
    figure = view.exhibit.figure
    named = not numeric([line[figure["x"]] for line in view.lines if figure["x"] in line])
    return figure["style"] == "stacked" or (figure["style"] == "bar" and bool(figure.get("logy")) and named)


def turned(ax: Axes, curves: Sequence[Curve], view: View) -> dict:
    """As `slots`, but from top to bottom."""
    at, names = groups_of(curves, view)
    ax.set_yticks(range(len(at)), names)
    ax.set_ylim(len(at) - 0.4, -0.6)
    ax.grid(True, axis="x")
    ax.grid(False, axis="y")
    return {v: i for i, v in enumerate(at)}


def dots(ax: Axes, curves: Sequence[Curve], name: str, view: View, looks: Looks) -> None:
    """A row a group, a dot a series with its number; hollow marks are the paper's."""
    groups, wide = turned(ax, curves, view), GROUP / len(curves)
    for i, curve in enumerate(curves):
        where = {x: at + wide * offset(curves, i, x) for x, at in groups.items()}
        look = {"color": looks.fill[curve.name], "marker": looks.marker[curve.name], "markersize": 6}
        for x, value in curve.ours.get(name, []):
            bar = [[e] for e in errors(value)]
            ax.errorbar([value.value], [where[x]], xerr=bar, linestyle="none", label=curve.name or None, **look)
            own = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center", "fontsize": 7.5}
            ax.annotate(words.number(value.value, 3), (value.value, where[x]), **own)
        diamonds(ax, [(y, where[x]) for x, y in curve.paper.get(name, [])], "white", "paper")
        diamonds(ax, [(y, where[x]) for x, y in curve.stated.get(name, [])], "white", style.STATED)
        style.daggers(ax, [(y, where[x], doubt) for x, y, doubt in curve.doubtful.get(name, [])])
        reasons(ax, curve, where)
    ax.margins(x=0.08)
    ax.grid(True, axis="y")


def offset(curves: Sequence[Curve], i: int, x: Any) -> float:
    """The distance of curve `i` from the middle of its group, in bars; only curves with a value there count."""
    here = [j for j, curve in enumerate(curves) if x in positions([curve])]
    return here.index(i) - (len(here) - 1) / 2 if i in here else 0.0


def diamonds(ax: Axes, places: Sequence[tuple[float, float]], fill: str, label: str) -> None:
    if places:
        look = {"linestyle": "none", "marker": "D", "markersize": 5, "markeredgecolor": style.PAPER_INK}
        ax.plot(*zip(*places, strict=True), markerfacecolor=fill, label=label, **look)


def reasons(ax: Axes, curve: Curve, where: dict) -> None:
    for x, why in curve.missing.items():
        ax.text(0.02, where[x], why, transform=ax.get_yaxis_transform(), va="center", fontsize=7.5, color="#666666")


def paint_stacked(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, _: Looks) -> None:
    """One stack a series in every group, its parts the metrics; the paper's stack below it, paler."""
    where, colour = turned(ax, curves, view), style.colours(metrics)
    stacks = [(c, paper) for c in curves for paper in (False, True) if (c.paper if paper else c.ours)]
    width = GROUP / max(1, len(stacks))
    for i, (curve, paper) in enumerate(stacks):
        shift, foot = (i - (len(stacks) - 1) / 2) * width, dict.fromkeys(where, 0.0)
        for name in metrics:
            side = curve.paper if paper else curve.ours
            long = {x: y if paper else y.value for x, y in side.get(name, [])}
            own = {"color": colour[name], "alpha": 0.45 if paper else 1, "hatch": "////" if paper else None}
            at = [where[x] + shift for x in long]
            ax.barh(at, list(long.values()), width * 0.9, left=[foot[x] for x in long], edgecolor="white", **own)
            for x, h in long.items():
                foot[x] += h
        name = " ".join(filter(None, (curve.name, "(paper)" if paper else "")))
        for x, end in foot.items() if len(stacks) > 1 and name else ():
            if end:
                own = {"textcoords": "offset points", "va": "center", "fontsize": 7, "color": "#444444"}
                ax.annotate(name, (end, where[x] + shift), (3, 0), **own)
    for curve in curves:
        reasons(ax, curve, where)
    ax.set_xlim(0, ax.dataLim.xmax * (1.3 if len(stacks) > 1 else 1.05) or None)
    for name in metrics:  # legend entries, without drawing
        ax.add_line(Line2D([], [], marker="s", linestyle="none", color=colour[name], label=metric(name).label))
