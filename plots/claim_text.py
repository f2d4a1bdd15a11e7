"""A claim in words: what it selects, what was measured, what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plots import words
from plots.intervals import Estimate
from plots.metrics import metric
from plots.select import Selector

Claim = dict[str, Any]


def selector_text(selector: Selector) -> str:
    words_of = {name: " or ".join(map(str, v)) if isinstance(v, list) else v for name, v in selector.items()}
    text = ", ".join(f"{name} = {value}" for name, value in words_of.items())
    return "{" + text + "}" if text else "the whole exhibit"


def ratio_text(claim: Claim) -> str:
    """What is divided by what: `update of {threads = 1} / {threads = 0}, both {packages = 100}`."""
    above, below = claim["numerator"], claim["denominator"]
    shared = {name: value for name, value in above.items() if name in below and below[name] == value}
    sides = []
    for side, selector in (("numerator", above), ("denominator", below)):
        own = {name: value for name, value in selector.items() if name not in shared}
        measured = claim.get(f"{side}_metric", "") or (claim["metric"] if side == "numerator" else "")
        sides.append(" of ".join(part for part in (measured, selector_text(own) if own else "") if part))
    both = (", both " if all(set(s) - shared.keys() for s in (above, below)) else " at ") + selector_text(shared)
    return " / ".join(sides) + (both if shared else "")


def caution(values: Sequence[Estimate]) -> str:
    return "" if all(value.known for value in values) else "measured once, no interval: decided on the point"


def with_unit(text: str, claim: Claim) -> str:
    return f"{text} {metric(claim['metric']).unit}".strip()


def listing(values: Sequence[Estimate], claim: Claim, between: str) -> str:
    return with_unit(between.join(words.both(value) for value in values), claim)


def points(at: Sequence[Any], values: Sequence[Estimate], claim: Claim) -> str:
    pairs = (f"{words.field_value(a)}: {words.both(v, 3)}" for a, v in zip(at, values, strict=True))
    return f"{metric(claim['metric']).title} at {claim['along']} = " + "; ".join(pairs)


def expectation(claim: Claim) -> str:
    """What is claimed, in the claim's own numbers."""
    kind, within = claim["kind"], claim.get("within")
    if kind in ("ratio", "bound", "value"):
        unit = "" if kind == "ratio" else f" {metric(claim['metric']).unit}".rstrip()
        near = [f"{claim['expect']}{unit} (within a factor of {within})"] if "expect" in claim else []
        limits = [
            f"{sign} {claim[name]}{unit}" for name, sign in (("at_least", "≥"), ("at_most", "≤")) if name in claim
        ]
        what = f"{ratio_text(claim)}: " if kind == "ratio" else ""
        return what + ", ".join([*near, *limits])
    if kind == "order":
        return "grows: " + " < ".join(selector_text(item) for item in claim["items"])
    if kind == "trend":
        flat = f" (within a factor of {within or 1.1})" if claim["direction"] == "flat" else ""
        return f"{claim['direction']} along {claim['along']}{flat}"
    if kind == "location":
        return f"{claim['extreme']} at {claim['along']} = {claim['expect']}"
    if kind == "difference":
        return f"largest and smallest differ by {100 * claim['at_least']:g}% or more"
    return f"equal within {100 * (within or 0):g}%"
