"""The Python side of flash_kmeans.cpp: the library's assign and update, one after the other."""

from __future__ import annotations

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


def load() -> tuple[dict[str, str], Prepare]:
    if folder := os.environ.get("KMBENCH_FLASH_KMEANS"):
        sys.path.insert(0, folder)
    import flash_kmeans
    import flash_kmeans.assign_euclid_triton
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("this PyTorch sees no GPU")
    return {"name": "flash-kmeans", "version": flash_kmeans.__version__, "precision": "tf32", "device": "cuda"}, Lloyd


serve(load)
