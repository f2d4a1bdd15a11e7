"""The worst rows of a table of speedups over the best: where a choice costs most, and what it costs on the whole."""

import math
from collections.abc import Sequence

from plots.read import words
from plots.read.select import grouped, matches
from plots.read.view import Row, View

ROWS = 10
WITHIN = 1.10


def worst(view: View, found: Sequence[Row], fields: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows that `[table] worst` leaves, worst first, and a sentence about each implementation's regret."""
    chosen, name = view.exhibit.table.get("worst"), view.exhibit.table["columns"][0]
    fair = [row for row in found if row.line and matches(row.line, chosen) and view.fair(row.line, name)]
    timed = [(value.value, row) for row in fair if (value := view.value(row.line, name, fields))]
    told = [
        sentence(who, [value for value, _ in group])
        for who, group in grouped(timed, lambda pair: pair[1].line["implementation"]).items()
    ]
    return [row for _, row in sorted(timed, key=lambda pair: pair[0])[:ROWS]], told


def sentence(who: str, speedups: Sequence[float]) -> str:
    """Regret is the time over the best's, the inverse of the speedup over the best."""
    mean = math.exp(-sum(map(math.log, speedups)) / len(speedups))
    near = 100 * sum(value >= 1 / WITHIN for value in speedups) / len(speedups)
    return (
        f"{who}, {len(speedups)} problems: its time over the best's is {words.number(mean, 3)} in the geometric mean, "
        f"at most {WITHIN:.2f} on {words.number(near, 3)}% of them, {words.number(1 / min(speedups), 3)} at worst."
    )
