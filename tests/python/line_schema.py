"""schema/line.json as standard JSON Schema: `since` becomes `required` and conditions."""

from typing import Any

import jsonschema

from plots.read.check import DOCUMENT, LATEST


def standard(document: dict[str, Any]) -> dict[str, Any]:
    """The schema with every property required from its `since` on."""
    rules = []
    for number in range(2, LATEST + 1):
        added = required(document, number)
        inner = {name: required(node, number) for name, node in document["properties"].items() if "properties" in node}
        parts = {name: {"required": names} for name, names in inner.items() if names}
        given = {"properties": {"schema": {"minimum": number}}}
        rules.append({"if": given, "then": {"required": added, "properties": parts}})
    properties = {name: with_required(node) for name, node in document["properties"].items()}
    properties["schema"] = {**properties["schema"], "maximum": LATEST}
    return {**with_required(document), "properties": properties, "allOf": [*document["allOf"], *rules]}


def with_required(node: dict[str, Any]) -> dict[str, Any]:
    return {**node, "required": required(node, 1)} if "properties" in node else node


def required(node: dict[str, Any], number: int) -> list[str]:
    return [name for name, rule in node["properties"].items() if rule.get("since", 1) == number]


SCHEMA = standard(DOCUMENT)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
