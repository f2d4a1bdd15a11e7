"""A comparison for machines: as JSON, and as annotations of a pull request."""

import json
from pathlib import Path
from typing import Any

from plots.decide.compare import Comparison, Group, Pair
from plots.read.changes import Changed
from plots.read.intervals import of_median
from plots.write import comparison


def document(made: Comparison, files: list[Changed]) -> str:
    return json.dumps(
        {
            "base": made.base.title,
            "new": made.new.title,
            "within": made.within,
            "threshold": made.threshold,
            "code": made.code,
            "conclusion": comparison.conclusion(made),
            "implementations": [
                {"implementation": one.implementation, "cases": one.cases, **decision(one)} for one in made.groups
            ],
            "cases": [case(one) for one in made.pairs],
            "only_base": made.only_base,
            "only_new": made.only_new,
            "files": [vars(one) for one in files],
        },
        indent=1,
        ensure_ascii=False,
    )


def case(one: Pair) -> dict[str, Any]:
    """The medians are None where the case has no ratio."""
    medians = [of_median(side.samples) if one.change else None for side in (one.base, one.new)]
    times = {f"{name}_s": found and found.value for name, found in zip(("base", "new"), medians, strict=True)}
    return {"name": one.name, "implementation": one.implementation, **times, **decision(one), "why": one.why}


def decision(one: Pair | Group) -> dict[str, Any]:
    return {
        "verdict": one.verdict,
        "ratio": one.ratio and one.ratio.value,
        "low": one.ratio and one.ratio.low,
        "high": one.ratio and one.ratio.high,
        "p": one.p,
        "smallest_change_seen": one.detectable,
    }


def annotations(made: Comparison, root: Path) -> str:
    """Workflow commands of GitHub: an error for each regression, at the implementation's file; else one line."""
    found = [*made.slower, *made.lost]
    if not found:
        level = "warning" if made.code else "notice"
        return f"::{level} title=kmbench compare::{escaped(comparison.conclusion(made))}\n"
    title = escaped(f"Slower by {100 * made.threshold:g}% or more, or without a time").replace(",", "%2C")
    return "".join(f"::error {place(one, root)}title={title}::{escaped(comparison.blamed(one))}\n" for one in found)


def place(one: Pair | Group, root: Path) -> str:
    files = (f"impl/{one.implementation}{ending}" for ending in (".cpp", ".cu"))
    return next((f"file={file},line=1," for file in files if (root / file).is_file()), "")


def escaped(text: str) -> str:
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text
