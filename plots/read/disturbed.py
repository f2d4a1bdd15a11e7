"""Times that other programs disturbed: the run's threads were ready and waited for a processor.

A run is disturbed by its run delay, or by involuntary switches where the kernel tells no delay. With more than half of
its runs disturbed, a line keeps them all and its time is marked; else the disturbed runs are left out. Neither
criterion looks at the time alone, so a slow run without delay stays."""

from dataclasses import replace

from plots.read.check import Line
from plots.read.intervals import Estimate, of_median

DELAY = 0.05  # of a run's time: far above a quiet machine's, far below a shared processor's
SWITCHES = 50.0  # a second, chosen: a kernel that shares a processor switches every few milliseconds
FEWEST_SWITCHES = 2  # one alone means nothing


def flags(line: Line) -> list[bool]:
    """Whether each timed run was disturbed; an unknown one was not."""
    seconds = line["samples_s"]
    delays, switches = line["run_delay_s"], line["involuntary_switches"]
    if delays is not None:
        found = [delay > DELAY * s for delay, s in zip(delays, seconds, strict=False)]
    else:
        found = [n >= max(FEWEST_SWITCHES, SWITCHES * s) for n, s in zip(switches or (), seconds, strict=False)]
    return found + [False] * (len(seconds) - len(found))


def disturbed(line: Line) -> bool:
    """Whether more than half of its timed runs were."""
    return 2 * sum(flags(line)) > len(line["samples_s"])


def samples(line: Line, name: str = "samples_s") -> list[float]:
    """The seconds of the timed runs that count."""
    found, marks = list(line[name] or ()), flags(line)
    if disturbed(line) or len(found) != len(marks):
        return found
    return [seconds for seconds, out in zip(found, marks, strict=True) if not out]


def time_of(line: Line, name: str = "samples_s") -> Estimate | None:
    """The median of these samples, with its interval."""
    own = samples(line, name)
    found = of_median(own)
    if found is None or not found.known or len(own) == len(line[name]):
        return found
    return replace(found, method=f"{found.method}, disturbed runs left out")
