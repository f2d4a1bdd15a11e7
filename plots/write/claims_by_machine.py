"""The claims across machines: which claim holds on which hardware."""

from collections.abc import Sequence

from plots.decide.claims import Finding
from plots.decide.sentences import listed, once
from plots.decide.verdicts import INCOMPARABLE
from plots.read.select import grouped
from plots.write.claim_sheet import by_machine, measured, place, summary
from plots.write.tables import Cell, Column, Footnotes, Table, fields_named, word


def table(findings: Sequence[Finding], everything: bool = False) -> Table:
    """A row a claim, a column a machine; with `everything` also the claims that no machine decides."""
    machines = list(dict.fromkeys(f.machine for f in findings))
    by_claim: dict[tuple[str, str], dict[str, Finding]] = {}
    for finding in listed(findings):
        by_claim.setdefault((finding.exhibit, finding.id), {})[finding.machine] = finding
    shown = {k: by for k, by in by_claim.items() if everything or any(f.verdict != INCOMPARABLE for f in by.values())}
    columns = [*fields_named("exhibit", "claim"), *(Column(f"verdict:{m}", "word", m) for m in machines)]
    notes, cells = Footnotes(), []
    for (exhibit, _), by in shown.items():
        one = next(iter(by.values()))
        text = f"{one.text}{f' ({place(one.section)})' if one.section else ''}"
        heads = (word(exhibit), Cell(text, raw=(one.text,)))
        cells.append([*heads, *(said(by[m], notes) for m in machines)])
    told = remarks(once(findings), everything)
    return Table("claims", "Claims by machine", columns, cells, notes.sentences, told)


def said(finding: Finding, notes: Footnotes) -> Cell:
    if finding.verdict == INCOMPARABLE:
        return Cell("–", raw=(INCOMPARABLE,))
    marks = (notes.mark("quick profile: another size than the paper's"),) if finding.profile == "quick" else ()
    value = f": {measured(finding)}" if finding.kind in ("ratio", "value") else ""
    return Cell(f"{finding.verdict}{value}", marks=marks, raw=(finding.verdict,))


def remarks(sentences: Sequence[Finding], everything: bool) -> list[str]:
    told = [f"{name}: {summary(own, ', ')}." for name, own in by_machine(sentences).items()]
    decided = grouped((f for f in sentences if f.verdict != INCOMPARABLE), lambda f: (f.exhibit, f.id))
    several = [own for own in decided.values() if len(own) > 1]
    same = sum(len({f.verdict for f in own}) == 1 for own in several)
    counts = f"{len(several)} claims, {same} with one verdict everywhere, {len(several) - same} not"
    told.append(f"Decided on two machines or more: {counts}.")
    hidden = len({(f.exhibit, f.id) for f in sentences}) - len(decided)
    if hidden and not everything:
        told.append(f"Left out: {hidden} claims that no machine here decides (--all).")
    return [*told, "–: not comparable on that machine."]
