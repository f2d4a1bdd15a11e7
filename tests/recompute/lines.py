"""Result lines: their fields, selectors over them, and the times that count."""

import json
from functools import cache

import orjson
from recompute.values import median

INNER = {"init": ("init", "method"), "init_seed": ("init", "seed"), "hash": ("dataset", "hash")}  # table and key
INNER |= {"dataset": ("dataset", "name"), "data_seed": ("dataset", "seed")}
SAME_RUN = ("commit", "device", "exhibit_hash", "grade", "iterations", "verdict", "dirty")


def field(line, name):
    if name in INNER:
        table, key = INNER[name]
        return line[table].get(key)
    if name == "ranks":
        return (line.get("ranks") or {"count": 1})["count"]
    tables = (line, line["parameters"], line["dataset"].get("generator") or {})
    return next((table[name] for table in tables if name in table), None)


def same(a, b):
    if isinstance(b, list):
        return any(same(a, one) for one in b)
    return a == b and isinstance(a, str) == isinstance(b, str)


def select(lines, selector):
    return [line for line in lines if all(same(field(line, name), wanted) for name, wanted in selector.items())]


def prefer(lines, selector):
    kept = [line for line in lines if not line.get("skip")] or lines
    for name, wanted in selector.items():
        if isinstance(wanted, list) and len(kept) > 1:
            ranked = ([line for line in kept if same(field(line, name), value)] for value in wanted)
            kept = next((group for group in ranked if group), kept)
    return kept


def preferred(lines, names, selector):
    """Of the lines that agree in these fields, the preferred ones."""
    groups = {}
    for line in lines:
        groups.setdefault(json.dumps([field(line, name) for name in names]), []).append(line)
    return [line for group in groups.values() for line in prefer(group, selector)]


@cache
def machine(folder):
    """The last line of every case, with the runs that it continues, and the record."""
    last = {}
    for path in sorted(folder.glob("*.jsonl")):
        for text in path.read_bytes().splitlines():
            line = orjson.loads(text)
            key = (line["exhibit"], line["profile"], line["case"])
            before = last.pop(key, None)
            last[key] = continued(before, line) if before else line
    record = folder / "machine.json"
    return list(last.values()), json.loads(record.read_text()) if record.exists() else {}


def continued(before, line):
    alike = all(before.get(name) == line.get(name) for name in SAME_RUN) and line["verdict"] == "" and not line["dirty"]
    points = before["dataset"].get("hash") == line["dataset"].get("hash")
    if not (alike and points and line.get("continues") == len(before["samples_s"]) > 0):
        return line
    made = {**line, "samples_s": before["samples_s"] + line["samples_s"]}
    for name in ("run_delay_s", "involuntary_switches"):
        if before.get(name) is not None or line.get(name) is not None:
            made[name] = [x for one in (before, line) for x in one.get(name) or [0] * len(one["samples_s"])]
    return made


def marks(line):
    """For each run, whether other programs disturbed it."""
    times, delays, switches = line["samples_s"], line.get("run_delay_s"), line.get("involuntary_switches")
    if delays is not None:
        return [delay > 0.05 * s for delay, s in zip(delays, times, strict=True)]
    return [n >= max(2, 50 * s) for n, s in zip(switches or [0] * len(times), times, strict=True)]


def disturbed(line):
    return 2 * sum(marks(line)) > len(line["samples_s"])


def time(line):
    """The median of the runs that nobody disturbed; of all if most were disturbed."""
    whole = disturbed(line)
    return median([s for s, bad in zip(line["samples_s"], marks(line), strict=True) if whole or not bad])


def parts(line):
    """GPUs and ranks that shared a run."""
    ranks = (line.get("ranks") or {}).get("count") or 1
    asked, counted = (line.get("parameters") or {}).get("gpus"), (line.get("counters") or {}).get("gpus")
    return asked * ranks if asked else counted[0] if counted else ranks
