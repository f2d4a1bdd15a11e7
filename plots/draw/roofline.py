"""The roofline: operations a second by operations a byte, under the machine's ceilings."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots.draw import style
from plots.draw.axes import apart, grid, log_height, note
from plots.read.metrics import metric
from plots.read.results import Line, device
from plots.read.view import View

SIZE = (5.6, 4.6)  # inches of a panel
COUNTED = 3  # operations of an iteration for each point, dimension and cluster; products of matrices make 2 of them
TENSOR = {"tensor_tf32_gflops": "tensor cores, TF32", "tensor_bf16_gflops": "tensor cores, bf16"}
Point = tuple[float, float]  # operations for a byte; billions of them in a second


def roofline(view: View) -> Figure | None:
    """A panel a device with measured ceilings; None if there is none, or no time."""
    points: dict[str, dict[str, list[Point]]] = {}
    for line in view.lines:
        if (at := place(view, line)) and roof(view, device(line)):
            points.setdefault(device(line), {}).setdefault(line["implementation"], []).append(at)
    if not points:
        return None
    figure, axes = grid(len(points), len(points), SIZE, 0)
    for ax, (where, found) in zip(axes, sorted(points.items()), strict=True):
        paint(ax, found, *roof(view, where))
        ax.set_title(f"{where.upper()}, fp32")
        ax.set(xlabel="operations for a byte of the least traffic", ylabel="billions of operations in a second")
    said = "Lines: measured ceilings. A mark: where an implementation comes nearest to its own; grey: other problems."
    more = (
        f"Above: caches, or distances proven needless. Tensor cores make 2 of the {COUNTED} n d k operations counted."
    )
    note(figure, said, more, title=view.exhibit.heading)
    return figure


def roof(view: View, where: str) -> tuple[float, dict[str, float]] | None:
    """Billions of bytes a second, and by name the ceilings of billions of operations a second, the lowest first."""
    speeds = (view.machine.record.get("floor") or {}).get(where) or {}
    width, plain = speeds.get("bytes_per_s"), (speeds.get("flops_per_s") or {}).get("fp32")
    if not width or not plain:
        return None
    measured = (view.machine.record.get("ceilings") or {}).get(where) or {}
    units = {name: measured[key] * COUNTED / 2 for key, name in TENSOR.items() if measured.get(key)}
    return width / 1e9, {"multiply-adds": plain / 1e9, **units}


def place(view: View, line: Line) -> Point | None:
    rate, work = view.value(line, "flop_rate"), line["work"]
    fair = line["precision"] == "fp32" and rate and view.fair(line, "flop_rate") and metric("iteration").of(line, {})
    return (work["flops"] / work["bytes"], rate.value) if fair and work["bytes"] and rate.value > 0 else None


def nearest(points: Sequence[Point], bandwidth: float, ceilings: Sequence[float]) -> Point:
    """The point that comes nearest to its ceilings: the memory's, and the lowest that none of the points exceeds."""
    fastest = max(rate for _, rate in points)
    own = min((flops for flops in ceilings if flops >= fastest), default=max(ceilings))
    return max(points, key=lambda at: at[1] / min(bandwidth * at[0], own))


def roofs(ax: Axes, bandwidth: float, ceilings: dict[str, float], span: tuple[float, float]) -> None:
    """The memory's slope and a line for every ceiling of arithmetic, with its name."""
    look = {"color": style.PAPER_INK, "linewidth": 1.2}
    top = max(ceilings.values())
    ax.plot([span[0], top / bandwidth], [bandwidth * span[0], top], **look)
    for i, (name, flops) in enumerate(ceilings.items()):
        ax.plot([flops / bandwidth, span[1]], [flops, flops], linestyle=style.DASHES[min(i, 1)], **look)
        side = {"xytext": (-3, 2), "va": "bottom"} if flops == top else {"xytext": (-3, -2), "va": "top"}
        ax.annotate(name, (span[1], flops), textcoords="offset points", ha="right", fontsize=7, **side)


def paint(ax: Axes, found: dict[str, Sequence[Point]], bandwidth: float, ceilings: dict[str, float]) -> None:
    best = {name: nearest(at, bandwidth, list(ceilings.values())) for name, at in found.items()}
    everything = [at for points in found.values() for at in points]
    ax.plot(*zip(*everything, strict=True), linestyle="none", marker=".", ms=3, color="#BBBBBB", rasterized=True)
    top = max(ceilings.values())
    span = min(x for x, _ in everything) / 2, max(top / bandwidth, *(x for x, _ in everything)) * 2
    roofs(ax, bandwidth, ceilings, span)
    colour, marker = style.colours(best), style.markers(best)
    ax.set_xlim(*span)
    log_height(ax, side="x")
    log_height(ax)
    heights = [ax.transLimits.transform(ax.transScale.transform(at))[1] for at in best.values()]
    for (name, at), y in zip(best.items(), apart(heights, 1 / 27), strict=True):
        ax.plot(*at, linestyle="none", marker=marker[name], color=colour[name], markersize=6, zorder=3)
        ends = {"shrinkA": 0, "shrinkB": 3, "relpos": (0, 0.5)}
        line = {"arrowstyle": "-", "color": colour[name], "linewidth": 0.5, **ends}
        own = {"textcoords": "axes fraction", "arrowprops": line, "annotation_clip": False}
        text = name.removeprefix("cpu/").removeprefix("gpu/")
        ax.annotate(text, at, (1.03, y), **own, va="center", fontsize=7, color="#222222")
