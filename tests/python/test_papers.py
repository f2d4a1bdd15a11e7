"""wu2011: claims and figures over many sets, a quick run. taylor2021: cases beside its printed values, phases within
others, curves along iterations, a quick run."""

import pytest
from built import lines_of, needs_kmbench, succeeded
from conftest import SERIES, exhibits_of, figure
from synthetic import line

from plots.decide.verdicts import FAILED, REPRODUCED
from plots.draw import figures
from plots.draw.sets import merged, steps
from plots.read.intervals import exact
from plots.read.metrics import metric
from plots.read.times import traced

GPU = ["gpu/triangle/standard", "gpu/triangle/reinforced", "gpu/triangle/hybrid"]


def sets(*times: float, implementation: str = GPU[2], **fields) -> list[dict]:
    """Lines for seeds 1, 2, … of sets with sigma 0.15, each with an EALT of these times."""
    return [
        line(
            implementation=implementation,
            phases={"assign": [t] * 5, "update": [9.0] * 5},
            generator={"seed": i + 1, "sigma2": 0.15},
            counters={"mean_m": [4.0, 3.0, 2.0, 2.0, 2.0]},
            **fields,
        )
        for i, t in enumerate(times)
    ]


def of_sets(style: str, y: str, sets: str = 'sets = "seed"') -> str:
    """A figure over sets of other seeds."""
    baseline = 'baseline = { implementation = ["gpu/triangle/standard", "gpu/triangle/reinforced"] }\n'
    made = figure(style, y, f"{sets}\n{SERIES}{baseline}").replace('x = "packages"', 'x = "sigma2"')
    return made.replace("set.packages = [1, 10, 100]", "data.seed = [1, 2, 3, 4]")


SHARES, SETS = of_sets("shares", "speedup:ealt"), of_sets("sets", "ealt")
THREE = [
    *sets(1.0, 4.0, 2.0, 1.0, implementation=GPU[0]),
    *sets(2.0, 2.0, 2.0, 1.0, implementation=GPU[1]),
    *sets(1.0, 2.1, 4.0, 0.5),
]


@pytest.mark.parametrize(("share", "verdict"), [(0.75, REPRODUCED), (0.8, FAILED)])
def test_a_share_of_the_sets_is_within_ten_percent_of_the_better_one(bench, share, verdict):
    """1 / 1, 2 / 2.1, 2 / 4 and 1 / 0.5: three of four."""
    where = {"implementation": GPU[2]}
    found = bench.judge(THREE, SHARES, kind="share", metric="speedup:ealt", where=where, at_least=0.909, share=share)
    assert found.verdict == verdict
    assert found.measured.startswith("3 of 4 cases; 0.5000 … 2")


@pytest.mark.parametrize(("expect", "verdict"), [(1750, REPRODUCED), (17_500, FAILED)])
def test_a_mean_is_over_all_cases(bench, expect, verdict):
    """2, 2, 2 and 1 s."""
    where = {"implementation": GPU[1]}
    found = bench.judge(THREE, SETS, kind="mean", metric="ealt", where=where, expect=expect, within=2.5)
    assert found.verdict == verdict and found.measured.startswith("1750 [")


def test_curves_over_sets_show_their_median_and_range():
    pairs = [(0.1, exact(3.0)), (0.1, exact(1.0)), (0.1, exact(2.0)), (0.2, exact(5.0))]
    assert [(x, e.value, e.low, e.high) for x, e in merged(pairs)] == [(0.1, 2, 1, 3), (0.2, 5, 5, 5)]


def test_a_stair_ends_at_all_of_them():
    assert steps([3, 1, 2, 2]) == ([1, 2, 2, 3], [25, 50, 75, 100])


def test_figures_over_sets_hold_one_curve_an_implementation(bench):
    (ax,) = figures.draw(bench.view(THREE, SETS)).axes
    assert len(ax.containers) == 3, "and not one a seed"
    (ax,) = figures.draw(bench.view(THREE, SHARES)).axes
    assert set(ax.get_legend_handles_labels()[1]) == set(GPU)
    assert [text.get_text() for text in ax.texts] == ["4 sets"]


def test_a_counter_along_iterations(bench):
    (ax,) = figures.draw(bench.view(sets(1.0, 2.0), of_sets("iterations", "counter:mean_m", "xmax = 3"))).axes
    assert [list(curve.get_ydata()) for curve in ax.lines] == [[4, 3, 2]] * 2


def test_an_exhibit_that_reuses_others_keeps_the_sets_that_they_vary(bench):
    bench.exhibit(SETS, "demo/source")
    head, shown = SETS.split("[[sweep]]")[0], SETS[SETS.index("[figure]") :]
    lines = [{**one, "exhibit": "demo/source"} for one in THREE]
    assert len(bench.view(lines, f'{head}reuse = "demo/source"\n{shown}').lines) == len(THREE)


