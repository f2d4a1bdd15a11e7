"""A peer that scripts/fetch_peers built, as a program of --external: adapter.py FOLDER NAME VERSION [VARIANT].

Uploads and downloads lie inside the time, as in the authors' programs. Where a peer ends with an assign, the last means
are made here; they count as set_up."""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "impl/library"))
from worker import Job, Prepare, means, serve

FOLDER, NAME, VERSION, VARIANT = Path(sys.argv[1]), sys.argv[2], sys.argv[3], "".join(sys.argv[4:5])
PRECISIONS = {"float32": "fp32", "float64": "fp64"}


class Peer:
    def __init__(self, job: Job) -> None:
        precision = PRECISIONS[str(job.points.dtype)]
        file = FOLDER / f"libpeer_{precision}.so"
        if not file.exists():
            raise ValueError(f"{NAME} does not compute in {precision}")
        self.job, self.library, (n, d) = job, ctypes.CDLL(str(file)), job.points.shape
        self.library.peer_open.restype = ctypes.c_char_p
        self.points = np.ascontiguousarray(job.points)  # the library keeps the address
        sizes = (ctypes.c_int64(n), d, len(job.initial))
        if why := self.library.peer_open(self.address(self.points), *sizes, VARIANT.encode()):
            raise ValueError(f"{NAME}: {why.decode()}")

    @staticmethod
    def address(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def reset(self) -> None:
        self.start, self.labels = np.array(self.job.initial), np.full(len(self.points), -1, np.int32)
        self.assigned, self.centroids = np.full_like(self.start, np.nan), np.full_like(self.start, np.nan)

    def iterate(self) -> int:
        tolerance = -1 if self.job.tolerance is None else self.job.tolerance
        outputs = map(self.address, (self.labels, self.assigned, self.centroids))
        limits = (self.job.iterations, ctypes.c_double(tolerance))
        made = self.library.peer_run(self.address(self.start), *limits, *outputs)
        if made < 0:
            raise RuntimeError(f"{NAME} failed; its words are above")
        began = time.perf_counter()
        if np.isnan(self.centroids).all():
            self.centroids[:] = means(self.points, self.labels, self.assigned)
        self.set_up = time.perf_counter() - began
        return made

    def download(self) -> None:
        self.job.labels[:], self.job.assigned[:], self.job.centroids[:] = self.labels, self.assigned, self.centroids


def load() -> tuple[dict[str, str], Prepare]:
    return {"name": NAME, "version": VERSION, "precision": "input", "device": "cuda"}, Peer


serve(load)
