"""Metrics: each formula on lines with known numbers, its unit, its interval, and the lines that have no value.
Speed-ups of several GPUs or ranks over the best for one, and the worst cases of a choice."""

import math

import pytest
from conftest import TABLE, cases
from synthetic import empty, line, on_ranks, skipped, wrong

from plots.decide.verdicts import INCOMPARABLE
from plots.errors import UserError
from plots.read import metrics, words
from plots.read.intervals import Estimate
from plots.read.metrics import METRICS, metric
from plots.read.select import value_of
from plots.read.times import traced
from plots.write import explain, tables

SKEWED = [1.0, 1.1, 1.2, 1.3, 2.0, 9.0, 30.0]  # median 1.3, mean 6.5
PHASES = {"assign": [0.01, 0.03], "update": [0.001, 0.002]}
KNOWN = line(  # samples are skewed, and iterations differ from max_iters, so that a slip shows
    samples_s=SKEWED,
    iterations=4,
    max_iters=100,
    prepare_s=0.7,
    download_s=0.1,
    phases=PHASES,
    prepare_phases={"transfer": 0.15},
    work={"bytes": 26e9, "flops": 52e9},
    peak_bytes=2**21,
    device_peak_bytes=5 << 20,
    samples_event_s=[0.2] * 3,
)
VALUES = {
    **{"run": 1300, "iteration": 325, "overall": 2000, "end_to_end": 2100, "end_to_end_iteration": 525},
    **{"prepare": 700, "download": 100, "assign": 20, "phase:assign": 20, "transfer": 150, "iterations": 4},
    **{"cluster_size:0": 260, "cluster_size:3": 240, "cluster_spread": 20, "bandwidth": 80, "flop_rate": 160},
    **{"peak": 2, "device_peak": 5, "run_event": 200, "wrong_labels": 0, "counter:distances": 16000},
    **{"centroid_error": 0.001, "inertia": 123.5},
}
# mean M of five iterations of k = 8 (wu2011, Equation 2)
COUNTED = line(
    k=8,
    samples_s=[0.5, 0.5, 0.5],
    phases={"icd_rid": [0.01] * 5, "icd": [0.004] * 5, "assign": [0.06] * 5, "update": [0.02] * 5},
    counters={"mean_m": [8.0, 4.0, 2.0, 2.01, 2.0], "warp_imbalance": [0.0, 1.0, 0.5, 0.0, 0.0]},
)
OF_COUNTED = {
    "ealt": 70,  # 10 + 60: icd is within icd_rid
    "ealt_share:icd": 100 * 4 / 70,
    "ealt_share:labeling": 100 * 60 / 70,
    "saved": 100 * (1 - 18.01 / 40),
    "saved_in_warps": 100 * (1 - 23.01 / 40),
    "settled": 4,
}
ENERGY = {"joules": 10.0, "iterations": 4, "window_s": 1.0, "source": "nvml", "skipped": None}
SHARES = line(prepare_s=1.0, download_s=2.0, phases={"assign": [1.0, 2.0], "update": [4.0, 0.0]})
NO_TIME = line(prepare_s=0.0, download_s=0.0, phases={"assign": [0.0]})
TENTH = line(samples_s=[0.5] * 3, work={"bytes": 2e9, "flops": 4e9})  # 0.1 s an iteration
STREAM = line(n=10_000_000, samples_s=[0.5] * 3)  # 160 MB in 0.1 s
GPU = {"device": "gpu"}
READ = {"iterations": 1, "samples_s": [0.5], "work": {"bytes": 1e9, "flops": 0}}
TWO_GPUS = (
    line(iterations=1, seconds=0.1, implementation="gpu/many/peers", gpus=2, work={"bytes": 1e9, "flops": None}) | GPU
)
ALONE = line(k=8, phases={"assign": [0.06] * 5, "update": [0.02] * 5}, counters={"mean_m": [8.0] * 5})
OF_GPU = {"fma_fp32_gflops": 1, "tensor_tf32_gflops": 3.2, "tensor_bf16_gflops": None}
CEILINGS = {"cpu": {"fma_fp32_gflops": 6.4e-4}, "gpu": OF_GPU}
PEAKS = {"cpu": {"bytes_per_s": 1e11, "flops_per_s": {"fp32": 8e10}}}
SLOWER_CPU = {"cpu": {"bytes_per_s": 1e10}, "gpu": {"bytes_per_s": 1e11}}
PRICED = {
    "floor": {"cpu": {"bytes_per_s": 60e9, "flops_per_s": {"fp32": 1670.4e9}}, "gpu": {"bytes_per_s": 320e9}},
    "price": {"cpu": 1.591, "gpu": 1.140},
}
FORMULAS = [  # metric, line, machine.json, value
    *((name, KNOWN, {}, value) for name, value in VALUES.items()),
    *((name, COUNTED, {}, value) for name, value in OF_COUNTED.items()),
    ("assign", line(phases={"assign": [0.001, 0.001, 0.010]}), {}, 4),  # the mean
    ("ealt", ALONE, {}, 60),
    ("ealt_share:labeling", ALONE, {}, None),  # labeling is the only part
    ("run_event", line(samples_event_s=None), {}, None),
    ("settled", line(k=8, counters={"mean_m": [8.0, 6.0, 4.0]}), {}, None),
    ("distances_saved", line(n=1000, k=10, counters={"distances": [10_000.0, 5_000.0, 1_000.0, 0.0]}), {}, 60),
    *((f"time_share:{name}", SHARES, {}, value) for name, value in (("assign", 30), ("update", 40), ("other", 30))),
    ("phase_share:assign", line(phases={"assign": [0.3], "reduce": [0.1], "icd": [0.2]}), {}, 75),
    ("phase_share:reduce", SHARES, {}, None),
    ("imbalance", line(ranks={"walls_s": [[1.0, 3.0], [1.0, 1.0]]}), {}, 1.25),
    ("imbalance", line(ranks={"walls_s": None}), {}, None),
    ("time_share:fused", SHARES, {}, None),
    ("time_share:other", NO_TIME, {}, None),
    ("point_iteration", line(n=1000, samples_s=[0.5] * 3, iterations=5), {}, 1e5),
    ("point_iteration", line(verdict="wrong"), {}, None),
    ("energy", line(energy=ENERGY), {}, 2.5),
    ("energy", line(energy={**ENERGY, "joules": None}), {}, None),
    ("energy", line(energy=ENERGY, verdict="wrong"), {}, None),
    ("product_rate", TENTH, {}, 3.2e-4),  # 2 x 1000 x 4 x 4 operations in 0.1 s
    ("product_share", TENTH, {"ceilings": CEILINGS}, 50),  # of the fastest arithmetic measured
    ("product_share", TENTH | GPU, {"ceilings": CEILINGS}, 0.01),
    ("product_share", TENTH, {}, None),
    ("floor_share", TENTH, {"floor": PEAKS}, 50),  # 0.05 s of arithmetic in 0.1 s
    ("floor_share", TENTH, {}, None),
    ("floor_share", line(implementation="library/faiss_gpu", **GPU, **READ), {"floor": SLOWER_CPU}, 2),
    ("floor_share", line(implementation="library/sklearn", device="cpu", **READ), {"floor": SLOWER_CPU}, 20),
    ("floor_share", line(implementation="gpu/lloyd/tiled", **READ) | {"device": None}, {"floor": SLOWER_CPU}, 2),
    ("floor_share", TWO_GPUS, {"floor": {"gpu": {"bytes_per_s": 1e10}}}, 50),  # which read twice the bytes a second
    ("init", line(phases={}, prepare_phases={"init": 0.002}), {}, 2),
    ("init", line(phases={}, prepare_phases={"init": 0.002, "choose_starts": 0.001}), {}, 1),  # he2021's
    ("throughput", STREAM, {}, 1.6),
    ("throughput", STREAM | {"precision": "fp64"}, {}, 3.2),
    ("bus_share", STREAM, {"ceilings": {"gpu": {"upload_gbs": 2.0}}}, 80),
    ("bus_share", STREAM, {"ceilings": {"gpu": None}}, None),
    ("nvlink_share", STREAM, {"gpu": {"compute_capability": "6.0"}}, 2),
    ("nvlink_share", STREAM, {"gpu": {"compute_capability": "9.0"}}, pytest.approx(160 / 450)),
    ("nvlink_share", STREAM, {"gpu": {"compute_capability": "6.1"}}, None),  # lutz2018's GTX 1080 has none
    ("nvlink_share", STREAM, {"gpu": None}, None),
    ("flops_per_price", TENTH, PRICED, pytest.approx(1049.9, abs=0.05)),  # lutz2018's c4.8xlarge
    ("flops_per_price", TENTH | GPU, PRICED, None),  # no such peak in the record
    ("bandwidth_per_price", TENTH, PRICED, pytest.approx(37.71, abs=0.005)),
    ("bandwidth_per_price", TENTH | GPU, PRICED, pytest.approx(280.7, abs=0.05)),  # g3.4xlarge
    ("bandwidth_per_price", TENTH, PRICED | {"price": None}, None),
    ("price", TENTH, {}, None),
    ("run", line(verdict="label 3 is wrong"), {}, None),  # although the line has samples
]


