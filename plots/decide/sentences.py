"""Groups claims that are cases of one sentence: they count once, and the worst decided case decides."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from plots.decide.claims import Finding
from plots.decide.verdicts import VERDICTS, worst
from plots.read.select import grouped

CASE = "· "  # begins the text of a case
EDGE = " ():,;…"


def by_sentence(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Every sentence on every machine as a finding, with its cases; a single case stands for itself."""
    groups = grouped(findings, lambda one: (one.machine, one.sentence or f"{one.exhibit}/{one.id}")).values()
    return [(whole(cases), beneath(cases)) if len(cases) > 1 else (cases[0], []) for cases in groups]


def once(findings: Sequence[Finding]) -> list[Finding]:
    return [sentence for sentence, _ in by_sentence(findings)]


def listed(findings: Sequence[Finding]) -> list[Finding]:
    """Every sentence, then its cases."""
    return [one for sentence, cases in by_sentence(findings) for one in (sentence, *cases)]


def whole(cases: Sequence[Finding]) -> Finding:
    first, verdict = cases[0], worst([one.verdict for one in cases])
    counts = Counter(one.verdict for one in cases)
    told = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    return replace(
        first,
        id=f"all:{first.id}",
        text=common([one.text for one in cases]),
        kind="sentence",
        verdict=verdict,
        measured=f"{len(cases)} cases: {told}",
        **dict.fromkeys(("expected", "paper_value", "printed", "tolerance"), ""),
        why=first.why if first.verdict == verdict == VERDICTS[-1] else "",
    )


def beneath(cases: Sequence[Finding]) -> list[Finding]:
    """The cases, without the text that they share."""
    head = common([one.text for one in cases])
    rests = [trimmed(one.text.removeprefix(head)) or one.expected for one in cases]
    return [replace(one, text=f"{CASE}{rest}", section="") for one, rest in zip(cases, rests, strict=True)]


def trimmed(text: str) -> str:
    """Without the edges, but with the last bracket of a pair."""
    rest = text.strip(EDGE)
    return rest + ")" * (rest.count("(") - rest.count(")"))


def common(texts: Sequence[str]) -> str:
    """The shared beginning of the texts, without an open bracket; the first text if they share nothing."""
    if len(set(texts)) == 1:
        return texts[0]
    shared = os.path.commonprefix([f"{text} " for text in texts]).rpartition(" ")[0]  # noqa: RUF071  letters are meant
    if shared.count("(") > shared.count(")"):
        shared = shared.rpartition("(")[0]
    return shared.rstrip(EDGE) or texts[0]
