"""Writes out the short forms of an exhibit: defaults, zip, claims for many values, printed rows with many columns
(docs/exhibits.md, "Said once").

kmbench expands the sweeps by the same rules (bench/plan/exhibit.cpp); tests/expansion.toml has examples for both."""

import itertools
import math
import re
from typing import Any

from plots.errors import UserError
from plots.read.validate import part

Table = dict[str, Any]
SIDES = {"ratio": ("numerator", "denominator")}
MANY = ("order", "equality", "difference")  # kinds whose selectors are items
ONE = ("bound", "value", "mean", "trend", "location", "printed")  # kinds with one selector, where
KINDS = (*SIDES, *MANY, *ONE)
CLAIM_KEYS = {*part("claim")["properties"], *KINDS}
PLACE = re.compile(r"\{(\w+)\}")
RANGE = re.compile(r"([^:]+):([^:]+):([x+])([^:]+)")
MOST_CLAIMS = 10_000
MOST_VALUES = 10_000  # of a range


def expand(spec: Table) -> Table:
    """The exhibit without defaults, lists, zip and for. Raises UserError with one line."""
    spec = dict(spec)
    defaults = tables(spec.pop("defaults", {}), "[defaults]")
    unknown = defaults.keys() - {"sweep", "claim"}
    if unknown:
        raise UserError(f"[defaults]: unknown key {min(unknown)[:40]!r}; known: sweep, claim")
    if isinstance(spec.get("sweep"), list):
        spec["sweep"] = [one for given in spec["sweep"] for one in sweeps(given, defaults.get("sweep", {}))]
    profiles = spec.get("profile")
    quick = profiles.get("quick") if isinstance(profiles, dict) else None
    if isinstance(quick, dict) and isinstance(quick.get("sweep"), list):
        own = [one for given in quick["sweep"] for one in sweeps(given, defaults.get("sweep", {}))]
        spec["profile"] = {**profiles, "quick": {**quick, "sweep": own}}
    if "claim" in spec:
        spec["claim"] = [one for given in listed(spec["claim"]) for one in claims(given, defaults.get("claim", {}))]
    if isinstance(spec.get("paper"), list):
        spec["paper"] = [written_out(block) for block in spec["paper"]]
    return spec


def written_out(block: Any) -> Any:
    """A [[paper]] block whose rows hold the metrics of every table of `across`: a row for each that the paper fills."""
    if not isinstance(block, dict) or "across" not in block:
        return block
    fields, metrics, lines, across = (block.get(name) for name in ("fields", "metrics", "rows", "across"))
    lists = all(isinstance(one, list) for one in (fields, metrics, lines, across))
    if not lists or not across or not all(isinstance(one, dict) and one.keys() == across[0].keys() for one in across):
        raise UserError(
            "[[paper]]: across must be a list of tables of the same fields, beside fields, metrics and rows"
        )
    made, wide, width = [], len(metrics), len(fields) + len(metrics) * len(across)
    for i, row in enumerate(lines, start=1):
        if not isinstance(row, list) or len(row) != width:
            raise UserError(f"[[paper]] row {i}: {width} values are needed, its fields and {wide} for each of across")
        values = [row[at : at + wide] for at in range(len(fields), width, wide)] if wide else []
        filled_in = ((one, own) for one, own in zip(across, values, strict=False) if any(v != "" for v in own))
        made += [[*row[: len(fields)], *(one[name] for name in across[0]), *own] for one, own in filled_in]
    rest = {name: value for name, value in block.items() if name != "across"}
    return {**rest, "fields": [*fields, *across[0]], "rows": made}


def tables(value: Any, place: str) -> dict[str, Table]:
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise UserError(f"{place}: a table of tables is needed")
    return value


