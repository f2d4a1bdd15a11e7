"""Checks a result line by schema/line.json and keeps the fields that are read."""

from array import array
from typing import Any

from plots.errors import UserError
from plots.read import schema

Line = dict[str, Any]
PROFILES = ("paper", "quick")


DOCUMENT = schema.load("line.json")
LATEST = schema.latest(DOCUMENT)
FIELDS = DOCUMENT["properties"]
UNREAD = ("schema", "machine", "argv", "gpu", "judge_s")  # and not kept
KEPT = [name for name in FIELDS if name not in UNREAD]
SERIES = ("samples_s", "samples_event_s")
DELAYS = ("run_delay_s", "involuntary_switches")  # one a sample, or null
SHARED = ("parameters", "dataset", "init", "work")  # the same in many lines
_MADE = {number: schema.Compiler(DOCUMENT, number) for number in range(1, LATEST + 1)}
CHECKS = {at: {name: made.check(node) for name, node in made.fields(FIELDS).items()} for at, made in _MADE.items()}


class LaterError(UserError):
    """A line of a later kmbench, whose meaning this program may miss."""


def line(found: Any, where: str, pool: dict[str, Any]) -> Line:
    """The kept fields of a result line; a field that its schema lacks is None. Raises UserError for anything else.

    Skips the schema's allOf rules, so that a wrong line still replaces an earlier right one. Equal values share one
    object of `pool`, and series are arrays: 100,000 lines fit in memory."""
    if not isinstance(found, dict):
        raise UserError(f"{where}: not a result line, but {type(found).__name__}")
    number = found.get("schema")
    if type(number) is int and number > LATEST:
        raise LaterError(f"{where}: schema {number} is of a later kmbench; this one reads up to {LATEST}")
    known = CHECKS[number] if type(number) is int and number in CHECKS else CHECKS[1]
    missing = [name for name in known if name not in found]
    if missing:
        raise UserError(f"{where}: not a result line: {', '.join(missing)} missing")
    for name, right in known.items():
        if not right(found[name]):
            kind = schema.words(_MADE[LATEST], FIELDS[name])
            raise UserError(f"{where}: {name} is {str(found[name])[:40]!r}, not {kind}")
    kept = {name: found[name] if name in known else None for name in KEPT}
    for name in SERIES:
        kept[name] = array("d", kept[name] or ())
    for name in DELAYS:
        kept[name] = None if kept[name] is None else array("d", kept[name])
    for name in ("phases", "counters"):
        kept[name] = {part: array("d", series) for part, series in kept[name].items()}
    for name in SHARED:
        kept[name] = pool.setdefault(repr(kept[name]), kept[name])
    for name, value in kept.items():
        if isinstance(value, str) and name not in ("case", "date"):
            kept[name] = pool.setdefault(value, value)
    return kept
