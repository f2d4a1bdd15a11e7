"""plots history: medians by commit, and the commits at which their level changes. plots show: ad hoc lines, or those of
any file, as a table and a plot."""

import re

import numpy as np
import pytest
import synthetic
from conftest import cases
from synthetic import line, wrong

from plots.decide.levels import FEWEST, change_points
from plots.read import history
from plots.read.check import line as checked
from plots.write import history as text
from plots.write import show


def lines(values: list[float], **fields) -> list[dict]:
    """A line per commit, a day apart. The order of the commits is not alphabetical."""
    return [
        line(None, seconds, commit=f"{(i * 37) % 100:02}abcdef0123", date=f"2024-02-{i + 1:02}T00:00:00Z", **fields)
        for i, seconds in enumerate(values)
    ]


def noisy(levels: list[float], each: int, noise: float, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.repeat(levels, each) * np.exp(random.normal(0, noise, len(levels) * each))


@pytest.mark.parametrize("seed", range(5))
def test_levels_begin_where_they_do(seed):
    assert change_points(noisy([1, 1.3], 8, 0.02, seed)) == [8]
    assert change_points(noisy([1, 1.3, 0.9], 12, 0.02, seed)) == [12, 24]


def test_noise_has_one_level():
    """A split has a 1% false-alarm rate, so few of 300 series without a change have one."""
    marked = sum(bool(change_points(noisy([1], 20, 0.1, seed))) for seed in range(300))
    assert marked <= 9


def test_one_wild_value_is_no_level():
    assert change_points([1.0, 1.1, 1.05, 1.02, 50, 1.04, 1.07, 1.03, 1.01, 1.06, 1.08, 1.09]) == []


def test_few_commits_show_no_level():
    steps = [1.0] * (FEWEST // 2) + [9.0] * (FEWEST - FEWEST // 2)
    assert change_points(steps) == [FEWEST // 2]
    assert change_points(steps[1:]) == []
    assert change_points([1.0] * 3 + [9.0] * 8) == [3], "9 of 999 shuffled orders split as well, so p is 1%"
    assert change_points([]) == change_points([1.0] * 30) == []


def test_a_series_is_by_commit_in_the_order_of_measuring():
    again = {"commit": "00abcdef0123", "exhibit": None}  # the first commit
    made = [*lines([3, 2, 1])[::-1], line(seconds=7, date="2024-03-01T00:00:00Z", **again)]
    made += [line(seconds=9, date="2024-03-02T00:00:00Z", dirty=True, **again)]
    made += [{**wrong("no"), "exhibit": None, "commit": "badbadbadbad", "samples_s": [5.0]}]
    (one,) = history.series([*made, line(None, 5, commit="coarsecoarse", grade="coarse")])
    assert list(one.medians) == ["00abcdef01", "37abcdef01", "74abcdef01", "00abcdef01+"]
    assert [median.value for median in one.medians.values()] == pytest.approx([7, 2, 1, 9], rel=0.02)


def test_the_table_and_the_figure(tmp_path, output):
    values = [1.0, 1.02, 0.99, 1.01, 1.0, 1.03, 1.31, 1.29, 1.3, 1.33, 1.3, 1.28]
    synthetic.write(tmp_path / "results", "demo-2.5ghz", [*lines(values), *lines([1.0] * 12, k=9), line(None, k=77)])
    shown = output("history", "--results", tmp_path / "results", "--out", tmp_path / "out")
    bars = re.search(r"^\| cpu/lloyd/two_step \| 2 \| [▁▂]{6}[▆▇█]{6} \|", shown, re.MULTILINE)
    assert bars and bars.start() < shown.index("Figure: ") < shown.index("| commits |")
    assert "22abcdef01 ×1.29" in shown, "the seventh commit, by the medians before and after"
    assert "| none |" in shown and "2 cases" in shown, "a case of one commit has no history"
    endings = {file.name.removeprefix("history-demo-2.5ghz") for file in (tmp_path / "out").iterdir()}
    assert endings == {".md", ".csv", ".tex", ".svg", ".pdf", ".png"}
    assert (tmp_path / "out/history-demo-2.5ghz.csv").read_text().startswith("implementation,case,commits,first,")


def test_few_commits_have_no_column_of_levels_and_the_largest_changes_are_shown(tmp_path, output):
    many = [one for k in range(2, 32) for one in lines([1.0, 1 + k / 100], k=k)]
    synthetic.write(tmp_path / "results", "demo", many)
    command = ["history", "--results", tmp_path / "results", "--out", tmp_path]
    shown = output(*command)
    assert "another level from" not in shown and "from 11 commits on" in shown and "10 cases changed less" in shown
    assert "| k:31 |" in shown.replace("/", " |") and "changed less" not in output(*command, "--all")


@cases(
    "values drawn", ([1, 2, 4], "▁▅█"), ([1, None, 1], "▁·▁"), ([1, 1.01, 1], "▁▂▁"), ([3], "▁"), ([None, None], "··")
)
def test_bars_are_logarithmic_and_no_percent_is_a_cliff(values, drawn):
    assert text.bars(values) == drawn


def sweep():
    return [
        line(exhibit=None, n=n, hash=f"{n:032x}", seconds=n * s, implementation=f"cpu/lloyd/{name}")
        for n in (1000, 10_000, 100_000)
        for name, s in (("naive", 3e-6), ("two_step", 1e-6))
    ]


def test_ad_hoc_lines_are_a_table_and_a_plot(bench, tmp_path, output):
    bench.run([*sweep(), line()])
    out = output("show", "adhoc", "--results", bench.results, "--out", tmp_path / "out")
    assert out.count("| cpu/lloyd/") == 6
    assert "**20.00**" in out
    assert {p.suffix for p in (tmp_path / "out").iterdir()} == {".md", ".csv", ".svg", ".png"}


def test_a_file_shows_everything_in_it(bench, tmp_path, output):
    bench.run([line(packages=1), line(exhibit="demo/other", packages=2), wrong("label 3", packages=3)])
    out = output("show", bench.results / "demo" / "demo.jsonl", "--out", tmp_path / "out")
    assert "wrong: label 3" in out
    assert out.count("\n| ") == 3 + 1


def test_tuned_values_are_named(bench, tmp_path, output):
    bench.run([line(None, threads=4, tuned="exact"), line(None, k=77, threads=2)])
    out = output("show", "adhoc", "--results", bench.results, "--out", tmp_path / "out")
    assert "cpu/lloyd/two_step, --tuned (exact): threads = 4." in out and "threads = 2." not in out


def test_settings_of_a_generator_may_vary(bench, tmp_path, output):
    of = {0.1: "1" * 32, 0.2: "2" * 32}
    bench.run([line(exhibit=None, generator={"sigma2": s}, hash=points, source=points) for s, points in of.items()])
    assert "Left out" not in output("show", "adhoc", "--results", bench.results, "--out", tmp_path)


def test_the_axis_is_the_most_varied_number():
    lines = [checked(made, "made up", {}) for made in sweep()]
    figure = show.layout(lines)
    assert (figure["x"], figure["series"], figure["style"], figure["logx"]) == ("n", ["implementation"], "line", True)
    assert show.layout(lines[:2])["x"] == "implementation"