@needs_kmbench
def test_the_quick_profile_runs_the_cpus_series_and_says_why_the_gpus_are_not_there(tmp_path):
    run = ["run", "wu2011/figure6a", "--profile", "quick", "--out", tmp_path]
    succeeded(*run, CUDA_VISIBLE_DEVICES="")
    lines = lines_of(tmp_path / "wu2011.jsonl")
    measured = [one for one in lines if one["samples_s"]]
    assert {one["implementation"] for one in measured} == {"cpu/lloyd/naive", "cpu/triangle/reinforced"}
    assert all(one["skip"] for one in lines if one not in measured)
    of = {one["dataset"]["generator"]["sigma2"]: one for one in measured if "triangle" in one["implementation"]}
    assert of[0.0125]["counters"]["distances"][-1] < 0.5 * 245_760 * 32 < 0.95 * of[0.3]["counters"]["distances"][-1]
    for one in of.values():
        assert one["counters"]["distances"] == pytest.approx([245_760 * m for m in one["counters"]["mean_m"]])


TAYLOR = exhibits_of("taylor2021")
REAL = ("msd", "census1990", "susy", "higgs")


def test_printed_iterations_stand_beside_the_papers_update():
    """Every printed row of Table II, and every claim on one, has a case with the published update."""
    spec = TAYLOR["table2"].spec
    (two,) = spec["paper"]
    swept = [sweep for sweep in spec["sweep"] if "incremental" in sweep.get("set", {}).get("update", [])]
    for dataset, k, implementation, update, _ in two["rows"]:
        assert update == "incremental"
        beside = [sweep for sweep in swept if implementation == sweep["implementation"]]
        assert any(dataset in sweep["dataset"] and k in sweep["k"] for sweep in beside), (dataset, k)
    for one in spec["claim"]:
        assert "expect" not in one or one["where"]["update"] == "incremental", one["id"]


@pytest.mark.parametrize("name", sorted(TAYLOR))
def test_printed_values_are_claimed_of_real_sets_alone(name):
    """A stand-in may show a direction, but a value printed for a real set does not apply to it."""
    for one in TAYLOR[name].spec.get("claim", []):
        for side in ("where", "numerator", "denominator") if "expect" in one else ():
            assert one.get(side, {}).get("dataset", "msd") in REAL, one["id"]


def made(implementation: str, series: list[float], **fields):
    return line(
        implementation=implementation,
        n=1000,
        k=10,
        iterations=len(series),
        counters={"distances": series} if series[0] else {},
        phases={"assign": [0.001 * (i + 1) for i in range(len(series))], "update": [0.0005] * len(series)},
        **fields,
    )


def test_a_phase_within_another_counts_once():
    run = made("gpu/yinyang/group", [1.0, 1.0], prepare_s=0.002, download_s=0.001)
    whole = {**run, "phases": {**run["phases"], "centroid_data": [0.0004] * 2, "new_centroids": [0.0001] * 2}}
    for name in ("assign", "update", "other"):
        assert metric(f"time_share:{name}").of(whole, {}) == metric(f"time_share:{name}").of(run, {})
    assert metric("time_share:centroid_data").of(whole, {}).value == pytest.approx(100 * 0.0008 / 0.007)
    assert traced(whole) == traced(run)
    parts = [metric(f"time_share:{name}").of(run, {}).value for name in ("first_assign", "later_assigns")]
    assert parts == pytest.approx([100 * 0.001 / 0.007, 100 * 0.002 / 0.007])
    assert metric("time_share:first_assign").of({**run, "phases": {"fused": [1.0]}}, {}) is None


CURVES = figure("iterations", "iteration", SERIES + 'panels = "dataset"\n').replace('x = "packages"', 'x = "iteration"')


def test_curves_along_iterations_show_time_or_a_counter(bench):
    plain, filtered = made("cpu/lloyd/two_step", [0.0] * 4), made("cpu/yinyang/group", [4.0, 3.0, 2.0, 1.0])
    other = made("cpu/yinyang/group", [2.0, 1.0], dataset="other")
    first, second = figures.draw(bench.view([plain, filtered, other], CURVES)).axes
    assert [len(curve.get_ydata()) for curve in first.lines] == [4, 4]
    assert [list(curve.get_ydata()) for curve in second.lines] == [pytest.approx([1.5, 2.5])]
    counted = CURVES.replace('y = ["iteration"]', 'y = ["counter:distances"]').replace('panels = "dataset"', "")
    (ax,) = figures.draw(bench.view([plain, filtered], counted)).axes
    assert [list(curve.get_ydata()) for curve in ax.lines] == [[4, 3, 2, 1]]


@needs_kmbench
def test_quick_runs_are_exact_and_agree(tmp_path):
    """In a part of Table II's quick profile, every filter makes the iterations of plain Lloyd's."""
    few = ["--profile", "quick", "--filter", "susy_like.*k:8/", "--out", tmp_path]
    succeeded("run", "taylor2021/table2", *few, CUDA_VISIBLE_DEVICES="")
    rows = lines_of(tmp_path / "taylor2021.jsonl")
    ran = [row for row in rows if row["samples_s"]]
    cpu = [row for row in ran if row["device"] == "cpu"]
    assert {row["implementation"] for row in cpu} >= {"cpu/yinyang/group", "cpu/yinyang/global", "cpu/yinyang/local"}
    assert len({row["iterations"] for row in ran}) == 1
    assert all(row["verdict"] == "" for row in ran)
    assert all(row["grade"] == "exact" for row in cpu if "yinyang" in row["implementation"])
    assert all(row["init"]["method"] == "taylor2021" for row in rows)
