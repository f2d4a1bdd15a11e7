"""The basis of a verdict: data, threads, a claim that could fail, causes, printed values. A script without code of
plots/ recomputes the recorded verdicts."""

import json
import re
from pathlib import Path

import pytest
import recompute_verdicts
from conftest import ROOT, TABLE, cases, papers, printed, recorded
from synthetic import RATIO, ladder, line, of_schema

from plots.decide import lookup
from plots.decide.claims import judge
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, STAND_IN, TREND
from plots.read.metrics import metric
from plots.write import claim_sheet

LIKE = {"stand_ins": {"like": "real"}}
BOUND = {"metric": "run", "kind": "bound", "at_most": 1e6}


@cases(
    "datasets verdict why",
    (("real", "like"), REPRODUCED, ""),
    (("like",), STAND_IN, "on like, made up in the shape of real"),
    (("half",), STAND_IN, "on half, a part of real"),
    (("other",), REPRODUCED, ""),
)
def test_a_verdict_says_which_data_it_rests_on(bench, datasets, verdict, why):
    paper = {**LIKE, "parts": {"half": "real"}}
    lines = [line(dataset=name, packages=p, seconds=s) for name in datasets for p, s in ((1, 0.2), (10, 0.1))]
    where = {"dataset": ["real", "like", "half", "other"]}
    sides = {side: {**where, "packages": p} for side, p in (("numerator", 1), ("denominator", 10))}
    ratio = {**RATIO, **sides}
    found = bench.judge(lines, paper=paper, **ratio, at_least=1.0)
    assert (found.verdict, found.why) == (verdict, why)
    trend = {"kind": "trend", "along": "packages", "direction": "down", "where": where, "at_least": 1.0}
    assert bench.judge(lines, paper=paper, **trend).verdict == verdict
    worse = bench.judge(lines, paper=paper, **ratio, at_least=0, at_most=0.5)
    assert (worse.verdict, worse.why) == (FAILED, why), "every verdict names its data"


def test_a_stand_in_beside_the_real_set_counts_in_claims_on_all_cases(bench):
    lines = [line(dataset=name, packages=1) for name in ("real", "like")]
    assert bench.judge(lines, paper=LIKE, **BOUND).verdict == STAND_IN


OF_FILES = [line(packages=1, dataset=name) for name in ("as", "like", "ran")]


@cases(
    "where lines need",
    ({"dataset": "real"}, OF_FILES, "data real"),
    ({"dataset": "real"}, [*OF_FILES, line("demo/other", dataset="real")], "run"),  # the file is there
    ({"dataset": ["real", "file"]}, OF_FILES, "data real"),
    ({"dataset": ["real", "like"]}, OF_FILES, "run"),  # a stand-in would do
    ({"dataset": ["real", "ran"]}, OF_FILES, "run"),
    ({"implementation": "gpu/lloyd/naive"}, OF_FILES, "gpu"),
    ({"implementation": "cpu/lloyd/naive"}, OF_FILES, "run"),
    ({"implementation": ["gpu/a", "cpu/b"]}, OF_FILES, "run"),
)
def test_a_claim_that_no_line_decides_waits_for_a_file_a_gpu_or_a_run(bench, where, lines, need):
    paper = {"stand_ins": {"like": "real", "as": "file"}, "parts": {"half": "ran"}}
    claim = {**BOUND, "where": {**where, "packages": 10}}
    found = bench.judge(lines, record={"cpu": {"threads": 2}}, paper=paper, **claim)
    assert (found.verdict, found.need) == (INCOMPARABLE, need)


@pytest.mark.parametrize(("made", "verdict"), [((5, 5), INCOMPARABLE), ((5, 4), FAILED), ((4, 4), REPRODUCED)])
def test_runs_that_end_at_their_limit_are_no_equal_numbers_of_iterations(bench, made, verdict):
    lines = [line(packages=p, iterations=n) for p, n in zip((1, 10), made, strict=True)]
    items = [{"packages": p} for p in (1, 10)]
    assert bench.judge(lines, kind="equality", metric="iterations", items=items).verdict == verdict


THREADS = TABLE + printed('[["20", "1"]]', "threads", more='match = { threads = { "20" = 0 } }\n')


