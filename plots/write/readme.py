"""Splices tables, figures and claims into a Markdown file, between markers.

    <!-- begin:he2021/table3 machine=NAME (python3 -m plots readme) -->
    ...
    <!-- end -->

`begin:claims` is the sheet of decided claims, `begin:<paper>/claims` one paper's. `begin:summary` is the sentences by
paper, `begin:coverage` the printed numbers beside a line, `begin:findings` the picture of the findings. `begin:fastest`
is ours beside the libraries, `begin:devices` machines in three sentences and one picture. `begin:output WORDS` is a
command's output, `begin:transcript NAME` a recorded one. One machine needs no `machine=`."""

import itertools
import os
import re
import shlex
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

from matplotlib.figure import Figure

from plots.decide import findings
from plots.decide.claims import Finding
from plots.decide.sentences import by_sentence
from plots.decide.side_by_side import sides
from plots.decide.verdicts import INCOMPARABLE, REPRODUCED, VERDICTS, worst
from plots.draw import figures, svg
from plots.errors import UserError
from plots.read.exhibits import Exhibit, Paper
from plots.read.results import Machine
from plots.read.view import gather
from plots.write import claim_sheet, coverage, fastest, hardware, matrix
from plots.write.files import write
from plots.write.machine import device
from plots.write.render import table_of
from plots.write.table_formats import markdown, md_table

TRANSCRIPTS = Path(__file__).parents[2] / "results/transcripts"

REGION = re.compile(r"<!-- begin:(?P<what>[\w/.-]+)(?P<rest>[^>]*?)-->\n(?P<body>.*?)<!-- end -->", re.S)
COMMAND = "python3 -m plots readme"
ONCE = "measured once"  # in the reason of a check without an interval


def splice(text: str, folder: Path, pictures: Path, papers: list[Paper], machines: list[Machine]) -> str:
    """`text` with every region filled anew; figures go to `pictures`, below the file's own `folder`. Raises UserError
    for an unknown marker or one without an end."""
    opened, closed = text.count("<!-- begin:"), len(REGION.findall(text))
    if opened != closed:
        raise UserError(f"{opened} regions begin, {closed} of them end with <!-- end -->")

    def fill(match: re.Match[str]) -> str:
        what, rest = match["what"], match["rest"].replace(f"({COMMAND})", "").strip()
        if what in OF_ALL:
            body = OF_ALL[what](papers, machines)
        elif what in PICTURES:
            body = PICTURES[what](papers, machines, folder, pictures)
        elif what == "output":
            body = output(shlex.split(rest))
        elif what == "transcript":
            body = transcript(rest)
        else:
            options = dict(word.split("=", 1) for word in rest.split() if "=" in word)
            machine = choose(machines, options.get("machine"), what)
            rest = " ".join(f"{k}={v}" for k, v in sorted(options.items()))
            body = content(what, machine, folder, pictures, papers)
        return f"<!-- begin:{what} {rest + ' ' if rest else ''}({COMMAND}) -->\n{body.rstrip()}\n<!-- end -->"

    return REGION.sub(fill, text)


def reads_lines(text: str) -> bool:
    """Whether a region needs result lines; a command's output and a transcript need none."""
    return any(match["what"] not in ("output", "transcript") for match in REGION.finditer(text))


SUMMARY = ("paper", "sentences", "reproduced", "measured once", "stand-in", "trend only", "not reproduced", "open")
PLACES = dict(zip(VERDICTS, (2, 4, 5, 6, 7), strict=False))  # of a verdict in a row of the summary


def summary(papers: list[Paper], machines: list[Machine]) -> str:
    """A row a paper: its sentences by their worst verdict. `measured once`: reproduced, without an interval."""
    rows = []
    for paper in papers:
        found: dict[tuple[str, str], list[Finding]] = {}
        for machine in machines:
            for sentence, cases in by_sentence(claim_sheet.sheet([paper], [machine])):
                found.setdefault((sentence.exhibit, sentence.id), []).extend(cases or [sentence])
        row = [0] * (len(SUMMARY) + 1)
        for checks in found.values():
            verdict = worst(check.verdict for check in checks)
            alone = verdict == REPRODUCED and any(ONCE in check.why for check in checks)
            row[3 if alone else PLACES.get(verdict, len(SUMMARY))] += 1
        if sum(row):
            rows.append([f"`{paper.key}`", sum(row), *(count or "" for count in row[2:])])
    return "\n".join(md_table((*SUMMARY, "nowhere decided"), "l" + "r" * len(SUMMARY), rows))


