"""How far a claim reaches. At another size or with other threads than the paper's, only a direction can be decided:
the right one is `trend only`, with other threads the opposite one `not reproduced`."""

from plots.decide.claim_text import Claim, selectors
from plots.decide.lookup import SIZE, THREADS
from plots.decide.verdicts import FAILED, INCOMPARABLE, REPRODUCED, TREND
from plots.read.metrics import metric
from plots.read.results import Line
from plots.read.select import ALL_THREADS, select, value_of
from plots.read.view import View

ABOUT_SIZE = ("ratio", "order", "value", "mean", "printed")  # kinds of claims whose numbers belong to one size


def limit(view: View, claim: Claim) -> tuple[str, str]:
    """Why the claim's numbers are out of reach, and their need; two empty texts if they are in reach."""
    other = view.resized(lines_of(view, claim)) if claim["kind"] in ABOUT_SIZE else []
    if other:
        return f"quick profile: another {', '.join(other)} than the paper's", SIZE
    theirs, ours = view.exhibit.their_threads, view.machine.threads
    if theirs and ours and ours not in theirs and timed(claim) and uses_all_threads(view, claim):
        return f"{ours} threads here, {' or '.join(map(str, theirs))} in the paper", THREADS
    return "", ""


def within_reach(verdict: str, kind: str, opposite: bool = False) -> str:
    """The verdict of a claim of which only the direction can be decided."""
    if opposite:
        return FAILED
    return TREND if verdict in (REPRODUCED, TREND) and kind not in ("value", "mean", "printed") else INCOMPARABLE


def timed(claim: Claim) -> bool:
    names = [claim[name] for name in ("metric", "numerator_metric", "denominator_metric") if name in claim]
    return any(metric(name).timed for name in names)


def uses_all_threads(view: View, claim: Claim) -> bool:
    return any(value_of(line, "threads") == ALL_THREADS for line in lines_of(view, claim))


def lines_of(view: View, claim: Claim) -> list[Line]:
    return [line for selector in selectors(claim) for line in select(view.lines, selector)]
