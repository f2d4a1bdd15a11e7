"""A stand-in for the part of CuPy that the workers of cuML and cuVS use. Its arrays never become NumPy's unasked."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np


def values_of(array: Any) -> np.ndarray | int:
    if not isinstance(array, (Array, int)):
        raise TypeError(f"Unsupported type {type(array)}")
    return array if isinstance(array, int) else array.values


def lifted(of: Callable) -> Callable:
    """The function on arrays of the device."""
    return lambda *arrays, **named: Array(of(*map(values_of, arrays), **named))


class Array:
    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Array:
        return Array(self.values[at])

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def copy(self) -> Array:
        return Array(self.values.copy())

    __gt__ = lifted(operator.gt)
    __truediv__ = lifted(operator.truediv)


def asarray(values: np.ndarray) -> Array:
    return Array(np.array(values))


def empty(shape: int, dtype: type) -> Array:
    return Array(np.empty(shape, dtype))


def asnumpy(array: Array) -> np.ndarray:
    return array.values.copy()


def get_default_memory_pool() -> SimpleNamespace:
    return SimpleNamespace(free_all_blocks=lambda: None)


int32 = np.int32
zeros_like, bincount, where, maximum = map(lifted, (np.zeros_like, np.bincount, np.where, np.maximum))


class Device(nullcontext):
    def synchronize(self) -> None:
        pass


cuda = SimpleNamespace(
    Device=Device,
    runtime=SimpleNamespace(getDeviceCount=lambda: int(os.environ.get("STAND_IN_GPUS", "1"))),
)
