"""Checks of an exhibit and of paper.toml made from schema/exhibit.json: every mistake is one line with its place.

Of JSON Schema it knows what that file uses. A test holds every exhibit against the jsonschema package as well."""

from __future__ import annotations

import re
from typing import Any

from plots.errors import UserError
from plots.read.schema import Node, load

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
EXHIBIT: Node = load("exhibit.json")


def resolved(node: Node) -> Node:
    """The node with what it refers to; what stands beside the reference wins."""
    if "$ref" not in node:
        return node
    base = resolved(EXHIBIT["$defs"][node["$ref"].rpartition("/")[2]])
    made = {**base, **{key: value for key, value in node.items() if key != "$ref"}}
    if "properties" in base:
        made["properties"] = {**base["properties"], **node.get("properties", {})}
    return made


def part(name: str) -> Node:
    return resolved({"$ref": name})


def fits(value: Any, node: Node) -> bool:
    """Whether a value is as the node says."""
    node = resolved(node)
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(type(value) in TYPES[kind] for kind in kinds):
        return False
    if isinstance(value, str):
        return re.search(node.get("pattern", ""), value) is not None and known(value, node)
    if isinstance(value, list):
        sized = node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value))
        return sized and all(fits(item, node.get("items", {})) for item in value)
    if isinstance(value, dict):
        inner, rest = node.get("properties", {}), node.get("additionalProperties", {})
        return all(name in inner or rest is not False for name in value) and all(
            fits(one, inner.get(name, rest)) for name, one in value.items()
        )
    if isinstance(value, (int, float)):
        low, high, above = (node.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
        held = (low is None or value >= low, high is None or value <= high, above is None or value > above)
        return all(held) and known(value, node)
    return known(value, node)


def known(value: Any, node: Node) -> bool:
    """Whether a value is one of those that the node names, if it names any."""
    if "not" in node:
        return not known(value, node["not"])
    return value in node.get("enum", [node.get("const", value)])


def holds(given: Node, condition: Node) -> bool:
    """The if of a rule."""
    required = all(name in given for name in condition.get("required", []))
    return required and all(known(given.get(name), node) for name, node in condition.get("properties", {}).items())


def check(given: Node, node: Node, place: str, path: str = "") -> None:
    """Raises UserError with the place and the first key that is unknown, wrong or missing."""
    node = resolved(node)
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


def one(value: Any, node: Node, place: str, path: str) -> None:
    """The check of one key's value."""
    node, name = resolved(node), path.rpartition(".")[2]
    items = resolved(node.get("items", {}))
    if isinstance(value, dict) and "properties" in node:
        check(value, node, f"[{path}]", f"{path}.")
    elif isinstance(value, list) and "properties" in items and all(isinstance(item, dict) for item in value):
        for item in value:
            check(item, items, f"claim {item.get('id', '?')!r}" if path == "claim" else f"[[{path}]]", f"{path}.")
    elif "enum" in node and not (isinstance(value, str) and known(value, node)):
        raise UserError(f"{place}: {name} = {str(value)[:40]!r} is not one of {', '.join(node['enum'])}")
    elif not fits(value, node):
        words = node.get("title", "another number of entries" if isinstance(value, list) else "another value")
        raise UserError(f"{place}: {name} is {str(value)[:40]!r}, where {words} is needed")
