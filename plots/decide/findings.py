"""A paper's findings: sentences of paper.toml that claims decide, machine by machine."""

import fnmatch
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plots.decide import lookup, verdicts
from plots.decide.claims import Finding as Decided
from plots.errors import UserError
from plots.read.exhibits import Paper

HOLDS, ON_STAND_INS, DIRECTION, FAILS = "holds", "holds on stand-ins", "only the direction", "does not hold"
UNDECIDED, INCOMPARABLE, NOT_RUN = "undecided", verdicts.INCOMPARABLE, "not run there"
VERDICTS = (HOLDS, ON_STAND_INS, DIRECTION, FAILS, UNDECIDED, INCOMPARABLE, NOT_RUN)
OPEN = VERDICTS[-2:]
SIGN = dict(zip(VERDICTS, "✓≈~✗?∅–", strict=True))
TOLD = dict(zip(verdicts.VERDICTS, VERDICTS[:-1], strict=True))


@dataclass(frozen=True)
class Mark:
    """A finding on one machine: `decided` of `asked` claims are decided; `counts` by verdict."""

    verdict: str
    decided: int
    asked: int
    counts: dict[str, int]

    @property
    def part(self) -> str:
        """`2 of 5` if the machine decides some of the claims; else empty."""
        return f"{self.decided} of {self.asked}" if 0 < self.decided < self.asked else ""

    @property
    def told(self) -> str:
        """`holds`, `holds (2 of 5 checks)`."""
        return self.verdict + f" ({self.part} checks)" * bool(self.part)


def mark(claims: Sequence[str], decided: Iterable[Decided]) -> Mark:
    """The verdict of a finding that rests on these claims, from one machine's outcomes."""
    wanted = set(claims)
    own = [d for d in decided if f"{d.exhibit.partition('/')[2]}/{d.id}" in wanted]
    counts = Counter(d.verdict for d in own)
    if all(d.verdict == INCOMPARABLE and lookup.not_run(d.need) for d in own):
        return Mark(NOT_RUN, 0, len(wanted), {})
    made = {word: count for word, count in counts.items() if word != verdicts.INCOMPARABLE}
    return Mark(TOLD[verdicts.worst(counts)], sum(made.values()), len(wanted), made)


@dataclass(frozen=True)
class Conclusion:
    """One finding: its text, the claims it rests on, and a mark for each machine."""

    text: str
    claims: list[str]
    marks: list[Mark]


def findings(paper: Paper, outcomes: Sequence[Sequence[Decided]]) -> list[Conclusion]:
    """Every finding of the paper, with a mark for each machine's outcomes. A * in a claim's name stands for any text.
    Raises UserError for an unknown claim of a loaded exhibit."""
    known = [f"{exhibit.name}/{claim['id']}" for exhibit in paper.exhibits for claim in exhibit.claims]
    loaded = {exhibit.name for exhibit in paper.exhibits}
    found = []
    for one in paper.record.get("finding", []):
        named = {name: fnmatch.filter(known, name) for name in one["claims"] if name.partition("/")[0] in loaded}
        if missing := [name for name, claims in named.items() if not claims]:
            raise UserError(f"{paper.key}/paper.toml: finding {one['text'][:40]!r}: no claim {', '.join(missing)}")
        if claims := list(itertools.chain(*named.values())):
            own = [[d for d in decided if d.exhibit.partition("/")[0] == paper.key] for decided in outcomes]
            found.append(Conclusion(one["text"], claims, [mark(claims, decided) for decided in own]))
    return found
