"""The one function of CuPy's extensions that impl/library/cuml_worker.py uses."""

from __future__ import annotations

import numpy as np
from cupy import Array, values_of


def scatter_add(into: Array, at: Array, what: Array) -> None:
    np.add.at(values_of(into), values_of(at), values_of(what))
