"""The k-means of the stand-ins in NumPy, and the fault that STAND_IN_FAULT names (test_libraries.py)."""

from __future__ import annotations

import os

import numpy as np


def nearest(points: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """The lowest index wins a tie."""
    return np.argmin([((points - c) ** 2).sum(1) for c in centroids], axis=0)


def update(points: np.ndarray, labels: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The means in the precision of the points; an empty cluster stays."""
    rows = [points[labels == c].mean(0) if (labels == c).any() else before[c] for c in range(len(before))]
    return np.array(rows, points.dtype)


def misbehave() -> str:
    fault = os.environ.get("STAND_IN_FAULT", "")
    match fault:
        case "raise":
            raise RuntimeError("CUDA error: an illegal\nmemory access was encountered")
        case "print":
            print("progress: 100%")
            os.write(1, b"and from below Python\n")
    return fault


def spoilt(labels: np.ndarray, fault: str) -> np.ndarray:
    """The labels as a faulty library gives them."""
    match fault:
        case "one label fewer":
            return labels[:-1]
        case "no label":
            return np.full_like(labels, -1)
        case "random labels":
            return np.roll(labels, 1)
    return labels
