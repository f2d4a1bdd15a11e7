"""Readable pictures and tables: plain numbers, room for every mark, texts that fit, columns that fit."""

import math
from itertools import pairwise

import matplotlib
import pytest
from conftest import SERIES, TABLE, claim, figure, printed
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from synthetic import line, skipped, wrong

from plots.draw import axes, figures, style
from plots.write import latex, table_formats, tables
from plots.write.tables import Cell, Column, Table

PAPER = printed('[["10", "900"], [1, "20"]]', metrics="assign")


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


def test_a_note_is_broken_at_its_dots_and_ends_with_the_figure():
    made = Figure(figsize=(4, 2))
    axes.note(made, " · ".join(f"value {i} = 1,000,000" for i in range(6)))
    lines = made.get_suptitle().split("\n")
    assert len(lines) > 1 and all(text.endswith("·") for text in lines[:-1]) and max(map(len, lines)) < 4 * 72 / 3.5


def test_a_note_of_digits_stays_inside_the_figure():
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
    sides = "numerator={packages=1}\ndenominator={packages=10}"
    asked = claim(f'kind="ratio"\nmetric="assign"\nexpect=3\nwithin=2\n{sides}')
    view = bench.view([line(packages=1), line(packages=10)], shown("line", asked))
    (curve,) = figures.arrange(view)[0].curves
    assert curve.stated["assign"] == [(1, pytest.approx(3 * view.value(view.lines[1], "assign").value))]


def test_bounds_in_the_papers_text_are_a_band_and_a_mean_is_a_line(bench):
    sides = "numerator={packages=1}\ndenominator={packages=10}"
    asked = claim(f'kind="ratio"\nmetric="assign"\nat_least=1\nat_most=3\n{sides}')
    mean = '[[claim]]\nid="m"\ntext="mean"\nkind="mean"\nmetric="assign"\nexpect=7\nwithin=2\nwhere={}\n'
    view = bench.view([line(packages=1), line(packages=10)], shown("line", asked + mean))
    (curve,) = figures.arrange(view)[0].curves
    value = view.value(view.lines[1], "assign").value
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


def test_names_at_the_ends_stay_apart_and_inside():
    found = axes.apart([0.5, 0.5, 0.99, 1.0, -3.0], 0.1)
    assert found == pytest.approx([0.5, 0.6, 0.9, 1.0, 0.0])


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


def wide(metrics: int) -> Table:
    columns = [Column("n", "field", "n")]
    for i in range(metrics):
        columns += [Column(f"m{i}", role, f"m{i} (ms)") for role in ("ours", "paper", "ratio")]
    three = [Cell("1.5", "1, 2", raw=(1.5, 1, 2)), Cell("3", raw=("3",)), Cell("0.5", raw=(0.5,))]
    return Table("t", "T", columns, [[Cell("4", raw=(4,)), *three * metrics]], [], [])


def test_a_wide_table_has_the_paper_beneath_ours():
    narrow, broad = (table_formats.markdown(wide(n)).split("\n")[2:] for n in (2, 6))
    assert narrow[2] == "| 4 |" + " 1.5 <sub>[1, 2]</sub> | 3 | 0.5 |" * 2
    assert broad[0] == "| n |" + "".join(f" m{i} (ms)<br><sub>paper · ratio</sub> |" for i in range(6))
    assert broad[2] == "| 4 |" + " 1.5 <sub>[1, 2]</sub><br><sub>3 · 0.5</sub> |" * 6


def test_many_parts_in_latex_end_their_pages():
    text = latex.latex(wide(80))
    runs = [part.count(r"\begin{table}") for part in text.split(r"\clearpage")]
    assert len(runs) > 1 and max(runs) <= latex.FLOATS


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
    lines = [skipped("not fetched", packages=p, dataset="first", implementation=f"cpu/lloyd/{p}") for p in (1, 10)]
    lines += [line(packages=p, dataset="second", implementation=f"cpu/lloyd/{p}") for p in (1, 10)]
    figure = figures.draw(bench.view(lines, PANELS))
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == ["second"]
    (legend,) = figure.legends
    drawn = {
        container.get_label(): container.patches[0].get_facecolor()
        for container in figure.axes[0].containers
        if hasattr(container, "patches") and container.patches
    }
    shown = dict(zip([t.get_text() for t in legend.get_texts()], legend.legend_handles, strict=True))
    assert shown.keys() == drawn.keys()
    assert all(shown[name].get_facecolor() == colour for name, colour in drawn.items())


def test_a_name_has_one_colour_in_every_panel(bench):
    """Names that hash to one colour once swapped it between panels under one legend."""
    names = [f"cpu/lloyd/a{i}" for i in range(40)]
    by_first = {}
    for name in names:
        by_first.setdefault(style.digest(name) % len(style.PALETTE), []).append(name)
    one, two, *_ = next(group for group in by_first.values() if len(group) > 1)
    lines = [line(packages=1, dataset="first", implementation=two)]
    lines += [line(packages=1, dataset="second", implementation=name) for name in (one, two)]
    figure = figures.draw(bench.view(lines, PANELS))
    colours = {}
    for ax in figure.axes:
        for container in ax.containers:
            if getattr(container, "patches", None):
                colours.setdefault(container.get_label(), set()).add(container.patches[0].get_facecolor())
    assert len(colours) == 2
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == 2
    assert matplotlib.get_backend().lower() == "agg"
