"""Where a series changes its level: binary segmentation (Vostrikova 1981) with a permutation test on ranks."""

from collections.abc import Sequence

import numpy as np

FEWEST = 11  # with 10 the smallest p is 1/126, about 0.8%: too close to LEVEL
SHUFFLES = 999
LEVEL = 0.01  # of the test of one split


def change_points(values: Sequence[float]) -> list[int]:
    """The indices at which another level begins, ascending; deterministic."""
    found: list[int] = []
    waiting = [(0, len(values))]
    while waiting:
        first, end = waiting.pop()
        at = split(np.asarray(values[first:end], dtype=float))
        if at is not None:
            found.append(first + at)
            waiting += [(first, first + at), (first + at, end)]
    return sorted(found)


def split(values: np.ndarray) -> int | None:
    """Where these values fall into two levels; None if more than 1% of shuffled orders split as well."""
    if len(values) < FEWEST:
        return None
    from scipy.stats import rankdata

    ranks = rankdata(values) - (len(values) + 1) / 2  # about their mean: one wild value is no level
    heights = contrast(ranks[None, :])[0]
    random = np.random.default_rng(0)
    shuffled = random.permuted(np.tile(ranks, (SHUFFLES, 1)), axis=1)
    as_high = int(np.sum(contrast(shuffled).max(axis=1) >= heights.max() - 1e-9))
    return int(heights.argmax()) + 1 if (as_high + 1) / (SHUFFLES + 1) <= LEVEL else None


def contrast(ranks: np.ndarray) -> np.ndarray:
    """By row and split: the distance of the two means in units of its expected size (Pettitt 1979, scaled)."""
    n = ranks.shape[1]
    left = np.arange(1, n)
    return np.abs(np.cumsum(ranks, axis=1)[:, :-1]) / np.sqrt(left * (n - left))
