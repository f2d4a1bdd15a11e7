"""An artifact to hand in with a paper: lines, machine records, exhibits, claims, tables, checksums, and an appendix.

The same input gives the same bytes: names in order, no dates, no owners. The appendix is the description (AD) and
evaluation (AE) of the artifact, under the headings that conferences ask for."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from plots.decide.claims import Finding
from plots.decide.sentences import once
from plots.decide.verdicts import INCOMPARABLE
from plots.errors import UserError
from plots.read import results, words
from plots.read.exhibits import Paper
from plots.read.results import Line, Machine
from plots.read.select import grouped
from plots.read.view import gather
from plots.write import claim_sheet, table_formats
from plots.write.files import write
from plots.write.machine import days, flatten, hardware
from plots.write.render import table_of

FOLDER = "kmbench-artifact"
ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip")
SOFTWARE = ("system", "gpu.driver_version", "gpu.runtime", "build.compiler", "build.cuda", "build.implementation_flags")
CONTENT = """- `results/<machine>/`: result lines as measured, one JSON object a case; the machine's record
- `papers/`: what was run, what the papers print, and what they claim
- `tables/`: the exhibits as tables; `claims.md`, `.csv`, `.json`: the claims with their verdicts
- `SHA256SUMS`: a checksum of every other file"""
SHELL = """    sha256sum -c SHA256SUMS                           # the files are the ones that were packed
    scripts/reproduce                                 # in a checkout of kmbench: builds, measures small cases, reports
    kmbench run --paper PAPER --out mine/here         # the full cases: measures, judges, appends to mine/here/
    kmbench claims --results mine                     # the claims, each with its verdict, beside the recorded ones
    kmbench replay results/…/PAPER.jsonl              # these very cases again, and a comparison"""
Files = dict[str, bytes]


def files(papers: Sequence[Paper], machines: Sequence[Machine]) -> Files:
    """Every file by its path in the artifact; SHA256SUMS last."""
    keys = {source for p in papers for e in p.exhibits for source in e.sources}
    findings = claim_sheet.sheet(list(papers), list(machines))
    found: Files = {}
    for machine in machines:
        found |= of_machine(machine, keys)
    if not any(name.endswith(".jsonl") for name in found):
        of, on = ", ".join(p.key for p in papers), ", ".join(m.name for m in machines)
        raise UserError(f"no lines of {of} on {on}: nothing to pack")
    for paper in papers:
        found |= of_paper(paper, machines)
    found |= {name: text(findings).encode() for name, text in claim_sheet.FORMATS.items()}
    found["appendix.md"] = appendix(papers, machines, findings).encode()
    sums = "".join(f"{hashlib.sha256(found[name]).hexdigest()}  {name}\n" for name in sorted(found))
    return {**dict(sorted(found.items())), "SHA256SUMS": sums.encode()}


def of_machine(machine: Machine, keys: set[str]) -> Files:
    """Its record, and its lines of these exhibits as they stand in their files."""
    lines = [line for line in machine.lines if line["exhibit"] in keys]
    lines.sort(key=lambda line: (line["exhibit"], line["profile"], line["case"]))  # independent of the order of the run
    by_paper = grouped(lines, lambda line: line["exhibit"].partition("/")[0])
    found = {f"results/{machine.name}/{paper}.jsonl": results.raw_lines(of) for paper, of in by_paper.items()}
    record = machine.folder / "machine.json"
    return found | ({f"results/{machine.name}/machine.json": record.read_bytes()} if found and record.is_file() else {})


def of_paper(paper: Paper, machines: Sequence[Machine]) -> Files:
    """Its exhibit files, and their tables on every machine that ran them."""
    found = {f"papers/{paper.key}/{e.path.name}": e.path.read_bytes() for e in paper.exhibits}
    record = paper.exhibits[0].path.with_name("paper.toml")
    found |= {f"papers/{paper.key}/paper.toml": record.read_bytes()} if record.is_file() else {}
    for exhibit in paper.exhibits:
        for machine in machines:
            view = gather(exhibit, machine)
            table = table_of(view) if view.lines else None
            stem = f"tables/{machine.name}/{exhibit.key}"
            texts = table_formats.TEXTS.items() if table else ()
            found |= {stem + ending: text(table).encode() for ending, text in texts}
    return found


def packed(content: Files, ending: str) -> bytes:
    """The archive of one of ENDINGS, with everything below FOLDER."""
    buffer = io.BytesIO()
    if ending == ".zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in content.items():
                entry = zipfile.ZipInfo(f"{FOLDER}/{name}", (1980, 1, 1, 0, 0, 0))
                entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
                archive.writestr(entry, data)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in content.items():
            entry = tarfile.TarInfo(f"{FOLDER}/{name}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue() if ending == ".tar" else gzip.compress(buffer.getvalue(), mtime=0)


def ending_of(out: Path) -> str:
    found = next((ending for ending in ENDINGS if out.name.endswith(ending)), "")
    if not found:
        raise UserError(f"--out {out}: the ending is none of {', '.join(ENDINGS)}")
    return found


def pack(papers: Sequence[Paper], machines: Sequence[Machine], out: Path) -> Files:
    """Writes the archive; returns its content."""
    ending = ending_of(out)
    content = files(papers, machines)
    write(out, packed(content, ending))
    return content


def appendix(papers: Sequence[Paper], machines: Sequence[Machine], findings: Sequence[Finding]) -> str:
    lines = {m.name: [line for p in papers for e in p.exhibits for line in gather(e, m).lines] for m in machines}
    ran = [m for m in machines if lines[m.name]]
    own = claim_sheet.by_machine(findings)
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
        CONTENT,
        "## Artifact evaluation (AE)",
        "### Installation and workflow",
        SHELL,
        "### Expected results",
        bullets([f"`{m.name}`: {claim_sheet.summary(own.get(m.name, []), ', ')}" for m in ran]),
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
    """By name the shapes, precisions and hashes of the points."""
    found: dict[str, set[str]] = {}
    for line in every:
        if line["dataset"].get("hash"):
            shape = f"{words.field_value(line['n'])} x {line['d']} {line['precision']} {line['dataset']['hash'][:12]}"
            found.setdefault(line["dataset"]["name"], set()).add(shape)
    more = {name: f" and {len(shapes) - 4} more" * (len(shapes) > 4) for name, shapes in found.items()}
    return [f"{name}: {'; '.join(sorted(shapes)[:4])}{more[name]}" for name, shapes in sorted(found.items())]
