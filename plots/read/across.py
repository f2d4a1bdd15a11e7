"""Comparisons across machines: plots/decide makes them, plots/draw draws them."""

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


@dataclass(frozen=True)
class Cascade:
    """One implementation. `steps`: platform, efficiency, PP so far, the best first. `missing`: untried platforms."""

    implementation: str
    steps: tuple[tuple[str, float, float], ...]
    missing: tuple[str, ...] = ()

    @property
    def pp(self) -> float | None:
        return None if self.missing or not self.steps else self.steps[-1][2]


@dataclass(frozen=True)
class Portability:
    """Of one kind of efficiency and one kind of device. `why`: the reason for no comparison, else empty."""

    device: str
    platforms: tuple[str, ...]
    problems: int
    cascades: tuple[Cascade, ...]
    why: str = ""
