"""The claim sheet: on the terminal, as Markdown, CSV and JSON, and as a table with a column a machine."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields

from rich.console import Console
from rich.table import Table as Terminal

from plots.decide import lookup
from plots.decide.claims import Finding, judge
from plots.decide.sentences import CASE, listed, once
from plots.decide.verdicts import INCOMPARABLE, VERDICTS
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.results import Machine
from plots.read.select import grouped
from plots.write.table_formats import csv_of, escape_md, md_table
from plots.write.tables import Cell, Column, Footnotes, Table, fields_named, word

COLOURS = dict(zip(VERDICTS, ("green", "dark_sea_green4", "yellow", "red", "cyan", "bright_black"), strict=True))
HEAD = ("exhibit", "claim", "verdict", "measured", "expected")
# What claims wait for, in the order in which it is told.
NEEDS = {
    lookup.GPU: "a GPU",
    lookup.SIZE: "the paper's size (--profile paper)",
    lookup.THREADS: "the paper's number of threads",
    lookup.RUN: "cases that were not run",
    lookup.GRADE: "results that are not coarse",
    lookup.OTHER: "cases that were skipped, failed or were wrong",
    lookup.CARD: "the GPU whose times they state",
    lookup.CONSTRUCTION: "another run: as run they hold by construction",
}


def sheet(papers: list[Paper], machines: list[Machine], profile: str | None = None) -> list[Finding]:
    return [finding for m in machines for p in papers for e in p.exhibits for finding in judge(e, m, profile)]


def by_machine(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    return grouped(findings, lambda finding: finding.machine)


def cells(finding: Finding) -> tuple[str, ...]:
    """One row under HEAD."""
    text = f"{finding.text}{f' ({place(finding.section)})' if finding.section else ''}"
    quick = " (quick profile)" if finding.profile == "quick" and "quick profile" not in finding.why else ""
    part = f" ({finding.part})" if finding.part else ""
    why = f": {finding.why}" if finding.why else ""
    return finding.exhibit, text, finding.verdict + part + quick + why, finding.measured, finding.expected


def place(section: str) -> str:
    """`§4.1`, `Table 3`."""
    return f"§{section}" if section[:1].isdigit() else section


def summary(findings: Sequence[Finding], between: str = " · ") -> str:
    """`2 reproduced · 1 trend only`, in the order of the verdicts."""
    counts = Counter(finding.verdict for finding in once(findings))
    return between.join(f"{counts[v]} {v}" for v in VERDICTS if counts[v]) or "no claims"


def reach(findings: list[Finding]) -> str:
    """`30 of 145 claims can be decided here; 91 need a GPU, 9 need data: kmbench fetch household.`"""
    told = needs(findings)
    sentences = once(findings)
    decided = sum(one.verdict != INCOMPARABLE for one in sentences)
    return f"{decided} of {len(sentences)} claims can be decided here" + (f"; {told}." if told else ".")


def needs(findings: Sequence[Finding]) -> str:
    """The needs of the claims that are not comparable: `91 need a GPU, 12 need the paper's size`."""
    counts = Counter(one.need.partition(" ")[0] for one in once(findings) if one.verdict == INCOMPARABLE)
    names = sorted({finding.need.partition(" ")[2] for finding in findings if finding.need.startswith("data ")})
    texts = {**NEEDS, "data": f"data: kmbench fetch {' '.join(names)}"}
    parts = [(counts[need], text) for need, text in texts.items() if counts[need]]
    return ", ".join(f"{count} need{'s' * (count == 1)} {text}" for count, text in parts)


def show(findings: list[Finding], console: Console, everything: bool = False) -> None:
    """By machine the decided claims (or `everything`): a table on a terminal, else a line a claim, with tabs."""
    for name, own in by_machine(findings).items():
        console.print(f"{name}: {reach(own)}", soft_wrap=True, markup=False, highlight=False)
        shown = listed([f for f in own if everything or f.verdict != INCOMPARABLE])
        for f in () if console.is_terminal else shown:
            print("\t".join((f.machine, f.id, *cells(f))), file=console.file)  # the console would widen tabs to spaces
        if console.is_terminal and shown:
            console.print(terminal_table(name, shown))
    hidden = sum(f.verdict == INCOMPARABLE for f in once(findings))
    console.print(summary(findings), soft_wrap=True, markup=False, highlight=False)
    if hidden and not everything:
        console.print("With --all, those that are not comparable as well.", markup=False, highlight=False)


def terminal_table(name: str, findings: list[Finding]) -> Terminal:
    table = Terminal(title=f"Claims on {name}", title_justify="left", show_lines=True)
    for title in HEAD:
        table.add_column(title, overflow="fold")
    for f in findings:
        exhibit, text, verdict, measured, expected = (cell.replace("[", r"\[") for cell in cells(f))
        table.add_row(exhibit, text, f"[{COLOURS[f.verdict]}]{verdict}[/]", measured, expected)
    return table


def markdown(findings: list[Finding]) -> str:
    parts = []
    for name, own in by_machine(findings).items():
        rows = (map(escape_md, cells(f)) for f in listed(own))
        parts += [f"**Claims on {escape_md(name)}**: {summary(own)}", "", *md_table(HEAD, "l" * len(HEAD), rows), ""]
    return "\n".join(parts) or "No claims.\n"


PAGE_HEAD = ("exhibit", "claim", "paper", "asked", "ours", "verdict", "machine")


def page_rows(findings: list[Finding]) -> list[tuple[Finding, tuple[str, ...]]]:
    """Rows under PAGE_HEAD: one for every machine that decides a claim, with its cases; then the undecided claims."""
    by_claim = grouped(listed(findings), lambda finding: (finding.exhibit, finding.id))
    shown: list[list[tuple[Finding, str]]] = [[], []]  # of sentences that some machine decides, then of the others
    nowhere = False
    for of_one in by_claim.values():
        decided = [(f, f.machine) for f in of_one if f.verdict != INCOMPARABLE]
        nowhere = nowhere if of_one[0].text.startswith(CASE) else not decided
        shown[nowhere] += decided or [(of_one[0], "none")]
    rows = []
    for f, machine in shown[0] + shown[1]:
        exhibit, text, verdict, *_ = cells(f)
        told = f.printed or words.MISSING, f.paper_value, measured(f)
        rows.append((f, (exhibit, text, *told, verdict, machine)))
    return rows


def measured(finding: Finding) -> str:
    """The measured value, a ratio with its sign."""
    return finding.measured + " ×" * (finding.kind == "ratio" and not finding.measured.endswith((")", words.MISSING)))


def page(findings: list[Finding], skipped: Sequence[str] = ()) -> str:
    """Every claim on one page, by paper. `skipped`: sentences about unreadable lines."""
    parts = [f"# Claims\n\n{summary(findings)}\n", *(f"{escape_md(sentence)}\n" for sentence in skipped)]
    parts += [f"- {escape_md(name)}: {escape_md(reach(own))}" for name, own in by_machine(findings).items()]
    for paper, own in grouped(page_rows(findings), lambda row: row[0].exhibit.partition("/")[0]).items():
        rows = (map(escape_md, texts) for _, texts in own)
        parts += ["", f"## {paper}", "", *md_table(PAGE_HEAD, "l" * len(PAGE_HEAD), rows)]
    return "\n".join(parts) + "\n"


def across_machines(findings: Sequence[Finding], everything: bool = False) -> Table:
    """A row a claim, a column a machine; with `everything` also the claims that no machine decides."""
    machines = list(dict.fromkeys(f.machine for f in findings))
    by_claim = grouped(listed(findings), lambda f: (f.exhibit, f.id)).values()
    shown = [own for own in by_claim if everything or any(f.verdict != INCOMPARABLE for f in own)]
    columns = [*fields_named("exhibit", "claim"), *(Column(f"verdict:{m}", "word", m) for m in machines)]
    notes, cells = Footnotes(), []
    for own in shown:
        one, by = own[0], {f.machine: f for f in own}
        text = f"{one.text}{f' ({place(one.section)})' if one.section else ''}"
        heads = (word(one.exhibit), Cell(text, raw=(one.text,)))
        cells.append([*heads, *(said(by[m], notes) for m in machines)])
    told = across_remarks(once(findings), everything)
    return Table("claims", "Claims by machine", columns, cells, notes.sentences, told)


def said(finding: Finding, notes: Footnotes) -> Cell:
    if finding.verdict == INCOMPARABLE:
        return Cell("–", raw=(INCOMPARABLE,))
    marks = (notes.mark("quick profile: another size than the paper's"),) if finding.profile == "quick" else ()
    value = f": {measured(finding)}" if finding.kind in ("ratio", "value") else ""
    part = f" ({finding.part})" if finding.part else ""
    return Cell(f"{finding.verdict}{part}{value}", marks=marks, raw=(finding.verdict,))


def across_remarks(sentences: Sequence[Finding], everything: bool) -> list[str]:
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


def csv_text(findings: list[Finding]) -> str:
    return csv_of([[f.name for f in fields(Finding)], *(list(asdict(f).values()) for f in findings)])


def json_text(findings: list[Finding]) -> str:
    return json.dumps([asdict(f) for f in findings], indent=1, ensure_ascii=False) + "\n"


FORMATS = {"claims.md": page, "claims.csv": csv_text, "claims.json": json_text}
