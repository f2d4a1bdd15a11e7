"""The Python side of sklearn.cpp and sklearnex.cpp: fits the KMeans of the first argument's module."""

import importlib
import sys
import warnings
from importlib import metadata

from worker import Job, Prepare, serve


class Fit:
    def __init__(self, job: Job) -> None:
        self.job, self.KMeans = job, importlib.import_module(sys.argv[1]).KMeans

    def reset(self) -> None:
        self.model = None

    def iterate(self) -> int:
        """fit ends with an assign where the task ends with an update: one update fewer, unless it converged before."""
        job, updates = self.job, self.job.iterations - 1
        settings = {"n_init": 1, "max_iter": updates, "tol": 0, "algorithm": sys.argv[2]}
        self.model = self.KMeans(len(job.initial), init=job.initial, **settings).fit(job.points)
        return self.model.n_iter_ + (self.model.n_iter_ == updates)

    def download(self) -> None:
        self.job.labels[:], self.job.assigned[:] = self.model.labels_, self.model.cluster_centers_
        self.job.centroids[:] = self.model.cluster_centers_


def load() -> tuple[dict[str, str], Prepare]:
    importlib.import_module(sys.argv[1])
    package = metadata.packages_distributions()[sys.argv[1].split(".")[0]][0]
    warnings.simplefilter("ignore")  # of few distinct points, and of no convergence
    return {"name": package, "version": metadata.version(package), "precision": "input", "device": "cpu"}, Fit


serve(load)
