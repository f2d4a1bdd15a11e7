"""Tunes many shapes, and measures in later rounds whether what was kept is faster. scripts/tune_test starts it:

python3 tests/python/kept.py KMBENCH OUT KEPT ROUNDS BUSY"""

import itertools
import json
import math
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plots.decide.change import FEWEST_ROUNDS, Change, of_rounds
from plots.decide.compare import FASTER, verdict
from plots.read import disturbed, results

NAMES = [f"cpu/lloyd/{name}" for name in ("out_of_core", "single_pass", "two_step", "multi_pass", "screened")]
NAMES += [f"cpu/yinyang/{name}" for name in ("group", "global", "local")]
SHAPES = list(itertools.product(NAMES, (300, 1000, 4000, 20000), ((2, 3), (4, 16), (16, 32)), ("fp32", "fp64")))
RUNS = 5  # a round
WITHIN, THRESHOLD = 0.02, 0.05  # as kmbench compare has them


@dataclass(frozen=True)
class Bench:
    program: str
    out: Path
    rounds: int
    busy: int

    def kmbench(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words, "--machine", "here"], capture_output=True, text=True)


def words_of(shape: tuple) -> list[str]:
    _, n, (d, k), precision = shape
    return ["--dataset", "blobs", "--n", str(n), "--d", str(d), "--k", str(k), "--precision", precision]


def folder_of(shape: tuple) -> str:
    name, n, (d, k), precision = shape
    return f"{name.replace('/', '-')}-{n}-{d}-{k}-{precision}"


def tuned(bench: Bench, shape: tuple) -> dict[str, Any] | None:
    """What is kept, or None for the defaults and for no tuning at all."""
    folder = bench.out / "tuning" / folder_of(shape)
    stored = folder / "here.json"
    if not (folder / "ended").exists():
        anyway = ["--anyway"] if bench.busy else []
        rounds = ["--rounds", str(bench.rounds), "--budget", "30s", "--out", str(folder)]
        ran = bench.kmbench("tune", shape[0], *words_of(shape), *rounds, *anyway)
        if ran.returncode not in (0, 1):
            sys.exit(f"tune_test: kmbench tune {shape[0]}: {ran.stderr.strip().splitlines()[-1]}")
        (folder / "ended").write_text(ran.stdout + ran.stderr)
    if not stored.exists():
        return None
    (classes,) = json.loads(stored.read_text())["implementations"].values()
    (entry,) = classes.values()
    return entry if entry["ratio"] is not None else None


def later(bench: Bench, shape: tuple, parameters: dict[str, Any]) -> Change | None:
    """Defaults and kept values by turns in new processes; rounds that both have."""
    folder, draw = bench.out / "later" / folder_of(shape), random.Random(folder_of(shape))
    values = {"defaults": [], "kept": [word for name, v in parameters.items() for word in ("--set", f"{name}={v}")]}
    logs: dict[str, list[float]] = {side: [] for side in values}
    for at in range(1, bench.rounds + 1):
        found = {}
        for side in draw.sample(list(values), 2):
            found[side] = least(bench, shape, values[side], folder / side / f"{at:04}")
        if None not in found.values():
            for side, seconds in found.items():
                logs[side].append(math.log(seconds))
    before, after = (np.array([logs[side]]) for side in values)
    return of_rounds(before, after) if before.size >= FEWEST_ROUNDS else None


def least(bench: Bench, shape: tuple, values: list[str], folder: Path) -> float | None:
    """Seconds of the least run; None if it has no time, or others disturbed it where nobody was to."""
    file = folder / "adhoc.jsonl"
    if not file.exists():
        command = ["run", "--implementation", f"^{shape[0]}$", *words_of(shape), *values]
        bench.kmbench(*command, "--repetitions", str(RUNS), "--out", str(folder))
    lines = list(results.read_lines(file)) if file.exists() else []
    if len(lines) != 1 or results.reason(lines[0]) or (disturbed.disturbed(lines[0]) and not bench.busy):
        return None
    return min(lines[0]["samples_s"] if bench.busy else disturbed.samples(lines[0]))


def shown(ratio: float, low: float, high: float) -> str:
    """How many times as fast."""
    return f"{1 / ratio:6.3f} [{1 / high:.3f}, {1 / low:.3f}]"


def check(bench: Bench, wanted: int) -> int:
    confirmed, kept, tried = 0, 0, 0
    for shape in random.Random(1).sample(SHAPES, len(SHAPES)):
        if kept == wanted:
            break
        tried += 1
        entry = tuned(bench, shape)
        if entry is None:
            continue
        kept += 1
        found = later(bench, shape, entry["parameters"])
        right = found is not None and verdict(found, found.p, WITHIN, THRESHOLD) == FASTER
        confirmed += right
        values = " ".join(f"{name}={value}" for name, value in entry["parameters"].items())
        then, now = shown(entry["ratio"], *entry["interval"]), "–"
        if found:
            now = shown(found.ratio.value, *found.ratio.range)
        told = f"{folder_of(shape):40} {values:22} kept {then:24} later {now:24} load {entry['load']:.1f}"
        print(told, "" if right else "NOT CONFIRMED", flush=True)
    beside = f"beside {bench.busy} busy loops" if bench.busy else "on a quiet machine"
    print(f"{beside}: {tried} tunings, {kept} kept other values than the defaults;")
    print(f"{confirmed} of them are confirmed by {bench.rounds} later rounds, {kept - confirmed} are not")
    return 0 if confirmed == kept == wanted else 1


def main(program: str, out: str, kept: str, rounds: str, busy: str) -> int:
    bench = Bench(program, Path(out), int(rounds), int(busy))
    bench.out.mkdir(parents=True, exist_ok=True)
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(bench.busy)]
    try:
        return check(bench, int(kept))
    finally:
        for loop in loops:
            loop.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
