"""The Python side of torch.cpp and torch_gpu.cpp: a plain Lloyd's in PyTorch on the device of the first argument."""

from __future__ import annotations

import sys

from worker import Job, Prepare, serve

DEVICE = sys.argv[1]
SCORES = 1 << (20 if DEVICE == "cpu" else 26)  # of a chunk: points times clusters


class Lloyd:
    def __init__(self, job: Job) -> None:
        import torch

        self.torch, self.job = torch, job
        torch.set_num_threads(job.parameters.get("threads") or ALL_THREADS)
        self.points = torch.from_numpy(job.points).to(DEVICE)
        self.chunk = max(1, SCORES // len(job.initial))
        self.synchronize()

    def synchronize(self) -> None:
        if DEVICE == "cuda":
            self.torch.cuda.synchronize()

    def reset(self) -> None:
        self.start = self.torch.from_numpy(self.job.initial.copy()).to(DEVICE)
        self.labels = self.assigned = self.centroids = None
        self.synchronize()

    def iterate(self) -> int:
        self.centroids, made, moving = self.start, 0, True
        while moving and made < self.job.iterations:
            made += 1
            before, self.assigned = self.labels, self.centroids
            self.labels = self.assign(self.assigned)
            self.centroids = self.update(self.labels, self.assigned)
            if self.job.tolerance is not None:
                changed = len(self.labels) if before is None else int((before != self.labels).sum())
                moving = changed > self.job.tolerance * len(self.labels)
        self.synchronize()
        return made

    def assign(self, centroids):
        """|c|² - 2xc: |x|² is the same for all centroids. argmin takes the first of equals."""
        squares = (centroids * centroids).sum(1)
        chunks = self.points.split(self.chunk)
        return self.torch.cat([self.torch.addmm(squares, x, centroids.T, alpha=-2).argmin(1) for x in chunks])

    def update(self, labels, before):
        sums = self.torch.zeros_like(before).index_add_(0, labels, self.points)
        counts = self.torch.bincount(labels, minlength=len(before)).unsqueeze(1)
        return self.torch.where(counts > 0, sums / counts.clamp(min=1), before)

    def download(self) -> None:
        self.job.labels[:] = self.labels.cpu().numpy()
        self.job.assigned[:] = self.assigned.cpu().numpy()
        self.job.centroids[:] = self.centroids.cpu().numpy()


def load() -> tuple[dict[str, str], Prepare]:
    global ALL_THREADS
    import torch

    ALL_THREADS = torch.get_num_threads()  # this process serves cases with other numbers, too
    torch.backends.cuda.matmul.allow_tf32 = False
    if DEVICE == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("this PyTorch sees no GPU")
    return {"name": "PyTorch", "version": torch.__version__, "precision": "input", "device": DEVICE}, Lloyd


serve(load)
