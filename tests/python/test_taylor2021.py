"""taylor2021: cases beside its printed values, phases within others, curves along iterations, a quick run."""

import pytest
from built import lines_of, needs_kmbench, succeeded
from conftest import exhibits_of
from synthetic import line

from plots.draw import figures
from plots.errors import UserError
from plots.read.metrics import metric
from plots.read.times import traced

PAPER = exhibits_of("taylor2021")
REAL = ("msd", "census1990", "susy", "higgs")


def test_printed_iterations_stand_beside_the_papers_update():
    """Every printed row of Table II, and every claim on one, has a case with the published update."""
    spec = PAPER["table2"].spec
    (two,) = spec["paper"]
    swept = [sweep for sweep in spec["sweep"] if "incremental" in sweep.get("set", {}).get("update", [])]
    for dataset, k, implementation, update, _ in two["rows"]:
        assert update == "incremental"
        beside = [sweep for sweep in swept if implementation == sweep["implementation"]]
        assert any(dataset in sweep["dataset"] and k in sweep["k"] for sweep in beside), (dataset, k)
    for claim in spec["claim"]:
        assert "expect" not in claim or claim["where"]["update"] == "incremental", claim["id"]


@pytest.mark.parametrize("name", sorted(PAPER))
def test_printed_values_are_claimed_of_real_sets_alone(name):
    """A stand-in may show a direction, but a value printed for a real set does not apply to it."""
    for claim in PAPER[name].spec.get("claim", []):
        if "expect" in claim:
            for side in ("where", "numerator", "denominator"):
                assert claim.get(side, {}).get("dataset", "msd") in REAL, claim["id"]


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


FIGURE = """
kind = "figure"
title = "made up"
[[sweep]]
implementation = ["cpu/lloyd/two_step", "cpu/yinyang/group"]
dataset = ["balls", "other"]
[figure]
style = "iterations"
x = "iteration"
y = ["iteration"]
series = ["implementation"]
panels = "dataset"
"""


def test_curves_along_iterations_show_time_or_a_counter(bench):
    plain, filtered = made("cpu/lloyd/two_step", [0.0] * 4), made("cpu/yinyang/group", [4.0, 3.0, 2.0, 1.0])
    other = made("cpu/yinyang/group", [2.0, 1.0], dataset="other")
    first, second = figures.draw(bench.view([plain, filtered, other], FIGURE)).axes
    assert [len(curve.get_ydata()) for curve in first.lines] == [4, 4]
    assert [list(curve.get_ydata()) for curve in second.lines] == [pytest.approx([1.5, 2.5])]
    counted = FIGURE.replace('y = ["iteration"]', 'y = ["counter:distances"]').replace('panels = "dataset"', "")
    (ax,) = figures.draw(bench.view([plain, filtered], counted)).axes
    assert [list(curve.get_ydata()) for curve in ax.lines] == [[4, 3, 2, 1]]


def test_a_metric_without_a_course_is_refused(bench):
    with pytest.raises(UserError, match="along iterations"):
        bench.exhibit(FIGURE.replace('y = ["iteration"]', 'y = ["run"]'))


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
