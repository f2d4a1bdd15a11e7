"""Numbers that a small slip would change. Samples are skewed, and iterations differ from max_iters."""

import math

import matplotlib
import pytest
from conftest import SERIES, TABLE, figure, printed, rows_of
from synthetic import line, skipped

from plots.draw import figures, style
from plots.read import words
from plots.read.intervals import Estimate, of_mean, of_median
from plots.read.metrics import metric
from plots.write import tables

SKEWED = [1.0, 1.1, 1.2, 1.3, 2.0, 9.0, 30.0]  # median 1.3, mean 6.5
LINE = line(samples_s=SKEWED, iterations=4, max_iters=100, work={"bytes": 26e9, "flops": 52e9}, prepare_s=0.7)
SPEEDUP = TABLE.replace('["iteration", "assign"]', '["speedup:iteration"]\nbaseline = { packages = 1 }')


@pytest.mark.parametrize(
    ("name", "value", "slip"),
    [
        ("run", 1300.0, "the mean, the best, or µs"),
        ("iteration", 325.0, "divided by max_iters"),
        ("overall", 2000.0, "prepare divided by the iterations"),
        ("iterations", 4, "max_iters"),
        ("bandwidth", 80.0, "MB/s, or of a whole run"),
        ("flop_rate", 160.0, "MFLOP/s"),
        ("end_to_end_iteration", (1.3 + 0.7 + 0.002) / 4 * 1000, "iterate alone divided"),
    ],
)
def test_value_and_unit(name, value, slip):
    assert metric(name).of(LINE, {}).value == pytest.approx(value), slip


def test_titles_name_the_units():
    titles = {name: metric(name).title for name in ("run", "bandwidth", "flop_rate", "floor_share", "peak")}
    assert titles == {
        "run": "iterate (ms)",
        "bandwidth": "bandwidth (GB/s)",
        "flop_rate": "arithmetic (GFLOP/s)",
        "floor_share": "share of the floor (%)",
        "peak": "peak memory (MiB)",
    }


def test_the_interval_keeps_its_sides():
    """The upper arm of a skewed time is longer; of a rate, one over a time, the lower arm is."""
    time, rate = metric("run").of(LINE, {}), metric("bandwidth").of(LINE, {})
    assert time.range == (1000, 30_000)
    assert rate.high - rate.value < rate.value - rate.low < rate.value
    assert (rate.low, rate.high) == pytest.approx((26 / 30 * 4, 26 / 1 * 4))


def test_a_phase_is_a_mean_and_a_run_a_median():
    assert of_median(SKEWED).value == 1.3
    assert of_mean(SKEWED).value == pytest.approx(6.514, abs=1e-3)
    phases = line(phases={"assign": [0.001, 0.001, 0.010]})
    assert metric("assign").of(phases, {}).value == pytest.approx(4)


def test_a_speedup_is_the_baseline_over_the_line(bench):
    view = bench.view([line(seconds=0.6, packages=1), line(seconds=0.2, packages=10)], SPEEDUP)
    found = {one["parameters"]["packages"]: view.value(one, "speedup:iteration").value for one in view.lines}
    assert found == pytest.approx({1: 1.0, 10: 3.0})


def test_a_ratio_is_ours_over_the_papers_in_its_unit(bench):
    text = TABLE + printed('[[1, "0.2"]]', more='units = { iteration = "s" }\n')
    view = bench.view([line(seconds=0.5, packages=1)], text)
    row = rows_of(tables.build(view))[0]
    assert row["iteration", "ours"].raw[0] == pytest.approx(100)
    assert row["iteration", "ratio"].raw[0] == pytest.approx(0.5)
    assert row["iteration", "ratio"].text == "0.500"


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


@pytest.mark.parametrize("value", [0.0, math.inf, -math.inf, math.nan, 1e-320, 1e300])
def test_every_float_has_a_text(value):
    """An interval of two runs can be infinite and a ratio 0; both are printed."""
    assert words.number(value, 3, words.decimals_for(value, 3))
    assert words.both(Estimate(1.0, value if value < 1 else 0.5, math.inf, 2, "t of logarithms"))
