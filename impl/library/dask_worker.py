"""The Python side of dask.cpp: Dask-ML's KMeans on as many workers as the argument says, or on those of
DASK_SCHEDULER_ADDRESS."""

import logging
import os
import sys
from importlib import metadata
from multiprocessing import resource_tracker

import numpy as np
from worker import Job, Prepare, means, serve

AT_REST = 1e-300  # it stops below


class Fit:
    def __init__(self, job: Job) -> None:
        import dask.array
        import dask_ml.cluster
        from distributed import wait

        self.job, self.KMeans = job, dask_ml.cluster.KMeans
        blocks = np.array_split(job.points, min(len(job.points), sum(CLIENT.nthreads().values())))
        sent = CLIENT.scatter(blocks)
        parts = [dask.array.from_delayed(s, b.shape, b.dtype) for s, b in zip(sent, blocks, strict=True)]
        self.points = dask.array.concatenate(parts).persist()
        wait(self.points)

    def reset(self) -> None:
        self.model = None

    def iterate(self) -> int:
        """fit ends with an assign where the task ends with an update: one update fewer, unless it converged before."""
        job, updates = self.job, self.job.iterations - 1
        settings = {"max_iter": updates, "tol": 0 if job.tolerance is None else AT_REST}
        self.model = self.KMeans(len(job.initial), init=np.array(job.initial), **settings).fit(self.points)
        return self.model.n_iter_ + (self.model.n_iter_ == updates)

    def download(self) -> None:
        """Labels anew: those of the model may be of the assign before."""
        job = self.job
        job.labels[:], job.assigned[:] = self.model.predict(self.points).compute(), self.model.cluster_centers_
        job.centroids[:] = means(job.points, job.labels, job.assigned)


def load() -> tuple[dict[str, str], Prepare]:
    global CLIENT
    import dask_ml.cluster  # noqa: F401
    from distributed import Client, LocalCluster

    workers, address = int(sys.argv[1]), os.environ.get("DASK_SCHEDULER_ADDRESS")
    if not address:
        threads = max(1, len(os.sched_getaffinity(0)) // workers)
        shape = {"n_workers": workers, "threads_per_worker": threads, "processes": workers > 1}
        address = LocalCluster(**shape, dashboard_address=None, silence_logs=logging.CRITICAL)
    CLIENT = Client(address)
    return {"name": "Dask-ML", "version": metadata.version("dask-ml"), "precision": "input", "device": "cpu"}, Fit


def end() -> None:
    """Waits for all processes, also that in which multiprocessing tracks its resources: kmbench counts those left."""
    if "CLIENT" in globals():
        CLIENT.close()
        if CLIENT.cluster:
            CLIENT.cluster.close()
        resource_tracker._resource_tracker._stop()


if __name__ == "__main__":  # the workers import this file
    serve(load, end)
