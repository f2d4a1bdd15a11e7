"""The claim sheet: on the terminal, and as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import asdict, fields

from rich.console import Console
from rich.table import Table

from plots.claims import Finding, judge
from plots.exhibits import Paper
from plots.results import Machine
from plots.table_formats import escape_md
from plots.verdicts import VERDICTS

COLOURS = dict(zip(VERDICTS, ("green", "yellow", "red", "cyan", "bright_black"), strict=True))
HEAD = ("exhibit", "claim", "verdict", "measured", "expected")


def sheet(papers: list[Paper], machines: list[Machine], profile: str | None = None) -> list[Finding]:
    return [finding for m in machines for p in papers for e in p.exhibits for finding in judge(e, m, profile)]


def cells(finding: Finding) -> tuple[str, ...]:
    """One row under HEAD."""
    place = f"{finding.text}{f' ({section(finding)})' if finding.section else ''}"
    quick = " (quick profile)" if finding.profile == "quick" else ""
    why = f": {finding.why}" if finding.why else ""
    return finding.exhibit, place, finding.verdict + quick + why, finding.measured, finding.expected


def section(finding: Finding) -> str:
    return f"§{finding.section}" if finding.section[:1].isdigit() else finding.section


def summary(findings: list[Finding]) -> str:
    """`2 reproduced · 1 trend only`, in the order of the verdicts."""
    counts = Counter(finding.verdict for finding in findings)
    return " · ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v]) or "no claims"


def show(findings: list[Finding], console: Console) -> None:
    """A table where someone looks, else a line a claim, its parts set apart by tabs."""
    if not console.is_terminal:
        for f in findings:
            console.print("\t".join((f.machine, f.id, *cells(f))), soft_wrap=True, markup=False, highlight=False)
    for name in dict.fromkeys(f.machine for f in findings) if console.is_terminal else ():
        table = Table(title=f"Claims on {name}", title_justify="left", show_lines=True)
        for title in HEAD:
            table.add_column(title, overflow="fold")
        for f in (f for f in findings if f.machine == name):
            exhibit, text, verdict, measured, expected = cells(f)
            table.add_row(exhibit, text, f"[{COLOURS[f.verdict]}]{verdict}[/]", measured, expected)
        console.print(table)
    console.print(summary(findings), markup=False, highlight=False)


def markdown(findings: list[Finding]) -> str:
    parts = []
    for name in dict.fromkeys(f.machine for f in findings):
        own = [f for f in findings if f.machine == name]
        parts += [
            f"**Claims on {escape_md(name)}**: {summary(own)}",
            "",
            "| " + " | ".join(HEAD) + " |",
            "|:--" * len(HEAD) + "|",
        ]
        parts += ["| " + " | ".join(escape_md(cell) for cell in cells(f)) + " |" for f in own] + [""]
    return "\n".join(parts) or "No claims.\n"


def csv_text(findings: list[Finding]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f.name for f in fields(Finding)])
    writer.writerows(asdict(f).values() for f in findings)
    return out.getvalue()


def json_text(findings: list[Finding]) -> str:
    return json.dumps([asdict(f) for f in findings], indent=1, ensure_ascii=False) + "\n"


FORMATS = {"claims.md": markdown, "claims.csv": csv_text, "claims.json": json_text}
