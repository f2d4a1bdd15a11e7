"""One page that holds everything: tables, figures, claims, machine records, failures. It needs no network."""

from __future__ import annotations

import base64
import gzip
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from plots.decide.claims import Finding, judge
from plots.decide.verdicts import INCOMPARABLE, VERDICTS
from plots.draw import figures, style
from plots.read.exhibits import Exhibit, Paper
from plots.read.results import Machine, raw_lines, reason
from plots.read.view import View, gather
from plots.read.words import DOUBTS
from plots.write import claim_sheet, latex, table_formats
from plots.write.headlines import Shown, hardware, headlines, measured
from plots.write.html_rows import body, groups, tint
from plots.write.machine import flatten
from plots.write.render import table_of
from plots.write.tables import WORDS

HERE = Path(__file__).parent
TONE = dict(zip(VERDICTS, ("reproduced", "trend", "failed", "noise", "incomparable"), strict=True))


def environment() -> Environment:
    """What the pages' templates are read with, and what they may use."""
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(tone=TONE, groups=groups, body=body, tint=tint, section=claim_sheet.section, words=WORDS)
    made.globals.update(verdict_none=INCOMPARABLE, doubts=DOUBTS)
    return made


def page(papers: list[Paper], machines: list[Machine], profile: str | None = None) -> str:
    """The report as HTML."""
    parts = [machine_part(m, papers, profile) for m in machines]
    counts = Counter(f.verdict for m in parts for p in m["papers"] for e in p["exhibits"] for f in e["findings"])
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            css=Markup((HERE / "report.css").read_text(encoding="utf-8")),
            script=Markup((HERE / "report.js").read_text(encoding="utf-8")),
            machines=parts,
            claim_rows=claim_rows(parts) if len(parts) > 1 else [],
            verdicts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
        )
    )


def claim_rows(parts: Sequence[dict[str, Any]]) -> list[tuple[str, str, dict[str, Finding]]]:
    """The claims that some machine decides: exhibit, sentence, and by machine what became of it."""
    found: dict[tuple[str, str], dict[str, Finding]] = {}
    for finding in (f for m in parts for p in m["papers"] for e in p["exhibits"] for f in e["findings"]):
        found.setdefault((finding.exhibit, finding.id), {})[finding.machine] = finding
    decided = {key: by for key, by in found.items() if any(f.verdict != INCOMPARABLE for f in by.values())}
    said = claim_sheet.sentences([finding for by in found.values() for finding in by.values()])
    return [(key[0], said[key], by) for key, by in decided.items()]


def machine_part(machine: Machine, papers: list[Paper], profile: str | None) -> dict[str, Any]:
    shown = {exhibit.key: show(machine, exhibit, profile) for paper in papers for exhibit in paper.exhibits}
    parts = [paper_part(machine, paper, [shown[exhibit.key] for exhibit in paper.exhibits]) for paper in papers]
    findings = [finding for one in shown.values() for finding in one.findings]
    counts = Counter(finding.verdict for finding in findings)
    record = {name: value for name, value in flatten(machine.record).items() if not name.startswith("warnings")}
    return {
        "name": machine.name,
        "hardware": hardware(machine),
        "measured": measured(list(shown.values())),
        "headlines": headlines(list(shown.values())),
        "reach": claim_sheet.reach(findings) if findings else "",
        "papers": parts,
        "tally": [(v, counts[v]) for v in VERDICTS if counts[v]],
        "record": record,
        "warnings": [*(machine.record.get("warnings") or []), *machine.skipped],
        "troubles": [trouble for p in parts for e in p["exhibits"] for trouble in e["troubles"]],
    }


def show(machine: Machine, exhibit: Exhibit, profile: str | None) -> Shown:
    view = gather(exhibit, machine, profile)
    return Shown(view, table_of(view), judge(exhibit, machine, profile))


def paper_part(machine: Machine, paper: Paper, shown: Sequence[Shown]) -> dict[str, Any]:
    return {
        "key": paper.key,
        "anchor": f"{machine.name}/{paper.key}",
        "title": paper.title,
        "citation": paper.citation,
        "doi": paper.record.get("doi", ""),
        "machine": paper.record.get("machine", ""),
        "exhibits": [exhibit_part(one) for one in shown],
    }


def exhibit_part(shown: Shown) -> dict[str, Any]:
    view, exhibit = shown.view, shown.view.exhibit
    quick = " --profile quick" if view.profile == "quick" else ""
    figure = svg(view) if exhibit.kind == "figure" else ""
    return {
        "anchor": f"{view.machine.name}/{exhibit.key}",
        "number": exhibit.spec.get("number", ""),
        "title": exhibit.spec["title"],
        "commands": [command + quick for command in exhibit.commands],
        "profile": view.profile,
        "size": view.size,
        "commits": view.commits,
        "cases": len(view.lines),
        "ran": bool(view.lines) or exhibit.kind == "machine",
        "table": shown.table,
        "figure": figure,
        "files": files(shown),
        "notes": exhibit.notes,
        "findings": shown.findings,
        "troubles": [] if "reuse" in exhibit.spec else troubles(view),
    }


def files(shown: Shown) -> list[tuple[str, str, str]]:
    """What can be saved from the page: a word, the file's name, and its content as an address."""
    name = shown.view.exhibit.key.replace("/", "-")
    found = []
    if lines := raw_lines(shown.view.lines):
        packed = gzip.compress(lines, mtime=0)
        found.append(("lines", f"{name}.jsonl.gz", address("application/gzip", packed)))
    if shown.table:
        found.append(("CSV", f"{name}.csv", address("text/csv", table_formats.csv_text(shown.table).encode())))
        found.append(("TeX", f"{name}.tex", address("text/x-tex", latex.latex(shown.table).encode())))
    return found


def address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def troubles(view: View) -> list[tuple[str, str, int]]:
    """Why cases have no time: the sentence, the exhibit, how many."""
    counts = Counter(why for line in view.lines if (why := reason(line)))
    return [(why, view.exhibit.key, count) for why, count in sorted(counts.items())]


def svg(view: View) -> str:
    """The figure as an address of SVG; empty where there is nothing to draw."""
    figure = figures.draw(view)
    if figure is None:
        return ""
    buffer = io.BytesIO()
    style.write(figure, buffer, ".svg")
    return address("image/svg+xml", buffer.getvalue())
