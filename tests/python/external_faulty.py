"""A k-means program with the protocol of docs/adding.md. Its argument names the fault (test_external.py)."""

import json
import os
import signal
import sys
import time

import numpy as np

FAULT = sys.argv[1]
SECONDS = {"-5 seconds": -5, "1e308 seconds": 1e308, "seconds in words": "few"}
ITERATIONS = {"2^40 + 3 iterations": 2**40 + 3, "-3 iterations": -3, "2^64 - 1 iterations": 2**64 - 1}
HELLO = {"a name of 500 kB": {"name": "x" * 500_000}, "a version of two lines": {"version": "1\n2"}}
NAMES = ("points", "initial", "assigned", "centroids", "labels")
ANSWERS: dict[bytes, tuple] = {}  # by the sorted, rounded rows of the start


def say(answer: dict | str) -> None:
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)


def iterate(points: np.ndarray, start: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    after = start.astype(points.dtype)
    for _ in range(iterations):
        before = after
        labels = np.argmin(((points[:, None] - before) ** 2).sum(2), axis=1)
        clusters = (points[labels == c] for c in range(len(before)))
        after = np.array([own.mean(0) if len(own) else before[c] for c, own in enumerate(clusters)], points.dtype)
    return labels, before, after


def remembered(points: np.ndarray, start: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Computes the answer to these rows slowly, and only once, whatever their order."""
    order = np.lexsort(start.round(3).T)
    key = start.round(3)[order].tobytes() + bytes([iterations])
    if key not in ANSWERS:
        time.sleep(0.1)
        ANSWERS[key] = iterate(points, start[order], iterations)
    labels, before, after = ANSWERS[key]
    place = np.argsort(order)  # the sorted position of each row of the start
    return order[labels], before[place], after[place]


for line in sys.stdin:
    asked = json.loads(line)
    verb, answer = asked["verb"], {}
    match FAULT.removesuffix(f" in {verb}") if FAULT.endswith(f" in {verb}") else "":
        case "hangs":
            time.sleep(1000)
        case "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "ends":
            sys.exit(3)
        case "never ends its line":
            os.write(1, b"x" * (3 << 20))
            time.sleep(1000)
        case "says garbage":
            say("Traceback: \x1b[31mnothing\x1b[0m is right")
            continue
        case "says a list":
            say("[1, 2]")
            continue
        case "says an error":
            say({"error": "no memory\nfor the tree"})
            continue
    match verb:
        case "hello":
            answer = {"name": "faulty", "version": "1", "precision": "tf32" if FAULT == "other precision" else "input"}
            answer |= HELLO.get(FAULT, {})
        case "prepare":
            arrays = {name: np.load(asked[name], mmap_mode="r+") for name in NAMES}
            iterations, paths = asked["iterations"], asked
            if FAULT == "three iterations or none" and iterations != 3:
                answer = {"error": "three iterations or none"}
            if FAULT == "writes the points":
                arrays["points"][0] += 100
        case "iterate":
            work = remembered if FAULT == "remembers its answers" else iterate
            lies = FAULT in ("one iteration told as three", "three iterations or none") and iterations == 3
            found = work(arrays["points"], arrays["initial"], 1 if lies else iterations)
            answer = {"iterations": iterations - (FAULT == "one iteration fewer"), "seconds": SECONDS.get(FAULT, 0.001)}
            answer["iterations"] = ITERATIONS.get(FAULT, answer["iterations"])
            if FAULT == "no iterations":
                answer = {}
        case "download":
            labels, assigned, centroids = found
            try:
                arrays["labels"][:] = labels[:-1] if FAULT == "too few labels" else labels
                arrays["assigned"][:] = np.nan if FAULT == "NaN centroids" else assigned
                arrays["centroids"][:] = centroids.T if FAULT == "transposed" else centroids
            except ValueError as error:
                answer = {"error": str(error)}
            if FAULT == "shrinks its file":
                try:
                    os.truncate(paths["labels"], 10)
                except OSError as error:
                    answer = {"error": error.strerror}
        case "bye":
            break
    say(answer)
