"""The text of an artifact: description (AD) and evaluation (AE), under the headings that conferences ask for."""

from collections.abc import Sequence

from plots.decide.claims import Finding
from plots.decide.sentences import once
from plots.decide.verdicts import INCOMPARABLE
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.results import Line, Machine
from plots.read.view import gather
from plots.write import claim_sheet
from plots.write.headlines import days, hardware
from plots.write.machine import flatten

SOFTWARE = ("system", "gpu.driver_version", "gpu.runtime", "build.compiler", "build.cuda", "build.implementation_flags")
SHELL = """    sha256sum -c SHA256SUMS                           # the files are the ones that were packed
    scripts/reproduce                                 # in a checkout of kmbench: builds, tests, renders
    kmbench run --paper PAPER                         # measures, judges, appends to results/<machine>/
    python3 -m plots claims --results results         # the claims, each with its verdict
    python3 -m plots replay results/…/PAPER.jsonl     # these very cases again, and a comparison"""


def appendix(papers: Sequence[Paper], machines: Sequence[Machine], findings: Sequence[Finding]) -> str:
    lines = {m.name: [line for p in papers for e in p.exhibits for line in gather(e, m).lines] for m in machines}
    ran = [m for m in machines if lines[m.name]]
    own = {m.name: [f for f in findings if f.machine == m.name] for m in ran}
    every = list({id(line): line for of_one in lines.values() for line in of_one}.values())
    parts = [
        "# Artifact appendix",
        "## Abstract",
        abstract(papers, every, findings),
        "## Artifact description (AD)",
        "### Check-list",
        bullets(checklist(papers, ran, every)),
        "### Hardware",
        bullets([f"`{m.name}`: {hardware(m)}" for m in ran]),
        "### Software",
        bullets([f"`{m.name}`: {software(m)}" for m in ran]),
        "### Data sets",
        bullets(data_sets(every)),
        "### What is in the folder",
        bullets(
            [
                "`results/<machine>/`: result lines as measured, one JSON object a case; the machine's record",
                "`papers/`: what was run, what the papers print, and what they claim",
                "`tables/`: the exhibits as tables; `claims.md`, `.csv`, `.json`: the claims with their verdicts",
                "`SHA256SUMS`: a checksum of every other file",
            ]
        ),
        "## Artifact evaluation (AE)",
        "### Installation and workflow",
        SHELL,
        "### Expected results",
        bullets([f"`{m.name}`: {claim_sheet.summary(own[m.name], ', ')}" for m in ran]),
        "Times differ from machine to machine; verdicts are decided on 95% intervals, so that noise makes a claim "
        "undecided and not reproduced. `claims.md` has every claim with the paper's value and ours.",
        "### Method",
        "Every timed run was judged on its own output before its time counted: the means, the labels, that the result "
        "belongs to its start, its iterations and its stop. A wrong run has a sentence and no time. Medians of the "
        "timed runs, with 95% intervals; cases ran in a seeded random order.",
    ]
    return "\n\n".join(parts) + "\n"


def bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts) or "- none"


def abstract(papers: Sequence[Paper], every: Sequence[Line], findings: Sequence[Finding]) -> str:
    shown = sum(len(paper.exhibits) for paper in papers)
    titles = "; ".join(f"*{p.title}*{f' ({p.citation})' if p.citation else ''}" for p in papers)
    decided = [f for f in findings if f.verdict != INCOMPARABLE]
    claims = len({(f.exhibit, f.id) for f in once(findings)})
    return (
        f"{len(every)} cases for {shown} tables and figures of: {titles}. "
        f"They hold {claims} claims; verdicts: {claim_sheet.summary(decided)}."
    )


def checklist(papers: Sequence[Paper], ran: Sequence[Machine], every: Sequence[Line]) -> list[str]:
    right = [line for line in every if line["verdict"] == ""]
    seconds = sum(sum(line["samples_s"]) for line in right)
    changes = {True: " with uncommitted changes", False: ""}
    commits = sorted({str(line["commit"] or "?")[:12] + changes[bool(line["dirty"])] for line in every})
    wrong = sum(bool(line["verdict"]) for line in every)
    idle = len(every) - len(right) - wrong
    return [
        f"Algorithms: {', '.join(sorted({line['implementation'] for line in every}))}",
        f"Program: kmbench at {', '.join(commits)}",
        f"Measured: {days(every) or 'nothing'}, on {', '.join(m.name for m in ran)}",
        f"Cases: {len(every)}, of which {len(right)} were judged right, {wrong} wrong; {idle} did not run",
        f"Timed runs: {sum(len(line['samples_s']) for line in right)}, {words.number(seconds, 3)} s in all",
        "Metrics: seconds of iterate by the steady clock, per run; derived ones: kmbench's docs/reference.md",
        f"Papers: {', '.join(p.key for p in papers)}",
    ]


def software(machine: Machine) -> str:
    record = flatten(machine.record)
    known = [name for name in SOFTWARE if record.get(name) not in (None, "", words.MISSING)]
    return ", ".join(f"{name} {record[name]}" for name in known) or "no record"


def data_sets(every: Sequence[Line]) -> list[str]:
    """By name, and by shape and precision the hash of the points."""
    found: dict[str, set[str]] = {}
    for line in every:
        if line["dataset"].get("hash"):
            shape = f"{words.field_value(line['n'])} x {line['d']} {line['precision']} {line['dataset']['hash'][:12]}"
            found.setdefault(line["dataset"]["name"], set()).add(shape)
    return [f"{name}: {few(sorted(shapes))}" for name, shapes in sorted(found.items())]


def few(shapes: Sequence[str]) -> str:
    return "; ".join(shapes[:4]) + (f" and {len(shapes) - 4} more" if len(shapes) > 4 else "")
