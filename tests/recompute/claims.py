"""The claims of an exhibit, written out (docs/exhibits.md, "Said once")."""

import itertools
import json
import re

ITEMS = ("order", "equality", "difference")  # kinds over items
WHOLE = ("bound", "mean", "share")  # kinds over every matching case
KINDS = ("ratio", *ITEMS, "bound", "value", "mean", "trend", "location", "printed")  # that stand before their selector
BOTH = ("along", "expect", "within", "at_least", "at_most", "metric")  # both words and keys


def claims(exhibit):
    """By id."""
    given = exhibit.get("claim", {})
    given = [{"id": name, **one} for name, one in given.items()] if isinstance(given, dict) else given
    found = {}
    for one in given:
        template = {name: value for name, value in one.items() if name != "for"}
        keys = set(re.findall(r"\{(\w+)\}", json.dumps(template)))
        for row in rows(one["for"]) if "for" in one else [{}]:
            own = {name: value for name, value in row.items() if name not in keys or name in BOTH}
            defaults = exhibit.get("defaults", {}).get("claim", {})
            found_one = by_kind({**defaults, **fill(template, row), **own})
            found[found_one["id"]] = found_one
    return found


def rows(given):
    if isinstance(given, list):
        return given
    axes = [[one if isinstance(one, dict) else {name: one} for one in values] for name, values in given.items()]
    return [{k: v for part in combination for k, v in part.items()} for combination in itertools.product(*axes)]


def fill(value, row):
    if isinstance(value, dict):
        return {name: fill(one, row) for name, one in value.items()}
    if isinstance(value, list):
        return [fill(one, row) for one in value]
    if isinstance(value, str):
        whole = re.fullmatch(r"\{(\w+)\}", value)
        return row[whole[1]] if whole else re.sub(r"\{(\w+)\}", lambda at: str(row[at[1]]), value)
    return value


def by_kind(claim):
    """The claim with its kind, `where`, and `compared`: (selector, metric, whether it may be coarse) of each value."""
    short = next((name for name in KINDS if name in claim), None)
    kind, selector = short or claim["kind"], claim[short] if short else claim.get("where", {})
    where, name, compared = claim.get("where", {}), claim.get("metric"), []
    if kind == "ratio":
        pair = [selector, selector] if isinstance(selector, dict) else selector
        coarse = (claim.get(f"coarse_{side}", False) for side in ("numerator", "denominator"))
        names = name if isinstance(name, list) else [name, name]
        compared = [({**where, **one}, *of) for one, *of in zip(pair, names, coarse, strict=True)]
    elif kind in ITEMS:
        compared = [({**where, **one}, name, False) for one in selector]
    else:
        where = selector
    return {**claim, "kind": kind, "where": where, "compared": compared}
