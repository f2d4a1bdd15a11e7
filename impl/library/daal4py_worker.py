"""The Python side of daal4py.cpp: oneDAL's distributed k-means on ranks of MPI, each with its share of the rows."""

from importlib import metadata

import numpy as np
from ranks import COMM, processors, serve_ranks
from worker import Job, Prepare, means


class Fit:
    def __init__(self, job: Job) -> None:
        self.job = job
        first, end = (len(job.points) * rank // COMM.size for rank in (COMM.rank, COMM.rank + 1))
        self.rows = slice(first, end)
        self.points = np.array(job.points[self.rows])

    def solver(self, iterations: int, **more):
        number = "float" if self.points.dtype == np.float32 else "double"
        return daal4py.kmeans(len(self.job.initial), iterations, fptype=number, accuracyThreshold=0.0, **more)

    def reset(self) -> None:
        self.centroids = np.array(self.job.initial)

    def iterate(self) -> int:
        """It does not return the centroids before its last update: another call makes the last iteration."""
        for iterations in (self.job.iterations - 1, 1):
            self.assigned = self.centroids
            self.centroids = self.solver(iterations, distributed=True).compute(self.points, self.assigned).centroids
        return self.job.iterations

    def download(self) -> None:
        """Means of these labels: in the last update, rounding may have put a point between two centroids elsewhere."""
        job = self.job
        found = self.solver(0, assignFlag=True).compute(self.points, self.assigned)
        job.labels[self.rows] = found.assignments[:, 0]
        COMM.Barrier()
        if COMM.rank == 0:
            job.assigned[:], job.centroids[:] = self.assigned, means(job.points, job.labels, self.assigned)


def load() -> tuple[dict[str, str], Prepare]:
    global daal4py
    import daal4py

    daal4py.daalinit(processors())
    version = metadata.version("scikit-learn-intelex")
    return {"name": "daal4py", "version": version, "precision": "input", "device": "cpu"}, Fit


serve_ranks(load)
