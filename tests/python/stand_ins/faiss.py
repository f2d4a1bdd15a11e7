"""A stand-in for the part of FAISS with GPUs that impl/library/faiss_gpu_worker.py uses. Clustering samples the points
above max_points_per_centroid, and gives an empty cluster half of another."""

from __future__ import annotations

import os
from types import SimpleNamespace

import lloyd
import numpy as np

__version__ = "1.12.stand-in"


def get_num_gpus() -> int:
    return int(os.environ.get("STAND_IN_GPUS", "1"))


class StandardGpuResources:
    pass


class GpuIndexFlatConfig:
    useFloat16 = True  # noqa: N815


class GpuIndexFlatL2:
    def __init__(self, resources: StandardGpuResources, d: int, config: GpuIndexFlatConfig) -> None:
        assert not config.useFloat16
        self.d, self.rows = d, np.empty((0, d), np.float32)

    def reset(self) -> None:
        self.rows = self.rows[:0]

    def add(self, rows: np.ndarray) -> None:
        assert rows.dtype == np.float32 and rows.flags.c_contiguous
        self.rows = np.concatenate([self.rows, rows])

    def search(self, points: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        assert k == 1
        labels = lloyd.nearest(points, self.rows)[:, None]
        return np.zeros(labels.shape, np.float32), lloyd.spoilt(labels, os.environ.get("STAND_IN_FAULT", ""))


class Vector:
    def __init__(self, items: list | np.ndarray) -> None:
        self.items = items

    def size(self) -> int:
        return len(self.items)

    def at(self, i: int) -> object:
        return self.items[i]


def copy_array_to_vector(array: np.ndarray, vector: Vector) -> None:
    assert array.ndim == 1
    vector.items = array.copy()


def vector_to_array(vector: Vector) -> np.ndarray:
    return vector.items.copy()


class Clustering:
    niter, min_points_per_centroid, max_points_per_centroid, check_input_data_for_NaNs = 25, 39, 256, True  # noqa: N815

    def __init__(self, d: int, k: int) -> None:
        self.d, self.k, self.centroids, self.iteration_stats = d, k, Vector([]), Vector([])

    def train(self, points: np.ndarray, index: GpuIndexFlatL2) -> None:
        fault = lloyd.misbehave()
        points = points[: self.k * self.max_points_per_centroid]
        centroids, stats = self.centroids.items.reshape(self.k, self.d), []
        for _ in range(self.niter):
            index.reset()
            index.add(centroids)
            labels = lloyd.nearest(points, centroids)
            centroids = lloyd.update(points, labels, centroids)
            stats.append(SimpleNamespace(nsplit=split(centroids, labels)))
        self.iteration_stats = Vector(stats)
        self.centroids.items = centroids.T[:-1].ravel() if fault == "wrong shape" else centroids.ravel()


def split(centroids: np.ndarray, labels: np.ndarray) -> int:
    sizes = np.bincount(labels, minlength=len(centroids))
    for empty in np.flatnonzero(sizes == 0):
        largest = sizes.argmax()
        centroids[empty], centroids[largest] = centroids[largest] * (1 + 1 / 1024), centroids[largest] * (1 - 1 / 1024)
        sizes[[empty, largest]] = sizes[largest] // 2
    return int((np.bincount(labels, minlength=len(centroids)) == 0).sum())
