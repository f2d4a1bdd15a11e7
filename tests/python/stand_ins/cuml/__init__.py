"""A stand-in for the part of RAPIDS' cuML that impl/library/cuml_worker.py uses."""

from . import cluster

__all__ = ["cluster"]
__version__ = "26.10.stand-in"
