"""The Python side of torch.cpp, torch_gpu.cpp and torch_gpu_ranks.cpp: a plain Lloyd's in PyTorch on the device of the
first argument. Several ranks meet through torch.distributed, by the second (gloo or nccl)."""

import socket
import sys
from datetime import timedelta

from worker import Job, Prepare, serve

DEVICE, BACKEND = sys.argv[1], "".join(sys.argv[2:])
SCORES = 1 << (20 if DEVICE == "cpu" else 26)  # of a chunk: points times clusters
PATIENCE = timedelta(seconds=45)  # less than kmbench's, so that the error names the operation


class Lloyd:
    def __init__(self, job: Job) -> None:
        import torch

        self.torch, self.job = torch, job
        total = len(job.points)
        threads = ALL_THREADS
        if job.ranks:
            meet(job.ranks)
            total, threads = job.ranks["total"], job.ranks["processors"]
        self.most_changed = None if job.tolerance is None else job.tolerance * total
        torch.set_num_threads(job.parameters.get("threads") or threads)
        self.points = torch.from_numpy(job.points).to(DEVICE)
        self.chunk = max(1, SCORES // len(job.initial))
        self.copies = job.parameters.get("copies", 1)
        if self.copies > 1:
            self.copy = torch.arange(len(job.points), device=DEVICE) % self.copies * len(job.initial)
        self.synchronize()

    def synchronize(self) -> None:
        if DEVICE != "cpu":
            self.torch.cuda.synchronize()

    def reset(self) -> None:
        self.start = self.torch.from_numpy(self.job.initial.copy()).to(DEVICE)
        self.labels = self.torch.full((len(self.points),), -1, device=DEVICE)
        self.assigned = self.centroids = None
        self.synchronize()

    def iterate(self) -> int:
        self.centroids, made, moving = self.start, 0, True
        while moving and made < self.job.iterations:
            made += 1
            before, self.assigned = self.labels, self.centroids
            self.labels = self.assign(self.assigned)
            mine = self.sums(self.labels, *self.assigned.shape)
            if self.most_changed is not None:
                mine += ((before != self.labels).sum(),)
            sums, counts, *changed = self.of_all(mine)
            self.centroids = self.torch.where(counts > 0, sums / counts.clamp(min=1), self.assigned)
            moving = not changed or int(changed[0]) > self.most_changed
        self.synchronize()
        return made

    def assign(self, centroids):
        """|c|² - 2xc: |x|² is the same for all centroids. argmin takes the first of equals."""
        squares = (centroids * centroids).sum(1)
        chunks = self.points.split(self.chunk)
        return self.torch.cat([self.torch.addmm(squares, x, centroids.T, alpha=-2).argmin(1) for x in chunks])

    def sums(self, labels, k, d):
        """Of several copies of the sums, a point takes the next: fewer additions meet at one address."""
        at = labels if self.copies == 1 else labels + self.copy
        sums = self.points.new_zeros(self.copies * k, d).index_add_(0, at, self.points)
        counts = self.torch.bincount(labels, minlength=k).unsqueeze(1)
        return sums if self.copies == 1 else sums.view(-1, k, d).sum(0), counts

    def of_all(self, mine):
        """The sums of all ranks, the same bits on each. In fp64, so that counts are exact."""
        if not self.job.ranks:
            return mine
        flat = self.torch.cat([part.flatten().double() for part in mine])
        self.torch.distributed.all_reduce(flat)
        parts = flat.split([part.numel() for part in mine])
        return [all.view_as(part).to(part.dtype) for all, part in zip(parts, mine, strict=True)]

    def download(self) -> None:
        self.job.labels[:] = self.labels.cpu().numpy()
        self.job.assigned[:] = self.assigned.cpu().numpy()
        self.job.centroids[:] = self.centroids.cpu().numpy()


def listen():
    """A store that other processes reach at the returned address, as long as this process lives."""
    import torch.distributed as distributed

    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=PATIENCE)
    host = socket.gethostname()
    try:
        socket.gethostbyname(host)
    except OSError:
        host = "127.0.0.1"
    return store, f"{host}:{store.port}"


def meet(ranks: dict) -> None:
    """Joins the group of all ranks, once for all cases."""
    import torch.distributed as distributed

    if distributed.is_initialized():
        return
    host, port = ranks["address"].rsplit(":", 1)
    store = STORE if ranks["rank"] == 0 else distributed.TCPStore(host, int(port), is_master=False, timeout=PATIENCE)
    distributed.init_process_group(BACKEND, store=store, rank=ranks["rank"], world_size=ranks["size"], timeout=PATIENCE)


def load() -> tuple[dict[str, str], Prepare]:
    global ALL_THREADS, STORE
    import torch

    ALL_THREADS = torch.get_num_threads()  # this process serves cases with other numbers, too
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device(DEVICE)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise RuntimeError("this PyTorch sees no GPU")
        torch.cuda.set_device(device)
    said = {"name": "PyTorch", "version": torch.__version__, "precision": "input", "device": device.type}
    if BACKEND:
        STORE, said["address"] = listen()
    return said, Lloyd


serve(load)
