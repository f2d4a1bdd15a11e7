"""The Python side of sklearn.cpp: fit when told to."""

from __future__ import annotations

import warnings

from worker import Job, Prepare, serve


class Lloyd:
    def __init__(self, job: Job) -> None:
        self.job = job

    def reset(self) -> None:
        self.model = None

    def iterate(self) -> int:
        """fit ends with an assign where the task ends with an update: one update fewer, unless it converged before."""
        from sklearn.cluster import KMeans

        job, updates = self.job, self.job.iterations - 1
        settings = {"n_init": 1, "max_iter": updates, "tol": 0, "algorithm": "lloyd"}
        self.model = KMeans(len(job.initial), init=job.initial, **settings).fit(job.points)
        return self.model.n_iter_ + (self.model.n_iter_ == updates)

    def download(self) -> None:
        self.job.labels[:], self.job.assigned[:] = self.model.labels_, self.model.cluster_centers_
        self.job.centroids[:] = self.model.cluster_centers_


def load() -> tuple[dict[str, str], Prepare]:
    import sklearn
    import sklearn.cluster

    warnings.simplefilter("ignore")  # fewer distinct points than clusters, no convergence: both are asked for
    return {"name": "scikit-learn", "version": sklearn.__version__, "precision": "input", "device": "cpu"}, Lloyd


serve(load)
