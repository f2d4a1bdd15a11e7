"""Readable pictures and tables: plain numbers, room for every mark, texts that fit, columns that fit. The map of
winners: which implementation a cell shows."""

import math
import re
from itertools import combinations, pairwise

import matplotlib
import pytest
from conftest import ROOT, SERIES, TABLE, cases, claim, figure, printed
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from synthetic import line, skipped, wrong

from plots.draw import axes, figures, style
from plots.draw.best_map import best_of
from plots.read.exhibits import read_toml
from plots.write import tables

PAPER = printed('[["10", "900"], [1, "20"]]', metrics="assign")
RATIO = 'kind="ratio"\nmetric="assign"\nnumerator={packages=1}\ndenominator={packages=10}\n'


def shown(style: str, more: str = "") -> str:
    return figure(style, "assign", SERIES + more)


def test_numbers_of_a_logarithmic_axis_are_plain():
    said = [axes.tick(value) for value in (0.006, 0.1, 1, 20, 10_000, 0.00002)]
    assert said == ["0.006", "0.1", "1", "20", "10,000", "2e-05"]


def test_a_flat_curve_is_not_drawn_as_a_mountain():
    ax = Figure().subplots()
    ax.plot([1, 2, 3], [5.18, 5.194, 5.19])
    axes.log_height(ax)
    low, high = ax.get_ylim()
    assert high / low >= axes.LEAST_RANGE


def test_colliding_labels_are_left_out():
    assert axes.readable([0, 10, 10.1, 20], ["4", "1000", "1024", "2000"], 260, True) == [0, 1, 3]


def test_names_at_the_ends_stay_apart_and_inside():
    found = axes.apart([0.5, 0.5, 0.99, 1.0, -3.0], 0.1)
    assert found == pytest.approx([0.5, 0.6, 0.9, 1.0, 0.0])


def test_a_note_is_broken_at_its_dots_and_stays_inside_the_figure():
    made = Figure(figsize=(4, 2))
    axes.note(made, " · ".join(f"value {i} = 1,000,000" for i in range(6)))
    lines = made.get_suptitle().split("\n")
    assert len(lines) > 1 and all(text.endswith("·") for text in lines[:-1]) and max(map(len, lines)) < 4 * 72 / 3.5
    made = Figure(figsize=(8, 2))
    axes.note(made, ", ".join(["134217728"] * 40))
    assert made._suptitle.get_window_extent(FigureCanvasAgg(made).get_renderer()).x1 < 8 * made.dpi


def test_a_papers_mark_above_all_bars_is_inside_the_axes(bench):
    (ax,) = figures.draw(bench.view([line(packages=1), line(packages=10)], shown("bar", PAPER))).axes
    assert ax.get_ylim()[1] > 900


def test_a_single_bar_stands_over_its_tick(bench):
    lines = [line(packages=1), line(packages=1, implementation="cpu/lloyd/naive"), line(packages=10)]
    (ax,) = figures.draw(bench.view(lines, shown("bar"))).axes
    middles = sorted(bar.get_x() + bar.get_width() / 2 for bar in ax.patches)
    assert middles[0] < 0 < middles[1] and middles[2] == 1


def test_a_figure_of_the_papers_values_alone_says_so_and_names_them(bench):
    made = figures.draw(bench.view([], shown("bar", PAPER)))
    assert "Nothing of this was measured on demo" in made.get_suptitle()


def test_a_logarithmic_axis_has_dots_and_no_bars(bench):
    (ax,) = figures.draw(bench.view([line(packages=1), line(packages=10)], shown("bar", "logy = true\n" + PAPER))).axes
    assert ax.get_yscale() == "log" and not ax.patches
    named = shown("bar", "logy = true\n").replace('x = "packages"', 'x = "implementation"')
    lines = [line(packages=1), wrong("off", implementation="cpu/b")]
    made = figures.draw(bench.view(lines, named.replace('series = ["implementation"]', "")))
    assert made.axes[0].get_xscale() == "log" and not made.axes[0].patches
    assert {label.get_text() for label in made.axes[0].get_yticklabels()} == {"cpu/b", "cpu/lloyd/two_step"}
    assert "wrong" in [text.get_text() for text in made.axes[0].texts]


