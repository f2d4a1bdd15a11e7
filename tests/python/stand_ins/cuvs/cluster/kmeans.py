"""The k-means that cuVS documents. fit overwrites the given centroids, returns no labels, refuses a tol of 0 and stops
when the squared movement is below tol. predict fills the given labels."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import lloyd
from cupy import Array

from cuvs.common import Resources


class KMeansParams:
    def __init__(self, *, n_clusters: int, init_method: str, n_init: int, max_iter: int, tol: float) -> None:
        assert (init_method, n_init) == ("Array", 1)
        assert max_iter >= 1
        self.n_clusters, self.max_iter, self.tol = n_clusters, max_iter, tol


def fit(params: KMeansParams, X: Array, centroids: Array, resources: Resources) -> SimpleNamespace:  # noqa: N803
    if params.tol <= 0:
        raise RuntimeError("invalid parameter (tol<=0)")
    lloyd.misbehave()
    time.sleep(float(os.environ.get("STAND_IN_SET_UP_S", "0")))
    points, values = X.values, centroids.values
    assert len(values) == params.n_clusters
    for _ in range(params.max_iter):
        before = values.copy()
        time.sleep(float(os.environ.get("STAND_IN_ITERATION_S", "0")))
        values[:] = lloyd.update(points, lloyd.nearest(points, before), before)
        if ((values - before) ** 2).sum() < params.tol:
            break
    return SimpleNamespace(centroids=centroids)


def predict(
    params: KMeansParams,
    X: Array,  # noqa: N803
    centroids: Array,
    labels: Array,
    resources: Resources,
) -> None:
    found = lloyd.spoilt(lloyd.nearest(X.values, centroids.values), fault := lloyd.misbehave())
    labels.values[:] = found[:, None] if fault == "wrong shape" else found
