"""The Python side of cuvs.cpp and cuvs_many.cpp: cuVS's fit() to the last iteration but one, then for that one."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from worker import Job, Prepare, serve

AT_REST = 1e-30  # cuVS refuses 0: below the square of any movement that counts


class Fit:
    def __init__(self, job: Job) -> None:
        import cupy
        from cuvs.cluster import kmeans
        from cuvs.common import Resources

        self.job, self.cupy, self.kmeans, self.resources = job, cupy, kmeans, Resources()
        self.points = cupy.asarray(job.points)
        self.synchronize()

    def synchronize(self) -> None:
        self.resources.sync()
        self.cupy.cuda.Device().synchronize()

    def reset(self) -> None:
        self.start, self.assigned, self.centroids = self.cupy.asarray(self.job.initial), None, None
        self.synchronize()

    def iterate(self) -> int:
        before, first_s = self.fit(self.start, self.job.iterations - 1)
        self.assigned = before
        self.centroids, last_s = self.fit(before, 1)
        self.set_up = set_up_s(first_s, last_s, self.job.iterations)
        return self.job.iterations

    def fit(self, start: Any, iterations: int) -> tuple[Any, float]:
        """Returns k x d centroids after these iterations, and the seconds. cuVS overwrites its start, hence a copy."""
        centroids, began = start.copy(), time.perf_counter()
        if iterations:
            self.kmeans.fit(self.parameters(iterations), self.points, centroids=centroids, resources=self.resources)
            self.synchronize()
        return centroids, time.perf_counter() - began

    def parameters(self, iterations: int) -> Any:
        settings = {"init_method": "Array", "n_init": 1, "max_iter": iterations, "tol": AT_REST}
        return self.kmeans.KMeansParams(n_clusters=len(self.start), **settings)

    def labels_of(self, points: Any, centroids: Any, resources: Any) -> Any:
        labels = self.cupy.empty(len(points), self.cupy.int32)
        given = {"labels": labels, "resources": resources}
        self.kmeans.predict(self.parameters(1), points, centroids, **given)
        resources.sync()
        self.cupy.cuda.Device().synchronize()
        return labels

    def download(self) -> None:
        job, cupy = self.job, self.cupy
        job.labels[:] = cupy.asnumpy(self.labels_of(self.points, self.assigned, self.resources))
        job.assigned[:], job.centroids[:] = cupy.asnumpy(self.assigned), cupy.asnumpy(self.centroids)


class FitMany(Fit):
    """On all GPUs that the process sees, for points in the host's memory. fit gives no labels: each finds a share."""

    most_at_once = 1 << 22  # points that a GPU labels

    def __init__(self, job: Job) -> None:
        import cupy
        from cuvs.cluster import kmeans
        from cuvs.cluster.mg import kmeans as of_many
        from cuvs.common import MultiGpuResources, Resources

        self.job, self.cupy, self.kmeans, self.of_many, self.Resources = job, cupy, kmeans, of_many, Resources
        self.gpus = range(cupy.cuda.runtime.getDeviceCount())
        self.cards = MultiGpuResources(device_ids=list(self.gpus))

    def reset(self) -> None:
        self.start, self.assigned, self.centroids = self.job.initial.copy(), None, None

    def fit(self, start: Any, iterations: int) -> tuple[Any, float]:
        centroids, began = start.copy(), time.perf_counter()
        if iterations:
            self.of_many.fit(self.parameters(iterations), self.job.points, centroids=centroids, resources=self.cards)
            self.cards.sync()
        return centroids, time.perf_counter() - began

    def label_chunks(self, gpu: int) -> None:
        job, cupy, gpus = self.job, self.cupy, len(self.gpus)
        chunk = min(self.most_at_once, -(-len(job.points) // gpus))
        with cupy.cuda.Device(gpu):
            resources, assigned = self.Resources(), cupy.asarray(self.assigned)
            for first in range(gpu * chunk, len(job.points), gpus * chunk):
                points = cupy.asarray(job.points[first : first + chunk])
                labels = self.labels_of(points, assigned, resources)
                job.labels[first : first + len(points)] = cupy.asnumpy(labels)

    def download(self) -> None:
        job = self.job
        with ThreadPoolExecutor(len(self.gpus)) as threads:
            list(threads.map(self.label_chunks, self.gpus))
        job.assigned[:], job.centroids[:] = self.assigned, self.centroids


def set_up_s(first_s: float, last_s: float, iterations: int) -> float | None:
    """Seconds of two fits beside their iterations: one made all iterations but the last. None below three."""
    if iterations < 3:
        return None
    one_s = max(0.0, (first_s - last_s) / (iterations - 2))
    return 2 * max(0.0, last_s - one_s)


def prepared(job: Job) -> Fit:
    return FitMany(job) if "gpus" in job.parameters else Fit(job)


def load() -> tuple[dict[str, str], Prepare]:
    import cupy
    import cuvs
    from cuvs.cluster import kmeans

    if not hasattr(kmeans, "KMeansParams"):
        raise RuntimeError("this cuVS has no cuvs.cluster.kmeans.KMeansParams")
    if not cupy.cuda.runtime.getDeviceCount():
        raise RuntimeError("CuPy sees no GPU")
    return {"name": "cuVS", "version": cuvs.__version__, "precision": "input", "device": "cuda"}, prepared


serve(load)
