"""The Python side of flash_kmeans.cpp: the library's assign and update, one after the other. With the argument large,
that of flash_kmeans_large.cpp: a call of kmeans_largeN is a run."""

import os
import sys

from worker import Job, Prepare, serve


class Lloyd:
    """Arrays have a leading batch dimension of one, as the library expects."""

    def __init__(self, job: Job) -> None:
        import torch
        from flash_kmeans.assign_euclid_triton import euclid_assign_triton
        from flash_kmeans.centroid_update_triton import triton_centroid_update_sorted_euclid

        self.torch, self.job = torch, job
        self.assign, self.update = euclid_assign_triton, triton_centroid_update_sorted_euclid
        self.points = torch.from_numpy(job.points).cuda().unsqueeze(0)
        self.squares = torch.cat([(part * part).sum(-1) for part in self.points.split(1 << 20, dim=1)], dim=1)
        torch.cuda.synchronize()

    def reset(self) -> None:
        self.start = self.torch.from_numpy(self.job.initial.copy()).cuda().unsqueeze(0)
        self.labels = self.assigned = self.centroids = None
        self.torch.cuda.synchronize()

    def iterate(self) -> int:
        self.centroids = self.start
        for _ in range(self.job.iterations):
            self.assigned = self.centroids
            self.labels = self.assign(self.points, self.assigned, self.squares)
            self.centroids = self.update(self.points, self.labels, self.assigned)
        self.torch.cuda.synchronize()
        return self.job.iterations

    def download(self) -> None:
        for mine, name in ((self.labels, "labels"), (self.assigned, "assigned"), (self.centroids, "centroids")):
            getattr(self.job, name)[:] = mine[0].cpu().numpy()


class Large:
    """Points stay in page-locked memory of the host."""

    def __init__(self, job: Job) -> None:
        import torch
        from flash_kmeans import kmeans_large

        self.torch, self.job, self.library = torch, job, kmeans_large
        self.points = torch.from_numpy(job.points).pin_memory()
        if not hasattr(kmeans_large, "seen"):
            kmeans_large.euclid_assign_triton = seeing(kmeans_large.euclid_assign_triton, kmeans_large)

    def reset(self) -> None:
        self.start = self.torch.from_numpy(self.job.initial.copy()).cuda()
        self.labels = self.library.seen = self.centroids = None
        self.torch.cuda.synchronize()

    def iterate(self) -> int:
        settings = {"max_iters": self.job.iterations, "tol": -1.0, "BLOCK_N": self.job.parameters["chunk"]}
        if self.torch.cuda.device_count() == 1:
            settings["device"] = "cuda:0"
        self.labels, self.centroids = self.library.kmeans_largeN(
            self.points, len(self.start), init_centroids=self.start, **settings
        )
        for gpu in range(self.torch.cuda.device_count()):
            self.torch.cuda.synchronize(gpu)
        return self.job.iterations

    def download(self) -> None:
        for mine, name in ((self.labels, "labels"), (self.library.seen, "assigned"), (self.centroids, "centroids")):
            getattr(self.job, name)[:] = mine.cpu().numpy()


def seeing(assign, module):
    """assign, which keeps what the library does not return: the centroids that it is given, as module.seen. Those of
    the first GPU, where the library makes new ones and overwrites none."""

    def seen(points, centroids, *others, **named):
        if centroids.device.index == 0:
            module.seen = centroids[0]
        return assign(points, centroids, *others, **named)

    return seen


def load() -> tuple[dict[str, str], Prepare]:
    if folder := os.environ.get("KMBENCH_FLASH_KMEANS"):
        sys.path.insert(0, folder)
    import flash_kmeans
    import flash_kmeans.assign_euclid_triton
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("this PyTorch sees no GPU")
    return {
        "name": "flash-kmeans",
        "version": flash_kmeans.__version__,
        "precision": "tf32",
        "device": "cuda",
    }, Large if "large" in sys.argv else Lloyd


serve(load)
