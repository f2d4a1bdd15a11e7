"""A stand-in for RAPIDS' cuML, as far as impl/library/cuml_worker.py uses it."""

from . import cluster

__all__ = ["cluster"]
__version__ = "26.10.stand-in"
