"""One page that holds everything: tables, figures, claims, machine records, failures. It needs no network."""

from __future__ import annotations

import base64
import io
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from plots.decide.claims import Finding, judge
from plots.decide.verdicts import VERDICTS
from plots.draw import figures, style
from plots.read.exhibits import Exhibit, Paper
from plots.read.results import Machine, reason
from plots.read.view import View, gather
from plots.write import claim_sheet
from plots.write.machine import flatten
from plots.write.render import table_of
from plots.write.tables import Column, Table

HERE = Path(__file__).parent
TONE = dict(zip(VERDICTS, ("reproduced", "trend", "failed", "noise", "incomparable"), strict=True))


def page(papers: list[Paper], machines: list[Machine], profile: str | None = None) -> str:
    """The report as HTML."""
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(tone=TONE, groups=groups, section=claim_sheet.section)
    return environment.get_template("report.html.j2").render(
        css=Markup((HERE / "report.css").read_text(encoding="utf-8")),
        paper_count=len(papers),
        machines=[machine_part(m, papers, profile) for m in machines],
    )


def groups(table: Table) -> list[list[Column]]:
    """Columns of one metric together; every field for itself."""
    return [list(g) for _, g in groupby(table.columns, key=lambda c: (c.role == "field" and c.name, c.name))]


def machine_part(machine: Machine, papers: list[Paper], profile: str | None) -> dict[str, Any]:
    parts = [paper_part(machine, paper, profile) for paper in papers]
    counts = Counter(f.verdict for p in parts for e in p["exhibits"] for f in e["findings"])
    record = {name: value for name, value in flatten(machine.record).items() if not name.startswith("warnings")}
    return {
        "name": machine.name,
        "anchor": machine.name,
        "papers": parts,
        "tally": [(v, counts[v]) for v in VERDICTS if counts[v]],
        "record": record,
        "warnings": machine.record.get("warnings") or [],
        "troubles": [trouble for p in parts for e in p["exhibits"] for trouble in e["troubles"]],
    }


def paper_part(machine: Machine, paper: Paper, profile: str | None) -> dict[str, Any]:
    return {
        "key": paper.key,
        "anchor": f"{machine.name}/{paper.key}",
        "title": paper.title,
        "citation": paper.citation,
        "doi": paper.record.get("doi", ""),
        "machine": paper.record.get("machine", ""),
        "exhibits": [exhibit_part(machine, exhibit, profile) for exhibit in paper.exhibits],
    }


def exhibit_part(machine: Machine, exhibit: Exhibit, profile: str | None) -> dict[str, Any]:
    view = gather(exhibit, machine, profile)
    findings: list[Finding] = judge(exhibit, machine, profile)
    quick = " --profile quick" if view.profile == "quick" else ""
    return {
        "anchor": f"{machine.name}/{exhibit.key}",
        "number": exhibit.spec.get("number", ""),
        "title": exhibit.spec["title"],
        "commands": [command + quick for command in exhibit.commands],
        "profile": view.profile,
        "commits": view.commits,
        "cases": len(view.lines),
        "table": table_of(view),
        "figure": svg(view) if exhibit.kind == "figure" else "",
        "notes": exhibit.notes,
        "findings": findings,
        "troubles": [] if "reuse" in exhibit.spec else troubles(view),
    }


def troubles(view: View) -> list[tuple[str, str, int]]:
    """Why cases have no time: the sentence, the exhibit, how many."""
    counts = Counter(why for line in view.lines if (why := reason(line)))
    return [(why, view.exhibit.key, count) for why, count in sorted(counts.items())]


def svg(view: View) -> str:
    """The figure as base64 of SVG; empty where there is nothing to draw."""
    figure = figures.draw(view)
    if figure is None:
        return ""
    buffer = io.BytesIO()
    style.write(figure, buffer, ".svg")
    return base64.b64encode(buffer.getvalue()).decode()