def findings_picture(papers: list[Paper], machines: list[Machine], folder: Path, pictures: Path) -> str:
    """Markdown of the matrix of findings, which it writes to <pictures>/findings.svg."""
    outcomes = [(p, [claim_sheet.sheet([p], [machine]) for machine in machines]) for p in papers]
    found = [(paper.key, findings.findings(paper, decided)) for paper, decided in outcomes]
    names = [device(machine).replace("(R)", "") for machine in machines]
    figure = matrix.draw([(key, some) for key, some in found if some], names)
    title = "Which findings of the papers still hold, machine by machine"
    return linked(title, figure, pictures / "findings.svg", folder)


def devices_picture(papers: list[Paper], machines: list[Machine], folder: Path, pictures: Path) -> str:
    """Markdown of the sentences on the machines, and of their picture, which it writes to <pictures>/devices.svg."""
    exhibits = [sides(exhibit, machines) for paper in papers for exhibit in paper.exhibits]
    told, figure = hardware.story(exhibits, [machine.name for machine in machines])
    lines = [textwrap.fill(sentence, 155, subsequent_indent="  ") for sentence in told]
    shown = ["", linked("Machines side by side", figure, pictures / "devices.svg", folder)] if figure else []
    return "\n".join([*lines, *shown])


def output(words: list[str]) -> str:
    """The command and its output on a terminal of 100 columns. `from=TEXT` before the command leaves out what
    stands before the first line that begins with TEXT. `to=TEXT` leaves out what follows the next that begins so."""
    cuts = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, words))
    words = words[len(cuts) :]
    shown = part(printed(tuple(words)), cuts.get("from", ""), cuts.get("to"))
    return "\n".join(["```", f"$ kmbench {shlex.join(words)}", *shown, "```"])


@cache
def printed(words: tuple[str, ...]) -> list[str]:
    made = {**os.environ, "COLUMNS": "100"}
    ran = subprocess.run([sys.executable, "-m", "plots", *words], capture_output=True, text=True, env=made)
    if ran.returncode not in (0, 1, 3):  # 1 is a regression, 3 too few runs
        raise UserError(f"begin:output {shlex.join(words)}: {ran.stderr.strip()}")
    return ran.stdout.rstrip().splitlines()


def transcript(name: str) -> str:
    """What scripts/transcripts recorded: results/transcripts/NAME.txt."""
    path = TRANSCRIPTS / f"{name}.txt"
    if not path.is_file():
        raise UserError(f"begin:transcript {name}: {path} is not there; scripts/transcripts records it")
    return "\n".join(["```", *path.read_text(encoding="utf-8").rstrip().splitlines(), "```"])


def part(lines: list[str], first: str, last: str | None) -> list[str]:
    """The lines between two, with `…` for what is left out; all if neither is there."""
    start = next((i for i, line in enumerate(lines) if line.startswith(first)), 0)
    ends = (i for i, line in enumerate(lines) if last is not None and i >= start and line.startswith(last))
    end = next(ends, len(lines) - 1) + 1
    return ["…"] * (start > 0) + lines[start:end] + ["…"] * (end < len(lines))


PICTURES = {"findings": findings_picture, "devices": devices_picture}
OF_ALL = {"summary": summary, "coverage": coverage.summary, "fastest": fastest.table}  # over all papers and machines


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
        checks = claim_sheet.sheet(chosen, [machine])
        decided = [finding for finding in checks if finding.verdict != INCOMPARABLE]
        return f"{machine.name}: {claim_sheet.reach(checks)}\n\n{claim_sheet.markdown(decided)}"
    exhibit = next((e for p in papers for e in p.exhibits if e.key == what), None)
    if exhibit is None:
        raise UserError(f"begin:{what}: no such exhibit; known: {', '.join(e.key for p in papers for e in p.exhibits)}")
    if shown := picture(exhibit, machine, folder, pictures):
        return shown
    table = table_of(gather(exhibit, machine))
    return markdown(table) if table else f"Nothing of {exhibit.key} was run on {machine.name}."


def picture(exhibit: Exhibit, machine: Machine, folder: Path, pictures: Path) -> str:
    """Markdown of the figure, which it writes to <pictures>/<machine>/<paper>/<exhibit>.svg; empty if there is none."""
    figure = figures.draw(gather(exhibit, machine)) if exhibit.kind == "figure" else None
    if figure is None:
        return ""
    return linked(exhibit.heading, figure, pictures / machine.name / exhibit.paper / f"{exhibit.name}.svg", folder)


def linked(text: str, figure: Figure, path: Path, folder: Path) -> str:
    write(path, svg.small(svg.text(figure)) + "\n")
    return f"![{text}]({path.resolve().relative_to(folder.resolve()).as_posix()})"
