"""The map of winners: which implementation a cell shows."""

import re

from conftest import ROOT, SERIES, cases, figure
from synthetic import line, wrong

from plots.draw import figures
from plots.draw.best_map import best_of
from plots.read.exhibits import read_toml
from plots.write import tables

MAP = figure("map", "iteration", 'down = ["d", "n"]\n' + SERIES).replace('x = "packages"', 'x = "k"')
HEAT = MAP.replace('"map"', '"heat"').replace(SERIES, 'panels = "implementation"\n')

TABLE = """kind = "table"
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
    table = tables.build(bench.view(lines, TABLE + labels))
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
