"""Speed-ups of several GPUs or ranks over the best implementation for one, and the worst cases of a choice."""

import pytest
from conftest import TABLE
from synthetic import line, on_ranks

from plots.errors import UserError
from plots.read.metrics import metric
from plots.read.select import value_of
from plots.write import tables

SCALING = TABLE.replace(
    '["iteration", "assign"]',
    '["speedup:iteration", "efficiency:iteration"]\nbaseline = { implementation = ["gpu/lloyd/a", "gpu/lloyd/b"] }',
).replace('rows = ["packages"]', 'rows = ["implementation", "gpus"]')


def test_the_base_is_the_best_on_one_gpu(bench):
    """A baseline without the parameter gpus stands for every number of them."""
    alone = [line(seconds=0.4, implementation="gpu/lloyd/a"), line(seconds=0.3, implementation="gpu/lloyd/b")]
    many = [line(seconds=s, implementation="gpu/many/peers", gpus=n) for n, s in ((1, 0.32), (2, 0.16), (4, 0.1))]
    view = bench.view([*alone, *many], SCALING)
    found = {
        one["parameters"].get("gpus", one["implementation"]): [
            view.value(one, f"{family}:iteration").value for family in ("speedup", "efficiency")
        ]
        for one in view.lines
    }
    assert found == {
        "gpu/lloyd/a": pytest.approx([0.75, 75]),
        "gpu/lloyd/b": pytest.approx([1, 100]),
        1: pytest.approx([0.3 / 0.32, 30 / 0.32]),
        2: pytest.approx([0.3 / 0.16, 15 / 0.16]),
        4: pytest.approx([3, 75]),
    }


def test_one_process_is_one_rank(bench):
    """Ranks stand beside their own implementation without a launcher; a launch that failed has none."""
    exhibit = SCALING.replace('"gpus"', '"ranks"')
    exhibit = exhibit.replace('{ implementation = ["gpu/lloyd/a", "gpu/lloyd/b"] }', "{ ranks = 1 }")
    launches = {None: 0.4, 2: 0.2, 4: 0.16}
    lines = [on_ranks(count, line(seconds=s)) if count else line(seconds=s) for count, s in launches.items()]
    view = bench.view(lines, exhibit)
    for family, values in {"speedup": [1, 2, 2.5], "efficiency": [100, 100, 62.5]}.items():
        found = {value_of(one, "ranks"): view.value(one, f"{family}:iteration").value for one in view.lines}
        assert found == pytest.approx(dict(zip((1, 2, 4), values, strict=True)))
    assert value_of(on_ranks(None, line()), "ranks") is None


def test_all_gpus_are_as_many_as_were_counted(bench):
    alone = line(seconds=0.4, implementation="gpu/lloyd/a")
    every = line(seconds=0.1, implementation="gpu/many/peers", gpus=0, counters={"gpus": [4.0, 4.0]})
    view = bench.view([alone, every], SCALING)
    shares = [view.value(one, "efficiency:iteration").value for one in view.lines if one["parameters"]]
    assert shares == [pytest.approx(100)]


def test_the_floor_is_that_of_all_gpus(bench):
    """Two GPUs read twice the bytes a second."""
    two = line(seconds=0.1, iterations=1, implementation="gpu/many/peers", gpus=2, work={"bytes": 1e9, "flops": None})
    record = {"floor": {"gpu": {"bytes_per_s": 1e10}}}
    assert metric("floor_share").formula(two | {"device": "gpu"}, record).value == pytest.approx(50)


WORST = """kind = "table"
title = "regret"
[table]
rows = ["k", "implementation"]
columns = ["speedup:run", "run"]
worst = { implementation = "cpu/lloyd/auto" }
baseline = { implementation = ["cpu/lloyd/a", "cpu/lloyd/b"] }
"""


def auto_and_rivals(seconds):
    """Of each problem a takes 0.1 s, b 0.2 s, auto as given."""
    rivals = [
        line(implementation=f"cpu/lloyd/{name}", seconds=s, k=k)
        for k in seconds
        for name, s in (("a", 0.1), ("b", 0.2))
    ]
    return rivals + [line(implementation="cpu/lloyd/auto", seconds=s, k=k) for k, s in seconds.items()]


def test_the_worst_ten_stand_first_to_last_and_only_the_chosen(bench):
    table = tables.build(bench.view(auto_and_rivals({k: 0.1 + 0.01 * k for k in range(12)}), WORST))
    at = [column.name for column in table.columns].index("k")
    assert [row[at].raw[0] for row in table.rows] == list(range(11, 1, -1))
    assert {row[at + 1].text for row in table.rows} == {"cpu/lloyd/auto"}


def test_the_remark_has_mean_share_and_worst_of_all_problems(bench):
    (told, *_) = tables.build(bench.view(auto_and_rivals({1: 0.1, 2: 0.105, 3: 0.2, 4: 0.1}), WORST)).remarks
    assert told.startswith("cpu/lloyd/auto, 4 problems: ")
    assert "1.20 in the geometric mean" in told and "at most 1.10 on 75%" in told and "2 at worst" in told


def test_a_disturbed_or_coarse_time_is_none_of_the_worst(bench):
    given = auto_and_rivals({1: 0.1, 2: 0.4})
    given[-1]["grade"] = "coarse"
    table = tables.build(bench.view(given, WORST))
    assert len(table.rows) == 1


def test_worst_needs_a_speedup_in_the_first_column(bench):
    with pytest.raises(UserError, match="worst"):
        bench.exhibit(WORST.replace('["speedup:run", "run"]', '["run", "speedup:run"]'))
