"""The picture of a clustering: points coloured by label, and the centroids."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from plots.draw import style
from plots.draw.axes import note
from plots.errors import UserError
from plots.read.view import View

MOST_POINTS = 20_000
PARTS = ("points", "labels", "centroids")


def sample(n: int, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Indices of at most `most` points, seeded, ascending."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(1).choice(n, most, replace=False))


def read(path: Path) -> NDArray:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as e:
        raise UserError(f"{path}: not a .npy file that can be read: {e}") from e


def whole(labels: NDArray) -> NDArray[np.int64]:
    """Labels as integers, also from whole floats. Raises UserError for any other."""
    if not (np.issubdtype(labels.dtype, np.number) and np.array_equal(labels, np.round(labels))):
        raise UserError(f"labels are {labels.dtype}, not whole numbers")
    return labels.astype(np.int64)


def check(points: NDArray, labels: NDArray, centroids: NDArray, dims: Sequence[int]) -> None:
    """Shapes: points n x d, labels n, centroids k x d, 0 <= labels < k, two dims below d. Raises UserError."""
    if points.ndim != 2 or centroids.ndim != 2 or points.shape[1] != centroids.shape[1]:
        raise UserError(f"points {points.shape} and centroids {centroids.shape} are not n x d and k x d")
    if labels.shape != points.shape[:1]:
        raise UserError(f"labels {labels.shape} where {points.shape[0]} points need one each")
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(centroids)):
        reach = f"from {labels.min()} to {labels.max()}"
        raise UserError(f"labels reach {reach}, where there are {len(centroids)} centroids")
    if len(dims) != 2 or not all(0 <= j < points.shape[1] for j in dims):
        raise UserError(f"dimensions {list(dims)} are not two of the {points.shape[1]}")


@style.applied
def draw(points: NDArray, labels: NDArray, centroids: NDArray, dims: Sequence[int] = (0, 1), title: str = "") -> Figure:
    """Every cluster has a colour (by label, repeating), every centroid a ringed cross."""
    labels = whole(labels.reshape(-1) if labels.shape == (len(points), 1) else labels)  # kmbench writes a column
    check(points, labels, centroids, dims)
    shown = sample(len(points))
    a, b = dims
    figure = Figure(figsize=(5.2, 4.6))
    ax = figure.subplots()
    colours = np.array(style.PALETTE)[labels[shown] % len(style.PALETTE)]
    size = float(np.clip(9000 / max(len(shown), 1), 1.2, 14))
    many = len(shown) > 3000  # then as an image, of few colours
    look = {"alpha": 1 if many else 0.7, "linewidths": 0, "rasterized": many, "antialiased": not many}
    ax.scatter(points[shown, a], points[shown, b], s=size, c=colours, **look)
    at, ink = (centroids[:, a], centroids[:, b]), style.PAPER_INK
    ax.scatter(*at, s=95, c="white", edgecolors=ink, linewidths=1.2, zorder=3)
    ax.scatter(*at, s=40, c=ink, marker="x", linewidths=1.6, zorder=4, label=f"{len(centroids)} centroids")
    ax.set_xlabel(f"dimension {a}")
    ax.set_ylabel(f"dimension {b}")
    ax.grid(True, axis="both")
    ax.set_title(title)
    some = "" if len(shown) == len(points) else f"{len(shown):,} of "
    figure.supxlabel(f"{some}{len(points):,} points, {len(centroids)} clusters", fontsize=7.5, color="#666666")
    return figure


def scatter_exhibit(view: View) -> Figure | None:
    """The clustering that a run of the exhibit left beside its results; None if there is none."""
    files = [view.machine.folder / view.exhibit.paper / f"{view.exhibit.name}.{part}.npy" for part in PARTS]
    if not all(path.exists() for path in files):
        return None
    points, labels, centroids = map(read, files)
    figure = draw(points, labels, centroids, view.exhibit.figure.get("dims", (0, 1)))
    named = {name: view.exhibit.figure[name] for name in ("xlabel", "ylabel") if name in view.exhibit.figure}
    figure.axes[0].set(**named)
    note(figure, title=view.exhibit.heading)
    return figure