@cases(
    "times claim verdict",
    ((1, 2), {**RATIO, "at_least": 1.0}, FAILED),
    ((1, 2), {**RATIO, "expect": 3.0, "within": 1.5}, FAILED),
    ((2, 1), {**RATIO, "at_most": 0.9}, FAILED),
    ((2, 1), {**RATIO, "at_least": 3.0}, TREND),
    ((1, 1), {**RATIO, "at_least": 1.0}, INCOMPARABLE),
    ((1, 3), {**RATIO, "expect": 0.98, "within": 1.3}, TREND),
    ((3, 1), {**RATIO, "expect": 0.98, "within": 1.3}, INCOMPARABLE),
    ((2, 1), {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]}, FAILED),
    ((2, 1), {"kind": "trend", "along": "packages", "direction": "up"}, FAILED),
    ((1, 2), {"kind": "trend", "along": "packages", "direction": "down"}, FAILED),
    ((1, 2), {"kind": "trend", "along": "packages", "direction": "flat"}, INCOMPARABLE),
    ((1, 2), {"kind": "value", "where": {"packages": 1}, "expect": 900, "within": 1.1}, INCOMPARABLE),
)
def test_the_opposite_direction_shows_with_other_threads_too(bench, times, claim, verdict):
    lines = [line(packages=p, threads=0, seconds=s) for p, s in zip((1, 10), times, strict=True)]
    found = bench.judge(lines, THREADS, record={"cpu": {"threads": 8}}, **claim)
    assert found.verdict == verdict
    assert ("the opposite direction" in found.why) == (verdict == FAILED)
    assert "8 threads here, 20 in the paper" in found.why


OTHERS = [exhibit for paper in papers() for exhibit in paper.exhibits if paper.key != "ours"]
CLAIMS = {f"{exhibit.key}/{claim['id']}": claim for exhibit in OTHERS for claim in exhibit.claims}


def test_no_paper_is_judged_by_absolute_times():
    """A newer machine alone would fulfil such a claim."""
    for name, claim in CLAIMS.items():
        absolute = claim["kind"] in ("bound", "value", "mean", "share", "printed")
        assert not absolute or metric(claim["metric"]).unit not in ("ms", "GB/s", "GFLOP/s"), name


def test_absolute_times_of_the_authors_code_belong_to_its_card():
    ours = [one for paper in papers() for one in paper.exhibits if one.name.startswith("against_")]
    assert [claim.get("gpu") for one in ours for claim in one.claims] == ["H200"] * 26


IN_WORDS = {
    "from x9 up to x12.5": (9, 12.5),
    "from x2 slower to x2 faster": (0.5, 2),
    "comparable or up to x7": (1, 7),
    "from x6 up to x16": (6, 16),
}


def test_a_range_in_words_or_in_numbers_is_tested_on_both_sides():
    found = [(name, IN_WORDS[words]) for name in CLAIMS for words in IN_WORDS if words in CLAIMS[name]["text"]]
    assert len(found) == 14
    assert {n: (CLAIMS[n].get("at_least"), CLAIMS[n].get("at_most"), "within" in CLAIMS[n]) for n, _ in found} == {
        name: (*ends, False) for name, ends in found
    }
    said = re.compile(r"(?:speedups between|spanning) ([\d.]+)(?: and |-)([\d.]+)")
    ranges = {name: said.search(claim["text"]) for name, claim in CLAIMS.items()}
    found = {name: tuple(map(float, match.groups())) for name, match in ranges.items() if match}
    assert found
    assert {name: (CLAIMS[name].get("at_least"), CLAIMS[name].get("at_most")) for name in found} == found


def test_no_claim_of_a_paper_waits_for_a_better_grade_on_the_h200():
    """A coarse time decides where rounding costs no time."""
    (h200,) = (one for one in recorded() if one.name == "h200")
    assert [f"{f.exhibit}/{f.id}" for one in OTHERS for f in judge(one, h200) if f.need == lookup.GRADE] == []


@pytest.mark.parametrize("card", ["NVIDIA H200", "NVIDIA H100 80GB HBM3", None])
def test_a_card_is_judged_by_no_other_cards_times(bench, card):
    record = {"gpu": {"name": card}} if card else {}
    found = bench.judge([line(packages=1)], record=record, kind="bound", at_most=1e6, where={}, gpu="H200")
    assert (found.verdict, found.need) == ((REPRODUCED, "") if card == "NVIDIA H200" else (INCOMPARABLE, "card"))


CAUSE = {
    "text": "ours is {ratio} times as fast as theirs",
    "claims": ["table1/c"],
    "exhibit": "table1",
    "metric": "iteration",
    "theirs": 300.0,
    "gpu": "H200",
    "denominator": {"packages": 1},
}


@cases(
    "cause gpu expect said",
    (CAUSE, "NVIDIA H200", 1.0, "likely because ours is 15 times as fast as theirs"),
    (CAUSE, "NVIDIA H100", 1.0, ""),
    (CAUSE, None, 1.0, ""),
    (CAUSE, "NVIDIA H200", 20.0, ""),
    ({**CAUSE, "claims": ["table1/other"]}, "NVIDIA H200", 1.0, ""),
    ({**CAUSE, "denominator": {"packages": 7}}, "NVIDIA H200", 1.0, ""),
    ({"text": "it is known", "claims": ["table1/c"]}, None, 1.0, "likely because it is known"),
)
def test_a_claim_that_is_not_reproduced_names_its_likely_cause(bench, cause, gpu, expect, said):
    """20 ms here, 300 ms theirs. A reproduced claim, another card and a missing line have no cause."""
    given = {"record": {"gpu": {"name": gpu}} if gpu else {}, "paper": {"cause": [cause]}}
    found = bench.judge([line(packages=1, seconds=0.1)], **given, kind="value", expect=expect, within=1.5)
    assert (found.why, found.verdict) == (said, REPRODUCED if expect == 20.0 else FAILED)


