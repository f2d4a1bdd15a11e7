"""The machines of a page, under the names that it gives them."""

from collections.abc import Sequence
from dataclasses import dataclass

from plots.decide import findings
from plots.read.json_text import inner
from plots.read.results import Machine


@dataclass(frozen=True)
class Place:
    """A machine of the page: `at` is its number, `here` marks the reader's own."""

    at: int
    label: str
    machine: Machine
    profile: str | None = None
    here: bool = False


def places(machines: Sequence[Machine], others: Sequence[Machine], profile: str | None) -> list[Place]:
    """The reader's own machines, then the recorded ones by their number of lines."""
    most = [sorted(some, key=lambda m: -len(m.lines)) for some in (machines, others)]
    ordered = most[0] + most[1]
    gpus = [" ".join((inner(m.record, "gpu", "name") or m.name).split()[:2]) for m in ordered]
    found = []
    for at, (machine, gpu) in enumerate(zip(ordered, gpus, strict=True)):
        here = bool(others) and at < len(machines)
        name = "this machine" if here and len(machines) == 1 else machine.name
        label = name if here or gpus.count(gpu) > 1 else gpu
        found.append(Place(at, label, machine, profile if at < len(machines) else None, here))
    return found


def spoken(sentence: findings.Conclusion, where: Sequence[Place]) -> str:
    """`Holds on all 3 that ran it`, `Holds on this machine (1 of 8 checks); undecided on NVIDIA H200`; empty if nobody
    ran it."""
    by: dict[str, list[str]] = {}
    for one, mark in zip(where, sentence.marks, strict=True):
        by.setdefault(mark.verdict, []).append(one.label + f" ({mark.part} checks)" * bool(mark.part))
    told = [(v, by[v]) for v in findings.VERDICTS if v in by and v not in findings.OPEN]
    if len(told) == 1 and len(told[0][1]) > 1 and not any(mark.part for mark in sentence.marks):
        verdict, many = told[0][0], len(told[0][1])
        if verdict == findings.FAILS:
            return f"Holds on none of the {many} that ran it"
        return f"{verdict.capitalize()} on {'both' if many == 2 else f'all {many}'} that ran it"
    text = "; ".join(f"{verdict} on {', '.join(labels)}" for verdict, labels in told)
    return text[:1].upper() + text[1:]
