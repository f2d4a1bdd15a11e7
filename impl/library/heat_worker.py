"""The Python side of heat.cpp: Heat's KMeans on ranks of MPI, each with its share of the rows."""

from ranks import COMM, processors, serve_ranks
from worker import Job, Prepare


class Fit:
    def __init__(self, job: Job) -> None:
        import heat
        import torch

        torch.set_num_threads(processors())
        self.heat, self.job = heat, job
        self.rows = heat.get_comm().chunk(job.points.shape, 0)[2][0]
        self.points = heat.array(torch.from_numpy(job.points[self.rows]), is_split=0)

    def reset(self) -> None:
        self.start, self.labels = self.heat.array(self.job.initial), None

    def iterate(self) -> int:
        job, self.centroids, made, moving = self.job, self.start, 0, True
        while moving and made < job.iterations:
            made += 1
            before, self.assigned = self.labels, self.centroids
            model = self.heat.cluster.KMeans(len(job.initial), init=self.assigned, max_iter=1, tol=None)
            model.fit(self.points)
            self.labels, self.centroids = model.labels_, self.kept(model)
            if job.tolerance is not None and before is not None:
                moving = int((before != self.labels).sum()) > job.tolerance * len(job.points)
        return made

    def kept(self, model):
        """The means. Heat moves a cluster without points to the origin: it keeps its centroid."""
        centroids = model.cluster_centers_
        if not centroids.larray.any(1).all():
            points_in = self.heat.bincount(model.labels_.flatten(), minlength=len(centroids)).larray
            centroids.larray[points_in == 0] = self.assigned.larray[points_in == 0]
        return centroids

    def download(self) -> None:
        self.job.labels[self.rows] = self.labels.larray.flatten().numpy()
        if COMM.rank == 0:
            self.job.assigned[:], self.job.centroids[:] = self.assigned.larray.numpy(), self.centroids.larray.numpy()


def load() -> tuple[dict[str, str], Prepare]:
    import heat

    return {"name": "Heat", "version": heat.__version__, "precision": "input", "device": "cpu"}, Fit


serve_ranks(load)
