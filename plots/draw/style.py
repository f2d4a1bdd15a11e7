"""Colours and markers by name, not by position: one more implementation recolours no figure."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

os.environ.setdefault("SOURCE_DATE_EPOCH", "0")

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import ScaledTranslation

from plots.read import words

STYLE = Path(__file__).with_name("style.mplstyle")
# Paul Tol, "Colour Schemes" (2021), bright and vibrant: told apart with every common colour vision.
PALETTE = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#EE7733", "#44AA99", "#332288")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)))
PAPER_INK = "#222222"
MISSING = {"marker": "x", "linestyle": "none", "markersize": 5, "clip_on": False, "zorder": 4}
TEXT = {"marker": "D", "linestyle": "none", "markerfacecolor": "white", "markersize": 5, "zorder": 4}
STATED = "where a ratio or value of the paper's text would put it"
BAND = {"linewidth": 7, "alpha": 0.4, "label": "between the bounds of the paper's text"}
MEAN = {"color": PAPER_INK, "linestyle": (0, (4, 3)), "linewidth": 0.9, "label": "mean in the paper's text"}
CENTRED = {"ha": "center", "va": "center", "in_layout": False}  # text inside a cell: the layout need not measure it
DAGGER = {"linestyle": "none", "color": "#BB2222", "markersize": 5, "markeredgewidth": 0.3}
COARSE = {**DAGGER, "marker": r"$\dagger$", "label": "coarse (see the table)"}
DISTURBED = {**DAGGER, "marker": r"$\ddagger$", "label": "disturbed (see the table)"}
DOUBTS = {words.COARSE: COARSE, words.DISTURBED: DISTURBED}
NOTES = (STATED, BAND["label"], MEAN["label"], COARSE["label"], DISTURBED["label"])  # last in every legend
# A name here has this colour everywhere; every other name gets its own by hash. Parts of a stack lie side by side: Paul
# Tol's muted, as far apart in grey as in colour.
COLOURS = {
    "assign": "#332288",
    "update": "#CC6677",
    "transfer": "#DDCC77",
    "transpose": "#44AA99",
    "init": "#882255",
    "prepare": "#117733",
    "download": "#88CCEE",
}


applied = matplotlib.rc_context(fname=STYLE)  # decorates functions that draw


def gaps(ax: Axes, places: Sequence[float], colour: str) -> None:
    """Marks cases without a time on the x axis."""
    if places:
        ax.plot(places, [0.015] * len(places), transform=ax.get_xaxis_transform(), color=colour, **MISSING)


def daggers(ax: Axes, places: Sequence[tuple[float, float, str]]) -> None:
    """Marks doubtful times, a little above them. `places`: x, y and the doubt."""
    above = ScaledTranslation(0, 7 / 72, ax.figure.dpi_scale_trans)
    for doubt, look in DOUBTS.items():
        if own := [(x, y) for x, y, why in places if why == doubt]:
            with matplotlib.rc_context({"text.parse_math": True}):  # the marks are formulas
                ax.plot(*zip(*own, strict=True), transform=ax.transData + above, clip_on=False, **look)


def digest(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def by_name(names: Sequence[str], choices: tuple, fixed: dict[str, str]) -> dict:
    """One choice a name: its own by hash, or the next free one. Choices repeat if there are too few."""
    given = {name: fixed[name] for name in names if name in fixed}
    for name in sorted(set(names) - given.keys()):
        start = digest(name) % len(choices)
        turned = [choices[(start + i) % len(choices)] for i in range(len(choices))]
        given[name] = next((c for c in turned if c not in given.values()), turned[0])
    return given


def colours(names: Iterable[str]) -> dict[str, str]:
    return by_name(list(names), PALETTE, COLOURS)


def markers(names: Iterable[str]) -> dict[str, str]:
    return by_name(list(names), MARKERS, {})


# What each format would otherwise say of the hour and the program.
METADATA = {
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
}
DOTS = 100  # an inch of an SVG, for the points of a clustering, alone in being no vectors


@applied
def write(figure: Figure, target: IO[bytes], ending: str) -> None:
    """Writes .svg, .pdf or .png without date and version: the same figure gives the same bytes."""
    if ending != ".svg":
        figure.savefig(target, format=ending[1:], metadata=METADATA[ending])
    elif isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.savefig(target, format="svg", metadata=METADATA[ending], dpi=DOTS)
    else:  # nothing is left to lay out: savefig would draw it twice
        before, figure.dpi = figure.dpi, DOTS
        FigureCanvasSVG(figure).print_svg(target, metadata=METADATA[ending])
        figure.dpi = before