@pytest.mark.parametrize(("name", "of", "record", "value"), FORMULAS, ids=[name for name, *_ in FORMULAS])
def test_value(name, of, record, value):
    found = metric(name).of(of, record)
    assert (found and found.value) == (pytest.approx(value) if isinstance(value, (int, float)) else value)


@pytest.mark.parametrize("name", [*OF_COUNTED, "distances_saved"])
def test_a_wrong_run_and_one_without_counters_have_none(name):
    assert metric(name).of(wrong("label"), {}) is None
    assert metric(name).of(line(phases={}, counters={"shift": [1.0]}), {}) is None


@pytest.mark.parametrize("name", METRICS)
def test_a_case_without_a_time_has_none(name):
    for case in (skipped("no such card"), wrong("label 3 is wrong")):
        assert not METRICS[name].timed or METRICS[name].of(case, {}) is None


def test_titles_name_the_units():
    titles = {
        "run": "iterate (ms)",
        "bandwidth": "bandwidth (GB/s)",
        "flop_rate": "arithmetic (GFLOP/s)",
        "floor_share": "share of the floor (%)",
        "peak": "peak memory (MiB)",
        "cluster_size:0": "largest cluster (points)",
        "cluster_size:2": "cluster 3 by size (points)",
    }
    assert {name: metric(name).title for name in titles} == titles


