"""The terminal's summary of a run: a row a paper, telling findings, next steps. It fits 100 columns."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plots.decide import findings
from plots.decide.claims import Finding
from plots.decide.findings import DIRECTION, FAILS, HOLDS, ON_STAND_INS, OPEN, Conclusion
from plots.decide.sentences import once
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, STAND_IN, TREND
from plots.read.exhibits import Paper
from plots.read.results import RECORDED, Machine
from plots.write.claim_sheet import sheet
from plots.write.machine import busy, hardware
from plots.write.places import Place, places, spoken

WIDTH = 100
SHOWN = ((REPRODUCED, "hold"), (STAND_IN, "stand-in"), (TREND, "trend"), (FAILED, "fail"), (NOISE, "noise"))
TELLING = 3  # findings


@dataclass(frozen=True)
class Outcome:
    """One paper: its decided claims and findings, by machine in the order of the places."""

    paper: Paper
    claims: list[list[Finding]]
    sentences: list[Conclusion]


def text(
    papers: Sequence[Paper], machines: Sequence[Machine], others: Sequence[Machine], profile: str | None, out: Path
) -> str:
    where = places(machines, others, profile)
    made = []
    for paper in papers:
        claims = [sheet([paper], [place.machine], place.profile) for place in where]
        made.append(Outcome(paper, claims, findings.findings(paper, claims)))
    own = [place for place in where if place.here] or where
    warnings = [f"{place.label} was busy: {told}." for place in own if (told := busy(place.machine))]
    head = [f"{place.label}: {hardware(place.machine)}" for place in own]
    parts = [
        "\n".join(wrapped(line) for line in [*head, *warnings]),
        table(made, where),
        "\n".join(wrapped(line, "- ") for line in telling(made, where)),
        "\n".join([f"Every claim: {out / 'claims.html'}, or kmbench claims --list", *example(made, own)]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def wrapped(line: str, mark: str = "") -> str:
    return textwrap.fill(line, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False)


def table(made: Sequence[Outcome], where: Sequence[Place]) -> str:
    """Claims by paper: all, those decided here, and those that the recorded machines decide."""
    own = [place.at for place in where if place.here] or [place.at for place in where]
    rest = [place.at for place in where if place.at not in own]
    groups = [("decided here" if rest else "decided", own), *([("on recorded machines", rest)] if rest else [])]
    wide = max(len("paper"), *(len(one.paper.key) for one in made)) if made else 5
    span = sum(len(word) + 2 for _, word in SHOWN)
    lines = [f"{'':{wide + 8}}" + "".join(f"   {title:^{span}}" for title, _ in groups)]
    words = "".join(f"  {word}" for _, word in SHOWN)
    lines.append(f"{'paper':{wide}}  claims" + f"   {words}" * len(groups))
    for one in made:
        claims = [once(found) for found in one.claims]
        row = f"{one.paper.key:{wide}}  {len(claims[0]):6}"
        for _, members in groups:
            each = zip(*(claims[at] for at in members), strict=True)
            decided = ([f.verdict for f in own if f.verdict != INCOMPARABLE] for own in each)
            counts = Counter(verdicts[0] for verdicts in decided if verdicts)
            row += "   " + "".join(f"  {counts[verdict] or '–':>{len(word)}}" for verdict, word in SHOWN)
        lines.append(row)
    return "\n".join(line.rstrip() for line in lines)


def telling(made: Sequence[Outcome], where: Sequence[Place]) -> list[str]:
    """Findings of as many papers as possible: clear ones here first, then disagreements of machines."""
    ranked = []
    for one in made:
        for sentence in one.sentences:
            verdicts = [mark.verdict for mark in sentence.marks]
            here = [verdicts[place.at] for place in where if place.here]
            clear = [v for v in here or verdicts if v in (HOLDS, FAILS)]
            said = {v for v in verdicts if v in (HOLDS, ON_STAND_INS, DIRECTION, FAILS)}
            if said:
                decided = [sum(v not in OPEN for v in some) for some in (here, verdicts)]
                rank = (-len(clear), -decided[0], -len(said), -decided[1])
                ranked.append((rank, one.paper.key, sentence))
    ranked.sort(key=lambda found: found[0])
    firsts = [next(found for found in ranked if found[1] == key) for key in dict.fromkeys(key for _, key, _ in ranked)]
    chosen = [*firsts, *(found for found in ranked if found not in firsts)][:TELLING]
    return [f"{key}: {sentence.text}. {spoken(sentence, where)}." for _, key, sentence in chosen]


def example(made: Sequence[Outcome], own: Sequence[Place]) -> list[str]:
    """A command that explains one cell of this machine."""
    for place in own[:1]:
        ran = {line["exhibit"] for line in place.machine.lines if line["verdict"] == ""}
        for exhibit in (e for one in made for e in one.paper.exhibits):
            if exhibit.key in ran and "iteration" in exhibit.table.get("columns", []):
                results = place.machine.folder.parent
                which = "" if results.resolve() == RECORDED else f" --results {results}"
                return [
                    "What stands behind a cell, for example:",
                    f"  kmbench explain {exhibit.key} 1 iteration --machine {place.machine.name}{which}",
                ]
    return []
