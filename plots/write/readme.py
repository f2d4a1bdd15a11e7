"""Splices tables, figures and claims into a Markdown file, between markers.

    <!-- begin:he2021/table3 machine=NAME (python3 -m plots readme) -->
    ...
    <!-- end -->

`begin:claims` is the claim sheet of what could be decided, `begin:<paper>/claims` one paper's, `begin:summary` what
became of every paper's claims on each machine, `begin:coverage` how many of its printed numbers stand beside a line.
With one machine, `machine=` may be left out.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from plots.decide.sentences import once
from plots.decide.verdicts import INCOMPARABLE, VERDICTS
from plots.draw import figures, svg
from plots.errors import UserError
from plots.read.exhibits import Exhibit, Paper
from plots.read.results import Machine
from plots.read.view import gather
from plots.write import claim_sheet, coverage
from plots.write.files import write
from plots.write.headlines import device
from plots.write.render import table_of
from plots.write.table_formats import markdown

REGION = re.compile(r"<!-- begin:(?P<what>[\w/.-]+)(?P<rest>[^>]*?)-->\n(?P<body>.*?)<!-- end -->", re.S)
COMMAND = "python3 -m plots readme"


def splice(text: str, folder: Path, pictures: Path, papers: list[Paper], machines: list[Machine]) -> str:
    """`text` with every region filled anew; figures go to `pictures` (below `folder`, the file's own) as SVG.

    Raises UserError for a marker that names nothing known, or that has no end.
    """
    opened, closed = text.count("<!-- begin:"), len(REGION.findall(text))
    if opened != closed:
        raise UserError(f"{opened} regions begin, {closed} of them end with <!-- end -->")

    def fill(match: re.Match[str]) -> str:
        what = match["what"]
        if what in OF_ALL:
            return f"<!-- begin:{what} ({COMMAND}) -->\n{OF_ALL[what](papers, machines)}\n<!-- end -->"
        options = dict(word.split("=", 1) for word in match["rest"].split() if "=" in word)
        machine = choose(machines, options.get("machine"), what)
        named = " ".join(f"{k}={v}" for k, v in sorted(options.items()))
        body = content(what, machine, folder, pictures, papers)
        return f"<!-- begin:{what} {named + ' ' if named else ''}({COMMAND}) -->\n{body.rstrip()}\n<!-- end -->"

    return REGION.sub(fill, text)


def summary(papers: list[Paper], machines: list[Machine]) -> str:
    """A row for every paper and machine that decides some of its claims: all of its claims, by verdict there."""
    lines = ["| paper | claims | on | " + " | ".join(VERDICTS) + " |", "|:--|--:|:--" + "|--:" * len(VERDICTS) + "|"]
    for paper in papers:
        for machine in machines:
            counts = Counter(one.verdict for one in once(claim_sheet.sheet([paper], [machine])))
            if sum(counts.values()) > counts[INCOMPARABLE]:
                head = [f"`{paper.key}`", str(sum(counts.values())), device(machine)]
                lines.append(f"| {' | '.join([*head, *(str(counts[verdict] or '') for verdict in VERDICTS)])} |")
    return "\n".join(lines)


OF_ALL = {"summary": summary, "coverage": coverage.summary}  # regions over all papers and machines


def choose(machines: list[Machine], name: str | None, what: str) -> Machine:
    fitting = [m for m in machines if name in (None, m.name)]
    if len(fitting) != 1:
        known = ", ".join(m.name for m in machines)
        raise UserError(f"begin:{what}: machine={name or '…'} is needed, one of: {known}")
    return fitting[0]


def content(what: str, machine: Machine, folder: Path, pictures: Path, papers: list[Paper]) -> str:
    paper, _, name = what.rpartition("/")
    if name == "claims":
        chosen = [p for p in papers if paper in ("", p.key)]
        findings = claim_sheet.sheet(chosen, [machine])
        decided = [finding for finding in findings if finding.verdict != INCOMPARABLE]
        return f"{machine.name}: {claim_sheet.reach(findings)}\n\n{claim_sheet.markdown(decided)}"
    exhibit = next((e for p in papers for e in p.exhibits if e.key == what), None)
    if exhibit is None:
        raise UserError(f"begin:{what}: no such exhibit; known: {', '.join(e.key for p in papers for e in p.exhibits)}")
    return picture(exhibit, machine, folder, pictures) or table_text(exhibit, machine)


def table_text(exhibit: Exhibit, machine: Machine) -> str:
    table = table_of(gather(exhibit, machine))
    return markdown(table) if table else f"Nothing of {exhibit.key} was run on {machine.name}."


def picture(exhibit: Exhibit, machine: Machine, folder: Path, pictures: Path) -> str:
    """The Markdown of the figure, written to <pictures>/<machine>/<paper>/<exhibit>.svg; empty where there is none."""
    figure = figures.draw(gather(exhibit, machine)) if exhibit.kind == "figure" else None
    if figure is None:
        return ""
    path = pictures / machine.name / exhibit.paper / f"{exhibit.name}.svg"
    write(path, svg.small(svg.text(figure)) + "\n")
    return f"![{exhibit.heading}]({path.resolve().relative_to(folder.resolve()).as_posix()})"
