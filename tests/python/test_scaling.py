"""Speed-up and efficiency of several GPUs or ranks: the base is the best implementation for one."""

import pytest
from conftest import TABLE
from synthetic import line, on_ranks

from plots.read.metrics import metric
from plots.read.select import value_of

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
    exhibit = SCALING.replace('"gpus"', '"ranks"').replace(', "efficiency:iteration"', "")
    exhibit = exhibit.replace('{ implementation = ["gpu/lloyd/a", "gpu/lloyd/b"] }', "{ ranks = 1 }")
    launches = {None: 0.4, 2: 0.2, 4: 0.16}
    lines = [on_ranks(count, line(seconds=s)) if count else line(seconds=s) for count, s in launches.items()]
    view = bench.view(lines, exhibit)
    found = {value_of(one, "ranks"): view.value(one, "speedup:iteration").value for one in view.lines}
    assert found == pytest.approx({1: 1, 2: 2, 4: 2.5})
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
