"""Checks made from a JSON Schema of schema/: the keywords that these files use, and `since`.

`since`: the schema number from which a property is required; earlier lines lack it. An object without `required` needs
all of its properties."""

import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Check = Callable[[Any], bool]
Node = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "schema"
TYPES = {
    "null": {type(None)},
    "boolean": {bool},
    "integer": {int},
    "number": {int, float},
    "string": {str},
    "array": {list},
    "object": {dict},
}
LARGEST = sys.float_info.max


def load(name: str) -> Node:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


class Compiler:
    """Checks values of a document; for result lines, of one schema number."""

    def __init__(self, document: Node, number: int = 1) -> None:
        self.document, self.number = document, number
        self.made: dict[int, tuple[Node, Check]] = {}  # by the id of the node, which stays alive here

    def resolved(self, node: Node) -> Node:
        """The node with its reference resolved; its own keys win."""
        if "$ref" not in node:
            return node
        base = self.resolved(self.document["$defs"][node["$ref"].rpartition("/")[2]])
        made = {**base, **{key: value for key, value in node.items() if key != "$ref"}}
        if "properties" in base:
            made["properties"] = {**base["properties"], **node.get("properties", {})}
        return made

    def check(self, node: Node) -> Check:
        if id(node) not in self.made:
            self.made[id(node)] = (node, self.compiled(self.resolved(node)))
        return self.made[id(node)][1]

    def compiled(self, node: Node) -> Check:
        kinds = kinds_of(node)
        rules = [RULES[key](self, node) for key in node if key in RULES]
        if kinds & {int, float} or "minimum" in node or "maximum" in node:
            rules.append(within(node))
        if kinds and not rules:
            return lambda value: type(value) in kinds
        return lambda value: (not kinds or type(value) in kinds) and all(rule(value) for rule in rules)

    def fields(self, properties: dict[str, Node]) -> dict[str, Node]:
        """The properties that a line of this number has."""
        return {name: node for name, node in properties.items() if node.get("since", 1) <= self.number}

    def properties(self, node: Node) -> Check:
        own = self.fields(node["properties"])
        checks = [(name, self.check(rule), name in node.get("required", own)) for name, rule in own.items()]
        return lambda value: (
            not isinstance(value, dict)
            or all(check(value[name]) if name in value else not needed for name, check, needed in checks)
        )

    def values(self, node: Node) -> Check:
        rest, named = node["additionalProperties"], set(node.get("properties", ()))
        check = self.check(rest) if isinstance(rest, dict) else lambda _: rest
        return lambda value: (
            not isinstance(value, dict) or all(check(v) for name, v in value.items() if name not in named)
        )

    def items(self, node: Node) -> Check:
        item = self.resolved(node["items"])
        kinds = kinds_of(item)
        if not kinds or not kinds <= {int, float}:
            check = self.check(node["items"])
            return lambda value: not isinstance(value, list) or all(map(check, value))
        low, high = item.get("minimum", -LARGEST), item.get("maximum", LARGEST)

        def numbers(value: Any) -> bool:
            if not value or not isinstance(value, list):
                return True
            typed = set(map(type, value)) <= kinds
            return typed and low <= min(value) and max(value) <= high and all(map(math.isfinite, value))

        return numbers


def kinds_of(node: Node) -> set[type]:
    names = node.get("type", [])
    return {kind for name in ([names] if isinstance(names, str) else names) for kind in TYPES[name]}


def within(node: Node) -> Check:
    """Finite, and within the bounds."""
    low, high = node.get("minimum", -LARGEST), node.get("maximum", LARGEST)
    return lambda value: low <= value <= high if type(value) in (int, float) else True


def matching(_: Compiler, node: Node) -> Check:
    pattern = re.compile(node["pattern"].removesuffix("$") + r"\Z" * node["pattern"].endswith("$"))
    return lambda value: not isinstance(value, str) or pattern.search(value) is not None


def sized(_: Compiler, node: Node) -> Check:
    low, high = node.get("minItems", 0), node.get("maxItems", math.inf)
    return lambda value: not isinstance(value, list) or low <= len(value) <= high


def alternatives(compiler: Compiler, node: Node) -> Check:
    checks = [compiler.check(one) for one in node["anyOf"]]
    return lambda value: any(check(value) for check in checks)


RULES: dict[str, Callable[[Compiler, Node], Check]] = {
    "exclusiveMinimum": lambda _, node: lambda v: type(v) not in (int, float) or v > node["exclusiveMinimum"],
    "enum": lambda _, node: lambda value: isinstance(value, (str, type(None))) and value in node["enum"],
    "const": lambda _, node: lambda value: value == node["const"],
    "not": lambda compiler, node: lambda value: not compiler.check(node["not"])(value),
    "pattern": matching,
    "minLength": lambda _, node: lambda value: not isinstance(value, str) or len(value) >= node["minLength"],
    "minItems": sized,
    "maxItems": sized,
    "items": Compiler.items,
    "properties": Compiler.properties,
    "additionalProperties": Compiler.values,
    "anyOf": alternatives,
}


def latest(document: Node) -> int:
    inner = (node.get("properties", {}) for node in document["properties"].values())
    return max(node.get("since", 1) for part in (document["properties"], *inner) for node in part.values())


def words(compiler: Compiler, node: Node) -> str:
    """A value's type: `count or null`, `array of seconds`, `one of paper, quick`."""
    node = compiler.resolved(node)
    if "title" in node:
        return node["title"]
    if "anyOf" in node:
        return " or ".join(words(compiler, one) for one in node["anyOf"])
    if "enum" in node:
        return f"one of {', '.join(filter(None, node['enum']))}" + " or null" * (None in node["enum"])
    text = node["type"] if isinstance(node["type"], str) else " or ".join(node["type"])
    return f"{text} of {words(compiler, node['items'])}s" if "items" in node else text
