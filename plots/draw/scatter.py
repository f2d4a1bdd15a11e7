"""The picture of a clustering: points coloured by label, and the centroids."""

import lzma
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from plots.draw import style
from plots.draw.axes import grid, note
from plots.errors import UserError
from plots.read.check import Line
from plots.read.select import separating, value_of
from plots.read.view import View

MOST_POINTS = 20_000
TEXT = (".csv", ".tsv", ".txt")


def sample(n: int, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Indices of at most `most` points, seeded, ascending."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(1).choice(n, most, replace=False))


def read(path: Path) -> NDArray:
    """The array of a .npy, .npy.xz or .npz file, an image as rows of its channels; or the rows of a text file, whose
    first line may hold names. Its separator is the first of , ; tab blank that this line holds."""
    try:
        if path.suffix.lower() not in TEXT:
            return array_of(path)
        with path.open(encoding="utf-8-sig") as text:
            first = text.readline()
        by = next((mark for mark in ",;\t" if mark in first), None)
        named = not re.search(r"(^|[;,\t ])\"?[-+]?\.?\d", first)  # no column begins as a number does
        return np.loadtxt(path, delimiter=by, skiprows=int(named), ndmin=2, encoding="utf-8-sig", quotechar='"')
    except OSError as e:
        raise UserError(f"{path}: {e.strerror or 'not a .npy file of numbers'}") from e
    except (ValueError, EOFError, lzma.LZMAError, zipfile.BadZipFile) as e:
        form = "table" if path.suffix.lower() in TEXT else ".npy file"
        raise UserError(f"{path}: not a {form} of numbers; kmbench data {path} --out new.npy makes one of it") from e


def array_of(path: Path) -> NDArray:
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        array = np.load(file, allow_pickle=False)
        if isinstance(array, np.lib.npyio.NpzFile):
            of_points = [name for name in array.files if len(array.files) == 1 or name in ("points", "X")]
            if not of_points:
                raise UserError(f"{path} holds {len(array.files)} arrays; needed is one, or one named points or X")
            array = array[of_points[0]]
    return array.reshape(-1, array.shape[-1]) if array.ndim == 3 else array


def whole(labels: NDArray) -> NDArray[np.int64]:
    """Labels as integers, also from whole floats. Raises UserError for any other."""
    if not (np.issubdtype(labels.dtype, np.number) and np.array_equal(labels, np.round(labels))):
        raise UserError(f"labels are {labels.dtype}, not whole numbers")
    return labels.astype(np.int64)


def check(points: NDArray, labels: NDArray, centroids: NDArray | None, dims: Sequence[int]) -> None:
    """Shapes: points n x d, labels n, centroids k x d, 0 <= labels < k, two dims below d. Raises UserError."""
    if points.ndim != 2 or (centroids is not None and (centroids.ndim != 2 or points.shape[1] != centroids.shape[1])):
        found = "" if centroids is None else f" and centroids {centroids.shape}"
        raise UserError(f"points {points.shape}{found} are not n x d and k x d")
    if labels.shape != points.shape[:1]:
        raise UserError(f"labels {labels.shape} where {points.shape[0]} points need one each")
    if centroids is not None and len(labels) and not (labels.min() >= 0 and labels.max() < len(centroids)):
        reach = f"from {labels.min()} to {labels.max()}"
        raise UserError(f"labels reach {reach}, where there are {len(centroids)} centroids")
    if len(dims) != 2 or not all(0 <= j < points.shape[1] for j in dims):
        raise UserError(f"dimensions {list(dims)} are not two of the {points.shape[1]}")


def paint(
    ax: Axes, points: NDArray, labels: NDArray, centroids: NDArray | None, dims: Sequence[int], panels: int = 1
) -> int:
    """A cluster has a colour (by label, repeating), a centroid a ringed cross. Returns how many points are shown."""
    labels = whole(labels.reshape(-1) if labels.shape == (len(points), 1) else labels)  # kmbench writes a column
    check(points, labels, centroids, dims)
    shown = sample(len(points))
    a, b = dims
    colours = np.array(style.PALETTE)[labels[shown] % len(style.PALETTE)]
    size = float(np.clip(9000 / max(len(shown), 1), 1.2, 14))
    many = len(shown) * panels > 3000  # then as an image, of few colours
    look = {"alpha": 1 if many else 0.7, "linewidths": 0, "rasterized": many, "antialiased": not many}
    ax.scatter(points[shown, a], points[shown, b], s=size, c=colours, **look)
    if centroids is not None:
        at, ink = (centroids[:, a], centroids[:, b]), style.PAPER_INK
        ax.scatter(*at, s=95, c="white", edgecolors=ink, linewidths=1.2, zorder=3)
        ax.scatter(*at, s=40, c=ink, marker="x", linewidths=1.6, zorder=4, label=f"{len(centroids)} centroids")
    ax.set_xlabel(f"dimension {a}")
    ax.set_ylabel(f"dimension {b}")
    ax.grid(True, axis="both")
    return len(shown)


@style.applied
def draw(points: NDArray, labels: NDArray, centroids: NDArray, dims: Sequence[int] = (0, 1), title: str = "") -> Figure:
    figure = Figure(figsize=(5.2, 4.6))
    ax = figure.subplots()
    shown = paint(ax, points, labels, centroids, dims)
    ax.set_title(title)
    some = "" if shown == len(points) else f"{shown:,} of "
    figure.supxlabel(f"{some}{len(points):,} points, {len(centroids)} clusters", fontsize=7.5, color="#666666")
    return figure


def saved(view: View, line: Line, part: str) -> Path:
    return view.machine.folder / view.exhibit.paper / f"{view.exhibit.name}.{line['case']}.{part}.npy"


def scatter_exhibit(view: View) -> Figure | None:
    """The clusterings that cases of the exhibit left beside its results, a panel each; None if there is none."""
    lines = [line for line in view.lines if all(saved(view, line, part).exists() for part in ("points", "labels"))]
    if not lines:
        return None
    spec, fields = view.exhibit.figure, separating(lines, [])
    lines.sort(key=lambda line: view.order_of(line, fields))
    across = min(len(lines), len({value_of(line, fields[-1]) for line in lines}) if fields else 1)
    figure, axes = grid(len(lines), across, (5.2, 4.6) if len(lines) == 1 else (3.0, 2.7), 0.3)
    named = {name: spec[name] for name in ("xlabel", "ylabel") if name in spec}
    for ax, line in zip(axes, lines, strict=True):
        centroids = saved(view, line, "centroids")
        points, labels = (read(saved(view, line, part)) for part in ("points", "labels"))
        paint(ax, points, labels, read(centroids) if centroids.exists() else None, (0, 1), len(lines))
        ax.set(**named, title=" · ".join(view.said(line, f) for f in fields))
    note(figure, view.size, title=view.exhibit.heading)
    return figure
