"""Axes: plain numbers on logarithmic scales, headroom, wrapped lines of text."""

import textwrap
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.ticker import LogFormatter

from plots.read import words

LEAST_RANGE = 2.0  # of a logarithmic axis, most over least: noise is not blown up to a mountain
FEW_DECADES = 30.0  # most over least, below which numbers between the powers of ten have labels too
HEADROOM = 0.06  # of the height
NOTE, TITLE = 7.0, 9.5  # points: the sizes of the lines of text above the panels, and of the title above these
LETTER = 0.5  # of the size: the mean width of a character, more in a line of digits; of bold ones a third more
HARD = "\u00a0"  # a space that no line is broken at
TICK = 4.4  # points: a character of a tick's label


def tick(value: float) -> str:
    """`0.006`, `0.1`, `20`, `10,000`; scientific below 0.0001."""
    if value == 0 or abs(value) >= 1:
        return words.number(value, 3) if float(value).is_integer() else f"{value:.4g}"
    return f"{value:.3g}" if abs(value) < 1e-4 else f"{value:.7f}".rstrip("0")


class Between(LogFormatter):
    """Plain labels between the powers of ten, if there are few decades."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return tick(x) if super().__call__(x, pos) else ""


def grid(count: int, across: int, panel: tuple[float, float], above: float) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, `across` side by side. `panel`: the size of one; `above`: room for the title."""
    down = -(-count // across)
    figure = Figure(figsize=(panel[0] * across, panel[1] * down + above))
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for ax in axes[count:]:
        ax.remove()
    return figure, axes[:count]


def row_of_maps(count: int, wide: float, high: float) -> tuple[Figure, list[Axes]]:
    return grid(count, count, (max(5.0 / count, wide), high), 0)


def plain_log(axis: Axis) -> None:
    """For an axis with a logarithmic scale."""
    axis.set_major_formatter(lambda value, _: tick(value))
    low, high = axis.get_view_interval()
    near = high / low < FEW_DECADES
    axis.set_minor_formatter(Between(minor_thresholds=(1, 0.5)) if near else lambda *_: "")


def log_height(ax: Axes, least_range: float = LEAST_RANGE, side: str = "y") -> None:
    """Makes the y (or x) axis logarithmic with plain numbers, over at least `least_range`."""
    ax.set(**{f"{side}scale": "log"})
    axis = getattr(ax, f"{side}axis")
    low, high = axis.get_view_interval()
    if high / low < least_range:
        more = (least_range / (high / low)) ** 0.5
        ax.set(**{f"{side}lim": (low / more, high * more)})
    plain_log(axis)


def height_from_zero(ax: Axes) -> None:
    """Makes the y axis linear, with headroom above the highest mark."""
    height = ax.dataLim.ymax
    ax.set_ylim(0, height * (1 + HEADROOM) if height > 0 else None)


def readable(places: Sequence[float], texts: Sequence[str], width: float, upright: bool) -> list[int]:
    """The labels, by index, that do not run into the one before; `width`: of the axis, in points."""
    span = (max(places) - min(places)) / 0.91 if len(places) > 1 else 1.0  # with matplotlib's margins
    kept: list[int] = []
    for i, place in enumerate(places):
        if kept:
            letters = (len(texts[i]) + len(texts[kept[-1]])) / 2
            needed = letters * TICK + 2 if upright else 11.0
            if (place - places[kept[-1]]) / span * width < needed:
                continue
        kept.append(i)
    return kept


def glued(line: str) -> str:
    """Makes a list with `·` break only there."""
    return line.replace(" ", HARD).replace(f"·{HARD}", "· ") if " · " in line else line


def broken(lines: Iterable[str], figure: Figure, size: float, wide: float = 1.0) -> list[str]:
    room, how = figure.get_size_inches()[0] * 72 / (size * wide), {"break_long_words": False, "break_on_hyphens": False}
    return [part for line in lines if line for part in textwrap.wrap(line, int(room / mean_width(line)) - 2, **how)]


def mean_width(line: str) -> float:
    """Of a character, over the size."""
    width, *_ = TextToPath().get_text_width_height_descent(line, FontProperties(size=100), ismath=False)
    return max(LETTER, width / 100 / len(line))


def note(figure: Figure, *lines: str, title: str = "") -> None:
    """Puts a title and lines of small text above the panels, wrapped at the width of the figure."""
    heads, small = broken([title], figure, TITLE, 1.3), broken(map(glued, lines), figure, NOTE)
    room = [" "] * -int(-len(heads) * TITLE // NOTE)  # the title stands in empty lines: the layout makes room for these
    told = "\n".join([*room, *small]).replace(HARD, " ")
    figure.suptitle(told, x=0.008, ha="left", fontsize=NOTE, color="#666666")
    text = "\n".join(heads).replace(HARD, " ")
    figure.text(0.008, 0.985, text, ha="left", va="top", fontsize=TITLE, fontweight="bold", color="#222222")


def apart(places: Sequence[float], least: float) -> list[float]:
    """Heights (0 to 1) moved so that they are `least` apart, in the order of `places`."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found, below = [0.0] * len(places), -least
    for rank, i in enumerate(order):
        highest = 1 - (len(order) - 1 - rank) * least
        below = found[i] = max(min(places[i], highest), below + least)
    return found
