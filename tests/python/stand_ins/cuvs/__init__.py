"""A stand-in for RAPIDS' cuVS, as far as impl/library/cuvs_worker.py uses it."""

__version__ = "26.10.stand-in"
