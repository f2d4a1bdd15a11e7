"""The cost of the defaults: of each tuning the defaults' time beside the best's."""

from plots.decide import tuned
from plots.read.results import reason
from plots.read.tuning import Tuning
from plots.write.tables import Cell, Column, Table, count, estimated, word

COLUMNS = [
    Column("problem", "field", "problem"),
    Column("settings", "word", "settings tried"),
    Column("wrong", "word", "wrong"),
    Column("failed", "word", "failed"),
    Column("default", "ours", "defaults (ms)"),
    Column("best", "ours", "best (ms)"),
    Column("regret", "ours", "regret of the defaults (%)"),
    Column("values", "word", "the best's values, where not the defaults'"),
]
REMARK = "Regret: the defaults' time over the best's, less 1, in rounds where there were any (docs/tuning.md)."


def build(tunings: list[Tuning]) -> Table:
    return Table("tuning", "Regret of the defaults", COLUMNS, [row(one) for one in tunings], remarks=[REMARK])


def row(one: Tuning) -> list[Cell]:
    times = [tuned.shown(one, line) for line in (one.default, tuned.kept(one))]
    over = tuned.over_best(one)
    regret = over and over.shifted(-1).scaled(100)
    wrong = sum(reason(line).startswith("wrong") for line in one.lines)
    failed = sum(bool(line["failure"] or line["skip"]) for line in one.lines)
    counts = map(count, (len(one.lines), wrong, failed))
    return [word(one.title), *counts, *map(estimated, (*times, regret)), word(changed(one))]


def changed(one: Tuning) -> str:
    """The best's parameters that differ from the defaults."""
    best = tuned.kept(one)
    if best is None:
        return "nothing tried has a time"
    own, default = best["parameters"], one.default["parameters"]
    return ", ".join(f"{name} = {value}" for name, value in own.items() if value != default[name]) or "none"