def test_a_missing_case_breaks_the_curve_and_is_named(bench):
    made = figures.draw(bench.view([line(packages=p) for p in (1, 100)], shown("line")))
    assert "× no time, by packages: 10 (not run)." in made.get_suptitle()
    some = figures.draw(bench.view([line(packages=1)], shown("line").replace("[1, 10, 100]", "[1, 2, 3, 4, 5]")))
    assert "× no time, by packages: 4 values (not run)." in some.get_suptitle()
    (bars,) = made.axes[0].containers
    assert math.isnan(bars.lines[0].get_ydata()[1]) and len(bars.lines[0].get_ydata()) == 3


def test_a_gap_of_many_sets_is_marked_on_the_axis_and_breaks_no_line(bench):
    text = shown("sets").replace('x = "packages"', 'x = "packages"\nsets = "seed"')
    (ax,) = figures.draw(bench.view([line(packages=p) for p in (1, 100)], text)).axes
    marks = [list(one.get_xdata()) for one in ax.lines if one.get_marker() == "x"]
    assert marks == [[10]]
    assert not any(math.isnan(y) for bars in ax.containers for y in bars.lines[0].get_ydata())


def test_a_ratio_in_the_papers_text_is_a_mark_on_our_scale(bench):
    view = bench.view([line(packages=1), line(packages=10)], shown("line", claim(f"{RATIO}expect=3\nwithin=2")))
    (curve,), value = figures.arrange(view)[0].curves, view.value(view.lines[1], "assign").value
    assert curve.stated["assign"] == [(1, pytest.approx(3 * value))]


def test_bounds_in_the_papers_text_are_a_band_and_a_mean_is_a_line(bench):
    mean = claim('kind="mean"\nmetric="assign"\nexpect=7\nwithin=2\nwhere={}', "m", "mean")
    asked = claim(f"{RATIO}at_least=1\nat_most=3") + mean
    view = bench.view([line(packages=1), line(packages=10)], shown("line", asked))
    (curve,), value = figures.arrange(view)[0].curves, view.value(view.lines[1], "assign").value
    assert curve.bands["assign"] == [(1, pytest.approx(value), pytest.approx(3 * value))] and not curve.stated
    (ax,) = figures.draw(view).axes
    assert {"mean in the paper's text", style.BAND["label"]} <= set(ax.get_legend_handles_labels()[1])


def test_the_roofline_has_a_mark_for_every_implementation(bench):
    text = shown("roofline").replace('["assign"]', '["flop_rate"]')
    lines = [line(packages=1), line(packages=1, implementation="cpu/lloyd/naive", seconds=0.4)]
    view = bench.view(lines, text)
    assert figures.draw(view) is None  # no ceilings measured
    view.machine.record["floor"] = {"cpu": {"bytes_per_s": 1e10, "flops_per_s": {"fp32": 1e11}}}
    (ax,) = figures.draw(view).axes
    assert sorted(text.get_text() for text in ax.texts) == ["lloyd/naive", "lloyd/two_step", "multiply-adds"]
    view.machine.record["ceilings"] = {"cpu": {"tensor_bf16_gflops": 1000.0}}
    (ax,) = figures.draw(view).axes
    assert "tensor cores, bf16" in [text.get_text() for text in ax.texts]


def test_parts_of_a_stack_differ_in_grey():
    def grey(colour):
        return sum(w * int(colour[i : i + 2], 16) for w, i in ((0.299, 1), (0.587, 3), (0.114, 5)))

    shades = sorted(grey(style.COLOURS[name]) for name in ("assign", "update", "transfer"))
    assert min(b - a for a, b in pairwise(shades)) > 40


def test_a_case_without_a_time_is_marked_in_a_stack(bench):
    made = figures.draw(bench.view([line(packages=1), wrong("off", packages=10)], shown("stacked")))
    assert "wrong" in [text.get_text() for text in made.axes[0].texts]


def test_the_figure_grows_with_its_legend(bench):
    names = [f"cpu/lloyd/{name * 24}" for name in "abcdefghijklmnop"]
    lines = [line(packages=p, implementation=name) for name in names for p in (1, 10)]
    few, many = (figures.draw(bench.view(some, shown("line"))) for some in (lines[:2], lines))
    assert many.get_size_inches()[1] > few.get_size_inches()[1] + 1


def test_nothing_of_a_wrong_run_is_shown_or_claimed(bench):
    line_ = {**wrong("off", packages=1), "wrong_labels": 0, "judged_points": 10, "iterations": 5}
    view = bench.view([line_, line(packages=10)])
    assert all(view.value(view.lines[i], "wrong_labels") is None for i in range(2) if view.lines[i]["verdict"])
    bound = bench.judge([line_], kind="bound", metric="wrong_labels", at_most=0)
    assert bound.verdict == "not comparable"


