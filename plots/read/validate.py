"""The check of one exhibit: every mistake is one sentence with the place, before anything is rendered.

kmbench checks what it runs: that every value of a sweep is a number, a known name or a range. What is shown, printed
and claimed is checked here, and of a sweep the names of its keys (docs/exhibits.md, "Who checks what")."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from plots.errors import UserError
from plots.read.check import integer, number, text
from plots.read.exhibit_keys import (
    ABOUT_EVERY_CLAIM,
    CLAIM,
    CLAIMS,
    FIGURE,
    FINDING,
    KINDS,
    PAPER,
    PEAK,
    QUICK,
    RECORD,
    SOURCES,
    STYLES,
    SWEEP,
    TABLE,
    TOP,
    WORDS,
    Keys,
    table,
)
from plots.read.metrics import WORD_COLUMNS, metric
from plots.read.words import PRINTED_WORDS, SECONDS, parse

Table = dict[str, Any]
PLACED = {"map": ("down", "series"), "heat": ("down",)}  # styles whose cells have a place, and what they need for it


def check_exhibit(spec: Table, where: str) -> None:
    """Raises UserError with one line: the file, the place in it, what is wrong and what is known."""
    try:
        _exhibit(spec)
    except UserError as e:
        raise UserError(f"{where}: {e}") from None


def check_paper(record: Table, where: str) -> None:
    """The same of paper.toml."""
    try:
        bounded(record)
        keys(record, "paper", RECORD)
        for finding in record.get("finding", []):
            keys(finding, "[[finding]]", FINDING, needed=("text", "claims"))
        for device, peak in record.get("peak", {}).items():
            word({"peak": device}, "peak", ("cpu", "gpu"), "paper")
            keys(peak, f"[peak.{device}]", PEAK, needed=("source",))
    except UserError as e:
        raise UserError(f"{where}: {e}") from None


def _exhibit(spec: Table) -> None:
    bounded(spec)
    keys(spec, "exhibit", TOP, needed=("kind", "title"))
    word(spec, "kind", KINDS, "exhibit")
    for sweep in spec.get("sweep", []):
        keys(sweep, "[[sweep]]", SWEEP)
    for name, profile in spec.get("profile", {}).items():
        word({"profile": name}, "profile", ("quick",), "exhibit")
        keys(profile, f"[profile.{name}]", QUICK)
        for sweep in profile.get("sweep", []):
            keys(sweep, f"[[profile.{name}.sweep]]", SWEEP)
    for name in ("table", "figure"):
        if name in spec and spec["kind"] != name:
            raise UserError(f"exhibit: [{name}], where kind = {spec['kind']!r}")
    if spec["kind"] == "table":
        keys(spec.get("table", {}), "[table]", TABLE, needed=("rows", "columns"))
        metrics([c for c in spec["table"]["columns"] if c not in WORD_COLUMNS], "[table] columns", spec["table"])
    if spec["kind"] == "figure":
        _figure(spec.get("figure", {}))
    for block in spec.get("paper", []):
        _paper(block, spec["kind"])
    seen: set[str] = set()
    for claim in spec.get("claim", []):
        _claim(claim, {**spec.get("table", {}), **spec.get("figure", {})})
        if claim["id"] in seen:
            raise UserError(f"claim {claim['id']!r}: two claims have this id")
        seen.add(claim["id"])


def by_iteration(name: str) -> bool:
    return name == "iteration" or name.startswith("counter:")


def _figure(figure: Table) -> None:
    keys(figure, "[figure]", FIGURE, needed=("style",))
    word(figure, "style", STYLES, "[figure]")
    if figure["style"] == "scatter":
        return
    keys(figure, "[figure]", FIGURE, needed=("x", "y", *PLACED.get(figure["style"], ())))
    if figure["style"] in PLACED and len(figure["y"]) != 1:
        raise UserError('[figure]: a map shows one metric, y = ["…"]')
    if figure["style"] == "iterations" and not (len(figure["y"]) == 1 and by_iteration(figure["y"][0])):
        raise UserError('[figure]: along iterations go one counter, y = ["counter:…"], or time, y = ["iteration"]')
    if ("sets" in figure) != (figure["style"] in ("sets", "shares")):
        raise UserError("[figure]: sets, the field that tells sets apart, belongs to the styles sets and shares")
    if figure["style"] not in PLACED and "down" in figure:
        raise UserError("[figure]: down belongs to a map")
    metrics(figure["y"], "[figure] y", figure)


def _paper(block: Table, kind: str) -> None:
    keys(block, "[[paper]]", PAPER, needed=("source", "fields", "metrics", "rows"))
    if not block["source"].startswith("derived from "):
        word(block, "source", (*SOURCES, "derived from …"), "[[paper]]")
    if kind == "machine" and (block["fields"], block["metrics"]) != (["entry"], ["value"]):
        raise UserError('[[paper]]: of a machine, fields = ["entry"] and metrics = ["value"]')
    if kind != "machine":
        metrics(block["metrics"], "[[paper]] metrics", {"baseline": {}})
    for name, unit in block.get("units", {}).items():
        word({"unit": unit}, "unit", tuple(SECONDS), "[[paper]] units")
        word({"units": name}, "units", tuple(block["metrics"]), "[[paper]]")
    width = len(block["fields"]) + len(block["metrics"])
    for i, row in enumerate(block["rows"], start=1):
        if len(row) != width:
            raise UserError(f"[[paper]] row {i} has {len(row)} values, where its fields and metrics are {width}")
        for printed in map(str, row[len(block["fields"]) :] if kind != "machine" else ()):
            if printed and parse(printed) is None and printed not in PRINTED_WORDS:
                known = ", ".join(PRINTED_WORDS)
                raise UserError(f"[[paper]] row {i}: {printed!r} is no number, and none of the words {known}")


def _claim(claim: Table, shown: Table) -> None:
    place = f"claim {claim.get('id', '?')!r}"
    word(claim, "kind", tuple(CLAIMS), place)
    needed, further = CLAIMS[claim["kind"]]
    own = (*ABOUT_EVERY_CLAIM, *needed, *further)
    keys(claim, place, {name: CLAIM[name] for name in own}, needed=("id", "text", *needed))
    for name in ("direction", "extreme"):
        if name in claim:
            word(claim, name, WORDS[name], place)
    sides = [name for name in ("numerator_metric", "denominator_metric") if name in claim]
    if sides and claim["kind"] != "ratio":
        raise UserError(f"{place}: {sides[0]} belongs to a ratio")
    if "metric" not in claim and len(sides) < 2:
        raise UserError(f"{place}: no metric")
    metrics([claim[name] for name in ("metric", *sides) if name in claim], place, shown)
    if claim["kind"] in ("ratio", "bound", "share") and not {"expect", "at_least", "at_most"} & claim.keys():
        raise UserError(f"{place}: needs {'expect and within, or ' * (claim['kind'] == 'ratio')}at_least or at_most")
    if "expect" in claim and claim["kind"] in ("ratio", "value", "mean"):
        if not number(claim["expect"]) or claim["expect"] <= 0:
            raise UserError(f"{place}: expect = {claim['expect']!r} is no number above 0")
        if "within" not in claim:
            raise UserError(f"{place}: expect needs within (a factor)")
    if "within" in claim and claim["kind"] in ("ratio", "value", "mean", "trend") and not claim["within"] >= 1:
        raise UserError(f"{place}: within = {claim['within']} is no factor of at least 1")
    if "within" in claim and claim["within"] < 0:
        raise UserError(f"{place}: within = {claim['within']} is below 0")
    if "share" in claim and not 0 < claim["share"] <= 1:
        raise UserError(f"{place}: share = {claim['share']} is no share, above 0 and at most 1")
    if "items" in claim and len(claim["items"]) < (1 if claim["kind"] == "equality" else 2):
        raise UserError(f"{place}: too few items")


def bounded(value: Any) -> None:
    """No number that JSON and 64 bits have no room for."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        bounded(item)
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{value} is no number to compare with")
    if integer(value) and not -(2**63) <= value < 2**63:
        raise UserError("a whole number past 64 bits")


def keys(given: Any, place: str, known: Keys, needed: Iterable[str] = ()) -> None:
    if not table(given):
        raise UserError(f"{place}: a table is needed, not {str(given)[:40]!r}")
    for name, value in given.items():
        if name not in known:
            raise UserError(f"{place}: unknown key {name[:40]!r}; known: {', '.join(known)}")
        right, words = known[name]
        if not right(value):
            raise UserError(f"{place}: {name} is {str(value)[:40]!r}, where {words} is needed")
    for name in needed:
        if name not in given:
            raise UserError(f"{place}: {name} missing")


def word(given: Table, name: str, known: tuple[str, ...], place: str) -> None:
    if not text(given.get(name)) or given[name] not in known:
        raise UserError(f"{place}: {name} = {str(given.get(name))[:40]!r} is not one of {', '.join(known)}")


def metrics(names: list[str], place: str, shown: Table) -> None:
    for name in names:
        try:
            metric(name)
        except UserError as e:
            raise UserError(f"{place}: {e}") from None
        if name.startswith("speedup:") and "baseline" not in shown:
            raise UserError(f"{place}: {name} needs a baseline")
