"""Disturbed runs: a few are left out; a line with many is marked, never the best and no basis of a claim."""

import pytest
import synthetic
from conftest import RIVALS, TABLE, figure, machine, printed
from synthetic import line

from plots.__main__ import main
from plots.decide.verdicts import NOISE, REPRODUCED
from plots.draw import figures, style
from plots.read import disturbed, results
from plots.read.metrics import metric
from plots.write import latex, table_formats, tables
from plots.write.busy import busy as busy_sentence

QUIET, BUSY = [0.0] * 7, [0.0] * 3 + [0.09] * 4  # of runs of about 0.1 s
PAPER = printed('[[1, "5"], [10, "5"]]')
BASELINE = TABLE.replace("[table]", "[table]\nbaseline = { packages = 1 }")
RATIO = {**synthetic.RATIO, "at_least": 0.5}


def busy(**fields):
    return line(**{"seconds": 0.1, "run_delay_s": BUSY, **fields})


def checked(made: dict) -> dict:
    return results.check.line(made, "made up", {})


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, []),
        ({"run_delay_s": [0.006, 0.004, 0.0]}, [0]),
        ({"run_delay_s": [0.006, 0.2]}, [0, 1]),
        ({"run_delay_s": [0.0] * 7, "involuntary_switches": [99] * 7}, []),
        ({"involuntary_switches": [1, 4, 5, 6]}, [2, 3]),
        ({"seconds": 1e-4, "involuntary_switches": [1, 2, 3]}, [1, 2]),
        ({"run_delay_s": [1.0] * 9}, list(range(7))),
    ],
)
def test_which_runs_were_disturbed(fields, wanted):
    made = checked(line(**{"seconds": 0.1, "samples_s": [fields.get("seconds", 0.1)] * 7, **fields}))
    assert [i for i, out in enumerate(disturbed.flags(made)) if out] == wanted


def test_few_disturbed_runs_are_left_out_and_said():
    slow = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 9.0]
    made = checked(line(samples_s=slow, run_delay_s=[0.0] * 6 + [8.0]))
    value = metric("run").of(made, {})
    assert (value.value, value.samples, value.high) == (pytest.approx(125), 6, pytest.approx(150))
    assert value.method == "order statistics, disturbed runs left out"
    assert results.doubt(made) == ""
    without = metric("run").of(checked(line(samples_s=slow)), {})
    assert (without.value, without.samples) == (130, 7), "a slow run without a delay counts"


def test_a_continuation_brings_its_delays():
    first = checked(line(samples_s=[0.1] * 3))
    then = checked(line(samples_s=[0.1] * 5, run_delay_s=[0.09] * 5, continues=3))
    (both,) = results.latest([first, then])
    assert list(both["run_delay_s"]) == [0.0] * 3 + [0.09] * 5
    assert results.doubt(both) == "disturbed"


def test_a_disturbed_time_is_marked_has_no_ratio_and_is_never_the_best(bench):
    view = bench.view([busy(packages=1), line(seconds=0.2, packages=10)], TABLE + PAPER)
    table = tables.build(view)
    first, second = ([c for c in row if c.raw != (row[0].raw[0],)] for row in table.rows)
    assert (first[0].doubt, first[2].raw, second[0].doubt) == ("disturbed", (None,), "")
    assert second[2].raw[0] == pytest.approx(40 / 5, rel=0.1)
    assert any(remark.startswith("‡ disturbed") for remark in table.remarks)
    assert "‡" in table_formats.markdown(table) and ",disturbed" in table_formats.csv_text(table)
    assert r"$^\ddagger$" in latex.latex(table)
    rivals = [busy(packages=1, implementation="cpu/lloyd/naive"), line(seconds=0.2, packages=1)]
    rows = tables.build(bench.view(rivals, RIVALS)).rows
    assert [row[2].best for row in rows] == [row[0].text == "cpu/lloyd/two_step" for row in rows]


@pytest.mark.parametrize(
    "claim",
    [
        RATIO,
        {"kind": "trend", "along": "packages", "direction": "up"},
        {"kind": "bound", "at_most": 1000},
        {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]},
        {**RATIO, "metric": "speedup:iteration"},
    ],
)
def test_a_claim_on_a_disturbed_time_is_undecided(bench, claim):
    lines = [line(packages=1, seconds=0.1), busy(packages=10)]
    found = bench.judge(lines, BASELINE, **claim)
    assert found.verdict == NOISE and found.why.startswith("disturbed: ")


@pytest.mark.parametrize(
    ("verb", "doubted"),
    [
        ("trace", ["phase:assign", "update", "time_share:assign", "speedup:phase:assign"]),
        ("prepare", ["prepare", "overall", "end_to_end", "transfer"]),
    ],
)
def test_single_measurements_of_a_disturbed_verb_are_marked(bench, verb, doubted):
    names = ["phase:assign", "update", "time_share:assign", "prepare", "overall", "end_to_end", "transfer"]
    names += ["iteration", "iterations", "speedup:phase:assign"]
    view = bench.view([line(packages=1, disturbed_verbs=[verb]), line(packages=10)], BASELINE)
    first, second = sorted(view.lines, key=lambda made: made["parameters"]["packages"])
    assert [name for name in names if view.doubt(first, name)] == [name for name in names if name in doubted]
    assert [name for name in names if view.doubt(second, name)] == [n for n in doubted if n.startswith("speedup")]


def test_other_values_of_a_disturbed_line_stay_usable(bench):
    lines = [busy(packages=1, centroid_error=0.002), busy(packages=10, centroid_error=0.001)]
    assert bench.judge(lines, **{**RATIO, "metric": "centroid_error"}).verdict == REPRODUCED


def test_a_figure_marks_a_disturbed_point(bench):
    drawn = figures.draw(bench.view([busy(packages=1), line(packages=10)], figure("line", "iteration")))
    labels = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
    assert style.DISTURBED["label"] in labels and style.COARSE["label"] not in labels


def test_compare_and_history_leave_disturbed_runs_out(bench, tmp_path, capsys):
    base = bench.run([line(None, seconds=0.1), line(None, seconds=0.1, k=5)], "base")
    bench.run([line(None, seconds=0.1), busy(exhibit=None, samples_s=[0.9] * 7, run_delay_s=[0.5] * 7, k=5)], "new")
    assert main(["compare", str(base / "base"), str(base / "new"), "--all"]) == 0
    shown = capsys.readouterr().out
    assert "disturbed: other programs took the processors" in shown and "1 no time" in shown
    assert main(["compare", "--rank", str(base / "new")]) == 0


def test_report_and_explain_say_disturbed(bench, tmp_path, capsys):
    bench.exhibit()
    bench.run([busy(packages=1), line(packages=10)])
    assert bench.main("report", "--out", tmp_path) == 0
    assert '<sup class="coarse">‡</sup>' in (tmp_path / "index.html").read_text()
    assert bench.main("explain", "demo/table1", "1", "iteration") == 0
    shown = capsys.readouterr().out
    assert "disturbed, hence never the best" in shown and "4 of 7 runs" in shown


@pytest.mark.parametrize(("count", "told"), [(1, ""), (2, "2 of 20 cases were disturbed by other programs")])
def test_a_machine_was_busy_if_more_than_one_case_in_twenty_was_disturbed(count, told):
    lines = [line(case=str(i), packages=i, run_delay_s=[float(i < count)] * 7) for i in range(20)]
    assert busy_sentence(machine(lines)) == told
