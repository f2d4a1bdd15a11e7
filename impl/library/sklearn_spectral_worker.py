"""The Python side of sklearn_spectral.cpp."""

import importlib
import warnings
from importlib import metadata

from worker import Job, Prepare, serve


class Fit:
    def __init__(self, job: Job) -> None:
        self.job, self.labels = job, None

    def reset(self) -> None:
        self.labels = None

    def iterate(self) -> int:
        from sklearn.cluster import KMeans, SpectralClustering
        from sklearn.kernel_approximation import Nystroem

        asked, k, points = self.job.parameters, len(self.job.initial), self.job.points
        seed = asked["seed"]
        if asked["method"] == "nystroem":
            components = min(asked["components"], len(points))
            features = Nystroem(n_components=components, random_state=seed).fit_transform(points)
            self.labels = KMeans(k, n_init=10, random_state=seed).fit_predict(features)
        else:
            graph = {"affinity": "nearest_neighbors", "n_neighbors": min(asked["neighbours"], len(points))}
            self.labels = SpectralClustering(k, random_state=seed, **graph).fit_predict(points)
        return 1

    def download(self) -> None:
        self.job.labels[:] = self.labels


def load() -> tuple[dict[str, str], Prepare]:
    importlib.import_module("sklearn.cluster")  # imports belong to no run
    importlib.import_module("sklearn.kernel_approximation")
    warnings.simplefilter("ignore")  # of a graph in several pieces
    version = metadata.version("scikit-learn")
    return {"name": "scikit-learn", "version": version, "precision": "input", "device": "cpu"}, Fit


serve(load)
