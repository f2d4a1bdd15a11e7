"""Checks one exhibit or paper.toml before anything is rendered: every mistake is one sentence with the place.

schema/exhibit.json holds keys, types and values (a test holds every exhibit against the jsonschema package as well).
This file adds what a schema cannot say. kmbench checks the values of a sweep (docs/exhibits.md, "Who checks what")."""

import math
from typing import Any

from plots.errors import UserError, within
from plots.read.metrics import WORD_COLUMNS, metric, over_baseline
from plots.read.schema import Compiler, Node, load
from plots.read.words import PRINTED_WORDS, SECONDS, parse

EXHIBIT: Node = load("exhibit.json")
CHECKS = Compiler(EXHIBIT)


def part(name: str) -> Node:
    return CHECKS.resolved({"$ref": name})


def holds(given: Node, condition: Node) -> bool:
    """The if of a rule."""
    required = all(name in given for name in condition.get("required", []))
    rules = condition.get("properties", {}).items()
    return required and all(CHECKS.check(node)(given.get(name)) for name, node in rules)


def check(given: Node, node: Node, place: str, path: str = "") -> None:
    """Raises UserError with the place and the first key that is unknown, wrong or missing."""
    node = CHECKS.resolved(node)
    inner = node.get("properties", {})
    closed = node.get("additionalProperties", node.get("unevaluatedProperties", True)) is False
    for name, value in given.items():
        if closed and name not in inner:
            raise UserError(f"{place}: unknown key {name[:40]!r}; known: {', '.join(inner)}")
        if name in inner:
            one(value, inner[name], place, f"{path}{name}")
    for name in node.get("required", []):
        if name not in given:
            raise UserError(f"{place}: {name} missing")
    rules = [rule["then"] for rule in node.get("allOf", []) if holds(given, rule["if"])]
    for rule in rules:
        names = rule.get("propertyNames", {}).get("enum", list(given))
        for name in given:
            if name not in names:
                raise UserError(f"{place}: unknown key {name[:40]!r}; known: {', '.join(names)}")
        check(given, {"properties": rule.get("properties", {}), "required": rule.get("required", [])}, place, path)
    for choices in [rule["anyOf"] for rule in (node, *rules) if "anyOf" in rule]:
        if not any(holds(given, choice) for choice in choices):
            raise UserError(f"{place}: needs {' or '.join(' and '.join(choice['required']) for choice in choices)}")


def one(value: Any, given: Node, place: str, path: str) -> None:
    """Checks one key's value."""
    node, name = CHECKS.resolved(given), path.rpartition(".")[2]
    items, right = CHECKS.resolved(node.get("items", {})), CHECKS.check(given)
    if isinstance(value, dict) and "properties" in node:
        check(value, node, f"[{path}]", f"{path}.")
    elif isinstance(value, list) and "properties" in items and all(isinstance(item, dict) for item in value):
        for item in value:
            check(item, items, f"claim {item.get('id', '?')!r}" if path == "claim" else f"[[{path}]]", f"{path}.")
    elif "enum" in node and not right(value):
        raise UserError(f"{place}: {name} = {str(value)[:40]!r} is not one of {', '.join(node['enum'])}")
    elif not right(value):
        words = node.get("title", "another number of entries" if isinstance(value, list) else "another value")
        raise UserError(f"{place}: {name} is {str(value)[:40]!r}, where {words} is needed")


Table = dict[str, Any]
PLACED = ("map", "heat")  # styles whose cells have a place


def check_paper(record: Table) -> None:
    """Of a paper.toml. Raises UserError with one line: the place, the mistake and the accepted values."""
    bounded(record)
    check(record, part("record"), "paper")
    for cause in record.get("cause", []):
        metrics([cause["metric"]] if "metric" in cause else [], "[[cause]]", {})


def check_exhibit(spec: Table) -> None:
    """The same for an exhibit."""
    bounded(spec)
    check(spec, EXHIBIT, "exhibit")
    kind = spec["kind"]
    for name in ("table", "figure"):
        if name in spec and kind != name:
            raise UserError(f"exhibit: [{name}], where kind = {kind!r}")
    if kind in ("table", "figure") and kind not in spec:
        check({}, part(kind), f"[{kind}]")
    if kind == "table":
        metrics([c for c in spec["table"]["columns"] if c not in WORD_COLUMNS], "[table] columns", spec["table"])
        if "worst" in spec["table"] and not spec["table"]["columns"][0].startswith("speedup:"):
            raise UserError("[table]: worst needs a speedup:<metric> as the first column")
    if kind == "figure":
        _figure(spec["figure"])
    for block in spec.get("paper", []):
        _paper(block, kind)
    seen: set[str] = set()
    for claim in spec.get("claim", []):
        names = [claim[name] for name in ("metric", "numerator_metric", "denominator_metric") if name in claim]
        metrics(names, f"claim {claim['id']!r}", {**spec.get("table", {}), **spec.get("figure", {})})
        if claim["id"] in seen:
            raise UserError(f"claim {claim['id']!r}: two claims have this id")
        seen.add(claim["id"])


def _figure(figure: Table) -> None:
    if figure["style"] == "scatter":
        return
    if figure["style"] in PLACED and len(figure["y"]) != 1:
        raise UserError('[figure]: a map shows one metric, y = ["…"]')
    counted = len(figure["y"]) == 1 and (figure["y"][0] == "iteration" or figure["y"][0].startswith("counter:"))
    if figure["style"] == "iterations" and not counted:
        raise UserError('[figure]: along iterations go one counter, y = ["counter:…"], or time, y = ["iteration"]')
    if ("sets" in figure) != (figure["style"] in ("sets", "shares")):
        raise UserError("[figure]: sets, the field that tells sets apart, belongs to the styles sets and shares")
    if figure["style"] not in PLACED and "down" in figure:
        raise UserError("[figure]: down belongs to a map")
    metrics(figure["y"], "[figure] y", figure)


def _paper(block: Table, kind: str) -> None:
    if kind == "machine" and (block["fields"], block["metrics"]) != (["entry"], ["value"]):
        raise UserError('[[paper]]: of a machine, fields = ["entry"] and metrics = ["value"]')
    if kind != "machine":
        metrics(block["metrics"], "[[paper]] metrics", {"baseline": {}})
    for name, unit in block.get("units", {}).items():
        for what, value, known in ((" units: unit", unit, SECONDS), (": units", name, block["metrics"])):
            if value not in known:
                raise UserError(f"[[paper]]{what} = {value[:40]!r} is not one of {', '.join(known)}")
    width = len(block["fields"]) + len(block["metrics"])
    for i, row in enumerate(block["rows"], start=1):
        if len(row) != width:
            raise UserError(f"[[paper]] row {i} has {len(row)} values, where its fields and metrics are {width}")
        for printed in map(str, row[len(block["fields"]) :] if kind != "machine" else ()):
            if printed and parse(printed) is None and printed not in PRINTED_WORDS:
                known = ", ".join(PRINTED_WORDS)
                raise UserError(f"[[paper]] row {i}: {printed!r} is no number, and none of the words {known}")


def bounded(value: Any) -> None:
    """Raises UserError for a number past JSON or 64 bits."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        bounded(item)
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{value} is no number to compare with")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UserError("a whole number past 64 bits")


def metrics(names: list[str], place: str, shown: Table) -> None:
    for name in names:
        with within(place):
            metric(name)
        if over_baseline(name) and "baseline" not in shown:
            raise UserError(f"{place}: {name} needs a baseline")
