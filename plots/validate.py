"""The check of one exhibit: every mistake is one sentence with the place, before anything is rendered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from plots.errors import UserError
from plots.metrics import metric
from plots.words import SECONDS

Table = dict[str, Any]
KINDS = ("table", "figure", "machine")
STYLES = ("line", "bar", "stacked", "scatter")
TOP = (
    "kind",
    "number",
    "title",
    "sweep",
    "profile",
    "labels",
    "table",
    "figure",
    "paper",
    "claim",
    "notes",
    "reuse",
    "machine",
)
SWEEP = (
    "implementation",
    "dataset",
    "n",
    "d",
    "k",
    "precision",
    "init",
    "init_seed",
    "iterations",
    "tolerance",
    "repetitions",
    "warmup",
    "set",
    "data",
    "sweep",
)
TABLE = ("rows", "columns", "where", "baseline")
FIGURE = (
    "style",
    "x",
    "y",
    "series",
    "panels",
    "logx",
    "logy",
    "where",
    "baseline",
    "dims",
    "xlabel",
    "ylabel",
    "ymin",
)
PAPER = ("source", "fields", "metrics", "rows", "match", "notes", "units")
CLAIM = ("id", "text", "section", "kind", "metric", "numerator_metric", "denominator_metric")
# What a claim of each kind has to say, and what it may say besides.
CLAIMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ratio": (("numerator", "denominator"), ("expect", "within", "at_least", "at_most")),
    "order": (("items",), ()),
    "trend": (("along", "direction"), ("where", "within")),
    "location": (("along", "expect", "extreme"), ("where",)),
    "bound": ((), ("where", "at_least", "at_most")),
    "equality": (("items",), ("within",)),
    "difference": (("items", "at_least"), ()),
    "value": (("expect", "within"), ("where",)),
}
WORDS = {"direction": ("up", "down", "flat"), "extreme": ("min", "max")}
SOURCES = ("printed", "read off the plot")


def check_exhibit(spec: Table, where: str) -> None:
    """Raises UserError with one line: the file, the place in it, what is wrong and what is known."""
    try:
        _exhibit(spec)
    except UserError as e:
        raise UserError(f"{where}: {e}") from None
    except (TypeError, AttributeError) as e:
        raise UserError(f"{where}: a value of the wrong type: {e}") from None


def _exhibit(spec: Table) -> None:
    keys(spec, "exhibit", TOP, needed=("kind", "title"))
    word(spec, "kind", KINDS, "exhibit")
    for sweep in spec.get("sweep", []):
        keys(sweep, "[[sweep]]", SWEEP)
    for name, profile in spec.get("profile", {}).items():
        word({"profile": name}, "profile", ("quick",), "exhibit")
        keys(profile, f"[profile.{name}]", SWEEP)
    if spec["kind"] == "table":
        keys(spec.get("table", {}), "[table]", TABLE, needed=("rows", "columns"))
        names(spec["table"]["rows"], "[table] rows")
        metrics(spec["table"]["columns"], "[table] columns", spec["table"])
    if spec["kind"] == "figure":
        _figure(spec.get("figure", {}))
    for block in spec.get("paper", []):
        _paper(block)
    seen: set[str] = set()
    for claim in spec.get("claim", []):
        _claim(claim, {**spec.get("table", {}), **spec.get("figure", {})})
        if claim["id"] in seen:
            raise UserError(f"claim {claim['id']!r}: two claims have this id")
        seen.add(claim["id"])


def _figure(figure: Table) -> None:
    keys(figure, "[figure]", FIGURE, needed=("style",))
    word(figure, "style", STYLES, "[figure]")
    if figure["style"] != "scatter":
        keys(figure, "[figure]", FIGURE, needed=("x", "y"))
        names(figure.get("series", []), "[figure] series")
        metrics(figure["y"], "[figure] y", figure)


def _paper(block: Table) -> None:
    keys(block, "[[paper]]", PAPER, needed=("source", "fields", "metrics", "rows"))
    if not str(block["source"]).startswith("derived from "):
        word(block, "source", (*SOURCES, "derived from …"), "[[paper]]")
    if block["metrics"] != ["value"]:
        metrics(block["metrics"], "[[paper]] metrics", {"baseline": {}})
    for unit in block.get("units", {}).values():
        word({"unit": unit}, "unit", tuple(SECONDS), "[[paper]] units")
    width = len(block["fields"]) + len(block["metrics"])
    for i, row in enumerate(block["rows"], start=1):
        if len(row) != width:
            raise UserError(f"[[paper]] row {i} has {len(row)} values, where its fields and metrics are {width}")


def _claim(claim: Table, shown: Table) -> None:
    place = f"claim {claim.get('id', '?')!r}"
    word(claim, "kind", tuple(CLAIMS), place)
    needed, further = CLAIMS[claim["kind"]]
    keys(claim, place, (*CLAIM, *needed, *further), needed=("id", "text", *needed))
    for name in ("direction", "extreme"):
        if name in claim:
            word(claim, name, WORDS[name], place)
    measured = [claim[name] for name in ("metric", "numerator_metric", "denominator_metric") if name in claim]
    if not measured or ("metric" not in claim and len(measured) < 2):
        raise UserError(f"{place}: no metric")
    metrics(measured, place, shown)
    if claim["kind"] in ("ratio", "bound") and not {"expect", "at_least", "at_most"} & claim.keys():
        raise UserError(f"{place}: needs {'expect and within, or ' * (claim['kind'] == 'ratio')}at_least or at_most")
    if "expect" in claim and claim["kind"] == "ratio" and "within" not in claim:
        raise UserError(f"{place}: expect needs within (a factor)")
    if "within" in claim and claim["kind"] in ("ratio", "value", "trend") and not claim["within"] >= 1:
        raise UserError(f"{place}: within = {claim['within']} is no factor of at least 1")
    if "items" in claim and len(claim["items"]) < (1 if claim["kind"] == "equality" else 2):
        raise UserError(f"{place}: too few items")


def keys(table: Table, place: str, known: Iterable[str], needed: Iterable[str] = ()) -> None:
    for name in table:
        if name not in known:
            raise UserError(f"{place}: unknown key {name!r}; known: {', '.join(known)}")
    for name in needed:
        if name not in table:
            raise UserError(f"{place}: {name} missing")


def word(table: Table, name: str, known: tuple[str, ...], place: str) -> None:
    if table.get(name) not in known:
        raise UserError(f"{place}: {name} = {table.get(name)!r} is not one of {', '.join(known)}")


def names(value: Any, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UserError(f"{place}: a list of names is needed, not {value!r}")
    return value


def metrics(value: Any, place: str, table: Table) -> None:
    for name in names(value, place):
        try:
            metric(name)
        except UserError as e:
            raise UserError(f"{place}: {e}") from None
        if name.startswith("speedup:") and "baseline" not in table:
            raise UserError(f"{place}: {name} needs a baseline")
