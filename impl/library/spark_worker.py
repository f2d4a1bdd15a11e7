"""The Python side of spark.cpp: Spark MLlib's KMeans inside the JVM, on local[*] or the master KMBENCH_SPARK_MASTER."""

import os
import sys

import numpy as np
from worker import Job, Prepare, serve


class Fit:
    def __init__(self, job: Job) -> None:
        from pyspark.mllib import common
        from pyspark.mllib.linalg import DenseVector

        self.job, self.dense, self.common = job, DenseVector, common
        self.clustering = SPARK._jvm.org.apache.spark.mllib.clustering
        parts = min(len(job.points), job.parameters["partitions"] or SPARK.defaultParallelism)
        blocks = SPARK.parallelize(np.array_split(job.points, parts), parts)
        rows = blocks.flatMap(lambda block: map(DenseVector, block))
        self.points = common._py2java(SPARK, rows).cache()
        self.points.count()

    def __del__(self) -> None:
        self.points.unpersist()

    def reset(self) -> None:
        start = self.common._py2java(SPARK, [self.dense(row) for row in self.job.initial])
        self.start, self.last = self.clustering.KMeansModel(start), None

    def fit(self, start, iterations: int):
        solver = self.clustering.KMeans().setK(len(self.job.initial)).setMaxIterations(iterations)
        return solver.setEpsilon(0.0).setInitialModel(start).run(self.points.rdd())

    def iterate(self) -> int:
        """run does not return the centroids before its last update: another makes the last iteration."""
        job, self.assigned, made = self.job, self.start, 0
        if job.iterations > 1:
            self.assigned = self.last = self.fit(self.start, job.iterations - 1)
            made = self.last.numIter()
            if job.tolerance == 0 and made < job.iterations - 1:
                return made
        self.last = self.fit(self.assigned, 1)
        return job.iterations if job.tolerance is None else made + 1

    def centroids(self, model) -> np.ndarray:
        return np.array([row.toArray() for row in self.common._java2py(SPARK, model.clusterCenters())])

    def download(self) -> None:
        job = self.job
        job.labels[:] = self.common._java2py(SPARK, self.assigned.predict(self.points)).collect()
        job.assigned[:], job.centroids[:] = self.centroids(self.assigned), self.centroids(self.last)


def load() -> tuple[dict[str, str], Prepare]:
    global SPARK
    from pyspark import SparkConf, SparkContext

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 21
    settings = {"spark.driver.memory": f"{memory}m", "spark.ui.enabled": "false"}
    settings |= {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
    settings |= {"spark.master": os.environ.get("KMBENCH_SPARK_MASTER", "local[*]"), "spark.app.name": "kmbench"}
    SPARK = SparkContext(conf=SparkConf().setAll(settings.items()))
    return {"name": "Spark MLlib", "version": SPARK.version, "precision": "input", "device": "cpu"}, Fit


def end() -> None:
    """stop ends Spark's Python processes, which would outlive the JVM. The JVM ends with its standard input."""
    if "SPARK" in globals():
        SPARK.stop()
        jvm = SPARK._gateway.proc
        jvm.stdin.close()
        jvm.wait()


serve(load, end)
