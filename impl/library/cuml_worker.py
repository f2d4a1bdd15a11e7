"""The Python side of cuml.cpp: cuML's KMeans().fit() on a CuPy array, then the update that it leaves out."""

from typing import Any

from worker import Job, Prepare, serve

AT_REST = 1e-30  # cuML refuses 0: below the square of any movement that counts


class Fit:
    def __init__(self, job: Job) -> None:
        import cuml.cluster
        import cupy
        import cupyx

        if job.iterations < 2:
            raise ValueError("fit makes two assigns at least")
        self.job, self.cupy, self.scatter_add, self.KMeans = job, cupy, cupyx.scatter_add, cuml.cluster.KMeans
        self.transfers = job.parameters.get("transfers") == "inside"
        self.points = None if self.transfers else cupy.asarray(job.points)
        self.synchronize()

    def synchronize(self) -> None:
        self.cupy.cuda.Device().synchronize()

    def reset(self) -> None:
        self.start, self.labels = self.cupy.asarray(self.job.initial), None
        self.synchronize()

    def iterate(self) -> int:
        """fit makes one update fewer than iterations, unless it rests before; ours is the last. It overwrites init."""
        updates = self.job.iterations - 1
        points = self.cupy.asarray(self.job.points) if self.transfers else self.points
        settings = {"n_init": 1, "max_iter": updates, "tol": AT_REST, "output_type": "cupy"}
        model = self.KMeans(n_clusters=len(self.start), init=self.start.copy(), **settings).fit(points)
        self.labels, self.assigned = model.labels_, model.cluster_centers_
        self.centroids = self.update(points)
        if self.transfers:
            self.labels = self.cupy.asnumpy(self.labels)
        self.synchronize()
        made = int(model.n_iter_)  # some versions count one too many if it did not rest
        return made if made < updates else updates + 1

    def update(self, points: Any) -> Any:
        """An empty cluster keeps its centroid."""
        cupy, before = self.cupy, self.assigned
        sums = cupy.zeros_like(before)
        self.scatter_add(sums, self.labels, points)
        counts = cupy.bincount(self.labels, minlength=len(before))[:, None]
        return cupy.where(counts > 0, sums / cupy.maximum(counts, 1), before)

    def download(self) -> None:
        job, asnumpy = self.job, self.cupy.asnumpy
        job.labels[:] = self.labels if self.transfers else asnumpy(self.labels)
        job.assigned[:], job.centroids[:] = asnumpy(self.assigned), asnumpy(self.centroids)


def load() -> tuple[dict[str, str], Prepare]:
    import cuml
    import cuml.cluster
    import cupy

    if not cupy.cuda.runtime.getDeviceCount():
        raise RuntimeError("CuPy sees no GPU")
    return {"name": "cuML", "version": cuml.__version__, "precision": "input", "device": "cuda"}, Fit


serve(load)
