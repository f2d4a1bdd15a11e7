"""`[table] worst`: the rows with the least speedup over the best, and the regret of all of them."""

import pytest
from synthetic import line

from plots.errors import UserError
from plots.write import tables

TABLE = """kind = "table"
title = "regret"
[table]
rows = ["k", "implementation"]
columns = ["speedup:run", "run"]
worst = { implementation = "cpu/lloyd/auto" }
baseline = { implementation = ["cpu/lloyd/a", "cpu/lloyd/b"] }
"""


def lines(seconds):
    """Of each problem a takes 0.1 s, b 0.2 s, auto as given."""
    rivals = [
        line(implementation=f"cpu/lloyd/{name}", seconds=s, k=k)
        for k in seconds
        for name, s in (("a", 0.1), ("b", 0.2))
    ]
    return rivals + [line(implementation="cpu/lloyd/auto", seconds=s, k=k) for k, s in seconds.items()]


def test_the_worst_ten_stand_first_to_last_and_only_the_chosen(bench):
    table = tables.build(bench.view(lines({k: 0.1 + 0.01 * k for k in range(12)}), TABLE))
    at = [column.name for column in table.columns].index("k")
    assert [row[at].raw[0] for row in table.rows] == list(range(11, 1, -1))
    assert {row[at + 1].text for row in table.rows} == {"cpu/lloyd/auto"}


def test_the_remark_has_mean_share_and_worst_of_all_problems(bench):
    (told, *_) = tables.build(bench.view(lines({1: 0.1, 2: 0.105, 3: 0.2, 4: 0.1}), TABLE)).remarks
    assert told.startswith("cpu/lloyd/auto, 4 problems: ")
    assert "1.20 in the geometric mean" in told and "at most 1.10 on 75%" in told and "2 at worst" in told


def test_a_disturbed_or_coarse_time_is_none_of_the_worst(bench):
    given = lines({1: 0.1, 2: 0.4})
    given[-1]["grade"] = "coarse"
    table = tables.build(bench.view(given, TABLE))
    assert len(table.rows) == 1


def test_worst_needs_a_speedup_in_the_first_column(bench):
    with pytest.raises(UserError, match="worst"):
        bench.exhibit(TABLE.replace('["speedup:run", "run"]', '["run", "speedup:run"]'))
