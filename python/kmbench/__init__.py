"""k-means by kmbench in scikit-learn's shape (1.6 or later): KMeans(n_clusters=8).fit(X).labels_.

`kmbench fit` computes and judges; this class hands it the points and reads its answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["KMeans"]
KINDS = [np.float64, np.float32]  # of points; others become the first


def find_program() -> str:
    """KMBENCH_PROGRAM, else kmbench beside this Python, on the PATH or in build/ of a checkout."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", ""), str(Path(__file__).parents[2] / "build")]
    found = os.environ.get("KMBENCH_PROGRAM") or shutil.which("kmbench", path=os.pathsep.join(places))
    if not found:
        raise FileNotFoundError("no kmbench: build it, or set KMBENCH_PROGRAM to the program")
    return found


class KMeans(ClusterMixin, BaseEstimator):
    """Lloyd's k-means to rest: the best of n_init judged starts.

    init: "k-means++", "random", or a k x d array, which is one start. tol: stop when at most this share of the points
    changed label. implementation: as `kmbench list` names them; "auto" takes the GPU where there is one. float32 points
    are computed in fp32, all others in fp64.

    After fit: labels_ (n), cluster_centers_ (k x d), inertia_, n_iter_, and report_, the contents of fit.json."""

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 0.0,
        random_state: Any = None,
        implementation: str = "auto",
    ) -> None:
        self.n_clusters, self.init, self.n_init = n_clusters, init, n_init
        self.max_iter, self.tol, self.random_state = max_iter, tol, random_state
        self.implementation = implementation

    def fit(self, X: Any, y: Any = None) -> KMeans:  # noqa: N803
        """ValueError for points or settings that kmbench refuses, RuntimeError where no start has a right result."""
        points = validate_data(self, X, dtype=KINDS, order="C")
        if len(points) < self.n_clusters:
            raise ValueError(f"n_samples={len(points)} should be >= n_clusters={self.n_clusters}")
        with tempfile.TemporaryDirectory(prefix="kmbench-") as name:
            folder = Path(name)
            np.save(folder / "points.npy", points)
            run(["fit", folder / "points.npy", "--out", folder / "answer", *self.flags(points, folder)])
            self.labels_ = np.load(folder / "answer/labels.npy")
            self.cluster_centers_ = np.load(folder / "answer/centroids.npy")
            self.report_ = json.loads((folder / "answer/fit.json").read_text())
        self.inertia_, self.n_iter_ = self.report_["inertia"], self.report_["iterations"]
        return self

    def flags(self, points: np.ndarray, folder: Path) -> list[object]:
        init, n_init = self.init, self.n_init
        if not isinstance(init, str):
            np.save(folder / "init.npy", np.ascontiguousarray(init, points.dtype))
            init, n_init = folder / "init.npy", 1
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return [
            *("--k", self.n_clusters, "--init", init, "--n-init", n_init, "--seed", seed),
            *("--iterations", self.max_iter, "--tolerance", self.tol, "--implementation", self.implementation),
            *("--precision", "fp32" if points.dtype == np.float32 else "fp64"),
        ]

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """The nearest centre of each point."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=KINDS, order="C")
        centers = self.cluster_centers_.astype(points.dtype, copy=False)
        return pairwise_distances_argmin(points, centers).astype(self.labels_.dtype)


def run(arguments: list[object]) -> None:
    ran = subprocess.run([find_program(), *map(str, arguments)], capture_output=True, text=True)
    if ran.returncode == 0:
        return
    said = ran.stderr.strip().splitlines()
    why = said[-1].removeprefix("kmbench: ") if said else f"kmbench ended with exit code {ran.returncode}"
    raise (ValueError if ran.returncode == 2 else RuntimeError)(why.replace(str(arguments[1]), "X"))