def test_one_printed_value_is_shown_once(bench):
    twice = (printed('[["20", "1"]]', "threads", more=f'match = {{ threads = {{ "20" = {to} }} }}\n') for to in (0, 7))
    text = TABLE.replace('["packages"]', '["threads"]') + "".join(twice)
    table = tables.build(bench.view([line(packages=1, threads=0)], text))
    assert len(table.rows) == 1
    table = tables.build(bench.view([skipped("no", packages=1, threads=1)], text))
    assert len(table.rows) == 2, "without a line of ours the paper's row is shown"


SKEWED = [1.0, 1.1, 1.2, 1.3, 2.0, 9.0, 30.0]


def bars_of(ax):
    """The drawn error bars as (low, high) by x, in any kind of plot."""
    segments = [s for c in ax.collections if hasattr(c, "get_segments") for s in c.get_segments() if len(s)]
    return {round(float(s[0][0]), 6): (float(s[0][1]), float(s[-1][1])) for s in segments}


@pytest.mark.parametrize("kind", ["line", "bar"])
def test_error_bars_point_to_their_bounds(bench, kind):
    view = bench.view([line(samples_s=SKEWED, packages=1)], figure(kind, "run", SERIES))
    (ax,) = figures.draw(view).axes
    ((low, high),) = bars_of(ax).values()
    assert (low, high) == pytest.approx((1000, 30_000))


def test_a_figure_draws_the_values_of_its_table(bench):
    lines = [line(seconds=s, packages=p) for s, p in ((0.3, 1), (0.1, 10), (0.2, 100))]
    (ax,) = figures.draw(bench.view(lines, figure("line", "run", SERIES))).axes
    (curve,) = [shown for shown in ax.lines if shown.get_linestyle() != "None" and len(shown.get_xdata()) == 3]
    assert dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True)) == pytest.approx({1: 300, 10: 100, 100: 200})


def test_two_curves_of_one_implementation_differ_in_their_dash(bench):
    text = figure("line", "run", 'series = ["implementation", "threads"]\n')
    lines = [line(packages=p, threads=t, implementation=i) for p in (1, 10) for t in (1, 2) for i in ("cpu/a", "cpu/b")]
    (ax,) = figures.draw(bench.view(lines, text)).axes
    shown = [curve for curve in ax.lines if len(curve.get_xdata()) == 2 and curve.get_linestyle() != "None"]
    looks = {(curve.get_color(), curve.get_marker(), str(curve.get_linestyle())) for curve in shown}
    assert (len(shown), len(looks), len({color for color, _, _ in looks})) == (4, 4, 2)


PANELS = figure("bar", "run", SERIES + 'panels = "dataset"\n')


def test_an_empty_panel_is_dropped_and_the_legend_names_the_drawn_bars(bench):
    named = [(p, f"cpu/lloyd/{p}") for p in (1, 10)]
    lines = [skipped("not fetched", packages=p, dataset="first", implementation=name) for p, name in named]
    lines += [line(packages=p, dataset="second", implementation=name) for p, name in named]
    figure = figures.draw(bench.view(lines, PANELS))
    (ax,), (legend,) = figure.axes, figure.legends
    assert (ax.get_title(loc="left") or ax.get_title()) == "second"
    bars = [one for one in ax.containers if getattr(one, "patches", None)]
    drawn = {one.get_label(): one.patches[0].get_facecolor() for one in bars}
    handles = zip(legend.get_texts(), legend.legend_handles, strict=True)
    assert {text.get_text(): handle.get_facecolor() for text, handle in handles} == drawn


def test_a_name_has_one_colour_in_every_panel(bench):
    """Names that hash to one colour once swapped it between panels under one legend."""
    names = [f"cpu/lloyd/a{i}" for i in range(40)]
    place = {name: style.digest(name) % len(style.PALETTE) for name in names}
    one, two = next(pair for pair in combinations(names, 2) if place[pair[0]] == place[pair[1]])
    lines = [
        line(packages=1, dataset=dataset, implementation=name) for dataset, name in (("first", two), ("second", one))
    ]
    lines.append(line(packages=1, dataset="second", implementation=two))
    bars = [one for ax in figures.draw(bench.view(lines, PANELS)).axes for one in ax.containers]
    drawn = {(one.get_label(), one.patches[0].get_facecolor()) for one in bars if getattr(one, "patches", None)}
    assert [len(drawn), *(len(set(part)) for part in zip(*drawn, strict=True))] == [2, 2, 2]
    assert matplotlib.get_backend().lower() == "agg"


