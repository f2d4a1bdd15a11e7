"""What every reader here relies on in a result line (docs/result.schema.json says all of it), and what is kept."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from plots.errors import UserError

Line = dict[str, Any]
SCHEMAS = (1, 2, 3, 4, 5)
PROFILES = ("paper", "quick")
GRADES = ("exact", "rounded", "coarse")
TUNED = ("exact", "nearest", "default")


def integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(value: Any) -> bool:
    return isinstance(value, str)


def count(value: Any) -> bool:
    return integer(value) and value >= 0


def time(value: Any) -> bool:
    return number(value) and value >= 0


def any_of(*known: str) -> Callable[[Any], bool]:
    return lambda value: value in known if isinstance(value, str) else False


def optional(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


def items(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


def values(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float))


def fields(**checks: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """An object in which every named field is right; a missing one counts as null."""
    return lambda value: isinstance(value, dict) and all(check(value.get(name)) for name, check in checks.items())


# Field, what it must be, and that in words. The fields of schema 1, then those that each later schema added.
DATASET = fields(name=text, hash=optional(text), seed=plain, generator=optional(values(plain)), source=optional(text))
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "case": (text, "text"),
    "exhibit": (optional(lambda v: text(v) and v.count("/") == 1), "<paper>/<exhibit> or null"),
    "profile": (any_of(*PROFILES), f"one of {', '.join(PROFILES)}"),
    "implementation": (text, "text"),
    "parameters": (values(plain), "an object of numbers and words"),
    "dataset": (DATASET, "an object with name, hash, seed and generator"),
    "n": (count, "a count"),
    "d": (count, "a count"),
    "k": (count, "a count"),
    "precision": (text, "text"),
    "init": (fields(method=text, seed=optional(integer), source=optional(text)), "an object with method and seed"),
    "max_iters": (count, "a count"),
    "tolerance": (optional(number), "a number or null"),
    "iterations": (optional(count), "a count or null"),
    "samples_s": (items(time), "an array of seconds"),
    "samples_event_s": (optional(items(time)), "an array of seconds or null"),
    "prepare_s": (optional(time), "seconds or null"),
    "download_s": (optional(time), "seconds or null"),
    "prepare_phases": (values(time), "an object of seconds"),
    "phases": (values(items(time)), "an object of arrays of seconds"),
    "counters": (values(items(number)), "an object of arrays of numbers"),
    "work": (optional(fields(bytes=time, flops=time)), "an object with bytes and flops, or null"),
    "inertia": (optional(number), "a number or null"),
    "centroid_error": (optional(number), "a number or null"),
    "mean_error": (optional(number), "a number or null"),
    "wrong_labels": (optional(count), "a count or null"),
    "judged_points": (optional(count), "a count or null"),
    "cluster_sizes": (optional(items(count)), "an array of counts or null"),
    "verdict": (optional(text), "text or null"),
    "skip": (optional(text), "text or null"),
    "failure": (optional(text), "text or null"),
    "peak_bytes": (optional(count), "a count or null"),
    "device_peak_bytes": (optional(count), "a count or null"),
    "commit": (optional(text), "text or null"),
    "dirty": (optional(lambda v: isinstance(v, bool)), "true, false or null"),
    "date": (text, "text"),
}
ENERGY = fields(
    joules=optional(time), iterations=optional(count), window_s=optional(time), source=text, skipped=optional(text)
)
LATER: dict[int, dict[str, tuple[Callable[[Any], bool], str]]] = {
    2: {
        "grade": (optional(any_of(*GRADES)), f"one of {', '.join(GRADES)}, or null"),
        "device": (optional(any_of("cpu", "gpu")), "cpu, gpu or null"),
        "tied_labels": (optional(count), "a count or null"),
        "label_excess": (optional(number), "a number or null"),
        "mean_offset": (optional(number), "a number or null"),
        "exhibit_hash": (optional(text), "text or null"),
        "departs": (optional(text), "text or null"),
    },
    3: {"continues": (optional(count), "a count or null")},
    4: {
        "energy": (optional(ENERGY), "an object with joules, iterations, window_s, source and skipped, or null"),
        "tuned": (optional(any_of(*TUNED)), f"one of {', '.join(TUNED)}, or null"),
    },
    5: {"library": (optional(fields(name=text, version=optional(text))), "an object with name and version, or null")},
}
ALL = {**FIELDS, **{name: field for later in LATER.values() for name, field in later.items()}}
SERIES = ("samples_s", "samples_event_s")
SHARED = ("parameters", "dataset", "init", "work")  # the same in many lines


def line(found: Any, where: str, pool: dict[str, Any]) -> Line:
    """The fields of `found` that anything here reads, what its schema lacks with null; else UserError.

    What is equal to a thing in `pool` is that thing, and series are arrays: 100,000 lines fit in memory."""
    if not isinstance(found, dict):
        raise UserError(f"{where}: not a result line, but {type(found).__name__}")
    schema = found.get("schema")
    if integer(schema) and schema > SCHEMAS[-1]:
        raise UserError(f"{where}: schema {schema} is of a later kmbench; this one reads up to {SCHEMAS[-1]}")
    added = [later for since, later in LATER.items() if integer(schema) and schema >= since]
    known = {**FIELDS, **{name: field for later in added for name, field in later.items()}}
    missing = [name for name in ("schema", *known) if name not in found]
    if missing:
        raise UserError(f"{where}: not a result line: {', '.join(missing)} missing")
    if not integer(schema) or schema not in SCHEMAS:
        raise UserError(f"{where}: schema is {str(schema)[:20]!r}, not one of {', '.join(map(str, SCHEMAS))}")
    for name, (right, words) in known.items():
        if not right(found[name]):
            raise UserError(f"{where}: {name} is {str(found[name])[:40]!r}, not {words}")
    kept = {name: found[name] if name in known else None for name in ALL}
    for name in SERIES:
        kept[name] = array("d", kept[name] or ())
    for name in ("phases", "counters"):
        kept[name] = {part: array("d", series) for part, series in kept[name].items()}
    for name in SHARED:
        kept[name] = pool.setdefault(repr(kept[name]), kept[name])
    for name, value in kept.items():
        if isinstance(value, str) and name not in ("case", "date"):
            kept[name] = pool.setdefault(value, value)
    return kept
