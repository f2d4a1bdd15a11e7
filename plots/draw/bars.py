"""Grouped bars, and stacks of phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from plots.draw import style
from plots.draw.curves import Curve, Looks, errors, positions
from plots.read.metrics import metric
from plots.read.select import sort_key
from plots.read.view import View

GROUP = 0.82  # of the distance between two groups, the share that bars fill


def slots(ax: Axes, curves: Sequence[Curve], view: View) -> dict:
    """Places the groups and names them; the centre of each group by x."""
    x = curves[0].x
    at = sorted(positions(list(curves)), key=lambda v: sort_key(x, v, view.exhibit.listed(x)))
    text = [view.label(x, v) for v in at]
    crowded = sum(map(len, text)) > 34
    ax.set_xticks(range(len(at)), text, rotation=35 if crowded else 0, ha="right" if crowded else "center")
    ax.set_xlim(-0.6, len(at) - 0.4)
    return {v: i for i, v in enumerate(at)}


def paint(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, looks: Looks) -> None:
    """One bar a series in every group, its interval on top; the paper's value is a hollow diamond on the bar."""
    (name,) = metrics
    groups, width = slots(ax, curves, view), GROUP / len(curves)
    alone = not any(curve.ours for curve in curves)
    for i, curve in enumerate(curves):
        where = {x: at + width * offset(curves, i, x) for x, at in groups.items()}
        if pairs := curve.ours.get(name):  # an empty series would leave an empty handle in the legend
            ax.bar(
                [where[x] for x, _ in pairs],
                [value.value for _, value in pairs],
                width * 0.92,
                color=looks.fill[curve.name],
                yerr=list(zip(*(errors(value) for _, value in pairs), strict=True)),
                error_kw={"elinewidth": 0.9, "ecolor": "#333333"},
                label=curve.name or f"measured on {view.machine.name}",
            )
        if curve.missing:
            at = [where[x] for x in curve.missing]
            ax.plot(at, [0.015] * len(at), transform=ax.get_xaxis_transform(), **style.MISSING)
        style.daggers(ax, [(where[x], y, doubt) for x, y, doubt in curve.doubtful.get(name, [])])
        own = (looks.fill[curve.name], f"{curve.name} (paper)") if alone and curve.name else ("white", "paper")
        diamonds(ax, [(where[x], y) for x, y in curve.paper.get(name, [])], *own)


def offset(curves: Sequence[Curve], i: int, x: Any) -> float:
    """How many bars curve `i` stands from the middle of the group at `x`, which holds only those that have it."""
    here = [j for j, curve in enumerate(curves) if x in positions([curve])]
    return here.index(i) - (len(here) - 1) / 2 if i in here else 0.0


def diamonds(ax: Axes, places: Sequence[tuple[float, float]], fill: str, label: str) -> None:
    if places:
        ax.plot(
            *zip(*places, strict=True),
            linestyle="none",
            marker="D",
            markerfacecolor=fill,
            markersize=5,
            markeredgecolor=style.PAPER_INK,
            label=label,
        )


def paint_stacked(ax: Axes, curves: Sequence[Curve], metrics: Sequence[str], view: View, _: Looks) -> None:
    """One stack a series in every group, its parts the metrics; the paper's stack beside it, paler."""
    where = slots(ax, curves, view)
    missing = [where[x] for curve in curves for x in curve.missing]
    if missing:
        ax.plot(missing, [0.015] * len(missing), transform=ax.get_xaxis_transform(), **style.MISSING)
    colour = style.colours(metrics)
    stacks = [(c, paper) for c in curves for paper in (False, True) if (c.paper if paper else c.ours)]
    width = GROUP / max(1, len(stacks))
    for i, (curve, paper) in enumerate(stacks):
        shift, foot = (i - (len(stacks) - 1) / 2) * width, dict.fromkeys(where, 0.0)
        for name in metrics:
            side = curve.paper if paper else curve.ours
            height = {x: y if paper else y.value for x, y in side.get(name, [])}
            ax.bar(
                [where[x] + shift for x in height],
                list(height.values()),
                width * 0.9,
                bottom=[foot[x] for x in height],
                color=colour[name],
                alpha=0.45 if paper else 1,
                hatch="////" if paper else None,
                edgecolor="white",
            )
            for x, h in height.items():
                foot[x] += h
        name = " ".join(filter(None, (curve.name, "(paper)" if paper else "")))
        for x, top in foot.items() if len(stacks) > 1 and name else ():
            if top:
                ax.annotate(
                    name,
                    (where[x] + shift, top),
                    (0, 2),
                    textcoords="offset points",
                    rotation=90,
                    ha="center",
                    va="bottom",
                    fontsize=6.5,
                    color="#444444",
                )
    ax.margins(y=0.3 if len(stacks) > 1 else 0.05)
    for name in metrics:  # legend entries, without drawing
        ax.add_line(Line2D([], [], marker="s", linestyle="none", color=colour[name], label=metric(name).label))
