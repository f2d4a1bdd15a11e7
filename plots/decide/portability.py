"""Efficiencies of an implementation across platforms, and its performance portability PP.

PP (Pennycook, Sewall and Lee 2019, "Implications of a metric for performance portability") is the harmonic mean of the
efficiencies, 0 if one platform is not supported. The cascade (Sewall et al. 2020, "Interpreting and visualizing
performance portability metrics") orders the efficiencies from the best platform on, with PP over the first 1, 2, …"""

import math
from collections.abc import Sequence
from statistics import geometric_mean, harmonic_mean

from plots.decide.side_by_side import Sides, problem_key
from plots.read.across import Cascade, Portability
from plots.read.results import device


def cascade(implementation: str, efficiencies: dict[str, float | None]) -> Cascade:
    """`efficiencies`: by platform; 0 if unsupported, None if never tried."""
    known = sorted(((p, e) for p, e in efficiencies.items() if e is not None), key=lambda pe: (-pe[1], pe[0]))
    steps = [(p, e, harmonic_mean([e for _, e in known[: i + 1]])) for i, (p, e) in enumerate(known)]
    return Cascade(implementation, tuple(steps), tuple(p for p, e in efficiencies.items() if e is None))


def portability(sides: Sides, where: str, kind: str, name: str = "iteration") -> Portability:
    """Over the machines' devices of kind `where` (cpu, gpu). `kind`: application (best time on the platform over its
    own, by the metric `name`) or architecture (share of the platform's floor). Each implementation counts with its best
    parameters, several problems with their geometric mean. Only problems solved on every platform count."""
    scores, tried = collect(sides, where, kind, name)
    platforms = [m for m in sides.views if any(m == at for at, _ in scores)]
    shared = [{p for at, p in scores if at == m} for m in platforms]
    problems = sorted(set.intersection(*shared)) if shared else []
    rivals = sorted({i for at, p in scores for i in scores[at, p] if p in problems})
    if len(platforms) < 2 or not problems or len(rivals) < 2:
        return Portability(where, tuple(platforms), len(problems), (), too_little(platforms, problems, where))
    found = []
    for implementation in rivals:
        efficiencies: dict[str, float | None] = {}
        for at in platforms:
            best = {p: 100 if kind == "architecture" else max(scores[at, p].values()) for p in problems}
            parts = {p: scores[at, p].get(implementation, 0.0) / best[p] for p in problems}
            untried = any(value == 0 and (at, p, implementation) not in tried for p, value in parts.items())
            mean = geometric_mean(parts.values()) if all(parts.values()) else 0.0
            efficiencies[at] = None if untried else mean
        found.append(cascade(implementation, efficiencies))
    found.sort(key=lambda c: (c.pp is None, -(c.pp or 0), c.implementation))
    return Portability(where, tuple(platforms), len(problems), tuple(found))


Scores = dict[tuple[str, str], dict[str, float]]  # by platform and problem, then by implementation


def collect(sides: Sides, where: str, kind: str, name: str) -> tuple[Scores, set[tuple[str, str, str]]]:
    """The best score of every implementation (speed, or share of the floor), and everything that was tried."""
    scores: Scores = {}
    tried = set()
    for one in sides.pairs:
        for at, line in one.lines.items():
            if device(line) != where:
                continue
            view, what, who = sides.views[at], problem_key(line, sides.exhibit), line["implementation"]
            tried.add((at, what, who))
            shown = "floor_share" if kind == "architecture" else name
            value = view.value(line, shown)
            if value is None or value.value <= 0 or view.doubt(line, shown) or not math.isfinite(1 / value.value):
                continue
            best = scores.setdefault((at, what), {})
            best[who] = max(best.get(who, 0.0), value.value if kind == "architecture" else 1 / value.value)
    return scores, tried


def too_little(platforms: Sequence[str], problems: Sequence[str], where: str) -> str:
    if len(platforms) < 2:
        device_kind = where.upper()
        return f"one machine's {device_kind} or none was measured" if platforms else f"no {device_kind} was measured"
    return "one implementation: nothing to be efficient against" if problems else "no problem was solved on all of them"