def test_the_interval_keeps_its_sides():
    """The upper arm of a skewed time is longer; of a rate, one over a time, the lower arm is."""
    time, rate = metric("run").of(KNOWN, {}), metric("bandwidth").of(KNOWN, {})
    assert time.range == (1000, 30_000)
    assert rate.high - rate.value < rate.value - rate.low < rate.value
    assert (rate.low, rate.high) == pytest.approx((26 / 30 * 4, 26 / 1 * 4))


def test_the_first_steady_iteration_differs_little_from_the_one_before():
    assert metrics.settled([100, 50, 49.9, 20], {}) == 3
    assert metrics.settled([100, 99.5], {}) == 2
    assert metrics.settled([100, 50], {}) is None
    assert metrics.settled([100, 50, 100], {}) is None, "the first has no predecessor"


def test_the_trace_is_the_sum_of_the_phases_in_milliseconds():
    assert traced(SHARES) == [5000, 2000]


@pytest.mark.parametrize("name", ["speed", "phase:", "cluster_size:x", "speedup:speed"])
def test_an_unknown_metric_is_refused(name):
    with pytest.raises(UserError, match="unknown metric"):
        metric(name)


@pytest.mark.parametrize("value", [0.0, math.inf, -math.inf, math.nan, 1e-320, 1e300])
def test_every_float_has_a_text(value):
    """An interval of two runs can be infinite and a ratio 0; both are printed."""
    assert words.number(value, 3, words.decimals_for(value, 3))
    assert words.both(Estimate(1.0, value if value < 1 else 0.5, math.inf, 2, "t of logarithms"))


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


