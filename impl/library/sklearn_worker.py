"""The Python side of sklearn.cpp: fit when told to. Shared memory is descriptor 4, answers go to descriptor 3."""

import mmap
import os
import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans

warnings.simplefilter("ignore")  # fewer distinct points than clusters, no convergence: both are asked for
dtype, (n, d, k, max_iter) = np.dtype(sys.argv[1]), map(int, sys.argv[2:6])
shared = mmap.mmap(4, 0)
cells, item = k * d, dtype.itemsize
points = np.frombuffer(shared, dtype, n * d).reshape(n, d)
initial = np.frombuffer(shared, dtype, cells, n * d * item).reshape(k, d)
centroids = np.frombuffer(shared, dtype, cells, (n * d + cells) * item).reshape(k, d)
labels = np.frombuffer(shared, np.int32, n, (n * d + 2 * cells) * item)


def answer(text: str) -> None:
    os.write(3, (text + "\n").encode())


answer("ready")
for _ in sys.stdin:
    try:
        model = KMeans(k, init=initial, n_init=1, max_iter=max_iter, tol=0, algorithm="lloyd").fit(points)
        labels[:], centroids[:] = model.labels_, model.cluster_centers_
        answer(str(model.n_iter_))
    except Exception as error:  # reported as the case's failure
        answer("error " + str(error).replace("\n", " "))
