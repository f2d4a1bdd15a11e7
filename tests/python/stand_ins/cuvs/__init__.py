"""A stand-in for the part of RAPIDS' cuVS that impl/library/cuvs_worker.py uses."""

__version__ = "26.10.stand-in"
