"""Doubtful times: coarse results and disturbed runs are shown and marked, are never the best, and decide no claim. A
library far slower than another is suspicious."""

import conftest
import pytest
import synthetic
from conftest import TABLE, cases, figure, machine, printed, rows_of
from synthetic import line, of_schema

from plots.__main__ import main
from plots.decide.verdicts import INCOMPARABLE, NOISE, REPRODUCED
from plots.draw import figures, style
from plots.read import check, disturbed, results
from plots.read.metrics import metric
from plots.write import latex, table_formats, tables
from plots.write.machine import busy as busy_sentence

COARSE = {"grade": "coarse", "wrong_labels": 510}
BUSY = {"run_delay_s": [0.0] * 3 + [0.09] * 4}  # of runs of about 0.1 s
DOUBTS = {"coarse": (COARSE, "†", style.COARSE), "disturbed": (BUSY, "‡", style.DISTURBED)}
PAPER = printed('[[1, "5"], [10, "5"]]')
BASELINE = TABLE.replace("[table]", "[table]\nbaseline = { packages = 1 }")
SPEEDUP = BASELINE.replace('["iteration", "assign"]', '["speedup:iteration", "iteration"]')
RIVALS = conftest.RIVALS.replace('"assign"]', '"wrong_share", "grade"]')
RATIO = {**synthetic.RATIO, "at_least": 0.5}
ROUNDING = TABLE.replace("[table]", "[table]\nrounding = true")


def rivals(**fast):
    return [line(seconds=0.2, packages=1), line(seconds=0.1, packages=1, implementation="cpu/lloyd/naive", **fast)]


def cells(view):
    """The table, and its cells by name under the text of the first column."""
    table = tables.build(view)
    rows = ({name: cell for (name, _), cell in row.items()} for row in rows_of(table))
    return table, {row[table.columns[0].name].text: row for row in rows}


def checked(made: dict) -> dict:
    return check.line(made, "made up", {})


def test_the_best_is_the_least_time_and_the_highest_rate_unless_noise_leaves_it_open(bench):
    _, rows = cells(bench.view(rivals(), RIVALS.replace('"wrong_share"', '"bandwidth"')))
    best = {name: [metric for metric, cell in row.items() if cell.best] for name, row in rows.items()}
    assert best == {"cpu/lloyd/naive": ["iteration", "bandwidth"], "cpu/lloyd/two_step": []}
    near = [line(seconds=s, packages=1, implementation=f"cpu/lloyd/{name}") for s, name in ((0.1, "a"), (0.1001, "b"))]
    _, rows = cells(bench.view(near, RIVALS))
    assert not any(row["iteration"].best for row in rows.values())


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_doubtful_time_is_marked_in_every_format_and_is_never_the_best(bench, doubt):
    fields, mark, _ = DOUBTS[doubt]
    table, rows = cells(bench.view(rivals(**fields), RIVALS))
    fast, slow = rows["cpu/lloyd/naive"], rows["cpu/lloyd/two_step"]
    assert (fast["iteration"].doubt, fast["iteration"].best, slow["iteration"].best) == (doubt, False, True)
    assert any(remark.startswith(f"{mark} {doubt}") for remark in table.remarks)
    assert mark in table_formats.markdown(table) and f",{doubt}" in table_formats.csv_text(table)
    assert {"†": r"$^\dagger$", "‡": r"$^\ddagger$"}[mark] in latex.latex(table)
    if doubt == "coarse":
        assert (fast["wrong_share"].text, fast["grade"].text, slow["grade"].text) == ("51", "coarse", "rounded")
        assert any("51%" in remark for remark in table.remarks)


def test_an_older_line_has_no_grade_and_no_mark(bench):
    table, rows = cells(bench.view([of_schema(1, made) for made in rivals()], RIVALS))
    assert rows["cpu/lloyd/naive"]["iteration"].best and "grade" not in rows["cpu/lloyd/naive"]
    assert not any("coarse" in remark for remark in table.remarks)


def test_a_doubtful_baseline_marks_its_speedups_and_a_disturbed_time_has_no_ratio(bench):
    _, rows = cells(bench.view([line(packages=1, **COARSE), line(packages=10)], SPEEDUP))
    assert (rows["10"]["speedup:iteration"].doubt, rows["10"]["iteration"].doubt) == ("coarse", "")
    first, second = rows_of(tables.build(bench.view([line(packages=1, **BUSY), line(packages=10)], TABLE + PAPER)))
    assert first["iteration", "ratio"].raw == (None,)
    assert second["iteration", "ratio"].raw[0] == pytest.approx(20 / 5, rel=0.1)


