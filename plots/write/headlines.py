"""What a reader should know first of one machine: what it is, and three findings."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from plots.decide.claims import Finding
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, TREND
from plots.read import words
from plots.read.results import Machine
from plots.read.view import View
from plots.write.tables import Table


@dataclass(frozen=True)
class Shown:
    """One exhibit of one machine, made once for everything that shows it."""

    view: View
    table: Table | None
    findings: Sequence[Finding]


def hardware(machine: Machine) -> str:
    """`NVIDIA H200 (driver 580.159.04), Intel(R) Xeon(R) Processor with 16 threads, 126 GiB of memory`."""
    record = machine.record
    gpu, cpu, memory = record.get("gpu") or {}, record.get("cpu") or {}, record.get("memory_bytes")
    driver = f" (driver {gpu['driver_version']})" if gpu.get("driver_version") else ""
    parts = [f"{gpu['name']}{driver}"] if gpu.get("name") else []
    if cpu.get("model"):
        parts.append(str(cpu["model"]) + (f" with {machine.threads} threads" if machine.threads else ""))
    if isinstance(memory, (int, float)):
        parts.append(f"{memory / 2**30:.0f} GiB of memory")
    return ", ".join(parts) or "no machine record"


def measured(shown: Sequence[Shown]) -> str:
    """`measured 2026-11-21 at f80f999dc0`: the dates and the commits of every line shown."""
    days = sorted({line["date"][:10] for one in shown for line in one.view.lines})
    commits = sorted({commit for one in shown for commit in one.view.commits})
    when = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""
    return f"measured {when} at {', '.join(commits)}" if days else "nothing was run"


def headlines(shown: Sequence[Shown]) -> list[str]:
    """Three sentences at most, from these lines alone."""
    sentences = (tell(shown) for tell in (about_claims, about_papers, about_rivals, about_cases))
    return [text for text in sentences if text][:3]


def about_claims(shown: Sequence[Shown]) -> str:
    counts = Counter(finding.verdict for one in shown for finding in one.findings)
    decided = sum(counts.values()) - counts[INCOMPARABLE]
    if not decided:
        return ""
    named = {
        REPRODUCED: "reproduced",
        TREND: "right in direction only",
        FAILED: "not reproduced",
        NOISE: "lost in noise",
    }
    parts = [f"{counts[verdict]} {text}" for verdict, text in named.items() if counts[verdict]]
    return f"Of {decided} claims that can be decided here: {', '.join(parts)}."


def about_papers(shown: Sequence[Shown]) -> str:
    """Ours over the papers' own times an iteration, over every table that prints them."""
    ratios = [
        cell.raw[0]
        for one in shown
        if one.table and "reuse" not in one.view.exhibit.spec
        for row in one.table.rows
        for column, cell in zip(one.table.columns, row, strict=True)
        if (column.name, column.role) == ("iteration", "ratio") and cell.raw[0] and not cell.doubt
    ]
    if len(ratios) < 3:
        return ""
    low, middle, high = (words.number(r, 2) for r in (min(ratios), statistics.median(ratios), max(ratios)))
    return (
        f"An iteration takes {middle} times as long as on the papers' own machines, by the median of {len(ratios)} "
        f"printed times ({low} to {high})."
    )


def about_rivals(shown: Sequence[Shown]) -> str:
    """Who is fastest of most, most often, in a table where one is on more than half of the problems."""
    best = []
    for one in (one for one in shown if one.table and "reuse" not in one.view.exhibit.spec):
        names = [column.name for column in one.table.columns]
        if "implementation" in names and "iteration" in names:
            who, time = names.index("implementation"), names.index("iteration")
            winners = Counter(row[who].text for row in one.table.rows if row[time].best)
            rivals = {row[who].text for row in one.table.rows if row[time].raw and row[time].raw[0] is not None}
            problems = sum(winners.values())
            for name, wins in winners.most_common(1):
                if 2 * wins > problems:
                    best.append((len(rivals), wins, problems, name, one.view.exhibit.heading))
    if not best:
        return ""
    rivals, wins, problems, name, heading = max(best, key=lambda found: found[0] * found[1])
    return f"{name} is the fastest of {rivals} implementations on {wins} of {problems} problems ({heading})."


def about_cases(shown: Sequence[Shown]) -> str:
    lines = {id(line): line for one in shown for line in one.view.lines}.values()
    right = sum(line["verdict"] == "" for line in lines)
    wrong = sum(bool(line["verdict"]) for line in lines)
    others = len(lines) - right - wrong
    return f"{right} results were judged right and {wrong} wrong; {others} cases did not run." if lines else ""
