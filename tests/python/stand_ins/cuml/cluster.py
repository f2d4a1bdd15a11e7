"""KMeans as cuML documents it. It ends with an assign, refuses a tol of 0, and leaves empty clusters where they are.
It stops when the squared movement is below tol, else it counts an iteration too many. It overwrites a start on the
device."""

from __future__ import annotations

import lloyd
import numpy as np
from cupy import Array


class KMeans:
    def __init__(
        self, *, n_clusters: int, init: Array, n_init: int, max_iter: int, tol: float, output_type: str
    ) -> None:
        if tol <= 0:
            raise RuntimeError("invalid parameter (tol<=0)")
        assert n_init == 1
        assert output_type == "cupy"
        assert len(init) == n_clusters
        self.centroids, self.max_iter, self.tol = init.values, max_iter, tol

    def fit(self, given: Array) -> KMeans:
        fault, points, centroids = lloyd.misbehave(), given.values, self.centroids
        self.n_iter_ = 1
        while self.n_iter_ <= self.max_iter:
            before = centroids.copy()
            centroids[:] = lloyd.update(points, lloyd.nearest(points, before), before)
            if ((centroids - before) ** 2).sum() < self.tol:
                break
            self.n_iter_ += 1
        self.labels_ = Array(lloyd.spoilt(lloyd.nearest(points, centroids).astype(np.int32), fault))
        self.cluster_centers_ = Array(centroids.T if fault == "wrong shape" else centroids)
        return self
