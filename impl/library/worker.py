"""The Python side of kmbench's protocol (docs/adding.md, "A program of its own"): an adapter's script calls serve()."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Job:
    """points: n x d. initial, assigned, centroids: k x d. labels: n. The solver fills the last three arrays."""

    points: np.ndarray
    initial: np.ndarray
    assigned: np.ndarray
    centroids: np.ndarray
    labels: np.ndarray
    iterations: int
    tolerance: float | None
    parameters: dict[str, Any]
    ranks: dict[str, Any] | None  # rank, size, processors, total points, rank 0's address; None: one process has all


class Solver(Protocol):
    """An optional attribute `set_up` holds the seconds of iterate() beside the iterations."""

    def reset(self) -> None: ...
    def iterate(self) -> int: ...
    def download(self) -> None: ...


Prepare = Callable[[Job], Solver]
Answer = dict[str, Any]
ARRAYS = ("points", "initial", "assigned", "centroids", "labels")


def job_of(asked: dict[str, Any]) -> Job:
    """Maps the .npy files in shared memory; the points copy-on-write, so that nothing changes them."""
    arrays = {name: np.load(asked[name], mmap_mode="c" if name == "points" else "r+") for name in ARRAYS}
    return Job(**arrays, **{name: asked.get(name) for name in ("iterations", "tolerance", "parameters", "ranks")})


def means(points: np.ndarray, labels: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Means of each label's points, k x d in fp64. An empty cluster keeps its row of `before`."""
    counts = np.bincount(labels, minlength=len(before))
    sums = np.stack([np.bincount(labels, weights=values, minlength=len(before)) for values in points.T], axis=1)
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], before)


def give_back_gpu_memory() -> None:
    """Frees the memory that PyTorch and CuPy cache, if they are loaded."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    if cupy:
        cupy.get_default_memory_pool().free_all_blocks()


def serve(
    load: Callable[[], tuple[dict[str, str], Prepare]],
    end: Callable[[], object] = lambda: None,
    lines: Iterable[str] = sys.stdin,
    agreed: Callable[[Answer], Answer | None] = lambda answer: answer,
) -> None:
    """Answers until bye or the end of input. `load` imports the library and returns the answer to hello; `end` stops
    its processes. Of several ranks (ranks.py), all hear the same lines; rank 0 gives the answer that they agreed on."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # a library's prints go to standard error
    prepare: Prepare | None = None
    solver: Any = None
    for line in lines:
        asked = json.loads(line)
        answer: Answer = {}
        try:
            match asked["verb"]:
                case "hello":
                    answer, prepare = load()
                case "prepare":
                    solver = None  # frees its memory before the next takes some
                    solver = prepare(job_of(asked))
                case "forget":
                    solver = None
                    give_back_gpu_memory()
                case "reset":
                    solver.reset()
                case "iterate":
                    start = time.perf_counter()
                    made = solver.iterate()
                    answer = {"iterations": made, "seconds": time.perf_counter() - start}
                    answer["set_up"] = getattr(solver, "set_up", None)
                case "download":
                    solver.download()
                case "bye":
                    break
        except Exception as error:  # becomes the case's failure
            answer = {"error": f"{type(error).__name__}: {error}"}
        if (answer := agreed(answer)) is not None:
            print(json.dumps(answer), file=answers, flush=True)
    end()
    os._exit(0)  # libraries unload slowly