def sweeps(given: Any, defaults: Table) -> list[Table]:
    """A sweep with its defaults; with zip, one sweep for each place of its lists."""
    if not isinstance(given, dict):
        raise UserError(f"[[sweep]]: a table is needed, not {str(given)[:40]!r}")
    whole = {**defaults, **given}
    for nested in ("set", "data"):
        if isinstance(defaults.get(nested), dict) and isinstance(given.get(nested), dict):
            whole[nested] = {**defaults[nested], **given[nested]}
    names = whole.pop("zip", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UserError("[[sweep]]: zip must be a list of keys")
    if not names:
        return [whole]
    columns = {name: column(whole, name) for name in names}
    if len({len(values) for values in columns.values()}) > 1:
        sizes = ", ".join(f"{name} has {len(values)}" for name, values in columns.items())
        raise UserError(f"[[sweep]]: the lists of zip must be of one length; {sizes}")
    return [placed(whole, dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def column(sweep: Table, name: str) -> list[Any]:
    nested, _, own = name.rpartition(".")
    values = (sweep.get(nested, {}) if nested else sweep).get(own, {})
    if isinstance(values, dict):
        raise UserError(f"[[sweep]]: zip names {name[:40]!r}, which is no list of the sweep")
    return [one for value in (values if isinstance(values, list) else [values]) for one in ranged(value)]


def ranged(value: Any) -> list[Any]:
    """The values of a range such as "1e4:1e6:x10" or "64:1024:+64" (parse_range in bench/plan/sweep.cpp); else the
    value alone."""
    if not isinstance(value, str) or ":" not in value:
        return [value]
    try:
        (first, last, step, by), made = RANGE.fullmatch(value).groups(), []
        low, high, by = float(first), float(last), float(by)
        while len(made) < MOST_VALUES:
            at = low * by ** len(made) if step == "x" else low + len(made) * by
            if at > high + 1e-12 * max(abs(low), abs(high)):
                break
            made.append(int(at) if at.is_integer() else at)
        return made
    except (AttributeError, ValueError, OverflowError):
        raise UserError(f"[[sweep]]: {value[:40]!r} is not a range; write 1e4:1e6:x10 or 64:1024:+64") from None


def placed(sweep: Table, row: Table) -> Table:
    made = {name: dict(value) if isinstance(value, dict) else value for name, value in sweep.items()}
    for name, value in row.items():
        nested, _, own = name.rpartition(".")
        (made[nested] if nested else made)[own] = value
    return made


def listed(given: Any) -> list[Any]:
    """[[claim]] as it is; of [claim.<id>] the key becomes the id."""
    if not isinstance(given, dict):
        return given if isinstance(given, list) else [given]
    return [{"id": name, **claim} for name, claim in tables(given, "[claim.<id>]").items()]


def claims(given: Any, defaults: Table) -> list[Table]:
    """A claim with its defaults; with for, one claim for each row."""
    if not isinstance(given, dict):
        raise UserError(f"claim: a table is needed, not {str(given)[:40]!r}")
    place = f"claim {given.get('id', '?')!r}"
    template = {name: value for name, value in given.items() if name != "for"}
    made = [template]
    if "for" in given:
        used = set(places(template))
        made = [filled({**shared(given), **template}, row, used, place) for row in rows(given["for"], place)]
    return [by_kind({**defaults, **one}, place) for one in made]


def shared(given: Table) -> Table:
    """The sentence of all claims of one `for`, named after their id; none if each claim has its own text."""
    return {"sentence": PLACE.sub(r"<\1>", str(given.get("id") or given["text"]))} if "text" in given else {}


def rows(given: Any, place: str) -> list[Table]:
    """The tables of a list; of a table of lists every combination, the first key slowest. An entry of such a list may
    be a table with several values."""
    if isinstance(given, list) and given and all(isinstance(row, dict) for row in given):
        return given
    lists = given.values() if isinstance(given, dict) else ()
    if not lists or not all(isinstance(values, list) and values for values in lists):
        raise UserError(f"{place}: for must be a list of tables or a table of lists")
    axes = [[value if isinstance(value, dict) else {name: value} for value in values] for name, values in given.items()]
    if (count := math.prod(map(len, axes))) > MOST_CLAIMS:
        raise UserError(f"{place}: for makes {count} claims; accepted: up to {MOST_CLAIMS}")
    return [{name: value for one in row for name, value in one.items()} for row in itertools.product(*axes)]


def places(value: Any) -> list[str]:
    """Every {name} in it."""
    if isinstance(value, str):
        return PLACE.findall(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for one in inner for name in places(one)]


def filled(template: Table, row: Table, used: set[str], place: str) -> Table:
    """The row's values in the places of {their names}, and as keys of the claim."""
    if missing := used - row.keys():
        raise UserError(f"{place}: {{{min(missing)}}} is not in its for; there are {', '.join(row)}")
    if idle := row.keys() - used - CLAIM_KEYS:
        name = min(idle)[:40]
        raise UserError(f"{place}: for gives {name!r}, which is no key of a claim and stands nowhere as {{{name}}}")
    return {**fill(template, row), **{name: value for name, value in row.items() if name in CLAIM_KEYS}}


def fill(value: Any, row: Table) -> Any:
    if isinstance(value, dict):
        return {name: fill(one, row) for name, one in value.items()}
    if isinstance(value, list):
        return [fill(one, row) for one in value]
    if not isinstance(value, str):
        return value
    whole = PLACE.fullmatch(value)
    return row[whole[1]] if whole else PLACE.sub(lambda at: str(row[at[1]]), value)


def by_kind(claim: Table, place: str) -> Table:
    """The long form of ratio = [a, b] and the like: kind, and numerator and denominator, items, or where."""
    kinds = [kind for kind in KINDS if kind in claim]
    if not kinds:
        return claim
    (kind, *others), made = kinds, {**claim}
    if others or claim.get("kind", kind) != kind:
        raise UserError(f"{place}: of two kinds, {kind} and {(others or [claim['kind']])[0]}")
    selector = made.pop(kind)
    made["kind"] = kind
    if kind in ONE:
        return {**made, "where": selector}
    shared = made.pop("where", {})
    if kind in SIDES and isinstance(selector, dict):
        selector = [selector, selector]
    if not isinstance(selector, list) or not all(isinstance(one, dict) for one in (*selector, shared)):
        raise UserError(f"{place}: {kind} must be a list of tables of fields")
    sides = [{**shared, **one} for one in selector]
    if kind in MANY:
        return {**made, "items": sides}
    if len(sides) != 2:
        raise UserError(f"{place}: ratio must be two tables, of the numerator and of the denominator, or one for both")
    if isinstance(made.get("metric"), list):
        if len(made["metric"]) != 2:
            raise UserError(f"{place}: metric must be a name, or the numerator's and the denominator's")
        made |= zip(("numerator_metric", "denominator_metric"), made.pop("metric"), strict=True)
    return {**made, "numerator": sides[0], "denominator": sides[1]}
