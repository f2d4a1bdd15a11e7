"""Grades: a coarse time is shown and marked, is never the best, and no claim rests on it."""

import conftest
import pytest
import synthetic
from conftest import TABLE, figure
from synthetic import line, of_schema

from plots.decide.verdicts import INCOMPARABLE, REPRODUCED
from plots.draw import figures, style
from plots.write import latex, table_formats, tables

RIVALS = conftest.RIVALS.replace('"assign"]', '"wrong_share", "grade"]')
RATIO = {**synthetic.RATIO, "at_least": 0.5}
ROUNDING = TABLE.replace("[table]", "[table]\nrounding = true")


def rivals(**fast):
    return [line(seconds=0.2, packages=1), line(seconds=0.1, packages=1, implementation="cpu/lloyd/naive", **fast)]


def cells(view):
    table = tables.build(view)
    return table, {row[0].text: dict(zip([c.name for c in table.columns], row, strict=True)) for row in table.rows}


def test_the_best_is_marked_but_no_coarse_one(bench):
    _, rows = cells(bench.view(rivals(), RIVALS))
    assert rows["cpu/lloyd/naive"]["iteration"].best
    table, rows = cells(bench.view(rivals(grade="coarse", wrong_labels=510), RIVALS))
    fast, slow = rows["cpu/lloyd/naive"], rows["cpu/lloyd/two_step"]
    assert (fast["iteration"].doubt == "coarse", fast["iteration"].best, slow["iteration"].best) == (True, False, True)
    assert (fast["wrong_share"].text, fast["grade"].text, slow["grade"].text) == ("51", "coarse", "rounded")
    assert any("† coarse" in remark and "51%" in remark for remark in table.remarks)


def test_the_best_of_a_rate_is_the_highest(bench):
    _, rows = cells(bench.view(rivals(), RIVALS.replace('"wrong_share"', '"bandwidth"')))
    best = {name: [metric for metric, cell in row.items() if cell.best] for name, row in rows.items()}
    assert best == {"cpu/lloyd/naive": ["iteration", "bandwidth"], "cpu/lloyd/two_step": []}


def test_noise_leaves_the_best_open(bench):
    near = [line(seconds=s, packages=1, implementation=f"cpu/lloyd/{name}") for s, name in ((0.1, "a"), (0.1001, "b"))]
    _, rows = cells(bench.view(near, RIVALS))
    assert not any(row["iteration"].best for row in rows.values())


def test_an_older_line_has_no_grade_and_no_mark(bench):
    table, rows = cells(bench.view([of_schema(1, made) for made in rivals()], RIVALS))
    assert rows["cpu/lloyd/naive"]["iteration"].best
    assert "grade" not in rows["cpu/lloyd/naive"]
    assert not any("coarse" in remark for remark in table.remarks)


def test_every_format_marks_it(bench):
    table, _ = cells(bench.view(rivals(grade="coarse"), RIVALS))
    for text, mark in (
        (table_formats.markdown(table), "†"),
        (latex.latex(table), r"$^\dagger$"),
        (table_formats.csv_text(table), ",coarse"),
    ):
        assert mark in text


def test_a_speedup_over_a_coarse_baseline_is_marked(bench):
    text = TABLE.replace('["iteration", "assign"]', '["speedup:iteration", "iteration"]\nbaseline = { packages = 1 }')
    _, rows = cells(bench.view([line(packages=1, grade="coarse"), line(packages=10)], text))
    assert rows["10"]["speedup:iteration"].doubt == "coarse"
    assert not rows["10"]["iteration"].doubt


@pytest.mark.parametrize(
    "claim",
    [
        RATIO,
        {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]},
        {"kind": "trend", "along": "packages", "direction": "up"},
        {"kind": "location", "along": "packages", "extreme": "min", "expect": 1},
        {"kind": "bound", "at_most": 1e9},
        {"kind": "equality", "items": [{}], "within": 9},
        {"kind": "difference", "items": [{"packages": 1}, {"packages": 10}], "at_least": 0.1},
        {"kind": "value", "where": {"packages": 10}, "expect": 40, "within": 9},
    ],
)
def test_no_claim_rests_on_a_coarse_result(bench, claim):
    lines = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.2, grade="coarse")]
    found = bench.judge(lines, **claim)
    assert found.verdict == INCOMPARABLE
    assert "coarse labels" in found.why
    assert bench.judge([{**one, "grade": "rounded"} for one in lines], **claim).verdict != INCOMPARABLE


def test_a_ratio_may_have_a_coarse_numerator_where_it_says_so_but_no_coarse_denominator(bench):
    claim = {**RATIO, "numerator": {"packages": 10}, "denominator": {"packages": 1}, "coarse_numerator": True}
    lines = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.2, grade="coarse")]
    assert bench.judge(lines, **claim).verdict == REPRODUCED
    lines[0]["grade"] = "coarse"
    assert bench.judge(lines, **claim).verdict == INCOMPARABLE


def test_an_exhibit_on_rounding_uses_coarse_results(bench):
    lines = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.1, grade="coarse")]
    assert bench.judge(lines, ROUNDING, **RATIO).verdict == REPRODUCED
    table = tables.build(bench.view(lines, ROUNDING))
    assert any("rounding is the subject" in remark for remark in table.remarks)


def test_a_figure_marks_it(bench):
    for kind in ("line", "bar"):
        for grade, marked in (("coarse", True), ("rounded", False)):
            lines = [line(packages=1), line(packages=10, grade=grade)]
            drawn = figures.draw(bench.view(lines, figure(kind, "iteration")))
            labels = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
            assert (style.COARSE["label"] in labels) == marked
