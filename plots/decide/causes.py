"""The likely cause of a verdict that differs from the paper's: `[[cause]]` of paper.toml."""

from typing import Any

from plots.decide.claim_text import Claim
from plots.read import words
from plots.read.metrics import metric
from plots.read.results import of_exhibit
from plots.read.select import Selector, select
from plots.read.view import View


def likely(view: View, claim: Claim) -> str:
    """The first cause that applies on this machine, as a sentence; else empty."""
    name = f"{view.exhibit.name}/{claim['id']}"
    told = (in_words(view, cause) for cause in view.exhibit.record.get("cause", []) if name in cause["claims"])
    return next(filter(None, told), "")


def in_words(view: View, cause: dict[str, Any]) -> str:
    """The cause with its ratio, measured on this machine or elsewhere on such a GPU; empty if it does not apply."""
    gpu = (view.machine.record.get("gpu") or {}).get("name") or ""
    if cause.get("gpu", "") not in gpu:
        return ""
    if "denominator" not in cause:
        return cause["text"]
    above = cause["theirs"] if "theirs" in cause else measured(view, cause, cause["numerator"])
    below = measured(view, cause, cause["denominator"])
    return cause["text"].replace("{ratio}", words.number(above / below, 2)) if above and below else ""


def measured(view: View, cause: dict[str, Any], selector: Selector) -> float | None:
    """The metric of the one line that matches."""
    lines = select(of_exhibit(view.machine, f"{view.exhibit.paper}/{cause['exhibit']}", "paper"), selector)
    found = metric(cause["metric"]).of(lines[0], view.machine.record) if len(lines) == 1 else None
    return found.value if found else None
