"""Checks an exhibit and paper.toml by schema/exhibit.json: every mistake is one line with its place.

A test holds every exhibit against the jsonschema package as well."""

from typing import Any

from plots.errors import UserError
from plots.read.schema import Compiler, Node, load

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
