"""What a tuning keeps, from its rounds: the fastest setting that is surely faster than the defaults, else the defaults
(docs/tuning.md). bench/tune/rounds.cpp decides the same when it tunes."""

import math

import numpy as np

from plots.decide.change import FEWEST_ROUNDS, Change, of_rounds
from plots.read import disturbed
from plots.read.check import Line
from plots.read.intervals import LEVEL, Estimate, of_median, ratio
from plots.read.results import reason
from plots.read.tuning import Tuning, time

SAME = 0.05  # within which a setting is not faster


def rounds_of(one: Tuning, line: Line | None) -> dict[int, float]:
    """Seconds per iteration of the least run, by round."""
    own = [again for again in one.again if line and again["parameters"] == line["parameters"] and not reason(again)]
    ended = [again for again in own if again["order"] and again["iterations"]]
    return {again["order"]: min(disturbed.samples(again)) / again["iterations"] for again in ended}


def change(one: Tuning, line: Line) -> Change | None:
    """From the defaults to this setting; None with too few rounds."""
    base, new = rounds_of(one, one.default), rounds_of(one, line)
    shared = sorted(base.keys() & new.keys())
    if len(shared) < FEWEST_ROUNDS:
        return None
    return of_rounds(*(np.log([[side[at] for at in shared]]) for side in (base, new)))


def kept(one: Tuning) -> Line | None:
    """Before the rounds came, one measurement again decided."""
    others = {repr(line["parameters"]): line for line in one.again if line["parameters"] != one.default["parameters"]}
    changes = [(found, line) for line in others.values() if (found := change(one, line))]
    if changes:
        fast = [pair for pair in changes if pair[0].ratio.known and pair[0].ratio.high < 1 / (1 + SAME)]
        sure = [pair for pair in fast if len(others) * (pair[0].p or 0) <= 1 - LEVEL]
        return min(sure, key=lambda pair: pair[0].ratio.value)[1] if sure else one.default
    again, default = (once_again(one, line) for line in (one.best, one.default))
    return one.default if again and default and default.value <= again.value else one.best


def once_again(one: Tuning, line: Line | None) -> Estimate | None:
    """The time of the case's last measurement again."""
    same = (again for again in reversed(one.again) if line and again["parameters"] == line["parameters"])
    return next(filter(None, (time(again, "iteration") for again in same)), None)


def shown(one: Tuning, line: Line | None) -> Estimate | None:
    """The median of its rounds, else of its last measurement, in ms."""
    rounds = of_median([1e3 * seconds for seconds in rounds_of(one, line).values()])
    return rounds or once_again(one, line) or (time(line, "iteration") if line and line["samples_s"] else None)


def over_best(one: Tuning) -> Estimate | None:
    """The time of the defaults over that of the setting that is kept."""
    best = kept(one)
    if best and best is not one.default and (found := change(one, best)):
        low, high = found.ratio.range
        most = 1 / low if low > 0 else math.inf
        return Estimate(1 / found.ratio.value, 1 / high, most, found.ratio.samples, "sign flips")
    times = [shown(one, line) for line in (one.default, best)]
    return ratio(*times) if all(times) else None
