"""The k-means of several GPUs that cuVS documents: fit takes NumPy arrays alone, and there is no predict."""

from __future__ import annotations

from types import SimpleNamespace

import cupy
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
    assert resources.device_ids == list(range(cupy.cuda.runtime.getDeviceCount()))
    for array in (X, centroids):
        if not isinstance(array, np.ndarray):
            raise ValueError("SNMG KMeans requires X to be in host memory")
    return kmeans.fit(params, Array(X), Array(centroids), resources)
