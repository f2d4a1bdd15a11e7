"""The values that a claim needs, or the reason why they are missing, and how far the claim reaches.

At another size or with other threads than the paper's, only a direction can be decided. The right one is `trend only`;
with other threads, the opposite one is `not reproduced`."""

import re
from collections.abc import Sequence
from typing import Any

from plots.decide.claim_text import Claim, compared, metrics_of, selector_text, selectors
from plots.decide.verdicts import FAILED, INCOMPARABLE, REPRODUCED, TREND
from plots.read import words
from plots.read.exhibits import Printed
from plots.read.intervals import Estimate
from plots.read.metrics import metric
from plots.read.results import PROFILES, Line, coarse, device, of_exhibit, reason
from plots.read.select import ALL_THREADS, Selector, differing, matches, prefer, same, select, sort_key, value_of
from plots.read.view import View

EVERY_CASE = ("bound", "mean", "share")  # kinds that rest on every matching case
ABOUT_SIZE = ("ratio", "order", "value", "mean", "printed")  # kinds of claims whose numbers belong to one size
# What a claim needs and this machine or these lines lack; also `data <name>`.
GPU, SIZE, THREADS, RUN, GRADE, OTHER = "gpu", "size", "threads", "run", "grade", "other"
CONSTRUCTION = "construction"  # the claim could not fail as run
CARD = "card"  # absolute times of another GPU


def not_run(need: str) -> bool:
    """Whether a claim with this need lacks lines, rather than lines that can decide it."""
    return need in (GPU, RUN) or need.startswith("data ")


class IncomparableError(Exception):
    """The lines lack what the claim needs; the message is the reason."""

    def __init__(self, why: str, need: str = OTHER) -> None:
        super().__init__(why)
        self.need = need


def check(view: View, claim: Claim) -> None:
    """Raises IncomparableError if no line of this machine can decide the claim."""
    card = (view.machine.record.get("gpu") or {}).get("name") or "no GPU"
    if claim.get("gpu", "") not in card:
        raise IncomparableError(f"absolute times of an {claim['gpu']}; here: {card}", CARD)


def measured_lines(
    view: View, selector: Selector, name: str, preferred: bool = False, may_be_coarse: bool = False
) -> list[tuple[Line, Estimate]]:
    """The matching (or preferred) lines with the metric. Raises IncomparableError with the reason if there is none."""
    lines = select(view.lines, selector)
    lines = prefer(lines, selector) if preferred else lines
    if not lines:
        raise IncomparableError(*why_none(view, selector))
    found = [(line, value) for line in lines if (value := view.value(line, name)) is not None]
    if not found:
        lost = f"no {metric(name).label} in the line"
        reasons = sorted({reason(line) or view.awaited(line, name) or lost for line in lines})
        raise IncomparableError(f"{selector_text(selector)}: {'; '.join(reasons)}", need_of(view, lines))
    strict = not (view.rounding or may_be_coarse)
    if strict and any(coarse(line) or view.doubt(line, name) == words.COARSE for line, _ in found):
        raise IncomparableError(f"{selector_text(selector)}: coarse labels, on which no claim rests", GRADE)
    return found


def one(view: View, selector: Selector, name: str, may_be_coarse: bool = False) -> Estimate:
    """The metric of the one line that matches, or of the line with the first listed values."""
    lines = prefer(select(view.lines, selector), selector)
    if len(lines) > 1:
        fields = ", ".join(differing(lines))
        raise IncomparableError(f"{selector_text(selector)} matches {len(lines)} cases: they differ in {fields}")
    return measured_lines(view, selector, name, True, may_be_coarse)[0][1]


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


def printed_rows(view: View, claim: Claim) -> list[tuple[Printed, float]]:
    """The rows with a printed number of the metric, and that number; without stand-ins."""
    name, where = claim["metric"], claim.get("where", {}).items()
    rows = [row for row in view.exhibit.printed() if name in row.values and not row.stand_in]
    found = [row for row in rows if all(same(row.key.get(field), wanted) for field, wanted in where)]
    return [(row, value) for row in found if (value := words.parse(row.values[name], row.unit(name)))]


def used(view: View, claim: Claim) -> list[tuple[Line, str]]:
    """The lines that the claim rests on, each with its metric."""
    chosen = compared(claim)
    if claim["kind"] == "printed":
        chosen = [(row.key, claim["metric"]) for row, _ in printed_rows(view, claim)]
    if chosen:
        return [(line, name) for selector, name in chosen for line in prefer(select(view.lines, selector), selector)]
    where, places = claim.get("where", {}), {}
    for line in select(view.lines, where):
        place = line["case"] if claim["kind"] in EVERY_CASE else repr(value_of(line, claim.get("along", "")))
        places.setdefault(place, []).append(line)
    return [(line, claim["metric"]) for group in places.values() for line in prefer(group, where)]


