"""Decides a paper's claims from the result lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from plots.decide import claim_text, lookup, verdicts
from plots.decide.claim_text import Claim, caution, compared, listing, points, told, with_unit
from plots.decide.lookup import CONSTRUCTION, IncomparableError, curve, measured_lines, one, printed_rows
from plots.read import words
from plots.read.exhibits import Exhibit, sibling
from plots.read.intervals import Estimate, of_mean, ratio
from plots.read.metrics import metric
from plots.read.results import Machine
from plots.read.select import Selector, same, select
from plots.read.view import View, gather


@dataclass(frozen=True)
class Finding:
    """The outcome of one claim on one machine. `measured`, `expected`: text with units. `why`: a sentence or empty."""

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
    paper_value: str = ""  # the claim in a few words
    need: str = ""  # of a claim that is not comparable (plots/decide/lookup.py), else empty
    sentence: str = ""  # the name that its cases share (plots/decide/sentences.py)
    printed: str = ""  # the paper's own number, if it gives one
    tolerance: str = ""  # why its band is as wide as it is, if it has one
    part = ""  # of a sentence (plots/decide/sentences.py)


@cache
def judge(exhibit: Exhibit, machine: Machine, profile: str | None = None) -> tuple[Finding, ...]:
    """A finding for every claim of the exhibit, in its order; computed once."""
    view = gather(exhibit, machine, profile)
    return tuple(judge_one(view, claim) for claim in exhibit.claims)


def judge_one(view: View, claim: Claim) -> Finding:
    out_of_reach, need = lookup.limit(view, claim)
    try:
        lookup.check(view, claim)
        verdict, measured, why, opposite = KINDS[claim["kind"]](view, claim)
        noise = lookup.disturbed(view, claim)
        opposite = opposite and need == lookup.THREADS and not noise
        verdict = verdicts.NOISE if noise else verdict
        verdict = lookup.within_reach(verdict, claim["kind"], opposite) if out_of_reach else verdict
        substitutes = lookup.stand_ins(view, claim)
        verdict = verdicts.STAND_IN if substitutes and verdict == verdicts.REPRODUCED else verdict
        direction = "and yet the opposite direction" * opposite
        cause = likely_cause(view, claim) if verdict in (verdicts.FAILED, verdicts.TREND) else ""
        why = "; ".join(part for part in (substitutes, out_of_reach, direction, noise, why, cause) if part)
    except IncomparableError as e:
        verdict, measured, why, need = verdicts.INCOMPARABLE, words.MISSING, str(e), e.need
    sentence = claim.get("sentence")  # shared in the exhibit or, with a `/`, in the paper
    sentence = f"{view.exhibit.paper}/{claim['text']}" if sentence is None else sentence
    paper_value, expected = told(claim)
    return Finding(
        machine=view.machine.name,
        exhibit=view.exhibit.key,
        id=claim["id"],
        text=claim["text"],
        section=str(claim.get("section", "")),
        kind=claim["kind"],
        verdict=verdict,
        measured=measured,
        expected=expected,
        why=why,
        profile=view.profile,
        paper_value=paper_value,
        need=need if verdict == verdicts.INCOMPARABLE else "",
        sentence=sentence if "/" in sentence else f"{view.exhibit.key}/{sentence}",
        printed=own_number(view, claim),
        tolerance=claim_text.tolerance(claim),
    )


def likely_cause(view: View, claim: Claim) -> str:
    """The first `[[cause]]` of paper.toml that applies on this machine, as a clause; else empty."""
    name = f"{view.exhibit.name}/{claim['id']}"
    texts = (in_words(view, cause) for cause in view.exhibit.record.get("cause", []) if name in cause["claims"])
    return next((f"likely because {text}" for text in texts if text), "")


def in_words(view: View, cause: dict[str, Any]) -> str:
    """The cause with its ratio, measured on this machine or elsewhere on such a GPU; empty if it does not apply."""

    def measured(selector: Selector) -> float | None:
        rests_on = gather(sibling(view.exhibit, cause["exhibit"]), view.machine, "paper")
        lines = select(rests_on.lines, selector)
        found = rests_on.value(lines[0], cause["metric"]) if len(lines) == 1 else None
        return found.value if found else None

    gpu = (view.machine.record.get("gpu") or {}).get("name") or ""
    if cause.get("gpu", "") not in gpu:
        return ""
    if "denominator" not in cause:
        return cause["text"]
    above = cause["theirs"] if "theirs" in cause else measured(cause["numerator"])
    below = measured(cause["denominator"])
    return cause["text"].replace("{ratio}", words.number(above / below, 2)) if above and below else ""


def own_number(view: View, claim: Claim) -> str:
    """`9.1 ×`, `7 → 5 (1.4 ×)`: the number of the paper's text, else of its tables; else empty."""
    kind, stated = claim["kind"], "expect" in claim
    if kind == "ratio":
        text = f"{claim['expect']:.10g} ×" if stated else ""
        sides = [{"metric": name, "where": side} for side, name in compared(claim)]
        found = [{value for _, value in printed_rows(view, side)} for side in sides]
        if any(len(values) != 1 for values in found) or found[1] == {0}:
            return text
        (above,), (below,) = found
        return pair_of(above, below, text or f"{above / below:.4g} ×", [side["metric"] for side in sides])
    if kind not in ("bound", "value", "mean"):
        return ""
    if stated and kind != "bound":
        return told(claim)[0]
    values = {value for _, value in printed_rows(view, claim)}
    return with_unit(" … ".join(words.number(f(values)) for f in (min, max)[: len(values)]), claim) if values else ""


