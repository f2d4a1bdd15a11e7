"""A claim in words: its selectors, the measured and the expected values."""

import math
from collections.abc import Sequence
from typing import Any

from plots.read import words
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.select import Selector

Claim = dict[str, Any]
BARE = ("implementation", "dataset", "precision", "init")  # fields whose values stand without their name
COUNTED = ("threads", "packages")  # fields whose values count their name

# The widest factor of a band, and why it is that wide.
WIDTHS = (
    (1.0, "equal counts and equal results: nothing in them is random"),
    (1.01, "sums in another order round otherwise"),
    (1.15, "the sentence says the same, or gives a count or a share: runs of one case differ by some percent"),
    (1.35, "a number with two or three digits, measured on another machine: caches and clocks differ"),
    (1.5, "a ratio of two times: memory and arithmetic have become faster by different factors since"),
    (math.inf, "the sentence says about, or an order of magnitude, or it is a whole table of another machine"),
)


def tolerance(claim: Claim) -> str:
    """Why a claim's `within` is as wide as it is; empty without one."""
    width = claim.get("within", 0.0) + (claim["kind"] == "equality")
    return next(why for most, why in WIDTHS if width <= most) if "within" in claim else ""


def metrics_of(claim: Claim) -> list[str]:
    return [claim[name] for name in ("metric", "numerator_metric", "denominator_metric") if name in claim]


def compared(claim: Claim) -> list[tuple[Selector, str]]:
    """The compared selectors with their metrics: a ratio's sides, or the items."""
    sides = [name for name in ("numerator", "denominator") if name in claim]
    sides = [(claim[side], claim.get(f"{side}_metric") or claim["metric"]) for side in sides]
    return [*sides, *((item, claim["metric"]) for item in claim.get("items", []))]


def selectors(claim: Claim) -> list[Selector]:
    """Every selector of the claim; an empty one, for the whole exhibit, if there is none."""
    named = [claim["where"]] if "where" in claim else []
    return [*named, *(selector for selector, _ in compared(claim))] or [{}]


def selector_text(selector: Selector) -> str:
    """`cpu/lloyd/two_step, fp32, 100 packages, 1 thread, k = 4`."""
    parts = []
    for name, wanted in selector.items():
        value = " or ".join(map(words.field_value, wanted if isinstance(wanted, list) else [wanted]))
        if name == "threads" and wanted == 0:
            parts.append("all threads")
        elif name in COUNTED:
            parts.append(f"{value} {name[:-1] if value == '1' else name}")
        else:
            parts.append(value if name in BARE else f"{name.replace('_', ' ')} = {value}")
    return ", ".join(parts) or "the whole exhibit"


def ratio_text(claim: Claim, amount: str) -> str:
    """`update, 1 thread, is 1.3 × that of all threads (100 packages)`."""
    (above, name), (below, other_name) = compared(claim)
    shared = {name: value for name, value in above.items() if name in below and below[name] == value}
    own, other = ({f: v for f, v in side.items() if f not in shared} for side in (above, below))
    first, second = metric(name).label, metric(other_name).label
    subject = f"{first} of {selector_text(own)}" if own else first
    that = second if second != first else "that"
    of = f" of {selector_text(other)}" if other or own else ""
    return f"{subject} is {amount} × {that}{of}" + (f" ({selector_text(shared)})" if shared else "")


def item_texts(items: Sequence[Selector], between: str) -> str:
    """`1 package · 10 packages (fp32, 1 thread)`: shared fields stand once, at the end."""
    first = items[0]
    shared = {f: v for f, v in first.items() if all(f in item and item[f] == v for item in items[1:])}
    if len(shared) == len(first):
        return between.join(map(selector_text, items))
    own = ({f: v for f, v in item.items() if f not in shared} for item in items)
    return between.join(map(selector_text, own)) + (f" ({selector_text(shared)})" if shared else "")


def caution(values: Sequence[Estimate]) -> str:
    return "" if all(value.known for value in values) else "measured once, no interval: decided on the point"


def with_unit(text: str, claim: Claim) -> str:
    return f"{text} {metric(claim['metric']).unit}".strip()


def listing(values: Sequence[Estimate], claim: Claim, between: str) -> str:
    return with_unit(between.join(words.both(value) for value in values), claim)


def points(at: Sequence[Any], values: Sequence[Estimate], claim: Claim) -> str:
    pairs = (f"{words.field_value(a)}: {words.both(v, 3)}" for a, v in zip(at, values, strict=True))
    return f"{metric(claim['metric']).title} at {claim['along']} = " + "; ".join(pairs)


def amount(claim: Claim, unit: str = "") -> str:
    """`2.5 ms`, `at least 3 ms`."""
    said = {"expect": "", "at_least": "at least ", "at_most": "at most "}
    return " and ".join(f"{text}{claim[name]:.10g}{unit}" for name, text in said.items() if name in claim)


def factor(claim: Claim) -> str:
    return f", within a factor of {claim['within']:g}" if "within" in claim else ""


def told(claim: Claim) -> tuple[str, str]:
    """The paper's value in a few words (`9.1 ×`, `at least 3 ms`, `grows`, `min at k = 4`), and the claim in its own
    numbers."""
    kind, within = claim["kind"], f"{100 * claim.get('within', 0):g}%"
    if kind == "ratio":
        return f"{amount(claim)} ×", ratio_text(claim, amount(claim)) + factor(claim)
    one, where = metric(claim["metric"]), claim.get("where")
    value, among = amount(claim, f" {one.unit}".rstrip()), f" ({selector_text(where)})" if where else ""
    if kind in ("bound", "value", "mean"):
        return value, f"{'mean ' * (kind == 'mean')}{one.label} {value}{among}{factor(claim)}"
    if kind == "share":
        return value, f"{one.label} {value} in {100 * claim['share']:g}% of the cases or more{among}"
    if kind == "printed":
        return f"each printed value{factor(claim)}", f"{one.label}: each printed value{among}{factor(claim)}"
    if kind == "order":
        return "grows", f"{one.label} grows: {item_texts(claim['items'], ' < ')}"
    if kind == "trend":
        way = claim["direction"]
        flat = f" (within a factor of {claim.get('within', 1.1):g})" if way == "flat" else ""
        short = {"up": "grows", "down": "falls", "flat": "stays"}[way]
        return short, f"{one.label} {way} along {claim['along']}{flat}{among}"
    if kind == "location":
        expect = claim["expect"] if isinstance(claim["expect"], list) else [claim["expect"]]
        at = f"at {claim['along']} = {' or '.join(map(words.field_value, expect))}"
        return f"{claim['extreme']} {at}", f"{claim['extreme']} of {one.label} {at}{among}"
    items = item_texts(claim["items"], " · ")
    if kind == "difference":
        least = f"{100 * claim['at_least']:g}%"
        return f"differ by at least {least}", f"{one.label} differs by {least} or more: {items}"
    return f"equal within {within}", f"{one.label} equal within {within}: {items}"