def disturbed(view: View, claim: Claim) -> str:
    """Why no verdict rests on these times, if one of them was disturbed; else empty."""
    times = ((line, name) for line, name in used(view, claim) if view.doubt(line, name) == words.DISTURBED)
    found = any(view.value(line, name) for line, name in times)
    return f"{words.DISTURBED}: {words.TAKEN}" if found else ""


def stand_ins(view: View, claim: Claim) -> str:
    """The data that the verdict rests on, if they are not the paper's own; else empty."""
    known = view.exhibit.substitutes
    ran = {line["dataset"]["name"] for line, name in used(view, claim) if view.value(line, name) is not None}
    like = {name: "made up in the shape of" if name in view.exhibit.stand_ins else "a part of" for name in known}
    return "; ".join(f"on {name}, {like[name]} {known[name]}" for name in sorted(ran & known.keys()))


def why_none(view: View, selector: Selector) -> tuple[str, str]:
    """Why no line of this view matches, and what the claim needs."""
    what = selector_text(selector)
    for profile in PROFILES:
        lines = [line for source in view.exhibit.sources for line in of_exhibit(view.machine, source, profile)]
        if profile != view.profile and select(lines, selector):
            return f"{what}: only in the {profile} profile", SIZE if profile == "paper" else RUN
    if skipped := [line for line in view.lines if line["skip"] and may_match(line, selector)]:
        return f"{what}: {reason(skipped[0])}", need_of(view, skipped)
    if asks_for_gpu(view, selector):
        return f"{what}: no line, and {view.machine.name} has no GPU", GPU
    if name := file_of(view, selector):
        return f"{what}: no line of it on {view.machine.name}; run kmbench fetch {name}", f"data {name}"
    if not view.lines:
        return "nothing of this exhibit was run", RUN
    for name, wanted in selector.items():
        if all(value_of(line, name) is None for line in view.lines):
            return f"{what}: no line has a field {name}", OTHER
        if not any(matches(line, {name: wanted}) for line in view.lines):
            return f"{what}: no line with {name} = {wanted}", RUN
    return f"{what}: no line", RUN


def asks_for_gpu(view: View, selector: Selector) -> bool:
    """Whether only GPU implementations match, on a machine without a GPU."""
    names = selector.get("implementation", view.exhibit.implementations)
    names = names if isinstance(names, list) else [names]
    alone = bool(names) and all(str(name).startswith("gpu/") for name in names)
    return alone and bool(view.machine.record) and not view.machine.record.get("gpu")


def file_of(view: View, selector: Selector) -> str:
    """The first of the paper's own data sets that the selector names, if it names no other set and the machine has run
    nothing of them; else empty."""
    named = selector.get("dataset")
    names = named if isinstance(named, list) else [named]
    if not set(names) <= set(view.exhibit.substitutes.values()):
        return ""
    if any(line["dataset"]["name"] in names for line in view.machine.lines if not line["skip"]):
        return ""
    return str(names[0]).partition(",")[0]  # `household, 4 attributes` is of household


def may_match(line: Line, selector: Selector) -> bool:
    """Whether no known field contradicts the selector. A skipped line may lack its parameters and its size."""
    known = {name: wanted for name, wanted in selector.items() if value_of(line, name) not in (None, 0)}
    return matches(line, known)


def need_of(view: View, lines: Sequence[Line]) -> str:
    """What these lines without a value need: a GPU, more threads, a data set, or something else."""
    if not view.machine.record.get("gpu") and any(device(line) == "gpu" and line["skip"] for line in lines):
        return GPU
    if any("threads, but the machine has" in (line["skip"] or "") for line in lines):
        return THREADS
    said = (re.search(r"(?:fetch_datasets|kmbench fetch) (\w+)", line["skip"] or "") for line in lines)
    fetch = [match[1] for match in said if match]
    return f"data {fetch[0]}" if fetch else OTHER


def limit(view: View, claim: Claim) -> tuple[str, str]:
    """Why the claim's numbers are out of reach, and their need; two empty texts if they are in reach."""
    lines = [line for selector in selectors(claim) for line in select(view.lines, selector)]
    if claim["kind"] in ABOUT_SIZE and (other := view.resized(lines)):
        return f"quick profile: another {', '.join(other)} than the paper's", SIZE
    theirs, ours = view.exhibit.their_threads, view.machine.threads
    timed = any(metric(name).timed for name in metrics_of(claim))
    if theirs and ours and ours not in theirs and timed and any(value_of(x, "threads") == ALL_THREADS for x in lines):
        return f"{ours} threads here, {' or '.join(map(str, theirs))} in the paper", THREADS
    return "", ""


def within_reach(verdict: str, kind: str, opposite: bool = False) -> str:
    """The verdict of a claim of which only the direction can be decided."""
    if opposite:
        return FAILED
    return TREND if verdict in (REPRODUCED, TREND) and kind not in ("value", "mean", "printed") else INCOMPARABLE
