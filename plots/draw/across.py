"""Machines in one picture: a grey dot a problem, their geometric mean with its interval in black. The cascade of
performance portability: efficiencies from the best machine to the worst, PP beside (Sewall 2020)."""

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, NullLocator

from plots.draw import style
from plots.draw.axes import log_height, note
from plots.read import words
from plots.read.across import BOUNDS, Comparison, Portability, named

ROW, WIDE = 0.25, 8.6  # inches of a row and of the figure
TOLD = {
    **{what: f"bound by {what}" for what in BOUNDS},
    "iteration": "an iteration",
    "end_to_end": "a clustering with copies",
}


@style.applied
def machines(groups: Sequence[tuple[str, Sequence[Comparison]]]) -> Figure | None:
    """A panel a group, below its title; None without a comparison."""
    shown = [(title, found) for title, found in groups if found]
    if not shown:
        return None
    heights = [len(found) + 2.2 for _, found in shown]
    figure = Figure(figsize=(WIDE, ROW * sum(heights) + 1.1))
    axes = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights).flat
    for ax, (title, found) in zip(axes, shown, strict=True):
        forest(ax, found)
        ax.set_title(title, loc="left")
    said = "Right of the line: faster. A grey dot: one problem. Black: their geometric mean, with its 95% interval."
    note(figure, said, title="Machines side by side")
    return figure


def forest(ax: Axes, found: Sequence[Comparison]) -> None:
    for y, one in enumerate(found):
        low, high = one.value.range
        ax.plot(one.each, [y] * len(one.each), linestyle="none", marker=".", markersize=4, color="#AAAAAA")
        ax.plot([low, high], [y, y], color=style.PAPER_INK, linewidth=1.6, zorder=3)
        ax.plot([one.value.value], [y], marker="D", markersize=5, color=style.PAPER_INK, zorder=4)
        told = f"{words.number(one.value.value, 3)}, {words.field_value(len(one.each))} problems"
        ax.annotate(told, (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=7.5)
    ax.axvline(1, color="#888888", linewidth=0.8)
    log_height(ax, side="x")
    low, high = ax.get_xlim()
    if high / low < 3:  # a decade's multiples are too few
        ax.xaxis.set_major_locator(MaxNLocator(7))
        ax.xaxis.set_minor_locator(NullLocator())
    labels = [f"{named(one.new)} over {named(one.base)}, {TOLD[one.what]}" for one in found]
    ax.set_yticks(range(len(found)), labels, fontsize=7.5)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.set_xlabel("times as fast")


PANEL = (4.6, 3.1)  # inches
GREYS = ("#333333", "#BBBBBB", "#777777", "#DDDDDD", "#555555", "#999999")  # machines: no colour of an implementation


@style.applied
def cascades(found: Sequence[tuple[str, Portability]]) -> Figure | None:
    """A panel for each kind of efficiency and device, above a row an implementation with its machines in order. None if
    there is nothing to compare."""
    shown = [(kind, tried(one)) for kind, one in found if tried(one).cascades]
    if not shown:
        return None
    rows = max(len(one.cascades) for _, one in shown)
    figure = Figure(figsize=(PANEL[0] * len(shown), PANEL[1] + 0.22 * rows + 0.9))
    axes = figure.subplots(2, len(shown), squeeze=False, sharex="col", height_ratios=[PANEL[1], 0.22 * rows])
    implementations = [c.implementation for _, one in shown for c in one.cascades]
    colours, markers = style.colours(implementations), style.markers(implementations)
    names = sorted({p for _, one in shown for p in one.platforms})
    grey = {name: GREYS[i % len(GREYS)] for i, name in enumerate(names)}
    for (kind, one), above, below in zip(shown, *axes, strict=True):
        lines(above, kind, one, colours, markers)
        strip(below, one, grey)
    legend(figure, colours, markers, grey)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def tried(one: Portability) -> Portability:
    """Without implementations that no machine has tried."""
    return replace(one, cascades=tuple(c for c in one.cascades if c.steps))


def lines(ax: Axes, kind: str, one: Portability, colours: dict[str, str], markers: dict[str, str]) -> None:
    for cascade in one.cascades:
        at = range(1, len(cascade.steps) + 1)
        look = {"color": colours[cascade.implementation], "marker": markers[cascade.implementation]}
        ax.plot(at, [e for _, e, _ in cascade.steps], linestyle=style.DASHES[2], markerfacecolor="white", **look)
        ax.plot(at, [pp for _, _, pp in cascade.steps], **look)
    ax.set_title(f"{one.device.upper()}, {kind} efficiency, {words.plural(one.problems, 'problem')}")
    ax.set_ylabel("efficiency")
    ax.set_ylim(0, max(1.05, 1.05 * max(e for c in one.cascades for _, e, _ in c.steps)))
    ax.set_xlim(0.5, len(one.platforms) + 0.5)
    ax.set_xticks(range(1, len(one.platforms) + 1))


def strip(ax: Axes, one: Portability, grey: dict[str, str]) -> None:
    for row, cascade in enumerate(one.cascades):
        for i, (platform, _, _) in enumerate(cascade.steps, start=1):
            ax.barh(row, 0.94, left=i - 0.47, height=0.8, color=grey[platform])
    ax.set_yticks(range(len(one.cascades)), [cascade.implementation for cascade in one.cascades], fontsize=6.5)
    ax.set_ylim(len(one.cascades) - 0.4, -0.6)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.set_xlabel("machines, each implementation's best first")


def legend(figure: Figure, colours: dict[str, str], markers: dict[str, str], grey: dict[str, str]) -> None:
    handles = [Line2D([], [], color=colours[name], marker=markers[name], label=name) for name in sorted(colours)]
    ink = {"color": style.PAPER_INK}
    handles += [
        Line2D([], [], label="PP over the machines so far", **ink),
        Line2D([], [], linestyle=style.DASHES[2], label="efficiency on the machine", **ink),
    ]
    handles += [Patch(color=colour, label=name) for name, colour in sorted(grey.items())]
    figure.legend(handles=handles, loc="outside lower center", ncols=3 if len(figure.axes) > 2 else 2, fontsize=7)