CLAIMS = [
    RATIO,
    {**RATIO, "metric": "speedup:iteration"},
    {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]},
    {"kind": "trend", "along": "packages", "direction": "up"},
    {"kind": "location", "along": "packages", "extreme": "min", "expect": 1},
    {"kind": "bound", "at_most": 1e9},
    {"kind": "equality", "items": [{}], "within": 9},
    {"kind": "difference", "items": [{"packages": 1}, {"packages": 10}], "at_least": 0.1},
    {"kind": "value", "where": {"packages": 10}, "expect": 40, "within": 9},
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_claim_rests_on_a_doubtful_time(bench, claim):
    right, other = line(packages=1, seconds=0.1), {"packages": 10, "seconds": 0.15}
    coarse = bench.judge([right, line(**other, **COARSE)], BASELINE, **claim)
    assert coarse.verdict == INCOMPARABLE and "coarse labels" in coarse.why
    busy = bench.judge([right, line(**other, **BUSY)], BASELINE, **claim)
    assert busy.verdict == NOISE and busy.why.startswith("disturbed: ")
    assert bench.judge([right, line(**other)], BASELINE, **claim).verdict not in (INCOMPARABLE, NOISE)


def test_a_ratio_may_have_a_coarse_numerator_where_it_says_so_but_no_coarse_denominator(bench):
    claim = {**RATIO, "numerator": {"packages": 10}, "denominator": {"packages": 1}, "coarse_numerator": True}
    lines = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.2, grade="coarse")]
    assert bench.judge(lines, **claim).verdict == REPRODUCED
    lines[0]["grade"] = "coarse"
    assert bench.judge(lines, **claim).verdict == INCOMPARABLE


def test_an_exhibit_on_rounding_uses_coarse_results(bench):
    lines = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.1, grade="coarse")]
    assert bench.judge(lines, ROUNDING, **RATIO).verdict == REPRODUCED
    assert any("rounding is the subject" in said for said in tables.build(bench.view(lines, ROUNDING)).remarks)


@pytest.mark.parametrize("kind", ["line", "bar"])
@pytest.mark.parametrize("doubt", ["", *DOUBTS])
def test_a_figure_marks_it(bench, kind, doubt):
    lines = [line(packages=1, **(DOUBTS[doubt][0] if doubt else {})), line(packages=10)]
    drawn = figures.draw(bench.view(lines, figure(kind, "iteration")))
    labels = {text.get_text() for legend in drawn.legends for text in legend.get_texts()}
    assert [name for name, (*_, look) in DOUBTS.items() if look["label"] in labels] == [doubt] * bool(doubt)


@cases(
    "fields wanted",
    ({}, []),
    ({"run_delay_s": [0.006, 0.004, 0.0]}, [0]),
    ({"run_delay_s": [0.006, 0.2]}, [0, 1]),
    ({"run_delay_s": [0.0] * 7, "involuntary_switches": [99] * 7}, []),
    ({"involuntary_switches": [1, 4, 5, 6]}, [2, 3]),
    ({"seconds": 1e-4, "involuntary_switches": [1, 2, 3]}, [1, 2]),
    ({"run_delay_s": [1.0] * 9}, list(range(7))),
)
def test_which_runs_were_disturbed(fields, wanted):
    made = checked(line(**{"samples_s": [fields.get("seconds", 0.1)] * 7, **fields}))
    assert [i for i, out in enumerate(disturbed.flags(made)) if out] == wanted


def test_few_disturbed_runs_are_left_out_and_said():
    slow = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 9.0]
    made = checked(line(samples_s=slow, run_delay_s=[0.0] * 6 + [8.0]))
    value = metric("run").of(made, {})
    assert (value.value, value.samples, value.high) == (pytest.approx(125), 6, pytest.approx(150))
    assert value.method == "order statistics, disturbed runs left out" and results.doubt(made) == ""
    nearly = checked(line(samples_s=slow, run_delay_s=[8.0] * 3 + [0.0] * 4))
    assert metric("run").of(nearly, {}).samples == 4, "three of seven are less than half"
    without = metric("run").of(checked(line(samples_s=slow)), {})
    assert (without.value, without.samples) == (130, 7), "a slow run without a delay counts"


def test_a_continuation_brings_its_delays():
    first = checked(line(samples_s=[0.1] * 3))
    then = checked(line(samples_s=[0.1] * 5, run_delay_s=[0.09] * 5, continues=3))
    (both,) = results.latest([first, then])
    assert list(both["run_delay_s"]) == [0.0] * 3 + [0.09] * 5
    assert results.doubt(both) == "disturbed"


