"""The k-means of several GPUs that cuVS documents: fit takes NumPy arrays alone, and there is no predict."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from cupy import Array

from cuvs.cluster import kmeans
from cuvs.common import MultiGpuResources


def fit(
    params: kmeans.KMeansParams,
    X: np.ndarray,  # noqa: N803
    centroids: np.ndarray,
    resources: MultiGpuResources,
) -> SimpleNamespace:
    assert isinstance(resources, MultiGpuResources)
    assert resources.device_ids == [0, 1]
    for array in (X, centroids):
        if not isinstance(array, np.ndarray):
            raise ValueError("SNMG KMeans requires X to be in host memory")
    return kmeans.fit(params, Array(X), Array(centroids), resources)
