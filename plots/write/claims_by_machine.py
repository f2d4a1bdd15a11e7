"""The claims themselves across machines: which conclusion of a paper holds on which hardware."""

from __future__ import annotations

from collections.abc import Sequence

from plots.decide.claims import Finding
from plots.decide.verdicts import INCOMPARABLE, VERDICTS
from plots.write.claim_sheet import measured, section, sentences
from plots.write.tables import Cell, Column, Footnotes, Table


def table(findings: Sequence[Finding], everything: bool = False) -> Table:
    """A row a claim, a column a machine; claims that no machine decides only where `everything` is wanted. Why a
    verdict is what it is stands in the sheet of that machine."""
    machines = list(dict.fromkeys(f.machine for f in findings))
    grouped: dict[tuple[str, str], dict[str, Finding]] = {}
    for finding in findings:
        grouped.setdefault((finding.exhibit, finding.id), {})[finding.machine] = finding
    shown = {
        key: by for key, by in grouped.items() if everything or any(f.verdict != INCOMPARABLE for f in by.values())
    }
    columns = [Column(name, "field", name) for name in ("exhibit", "claim")]
    columns += [Column(f"verdict:{m}", "word", m) for m in machines]
    notes, cells, sentence = Footnotes(), [], sentences(findings)
    for (exhibit, name), by in shown.items():
        one, own = next(iter(by.values())), sentence[exhibit, name]
        text = f"{own}{f' ({section(one)})' if one.section else ''}"
        cells.append([Cell(exhibit, raw=(exhibit,)), Cell(text, raw=(own,)), *(said(by[m], notes) for m in machines)])
    return Table(
        "claims",
        "Claims by machine",
        columns,
        cells,
        notes.sentences,
        remarks(findings, machines, len(grouped) - len(shown)),
    )


def said(finding: Finding, notes: Footnotes) -> Cell:
    if finding.verdict == INCOMPARABLE:
        return Cell("–", raw=(INCOMPARABLE,))
    marks = (notes.mark("quick profile: another size than the paper's"),) if finding.profile == "quick" else ()
    value = f": {measured(finding)}" if finding.kind in ("ratio", "value") else ""
    return Cell(f"{finding.verdict}{value}", marks=marks, raw=(finding.verdict,))


def remarks(findings: Sequence[Finding], machines: Sequence[str], hidden: int) -> list[str]:
    told = []
    for machine in machines:
        counts = [(sum(f.verdict == v for f in findings if f.machine == machine), v) for v in VERDICTS]
        told.append(f"{machine}: " + ", ".join(f"{count} {verdict}" for count, verdict in counts if count) + ".")
    same, apart = agreement(findings)
    told.append(
        f"Decided on two machines or more: {same + apart} claims, {same} with one verdict everywhere, {apart} not."
    )
    if hidden:
        told.append(f"Left out: {hidden} claims that no machine here decides (--all).")
    return [*told, "–: not comparable on that machine."]


def agreement(findings: Sequence[Finding]) -> tuple[int, int]:
    """How many claims that several machines decide have one verdict, and how many several."""
    by: dict[tuple[str, str], list[str]] = {}
    for f in findings:
        if f.verdict != INCOMPARABLE:
            by.setdefault((f.exhibit, f.id), []).append(f.verdict)
    several = [verdicts for verdicts in by.values() if len(verdicts) > 1]
    same = sum(len(set(verdicts)) == 1 for verdicts in several)
    return same, len(several) - same