def pair_of(above: float, below: float, told: str, names: Sequence[str], sign: str = "") -> str:
    """A ratio of counts with both counts, `7 → 5 (1.4 ×)`; any other ratio alone."""
    counted = not any(metric(name).unit for name in names)
    return f"{words.number(above)} → {words.number(below)} ({told}{sign})" if counted else told


class Outcome(NamedTuple):
    """`opposite`: the direction is the opposite of the claimed one, beyond noise."""

    verdict: str
    measured: str
    why: str
    opposite: bool = False


def by_ratio(view: View, claim: Claim) -> Outcome:
    (above, name), (below, other) = compared(claim)
    sides = [one(view, above, name, claim.get("coarse_numerator", False)), one(view, below, other)]
    value = ratio(*sides)
    if value is None:
        raise IncomparableError(f"no ratio of {words.point(sides[0])} to {words.point(sides[1])}")
    band, text = wanted_band(claim), words.both(value, 3)
    text = pair_of(*(side.value for side in sides), text, (name, other), " ×") if value.exact else text
    return Outcome(verdicts.of_ratio(value, band), text, caution([value]), verdicts.opposite(value, band))


def by_order(view: View, claim: Claim) -> Outcome:
    values = [one(view, item, claim["metric"]) for item in claim["items"]]
    opposite = verdicts.step(values[0], values[-1]) < 0
    return Outcome(verdicts.of_order(values), listing(values, claim, " → "), caution(values), opposite)


def by_trend(view: View, claim: Claim) -> Outcome:
    at, values = curve(view, claim)
    if len(values) < 2:
        raise IncomparableError(f"only {claim['along']} = {at[0]} was measured")
    sign = {"up": 1, "down": -1, "flat": 0}[claim["direction"]]
    verdict = verdicts.of_trend(values, claim["direction"], claim.get("within", 1.1))
    opposite = sign * verdicts.step(values[0], values[-1]) < 0
    return Outcome(verdict, points(at, values, claim), warnings(view, claim, values), opposite)


def by_location(view: View, claim: Claim) -> Outcome:
    at, values = curve(view, claim)
    expected = [i for i, value in enumerate(at) if same(value, claim["expect"])]
    if not expected:
        one(view, {**claim.get("where", {}), claim["along"]: claim["expect"]}, claim["metric"])  # raises the reason
    verdict = verdicts.of_location(values, expected, claim["extreme"])
    return Outcome(verdict, points(at, values, claim), warnings(view, claim, values))


def by_bound(view: View, claim: Claim) -> Outcome:
    values = [value for _, value in measured_lines(view, claim.get("where", {}), claim["metric"])]
    low, high = min(values, key=lambda v: v.value), max(values, key=lambda v: v.value)
    text = with_unit(words.both(low) if len(values) == 1 else f"{words.both(low)} … {words.both(high)}", claim)
    text += f" ({len(values)} cases)" * (len(values) > 1)
    return Outcome(verdicts.of_bound(values, wanted_band(claim)), text, warnings(view, claim, values))