VERBS = {
    "trace": ["phase:assign", "update", "time_share:assign", "speedup:phase:assign"],
    "prepare": ["time_share:assign", "prepare", "overall", "end_to_end", "transfer"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_single_measurements_of_a_disturbed_verb_are_marked(bench, verb):
    names = dict.fromkeys([*VERBS["trace"], *VERBS["prepare"], "iteration", "iterations"])
    view = bench.view([line(packages=1, disturbed_verbs=[verb]), line(packages=10)], BASELINE)
    first, second = sorted(view.lines, key=lambda made: made["parameters"]["packages"])
    assert [name for name in names if view.doubt(first, name)] == VERBS[verb]
    assert [name for name in names if view.doubt(second, name)] == [n for n in VERBS[verb] if n.startswith("speedup")]


def test_other_values_of_a_disturbed_line_stay_usable(bench):
    lines = [line(packages=p, centroid_error=error, **BUSY) for p, error in ((1, 0.002), (10, 0.001))]
    assert bench.judge(lines, **{**RATIO, "metric": "centroid_error"}).verdict == REPRODUCED


def test_compare_leaves_disturbed_runs_out(bench, output):
    base = bench.run([line(None, seconds=0.1), line(None, seconds=0.1, k=5)], "base")
    bench.run([line(None, seconds=0.1), line(None, samples_s=[0.9] * 7, run_delay_s=[0.5] * 7, k=5)], "new")
    shown = output("compare", base / "base", base / "new", "--all")
    assert "disturbed: other programs took the processors" in shown and "1 no time" in shown
    assert main(["compare", "--rank", str(base / "new")]) == 0


def test_report_and_explain_say_disturbed(bench, output, tmp_path):
    bench.exhibit()
    bench.run([line(packages=1, **BUSY), line(packages=10)])
    assert bench.main("report", "--out", tmp_path) == 0
    assert '<sup class="coarse">‡</sup>' in (tmp_path / "index.html").read_text()
    shown = output("explain", *bench.folders, "demo/table1", "1", "iteration")
    assert "disturbed, hence never the best" in shown and "4 of 7 runs" in shown


@pytest.mark.parametrize(("count", "told"), [(1, ""), (2, "2 of 20 cases were disturbed by other programs")])
def test_a_machine_was_busy_if_more_than_one_case_in_twenty_was_disturbed(count, told):
    lines = [line(case=str(i), packages=i, run_delay_s=[float(i < count)] * 7) for i in range(20)]
    assert busy_sentence(machine(lines)) == told


LIBRARIES = TABLE.replace('rows = ["packages"]', 'rows = ["implementation", "d"]')
BLAS = {"name": "OpenBLAS", "version": "0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64"}
FAST = {"implementation": "library/torch", "seconds": 0.1}
SLOW = {"implementation": "library/blas", "seconds": 9.0}


def sentences(bench, *lines, text=LIBRARIES):
    """The suspicious footnote of each implementation, or ""."""
    table = tables.build(bench.view(list(lines), text))
    assert all(note in table_formats.markdown(table) for note in table.footnotes)
    said = {}
    for row in table.rows:
        notes = [table.footnotes[mark - 1] for mark in row[0].marks]
        said[row[0].text] = next((note for note in notes if note.startswith("suspicious")), "")
    return said


def test_a_tenth_of_another_librarys_rate_is_suspicious(bench):
    said = sentences(bench, line(**FAST), line(**{**SLOW, "seconds": 1.2}))
    assert said["library/torch"] == ""
    assert said["library/blas"].startswith("suspicious: less than a tenth of the rate of library/torch on this case")
    assert said["library/blas"].endswith("the cause is not known")
    other_stop = {**SLOW, "implementation": "library/sklearn", "tolerance": 0}
    assert sentences(bench, line(**FAST), line(**other_stop))["library/sklearn"], "the same case"


def test_the_reason_comes_from_the_library_else_from_the_exhibit(bench):
    known = LIBRARIES + '[labels.slow]\n"library/blas" = "its threads fight"\n'
    for library, reason in ((None, "its threads fight"), (BLAS, f"kernels of an older processor ({BLAS['version']})")):
        said = sentences(bench, line(**FAST), line(**SLOW, library=library), text=known)["library/blas"]
        assert said.endswith(reason)


@cases(
    "fast other",
    ({}, {"seconds": 0.9}),  # a ninth
    ({}, {"implementation": "cpu/lloyd/naive"}),  # no library
    ({}, {"k": 5}),  # another case
    ({}, {"hash": "1" * 32}),  # other points
    ({}, {"implementation": "library/torch_gpu", "device": "gpu"}),
    ({"grade": "coarse"}, {}),  # a doubtful time,
)
def test_nothing_else_is(bench, fast, other):
    assert not any(sentences(bench, line(**FAST, **fast), line(**{**SLOW, **other})).values())
