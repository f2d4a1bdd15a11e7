"""The planted faults of tests/faults: the problem that shows each, and what the program must say."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from built import ENVIRONMENT, TESTS


@dataclass(frozen=True)
class Problem:
    points: np.ndarray
    start: np.ndarray
    flags: dict[str, object] = field(default_factory=dict)

    def save(self, folder: Path, name: str) -> list[str]:
        """Writes the files of the problem and returns the flags of `kmbench run`."""
        points, start = folder / f"{name}.npy", folder / f"{name}.start.npy"
        np.save(points, self.points)
        np.save(start, self.start)
        flags = {"data": points, "init": start, "k": len(self.start), "iterations": 10, "repetitions": 3, **self.flags}
        texts = ((f"--{flag}", str(value))[: 1 if value is True else 2] for flag, value in flags.items())
        return [text for pair in texts for text in pair]


def groups(n: int, d: int, spread: float, seed: int = 2) -> np.ndarray:
    """Points in seven groups; a hundred of them are equal."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(7, d)) * spread
    points = centers[random.integers(0, 7, n)] + random.normal(size=(n, d))
    points[100:200] = points[100]
    return points


def with_empty_cluster(start: np.ndarray) -> np.ndarray:
    start = start.copy()
    start[len(start) // 2] = 1000
    return start


def lost_products() -> Problem:
    """Scores of cpu/lloyd/screened lose 399 products of 400, half a digit each (tests/screened_test.cpp)."""
    point, start = np.full(400, np.float32(0.98 * 2.0**-24) ** 0.5), np.zeros((2, 400))
    start[0], point[-1] = -point, np.float32(0.505) ** 0.5
    start[0, -1] = 2 * point[-1]
    start[1, -1] = -580 * 2.0**-24 / point[-1]
    return Problem(np.tile([point, -point], (32, 1)), start, {"iterations": 1})


def problems() -> dict[str, Problem]:
    blobs = groups(2134, 5, 0.7, 5)  # overlapping, k = d, one cluster empty; labels still change after ten iterations
    many = np.concatenate([groups(30_003, 2, 1), np.random.default_rng(3).normal(9, 1, (70_000, 2))])
    uniform = np.random.default_rng(2).uniform(size=(1500, 2))
    wide = groups(300, 300, 0.3)
    settled = groups(1500, 3, 20)
    huge = 1e200 * groups(500, 2, 0.7)
    line = np.arange(2000.0)[:, None] / 2000
    grid = np.random.default_rng(1).integers(0, 3, (600, 2)).astype(float)
    return {
        "blobs": Problem(blobs, with_empty_cluster(blobs[:5])),
        "tolerance 0": Problem(blobs, blobs[:5], {"iterations": 200, "tolerance": 0}),
        "tolerance 0.01": Problem(blobs, blobs[:5], {"iterations": 200, "tolerance": 0.01}),
        "ties": Problem(grid, np.array([[0.0, 0], [2, 0], [0, 0], [2, 2]]), {"iterations": 1, "repetitions": 5}),
        "far": Problem(1e4 + blobs, 1e4 + with_empty_cluster(blobs[:5])),
        # A run takes less than 0.1 s on a busy machine, too: then the judge always replays a middle iteration.
        "many points": Problem(many[::3], many[[0, 1, 2, -1]], {"iterations": 7, "repetitions": 5}),
        "100,003 points": Problem(many, many[[0, 1, 2, -1]], {"iterations": 7}),
        "many clusters": Problem(uniform, uniform[:300], {"iterations": 4}),
        "wide": Problem(wide, wide[:4], {"iterations": 4}),
        "settled": Problem(settled, settled[:3], {"iterations": 30}),
        "pulled": Problem(line, np.array([[0.3], [0.9]]), {"iterations": 2}),  # as Pulled in tests/solving.hpp
        "lost products": lost_products(),
        "huge": Problem(huge, huge[:4], {"iterations": 3}),
        "mapped": Problem(blobs, blobs[:5], {"data-set": "map=1"}),
        "metered": Problem(blobs, blobs[:5], {"energy": True}),
        "1 s": Problem(blobs, blobs[:5], {"timeout": 1}),
        "1 GiB": Problem(blobs, blobs[:5], {"memory": 1}),
    }


@dataclass(frozen=True)
class Fault:
    """A planted fault and its Expected of tests/faults/broken.hpp."""

    name: str
    category: str  # the name of its file
    summary: str  # what it does
    run: str  # a regular expression for the verdict of `kmbench run`; "" if the run is right
    on: str  # the problem
    check: str  # the awkward shape on which `kmbench check` must find it; "": none
    precisions: list[str]
    argued: str  # why it may pass


def catalogue() -> list[Fault]:
    """The planted faults by category, without those of other tests."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [TESTS, "--gtest_filter=Faults.Catalogue", f"--gtest_output=json:{file.name}"]
        subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
        test = json.load(file)["testsuites"][0]["testsuite"][0]
    faults = [Fault(name, **json.loads(text)) for name, text in test.items() if str(text).startswith("{")]
    return sorted((f for f in faults if f.category not in ("gpu", "helpers", "probes")), key=lambda f: f.category)


if __name__ == "__main__":  # PYTHONPATH=. python3 tests/python/faults.py: a table of all
    for fault in catalogue():
        print(f"{fault.category}/{fault.name}: {fault.summary}\n    {fault.run or 'passes: ' + fault.argued}")
