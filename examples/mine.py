"""A k-means in a process of its own, with the protocol of docs/adding.md."""

import json
import sys

import numpy as np

ARRAYS = ("points", "initial", "assigned", "centroids", "labels")


def nearest(points, centroids):
    return np.argmin([((points - c) ** 2).sum(1) for c in centroids], axis=0)  # the first of equals


def means(points, labels, before):
    rows = [points[labels == c].mean(0) if (labels == c).any() else before[c] for c in range(len(before))]
    return np.array(rows, points.dtype)


for line in sys.stdin:
    asked, answer = json.loads(line), {}
    if asked["verb"] == "bye":
        break
    if asked["verb"] == "hello":
        answer = {"name": "mine", "version": "1", "precision": "input", "device": "cpu"}
    if asked["verb"] == "prepare":
        points, initial, assigned, centroids, labels = (np.load(asked[a], mmap_mode="r+") for a in ARRAYS)
        most, tolerance = asked["iterations"], asked["tolerance"]
    if asked["verb"] == "iterate":
        after, now, made, changed = initial.copy(), None, 0, len(points)
        while made < most and (made == 0 or tolerance is None or changed > tolerance * len(points)):
            before, earlier, now = after, now, nearest(points, after)
            after, changed, made = means(points, now, before), (now != earlier).sum(), made + 1
        answer = {"iterations": made}
    if asked["verb"] == "download":
        labels[:], assigned[:], centroids[:] = now, before, after
    print(json.dumps(answer), flush=True)
