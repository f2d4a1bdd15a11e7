"""A paper's sentences, each held against the result lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from plots import verdicts, words
from plots.claim_text import Claim, caution, expectation, listing, points, selector_text, with_unit
from plots.exhibits import Exhibit
from plots.intervals import Estimate, ratio
from plots.metrics import metric
from plots.results import PROFILES, Line, Machine, of_exhibit, reason
from plots.select import Selector, differing, matches, prefer, same, select, sort_key, value_of
from plots.view import View, gather


@dataclass(frozen=True)
class Finding:
    """What became of one claim on one machine. `measured`, `expected`: text with units; `why`: a sentence or empty."""

    machine: str
    exhibit: str
    id: str
    text: str
    section: str
    kind: str
    verdict: str
    measured: str
    expected: str
    why: str
    profile: str


class IncomparableError(Exception):
    """The lines do not hold what the claim is about; the message is the reason."""


def judge(exhibit: Exhibit, machine: Machine, profile: str | None = None) -> list[Finding]:
    """A finding for every claim of the exhibit, in its order."""
    view = gather(exhibit, machine, profile)
    return [judge_one(view, claim) for claim in exhibit.claims]


def judge_one(view: View, claim: Claim) -> Finding:
    try:
        verdict, measured, why = KINDS[claim["kind"]](view, claim)
    except IncomparableError as e:
        verdict, measured, why = verdicts.INCOMPARABLE, words.MISSING, str(e)
    return Finding(
        view.machine.name,
        view.exhibit.key,
        claim["id"],
        claim["text"],
        str(claim.get("section", "")),
        claim["kind"],
        verdict,
        measured,
        expectation(claim),
        why,
        view.profile,
    )


Chosen = Callable[[Sequence[Line], Selector], Sequence[Line]]
Outcome = tuple[str, str, str]  # verdict, measured, why


def by_ratio(view: View, claim: Claim) -> Outcome:
    sides = [
        one(view, claim[side], claim.get(f"{side}_metric") or claim["metric"]) for side in ("numerator", "denominator")
    ]
    value = ratio(*sides)
    if value is None:
        raise IncomparableError(f"no ratio of {words.point(sides[0])} to {words.point(sides[1])}")
    return verdicts.of_ratio(value, wanted_band(claim)), words.both(value, 3), caution([value])


def by_order(view: View, claim: Claim) -> Outcome:
    values = [one(view, item, claim["metric"]) for item in claim["items"]]
    return verdicts.of_order(values), listing(values, claim, " → "), caution(values)


def by_trend(view: View, claim: Claim) -> Outcome:
    at, values = curve(view, claim)
    if len(values) < 2:
        raise IncomparableError(f"only {claim['along']} = {at[0]} was measured")
    return (
        verdicts.of_trend(values, claim["direction"], claim.get("within", 1.1)),
        points(at, values, claim),
        warnings(view, claim, values),
    )


def by_location(view: View, claim: Claim) -> Outcome:
    at, values = curve(view, claim)
    wanted = claim["expect"] if isinstance(claim["expect"], list) else [claim["expect"]]
    expected = [i for i, value in enumerate(at) if same(value, wanted)]
    if not expected:
        one(
            view, {**claim.get("where", {}), claim["along"]: claim["expect"]}, claim["metric"]
        )  # raises with the reason
    return (
        verdicts.of_location(values, expected, claim["extreme"]),
        points(at, values, claim),
        warnings(view, claim, values),
    )


def by_bound(view: View, claim: Claim) -> Outcome:
    values = [value for _, value in measured_lines(view, claim.get("where", {}), claim["metric"])]
    low, high = min(values, key=lambda v: v.value), max(values, key=lambda v: v.value)
    text = words.both(low) if len(values) == 1 else f"{words.both(low)} … {words.both(high)} ({len(values)} cases)"
    return verdicts.of_bound(values, wanted_band(claim)), with_unit(text, claim), warnings(view, claim, values)


def by_equality(view: View, claim: Claim) -> Outcome:
    values = [value for item in claim["items"] for _, value in measured_lines(view, item, claim["metric"], prefer)]
    return verdicts.of_equality(values, claim.get("within", 0.0)), listing(values, claim, ", "), caution(values)


def by_difference(view: View, claim: Claim) -> Outcome:
    values = [one(view, item, claim["metric"]) for item in claim["items"]]
    return verdicts.of_difference(values, claim["at_least"]), listing(values, claim, ", "), caution(values)


def by_value(view: View, claim: Claim) -> Outcome:
    if not view.comparable:
        raise IncomparableError(f"quick profile: another {', '.join(view.exhibit.resized())} than the paper's")
    value = one(view, claim.get("where", {}), claim["metric"])
    return verdicts.inside(value, wanted_band(claim)), with_unit(words.both(value), claim), caution([value])


KINDS: dict[str, Callable[[View, Claim], Outcome]] = {
    "ratio": by_ratio,
    "order": by_order,
    "trend": by_trend,
    "location": by_location,
    "bound": by_bound,
    "equality": by_equality,
    "difference": by_difference,
    "value": by_value,
}


def wanted_band(claim: Claim) -> verdicts.Band:
    return verdicts.band(claim.get("expect"), claim.get("within", 1.0), claim.get("at_least"), claim.get("at_most"))


def warnings(view: View, claim: Claim, values: Sequence[Estimate]) -> str:
    """What a reader of a verdict over many cases has to know: cases without a value, values without an interval."""
    lines = select(view.lines, claim.get("where", {}))
    lost = [line for line in lines if view.value(line, claim["metric"]) is None]
    parts = [f"without a value: {len(lost)} of the matching cases"] if lost else []
    return "; ".join([*parts, *filter(None, [caution(values)])])


def everyone(lines: Sequence[Line], _: Selector) -> Sequence[Line]:
    return lines


def measured_lines(view: View, selector: Selector, name: str, chosen: Chosen = everyone) -> list[tuple[Line, Estimate]]:
    """The chosen of the matching lines, with the metric. Raises IncomparableError with the reason if none."""
    lines = chosen(select(view.lines, selector), selector)
    if not lines:
        raise IncomparableError(why_none(view, selector))
    found = [(line, value) for line in lines if (value := view.value(line, name)) is not None]
    if not found:
        reasons = sorted({reason(line) or f"no {metric(name).label} in the line" for line in lines})
        raise IncomparableError(f"{selector_text(selector)}: {'; '.join(reasons)}")
    return found


def one(view: View, selector: Selector, name: str) -> Estimate:
    """The metric of the one line that matches; of several, the one with the first listed values."""
    lines = prefer(select(view.lines, selector), selector)
    if len(lines) > 1:
        raise IncomparableError(
            f"{selector_text(selector)} matches {len(lines)} cases: they differ in {', '.join(differing(lines))}"
        )
    return measured_lines(view, selector, name, prefer)[0][1]


def curve(view: View, claim: Claim) -> tuple[list[Any], list[Estimate]]:
    """The metric along a field: its values in order, one line each."""
    along, where = claim["along"], claim.get("where", {})
    lines = [line for line, _ in measured_lines(view, where, claim["metric"]) if value_of(line, along) is not None]
    if not lines:
        raise IncomparableError(f"no line has a field {along}")
    at: list[Any] = []
    for line in lines:
        if not any(same(value_of(line, along), value) for value in at):
            at.append(value_of(line, along))
    at.sort(key=lambda value: sort_key(along, value, view.exhibit.listed(along)))
    return at, [one(view, {**where, along: value}, claim["metric"]) for value in at]


def why_none(view: View, selector: Selector) -> str:
    """Why no line of this view matches: nothing ran, another profile did, a field is unknown, or no such value."""
    what = selector_text(selector)
    for profile in PROFILES:
        lines = [line for source in view.exhibit.sources for line in of_exhibit(view.machine, source, profile)]
        if profile != view.profile and select(lines, selector):
            return f"{what}: only in the {profile} profile"
    if not view.lines:
        return "nothing of this exhibit was run"
    for name, wanted in selector.items():
        if all(value_of(line, name) is None for line in view.lines):
            return f"{what}: no line has a field {name}"
        if not any(matches(line, {name: wanted}) for line in view.lines):
            return f"{what}: no line with {name} = {wanted}"
    return f"{what}: no line"
