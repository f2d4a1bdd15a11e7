"""The Python side of faiss_gpu.cpp: FAISS's Clustering over an index on the GPU."""

import numpy as np
from worker import Job, Prepare, means, serve


class Train:
    def __init__(self, job: Job) -> None:
        import faiss

        if job.points.dtype != np.float32 or job.iterations < 3 or len(job.points) <= len(job.initial):
            raise ValueError("FAISS takes fp32, three iterations at least, and more points than centroids")
        self.job, self.faiss = job, faiss
        self.points = np.ascontiguousarray(job.points)
        self.resources = faiss.StandardGpuResources()
        exact = faiss.GpuIndexFlatConfig()
        exact.useFloat16 = False
        self.index = faiss.GpuIndexFlatL2(self.resources, job.points.shape[1], exact)

    def reset(self) -> None:
        self.used = self.last = None
        self.split = False

    def iterate(self) -> int:
        self.used = self.train(self.job.initial, self.job.iterations - 1)
        self.last = self.train(self.used, 1)
        return self.job.iterations

    def train(self, start: np.ndarray, iterations: int) -> np.ndarray:
        k, d = start.shape
        clustering = self.faiss.Clustering(d, k)
        clustering.niter = iterations
        clustering.min_points_per_centroid = 1  # no warning
        clustering.max_points_per_centroid = len(self.points) // k + 1  # all points
        if hasattr(clustering, "check_input_data_for_NaNs"):
            clustering.check_input_data_for_NaNs = False
        self.faiss.copy_array_to_vector(np.ascontiguousarray(start).ravel(), clustering.centroids)
        clustering.train(self.points, self.index)
        stats = clustering.iteration_stats
        self.split = stats.at(stats.size() - 1).nsplit > 0
        return self.faiss.vector_to_array(clustering.centroids).reshape(k, d)

    def download(self) -> None:
        job = self.job
        self.index.reset()
        self.index.add(self.used)
        job.labels[:] = self.index.search(self.points, 1)[1].ravel()
        job.assigned[:] = self.used
        job.centroids[:] = means(job.points, job.labels, self.used) if self.split else self.last


def load() -> tuple[dict[str, str], Prepare]:
    import faiss

    if not faiss.get_num_gpus():
        raise RuntimeError("this FAISS sees no GPU")
    return {"name": "FAISS", "version": faiss.__version__, "precision": "input", "device": "cuda"}, Train


serve(load)
