"""Whether a machine had other work while it was measured."""

from plots.read.disturbed import disturbed
from plots.read.results import Machine

FEW = 0.05  # of the cases: as many make no busy machine, and have their own mark


def busy(machine: Machine) -> str:
    """A sentence; empty if the machine was quiet."""
    told = [text for text in machine.record.get("warnings") or [] if "not quiet" in text]
    timed = [line for line in machine.lines if line["samples_s"]]
    count = sum(map(disturbed, timed))
    told += [f"{count} of {len(timed)} cases were disturbed by other programs"] if count > FEW * len(timed) else []
    return "; ".join(told)