def test_a_speedup_over_the_best_of_several_waits_for_all(bench):
    """A rival of another problem, of another device, or that was skipped or failed, is not waited for."""
    every = SCALING.replace('"cpu/lloyd/two_step"', '["gpu/lloyd/a", "gpu/lloyd/b", "gpu/lloyd/c"]')
    every = every.replace("set.packages = [1, 10, 100]\n", "").replace('"gpus"', '"k"')
    lines = [line(implementation=f"gpu/lloyd/{name}", seconds=0.4, k=k) for k in (3, 4) for name in "ab"]
    view = bench.view(lines[:3], every)
    found = {(one["k"], one["implementation"][-1]): view.value(one, "speedup:iteration") for one in view.lines}
    assert {place for place, value in found.items() if value is None} == {(4, "a")}
    (waiting,) = (one for one in view.lines if one["k"] == 4)
    clause = "no line yet of gpu/lloyd/b, one of its baselines"
    assert view.awaited(waiting, "speedup:iteration") == clause
    assert dict(explain.of_line(view, waiting, "speedup:iteration", view.place))["value"] == clause
    asked = bench.judge(lines[:3], every, kind="value", where={"k": 4}, metric="speedup:iteration", at_least=0.5)
    assert asked.verdict == INCOMPARABLE and clause in asked.why
    last = {"implementation": "gpu/lloyd/b", "k": 4}
    for other in (
        skipped("no room", **last),
        wrong("a label", **last),
        line(**{**empty(), **last, "failure": "no end"}),
    ):
        view = bench.view([*lines[:3], other], every)
        assert all(view.value(one, "speedup:iteration") for one in view.lines if one["samples_s"])


SECOND = [  # a setting of gpu/lloyd/a's sweep, the sweep beside it, and what a speed-up of gpu/lloyd/a waits for
    ("", "", "gpu/lloyd/b"),
    ("", "k = [4, 8]", "gpu/lloyd/b"),
    ("", "k = 8", ""),
    ("", "n = 10", ""),
    ("", 'precision = "fp64"', ""),
    ("", "iterations = 99", ""),
    ("", "data.radius = 2", ""),
    ("", "data.radius = 1", "gpu/lloyd/b"),
    ("data.radius = 1", "", ""),  # a sweep that leaves it at its default
    ("", "set.packages = [1, 10]", "gpu/lloyd/b, 1"),
    ("", 'set.packages = "1:4:x2"', ""),
]


@cases("own more awaited", *SECOND)
def test_a_baseline_of_another_problem_is_not_waited_for(bench, own, more, awaited):
    second = f'[[sweep]]\nimplementation = "gpu/lloyd/b"\ndataset = "balls"\n{more}\n[profile.quick]'
    text = SCALING.replace("cpu/lloyd/two_step", "gpu/lloyd/a").replace("set.packages = [1, 10, 100]", own)
    text = text.replace("[profile.quick]", second)
    radius = {"generator": {"seed": 1, "radius": 1.0}} if "radius" in own + more else {}
    (waiting,) = (view := bench.view([line(implementation="gpu/lloyd/a", **radius)], text)).lines
    clause = f"no line yet of {awaited}, one of its baselines" if awaited else ""
    assert view.awaited(waiting, "speedup:iteration") == clause
    without = skipped("no room", implementation="gpu/lloyd/b") | {
        "dataset": waiting["dataset"]
    }  # may lack its parameters
    view = bench.view([line(implementation="gpu/lloyd/a", **radius), without], text)
    assert not any(view.awaited(one, "speedup:iteration") for one in view.lines)


@pytest.mark.parametrize(("rows", "where"), [("algorithm", ""), ("k", 'where = { algorithm = "lloyd" }\n'), ("k", "")])
def test_each_value_of_a_parameter_is_a_baseline_unless_the_place_or_the_selection_holds_it(bench, rows, where):
    text = SCALING.replace("cpu/lloyd/two_step", "gpu/lloyd/a").replace('"gpus"', f'"{rows}"')
    text = text.replace("set.packages = [1, 10, 100]", 'set.algorithm = ["lloyd", "elkan"]') + where
    view = bench.view([line(implementation="gpu/lloyd/a", algorithm="lloyd")], text)
    alone = rows == "k" and not where
    clause = "no line yet of gpu/lloyd/a, elkan, one of its baselines" if alone else ""
    assert view.awaited(view.lines[0], "speedup:iteration") == clause


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


BOTH = 'worst = { implementation = "cpu/lloyd/auto" }\nbaseline = { implementation = ["cpu/lloyd/a", "cpu/lloyd/b"] }\n'
WORST = TABLE.replace('["packages"]', '["k", "implementation"]') + BOTH
WORST = WORST.replace('["iteration", "assign"]', '["speedup:run", "run"]')


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