def by_equality(view: View, claim: Claim) -> Outcome:
    found = [pair for item in claim["items"] for pair in measured_lines(view, item, claim["metric"], preferred=True)]
    if claim["metric"] == "iterations" and all(line["iterations"] == line["max_iters"] for line, _ in found):
        raise IncomparableError("by construction: every run ends at its limit of iterations", CONSTRUCTION)
    values = [value for _, value in found]
    verdict = verdicts.of_equality(values, claim.get("within", 0.0))
    return Outcome(verdict, listing(values, claim, ", "), caution(values))


def by_difference(view: View, claim: Claim) -> Outcome:
    values = [one(view, item, claim["metric"]) for item in claim["items"]]
    return Outcome(verdicts.of_difference(values, claim["at_least"]), listing(values, claim, ", "), caution(values))


def by_value(view: View, claim: Claim) -> Outcome:
    value = one(view, claim.get("where", {}), claim["metric"])
    return Outcome(verdicts.inside(value, wanted_band(claim)), with_unit(words.both(value), claim), caution([value]))


def by_mean(view: View, claim: Claim) -> Outcome:
    """The mean over all matching cases, with the interval of a mean of samples."""
    values = [value for _, value in measured_lines(view, claim.get("where", {}), claim["metric"])]
    mean = of_mean([value.value for value in values])
    if mean is None:
        raise IncomparableError("the mean is past the range of numbers")
    text = f"{with_unit(words.both(mean), claim)} ({len(values)} cases)"
    return Outcome(verdicts.inside(mean, wanted_band(claim)), text, warnings(view, claim, values))


def by_share(view: View, claim: Claim) -> Outcome:
    values = [value for _, value in measured_lines(view, claim.get("where", {}), claim["metric"])]
    verdict, count = verdicts.of_share(values, wanted_band(claim), claim["share"])
    low, high = min(v.value for v in values), max(v.value for v in values)
    text = f"{count} of {len(values)} cases; {words.number(low)} … {words.number(high)}"
    return Outcome(verdict, with_unit(text, claim), warnings(view, claim, values))


def by_printed(view: View, claim: Claim) -> Outcome:
    """Ours over every printed value of the paper's own data; several lines count with their mean."""
    rows = printed_rows(view, claim)
    ratios: list[Estimate] = []
    reasons = [IncomparableError(f"the paper prints no {metric(claim['metric']).label} there")] * (not rows)
    for row, theirs in rows:
        try:
            own = [value for _, value in measured_lines(view, row.key, claim["metric"], preferred=True)]
        except IncomparableError as e:
            reasons.append(e)
            continue
        value = own[0] if len(own) == 1 else of_mean([value.value for value in own])
        ratios += [value.scaled(1 / theirs)] if value else []
    if not ratios:
        raise reasons[0]
    wanted = verdicts.band(expect=1.0, within=claim["within"])
    ends = [end(ratio.value for ratio in ratios) for end in (min, max)]
    low, high = (words.number(value, 3, words.decimals_for(value, 3)) for value in ends)
    count = sum(wanted.low <= ratio.value <= wanted.high for ratio in ratios)
    alone = f"without a line: {len(rows) - len(ratios)} of the printed values" if len(ratios) < len(rows) else ""
    why = "; ".join(filter(None, [alone, caution(ratios)]))
    text = f"{count} of {len(ratios)} printed values; ours {low} … {high} times theirs"
    return Outcome(verdicts.of_bound(ratios, wanted), text, why)


DECIDED = (by_ratio, by_order, by_trend, by_location, by_bound, by_equality, by_difference, by_value, by_mean, by_share)
KINDS: dict[str, Callable[[View, Claim], Outcome]] = {
    of.__name__.removeprefix("by_"): of for of in (*DECIDED, by_printed)
}


def wanted_band(claim: Claim) -> verdicts.Band:
    return verdicts.band(**{name: claim[name] for name in ("expect", "within", "at_least", "at_most") if name in claim})


def warnings(view: View, claim: Claim, values: Sequence[Estimate]) -> str:
    """Cases without a value and values without an interval, in words."""
    lines = select(view.lines, claim.get("where", {}))
    lost = [line for line in lines if view.value(line, claim["metric"]) is None]
    parts = [f"without a value: {len(lost)} of the matching cases"] if lost else []
    return "; ".join([*parts, *filter(None, [caution(values)])])
