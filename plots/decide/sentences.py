"""Groups claims that are cases of one sentence: they count once, and the worst decided case decides."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from plots.decide.claims import Finding
from plots.decide.verdicts import INCOMPARABLE, VERDICTS, worst
from plots.read.select import grouped

CASE = "· "  # begins the text of a case
EDGE = " ():,;…"
GAP = "…"
FEW = 4  # words, below which texts share nothing that could be their name


@dataclass(frozen=True)
class Sentence(Finding):
    """`part`: `1 of 8 cases` if not all of them are decided; else empty."""

    part: str = ""


def by_sentence(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Every sentence on every machine as a finding, with its cases; a single case stands for itself."""
    groups = grouped(findings, lambda one: (one.machine, one.sentence or f"{one.exhibit}/{one.id}")).values()
    return [(whole(cases), beneath(cases)) if len(cases) > 1 else (cases[0], []) for cases in groups]


def once(findings: Sequence[Finding]) -> list[Finding]:
    return [sentence for sentence, _ in by_sentence(findings)]


def listed(findings: Sequence[Finding]) -> list[Finding]:
    return [one for sentence, cases in by_sentence(findings) for one in (sentence, *cases)]


def whole(cases: Sequence[Finding]) -> Finding:
    first, verdict = cases[0], worst([one.verdict for one in cases])
    counts = Counter(one.verdict for one in cases)
    told = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    decided = len(cases) - counts[INCOMPARABLE]
    own = {
        "id": f"all:{first.id}",
        "text": common([one.text for one in cases]),
        "kind": "sentence",
        "verdict": verdict,
        "measured": f"{len(cases)} cases: {told}",
        **dict.fromkeys(("expected", "paper_value", "printed", "tolerance"), ""),
        "why": first.why if first.verdict == verdict == INCOMPARABLE else "",
        "part": f"{decided} of {len(cases)} cases" if 0 < decided < len(cases) else "",
    }
    return Sentence(**{**vars(first), **own})


def beneath(cases: Sequence[Finding]) -> list[Finding]:
    """The cases, without the text that they share."""
    texts = [one.text for one in cases]
    head = start(texts) or common(texts)
    rests = [trimmed(one.text.removeprefix(head)) or one.expected for one in cases]
    return [replace(one, text=f"{CASE}{rest}", section="") for one, rest in zip(cases, rests, strict=True)]


def trimmed(text: str) -> str:
    """Without the edges, but with the last bracket of a pair."""
    rest = text.strip(EDGE)
    return rest + ")" * (rest.count("(") - rest.count(")"))


def start(texts: Sequence[str]) -> str:
    """The shared beginning of the texts, without an open bracket."""
    shared = os.path.commonprefix([f"{text} " for text in texts]).rpartition(" ")[0]  # noqa: RUF071  letters are meant
    if shared.count("(") > shared.count(")"):
        shared = shared.rpartition("(")[0]
    return shared.rstrip(EDGE)


def common(texts: Sequence[str]) -> str:
    """What the texts have in common: their beginning, else their words with … for the others. The first text leads
    those that go on with … and those that share next to nothing."""
    if head := start(texts):
        cut = all(text.removeprefix(head)[:2].strip(EDGE) for text in texts)  # in the midst of a sentence
        return f"{head} …" if cut else head
    words = texts[0].split()
    for text in texts[1:]:
        words = list(shared(words, text.split()))
    if any(text.startswith(GAP) for text in texts) or len(words) - words.count(GAP) < FEW:
        return re.sub(r" \([^()]*\)$", "", texts[0])
    return " ".join(words)


def shared(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """The words of both, in order, with … for those between."""
    at = 0, 0
    for a, b, size in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        if at != (a, b):
            yield GAP
        yield from one[a : a + size]
        at = a + size, b + size