MAP = figure("map", "iteration", 'down = ["d", "n"]\n' + SERIES).replace('x = "packages"', 'x = "k"')
HEAT = MAP.replace('"map"', '"heat"').replace(SERIES, 'panels = "implementation"\n')

CHOICES = """kind = "table"
title = "choices"
table = { rows = ["implementation"], columns = ["iteration", "counter:choice"] }
"""


def rival(name, seconds, **fields):
    return line(implementation=f"cpu/lloyd/{name}", seconds=seconds, **fields)


@cases(
    "lines more winner close",
    ([rival("a", 0.1), rival("b", 0.2)], "", "cpu/lloyd/a", False),
    ([rival("a", 0.1, grade="coarse"), rival("b", 0.2)], "", "cpu/lloyd/b", False),
    ([rival("a", 0.1, grade="coarse"), rival("b", 0.2)], "rounding = true\n", "cpu/lloyd/a", False),
    ([rival("a", 0.1), rival("b", 0.1001)], "", "cpu/lloyd/a", True),
    ([rival("a", 0.1, verdict="wrong"), rival("b", 0.2)], "", "cpu/lloyd/b", False),
    ([rival("a", 0.1, grade="coarse")], "", "", False),
)
def test_a_cell_shows_the_fastest_right_one_and_a_coarse_one_only_of_rounding(bench, lines, more, winner, close):
    cell = best_of(bench.view(lines, MAP + more), lines, "iteration")
    assert (cell.winner, cell.close) == (winner, close)
    assert (cell.value is None) == (winner == "")


def test_every_cell_is_drawn_and_every_winner_named_once(bench):
    cells = [(k, n) for k in (4, 64) for n in (100, 1000, 10_000)]
    lines = [rival("a" if n < 1000 else "b", s, k=k, n=n) for k, n in cells for s in (0.1, 0.1)][::2]
    figure = figures.draw(bench.view(lines, MAP))
    (ax,) = figure.axes
    assert len(ax.patches) == len(cells)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["4", "64"]
    assert ax.get_yticklabels()[0].get_text() == "d = 4, n = 100"
    named = [text.get_text() for text in ax.texts if text.get_text() in ("a", "b")]
    assert sorted(named) == ["a", "a", "b", "b", "b", "b"]


def test_auto_is_named_by_its_choice(bench):
    labels = '[labels."counter:choice"]\n2 = "gpu/lloyd/single_pass"\n'
    lines = [rival("auto", 0.1, counters={"choice": [0, 0, 0, 0, 10.0]}), rival("b", 0.2)]
    assert best_of(bench.view(lines, MAP + labels), lines, "iteration").winner == "gpu/lloyd/single_pass"
    table = tables.build(bench.view(lines, CHOICES + labels))
    assert [row[-1].text for row in table.rows] == ["gpu/lloyd/single_pass", "–"]


def test_the_names_of_choices_are_those_of_auto():
    sources = [(ROOT / f"impl/{device}/lloyd/auto.cpp").read_text() for device in ("gpu", "cpu")]
    listed = dict(re.findall(r'\{(\d+), "(\w+/\w+/\w+)"', "".join(sources)))
    assert read_toml(ROOT / "papers/ours/paper.toml")["labels"]["counter:choice"] == listed


def test_a_map_without_times_is_no_figure(bench):
    skipped = rival("a", 0.1, samples_s=[], verdict=None, skip="no GPU", iterations=None)
    for text in (MAP, HEAT):
        assert figures.draw(bench.view([skipped, wrong("point 3 has label 1", k=8)], text)) is None


def test_a_heat_of_shares_frames_no_zero_and_draws_the_labels_of_its_rows_once(bench):
    shares = {"a": (0, 0), "b": (0, 7), "c": (3, 5)}
    lines = [
        rival(who, 0.1, k=k, wrong_labels=w) for who, both in shares.items() for k, w in zip((4, 64), both, strict=True)
    ]
    figure = figures.draw(bench.view(lines, HEAT.replace('"iteration"', '"wrong_share"')))
    shown = [{text.get_position()[0]: text.get_text() for text in ax.texts} for ax in figure.axes]
    assert shown == [{0: "0", 1: "0"}, {0: "0", 1: "0.700"}, {0: "0.300", 1: "0.500"}]
    assert [sum(not patch.get_fill() for patch in ax.patches) for ax in figure.axes] == [0, 0, 1]
    assert [bool(ax.get_yticklabels()[0].get_text()) for ax in figure.axes] == [True, False, False]
