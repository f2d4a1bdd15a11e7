"""Libraries that may not run at their best: below a tenth of another library's rate on the same case."""

import re
from functools import cache
from typing import Any

from plots.read.check import Line
from plots.read.results import device
from plots.read.select import grouped, value_of
from plots.read.view import View

TIMES = 10  # as long as another library, per iteration
OLD_KERNELS = re.compile(r"\bolder processor\b|\b(Prescott|Nehalem|Core2|Penryn|Sandybridge)\b")
PLACE = ("k", "precision", "init", "init_seed")


def case(line: Line) -> tuple[Any, ...]:
    """The points, the device and the start, whatever the stop rule: some libraries have no other."""
    return (line["dataset"].get("hash"), device(line), *(value_of(line, name) for name in PLACE))


@cache
def suspicious(view: View) -> dict[int, str]:
    """The sentence of each suspicious line, by the line's id(). Doubtful times do not count."""
    lines = (line for line in view.lines if line["implementation"].startswith("library/"))
    values = [(own.value, line) for line in lines if (own := view.value(line, "iteration"))]
    found = {}
    for timed in grouped(values, lambda pair: case(pair[1])).values():
        fair = [(value, line["implementation"]) for value, line in timed if not view.doubt(line, "iteration")]
        for value, line in timed:
            rivals = [one for one in fair if one[1] != line["implementation"]]
            if rivals and value > TIMES * min(rivals)[0]:
                found[id(line)] = sentence(view, line, min(rivals)[1])
    return found


def sentence(view: View, line: Line, rival: str) -> str:
    """With the cause: the version of the line's library, else the text under [labels.slow]."""
    version, name = (line["library"] or {}).get("version") or "", line["implementation"]
    cause = view.exhibit.label("slow", name)
    if OLD_KERNELS.search(version):
        cause = f"its BLAS has kernels of an older processor ({version})"
    elif cause in ("", name):
        cause = "the cause is not known"
    return f"suspicious: less than a tenth of the rate of {view.label('implementation', rival)} on this case; {cause}"
