"""What an exhibit's tables may hold: every key, what its value must be, and that in words (docs/exhibits.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plots.read.check import integer, items, number, text, values

Keys = dict[str, tuple[Callable[[Any], bool], str]]  # by key: what its value must be, and that in words
KINDS = ("table", "figure", "machine")
STYLES = ("line", "bar", "stacked", "scatter", "map", "heat", "sets", "shares", "iterations")


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def table(value: Any) -> bool:
    return isinstance(value, dict)


def scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float))


def choice(value: Any) -> bool:
    return scalar(value) or (items(scalar)(value) and value != [])


def some_text(value: Any) -> bool:
    return text(value) and value.strip() != ""


def dims(value: Any) -> bool:
    return items(integer)(value) and len(value) == 2


TEXT = (some_text, "text")
TABLES = (items(table), "a list of tables")
SELECTOR = (values(choice), "a table of numbers and words, or lists of them")
NAME = (some_text, "the name of a field")
NAMES = (lambda v: items(some_text)(v) and v != [], "a list of names")
FACTOR = (number, "a number")
FLAG = (flag, "true or false")
TOP: Keys = {
    "kind": TEXT,
    "number": (text, "text"),
    "title": TEXT,
    "sweep": TABLES,
    "profile": (values(table), "a table of profiles"),
    "labels": (values(values(text)), "a table of texts for each field"),
    "table": (table, "a table"),
    "figure": (table, "a table"),
    "paper": TABLES,
    "claim": TABLES,
    "notes": (lambda v: table(v) and set(v) == {"text"} and text(v["text"]), "a table with text, and nothing else"),
    "reuse": (lambda v: some_text(v) or NAMES[0](v), "<paper>/<exhibit>, or a list of those"),
    "machine": (values(text), "a table of dotted names"),
}
AXIS = (choice, "a number, a word, or a list of them")
NESTED = (values(choice), "a table of numbers and words, or lists of them")
SWEEP: Keys = {
    **dict.fromkeys(("implementation", "dataset", "n", "d", "k", "precision", "init", "init_seed"), AXIS),
    **dict.fromkeys(("iterations", "tolerance", "repetitions", "warmup"), AXIS),
    "set": NESTED,
    "data": NESTED,
}
QUICK: Keys = {**SWEEP, "sweep": TABLES}
TABLE: Keys = {"rows": NAMES, "columns": NAMES, "where": SELECTOR, "baseline": SELECTOR, "rounding": FLAG}
FIGURE: Keys = {
    "style": TEXT,
    "x": NAME,
    "y": NAMES,
    "series": (items(some_text), "a list of names"),
    "panels": NAME,
    "sets": NAME,
    "down": NAMES,
    "logx": FLAG,
    "logy": FLAG,
    "where": SELECTOR,
    "baseline": SELECTOR,
    "rounding": FLAG,
    "dims": (dims, "two whole numbers"),
    "xlabel": (text, "text"),
    "ylabel": (text, "text"),
    "ymin": (number, "a number"),
    "xmax": (number, "a number"),
}
PAPER: Keys = {
    "source": TEXT,
    "fields": (items(some_text), "a list of names"),
    "metrics": NAMES,
    "rows": (items(items(scalar)), "a list of rows of numbers and words"),
    "match": (values(values(scalar)), "a table of values for each field"),
    "notes": (values(text), "a table of texts"),
    "units": (values(text), "a table of units"),
}
CLAIM: Keys = {
    "id": TEXT,
    "text": TEXT,
    "section": (lambda v: text(v) or number(v), "text"),
    "kind": TEXT,
    **dict.fromkeys(("metric", "numerator_metric", "denominator_metric"), (some_text, "the name of a metric")),
    **dict.fromkeys(("numerator", "denominator", "where"), SELECTOR),
    "items": (items(values(choice)), "a list of tables of fields"),
    "along": NAME,
    "direction": TEXT,
    "extreme": TEXT,
    "expect": AXIS,
    **dict.fromkeys(("within", "at_least", "at_most", "share"), FACTOR),
    "coarse_numerator": FLAG,
}
ABOUT_EVERY_CLAIM = ("id", "text", "section", "kind", "metric", "numerator_metric", "denominator_metric")
# What a claim of each kind has to say, and what it may say besides.
CLAIMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ratio": (("numerator", "denominator"), ("expect", "within", "at_least", "at_most", "coarse_numerator")),
    "order": (("items",), ()),
    "trend": (("along", "direction"), ("where", "within")),
    "location": (("along", "expect", "extreme"), ("where",)),
    "bound": ((), ("where", "at_least", "at_most")),
    "equality": (("items",), ("within",)),
    "difference": (("items", "at_least"), ()),
    "value": (("expect", "within"), ("where",)),
    "mean": (("expect", "within"), ("where",)),
    "share": (("share",), ("where", "at_least", "at_most")),
}
WORDS = {"direction": ("up", "down", "flat"), "extreme": ("min", "max")}
SOURCES = ("printed", "read off the plot")
RECORD: Keys = {
    "title": (text, "text"),
    "authors": (lambda v: text(v) or items(text)(v), "a list of names"),
    "year": (integer, "a year"),
    **dict.fromkeys(("venue", "doi", "machine"), (text, "text")),
    "peak": (values(table), "a table with cpu, gpu or both"),
    "labels": TOP["labels"],
    "finding": TABLES,
}
FINDING: Keys = {"text": TEXT, "claims": NAMES}  # a sentence; <exhibit>/<claim>, those that it rests on
AMOUNT = (lambda v: number(v) and v > 0, "a number above 0")
PEAK: Keys = {**dict.fromkeys(("bandwidth_gbs", "fp32_gflops", "fp64_gflops"), AMOUNT), "source": TEXT}
