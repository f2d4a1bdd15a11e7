"""A peer that scripts/fetch_peers built, as a program of --external: adapter.py FOLDER NAME VERSION [VARIANT].

Uploads and downloads lie inside the time, as in the authors' programs, but for benedetti2025's and Rodinia's upload.
Centroids that a peer does not give are made here, untimed: the last means, or the last assign's from the labels before.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "impl/library"))
from worker import Job, Prepare, serve

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
        self.problem = (self.address(self.points), ctypes.c_int64(n), d, len(job.initial))
        if why := self.library.peer_open(*self.problem, VARIANT.encode()):
            raise ValueError(f"{NAME}: {why.decode()}")

    @staticmethod
    def address(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def reset(self) -> None:
        self.start = np.array(self.job.initial)
        self.labels, self.before = np.full((2, len(self.points)), -1, np.int32)
        self.assigned, self.centroids = np.full((2, *self.start.shape), np.nan, self.start.dtype)

    def iterate(self) -> int:
        tolerance = -1 if self.job.tolerance is None else self.job.tolerance
        outputs = map(self.address, (self.labels, self.before, self.assigned, self.centroids))
        limits = (self.job.iterations, ctypes.c_double(tolerance))
        made = self.library.peer_run(self.address(self.start), *limits, *outputs)
        if made < 0:
            raise RuntimeError(f"{NAME} failed; its words are above")
        return made

    def download(self) -> None:
        if np.isnan(self.assigned).all():
            # A cluster that is empty now, if it was before, was most likely so from the start.
            filled = np.bincount(self.labels, minlength=len(self.start)) > 0
            self.means(self.before, np.where(filled[:, None], self.start, self.centroids), self.assigned)
        if np.isnan(self.centroids).all():
            self.means(self.labels, self.assigned, self.centroids)
        self.job.labels[:], self.job.assigned[:], self.job.centroids[:] = self.labels, self.assigned, self.centroids

    def means(self, labels: np.ndarray, kept: np.ndarray, out: np.ndarray) -> None:
        self.library.peer_means(*self.problem, *map(self.address, (labels, kept, out)))


def load() -> tuple[dict[str, str], Prepare]:
    return {"name": NAME, "version": VERSION, "precision": "input", "device": "cuda"}, Peer


serve(load)
