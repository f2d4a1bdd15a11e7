"""An artifact to hand in with a paper: lines, machine records, exhibits, claims, tables, checksums, an AD/AE appendix.

The same input gives the same bytes: names in order, no dates, no owners."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from plots.errors import UserError
from plots.read import results
from plots.read.exhibits import Paper
from plots.read.results import Machine
from plots.read.select import grouped
from plots.read.view import gather
from plots.write import claim_sheet, table_formats
from plots.write.appendix import appendix
from plots.write.render import table_of

FOLDER = "kmbench-artifact"
ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip")
Files = dict[str, bytes]


def files(papers: Sequence[Paper], machines: Sequence[Machine]) -> Files:
    """Every file by its path in the artifact, SHA256SUMS over all the others last."""
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
    lines = results.in_order(line for line in machine.lines if line["exhibit"] in keys)
    by_paper = grouped(lines, lambda line: line["exhibit"].partition("/")[0])
    found = {f"results/{machine.name}/{paper}.jsonl": results.raw_lines(of) for paper, of in by_paper.items()}
    record = machine.folder / "machine.json"
    return found | ({f"results/{machine.name}/machine.json": record.read_bytes()} if found and record.is_file() else {})


def of_paper(paper: Paper, machines: Sequence[Machine]) -> Files:
    """Its exhibits as they are, and their tables on every machine that ran them."""
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
    """One of ENDINGS, everything below FOLDER."""
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
    """Writes the archive; returns what is in it."""
    ending = ending_of(out)
    content = files(papers, machines)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(packed(content, ending))
    return content
