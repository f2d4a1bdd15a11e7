"""wu2011: claims and figures over many sets, a quick run."""

from contextlib import nullcontext

import pytest
from built import lines_of, needs_kmbench, succeeded
from conftest import claim
from synthetic import line

from plots.decide.verdicts import FAILED, REPRODUCED
from plots.draw import figures
from plots.draw.sets import merged, steps
from plots.errors import UserError
from plots.read.intervals import exact

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


FIGURE = """
kind = "figure"
title = "made up"
[[sweep]]
implementation = "gpu/triangle/hybrid"
dataset = "balls"
data.seed = [1, 2, 3, 4]
[figure]
style = "{style}"
x = "sigma2"
sets = "seed"
y = ["{y}"]
series = ["implementation"]
baseline = {{ implementation = ["gpu/triangle/standard", "gpu/triangle/reinforced"] }}
"""
SHARES, SETS = FIGURE.format(style="shares", y="speedup:ealt"), FIGURE.format(style="sets", y="ealt")
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


@pytest.mark.parametrize(("share", "fits"), [(0, False), (0.5, True), (1, True), (1.01, False)])
def test_a_share_is_above_0_and_at_most_1(bench, share, fits):
    text = SETS + claim(f'kind = "share"\nmetric = "ealt"\nat_least = 1\nshare = {share}')
    with nullcontext() if fits else pytest.raises(UserError, match="a share, above 0 and at most 1 is needed"):
        bench.exhibit(text)


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
    text = FIGURE.format(style="iterations", y="counter:mean_m").replace('sets = "seed"', "xmax = 3")
    (ax,) = figures.draw(bench.view(sets(1.0, 2.0), text)).axes
    assert [list(curve.get_ydata()) for curve in ax.lines] == [[4, 3, 2]] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FIGURE.format(style="line", y="ealt"), "belongs to the styles sets and shares"),
        (SETS.replace('sets = "seed"', ""), "belongs to the styles sets and shares"),
        (FIGURE.format(style="iterations", y="ealt").replace('sets = "seed"', ""), "along iterations"),
    ],
)
def test_an_impossible_figure_is_refused(bench, text, said):
    with pytest.raises(UserError, match=said):
        bench.exhibit(text)


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
