"""A comparison of two devices: plots/decide/devices.py makes it, plots/draw draws it."""

from dataclasses import dataclass

from plots.read.intervals import Estimate

BOUNDS = MEMORY, ARITHMETIC, LAUNCHES = ("memory", "arithmetic", "launches")
Device = tuple[str, str]  # the machine's name, and cpu or gpu


@dataclass(frozen=True)
class Comparison:
    """`new` is `value` times as fast as `base`: the geometric mean over problems, whose own ratios are `each`."""

    base: Device
    new: Device
    what: str  # one of BOUNDS, or a metric
    value: Estimate
    each: tuple[float, ...]


def named(device: Device) -> str:
    """`h200 GPU`."""
    return f"{device[0]} {device[1].upper()}"