def test_a_cause_rests_on_the_line_that_the_exhibit_shows(bench):
    older = {**of_schema(1, line(packages=1, seconds=0.3, date="2023-01-01T00:00:00Z")), "case": "c" * 16}
    given = {"record": {"gpu": {"name": "NVIDIA H200"}}, "paper": {"cause": [CAUSE]}}
    found = bench.judge([older, line(packages=1)], **given, kind="value", expect=1.0, within=1.5)
    assert found.why == "likely because ours is 15 times as fast as theirs"


def test_a_cause_names_existing_claims():
    known = {f"{key.partition('/')[0]} {key.partition('/')[2]}" for key in CLAIMS}
    causes = [(p.key, one) for p in papers() for one in p.record.get("cause", [])]
    named = {f"{key} {name}" for key, one in causes for name in one["claims"]}
    assert named and named <= known


PRINTED = TABLE + printed('[[1, "20", ""], [10, "30", "–"], [100, "40", "5"]]', metrics="iteration assign")


@cases(
    "times verdict count most",
    ((0.1, 0.15, 0.2), REPRODUCED, "3 of 3", "1.00"),
    ((0.1, 0.15, 0.6), FAILED, "2 of 3", "3.00"),
    ((0.1, 0.15, 0.22), NOISE, None, None),
    ((0.1, None, None), REPRODUCED, "1 of 1", "1.00"),
)
def test_every_printed_value_is_held_against_its_line(bench, times, verdict, count, most):
    found = bench.judge(ladder(*times), PRINTED, kind="printed", within=1.1)
    why = "without a line: 2 of the printed values" if None in times else ""
    assert (found.verdict, found.why) == (verdict, why)
    assert count is None or found.measured == f"{count} printed values; ours 1.00 … {most} times theirs"


def test_printed_values_without_any_line_say_why_and_stand_ins_do_not_count(bench):
    found = bench.judge([line(packages=7)], PRINTED, kind="printed", within=2.0)
    assert (found.verdict, found.need) == (INCOMPARABLE, "run")
    assert bench.judge(ladder(0.1), PRINTED, kind="printed", within=2.0, where={"packages": 3}).verdict == INCOMPARABLE


def test_several_lines_beside_a_printed_value_count_as_their_mean(bench):
    text = PRINTED.replace('fields = ["packages"]', 'fields = ["dataset"]').replace("[1,", '["real",')
    claim = {"kind": "printed", "within": 2.0, "where": {"dataset": "real"}}
    judged = bench.judge([line(dataset="like")], text, paper=LIKE, **claim)
    assert (judged.verdict, judged.need) == (INCOMPARABLE, "data real")
    assert bench.judge([line(dataset="real")], text, paper=LIKE, **claim).verdict == REPRODUCED
    text = PRINTED.replace('fields = ["packages"]', 'fields = ["k"]').replace("[1,", "[4,")
    lines = [line(packages=p, seconds=s) for p, s in ((1, 0.05), (10, 0.15))]
    found = bench.judge(lines, text, kind="printed", within=1.5, where={"k": 4})
    assert found.measured == "1 of 1 printed values; ours 1.00 … 1.00 times theirs"


@pytest.fixture(scope="module")
def sheet(tmp_path_factory) -> Path:
    found = claim_sheet.sheet(papers(), recorded())
    path = tmp_path_factory.mktemp("claims") / "claims.json"
    path.write_text(claim_sheet.FORMATS["claims.json"](found))
    return path


def test_it_shares_no_code() -> None:
    for path in [Path(recompute_verdicts.__file__), *(ROOT / "tests/recompute").glob("*.py")]:
        assert not re.search(r"^\s*(import|from) plots", path.read_text(), re.M)


def test_a_hundred_verdicts_follow_from_the_raw_lines(sheet, capsys) -> None:
    assert recompute_verdicts.main([str(sheet)]) == 0, capsys.readouterr().out
    assert "100 of 100 verdicts agree" in capsys.readouterr().out


def test_a_verdict_that_does_not_follow_is_named(sheet, tmp_path, capsys) -> None:
    rows = [row for row in json.loads(sheet.read_text()) if row["verdict"] == "reproduced"]
    (tmp_path / "claims.json").write_text(json.dumps([{**rows[0], "verdict": "not reproduced"}, rows[1]]))
    assert recompute_verdicts.main([str(tmp_path / "claims.json")]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith(f"{rows[0]['exhibit']}/{rows[0]['id']}: not reproduced; recomputed: reproduced")
    assert last == "1 of 2 verdicts agree"


def test_another_file_is_refused(tmp_path, capsys) -> None:
    (tmp_path / "none.json").write_text("claims")
    assert recompute_verdicts.main([str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err.startswith(f"recompute_verdicts: {tmp_path}/none.json: not what plots claims writes")
