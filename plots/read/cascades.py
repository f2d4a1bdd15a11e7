"""A cascade of performance portability: plots/decide/portability.py makes it, plots/draw draws it."""

from dataclasses import dataclass


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
