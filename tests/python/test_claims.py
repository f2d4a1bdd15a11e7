"""Claims: every kind and every verdict, from synthetic lines. A sentence counts once, however many cases it has."""

import re

import pytest
from conftest import TABLE, cases, claim
from synthetic import RATIO, ladder, line, skipped, wrong

from plots.decide.sentences import by_sentence, common, listed, once
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, TREND
from plots.write import claim_sheet, report

RATIOS = [
    (0.2, {"expect": 2.0, "within": 1.2}, REPRODUCED),
    (0.4, {"expect": 2.0, "within": 1.2}, TREND),
    (0.05, {"expect": 2.0, "within": 1.2}, FAILED),
    (0.24, {"expect": 2.0, "within": 1.2}, NOISE),
    (0.2, {"at_least": 1.5}, REPRODUCED),
    (0.2, {"at_least": 3.0}, TREND),
    (0.05, {"at_least": 3.0}, FAILED),
    (0.1, {"at_least": 1.0}, NOISE),
    (0.05, {"at_most": 0.6}, REPRODUCED),
    (0.05, {"at_most": 0.1}, TREND),
    (0.2, {"at_most": 0.6}, FAILED),
    (0.2, {"expect": 1.0, "within": 1.1}, FAILED),
    (0.05, {"expect": 1.0, "within": 1.1}, FAILED),
]


def trend(direction):
    return {"kind": "trend", "along": "packages", "direction": direction}


def location(expect, extreme="min"):
    return {"kind": "location", "along": "packages", "expect": expect, "extreme": extreme}


ORDER = {"kind": "order", "items": [{"packages": p} for p in (1, 10, 100)]}
BOUND = {"kind": "bound", "metric": "run", "at_most": 500}
UPDATE = {**RATIO, "denominator": RATIO["numerator"], "numerator_metric": "update", "denominator_metric": "assign"}


@cases(
    "times claim verdict",
    *(((slow, 0.1), {**RATIO, **bounds}, verdict) for slow, bounds, verdict in RATIOS),
    ((1, 2, 3), ORDER, REPRODUCED),
    ((1, 3, 2), ORDER, TREND),
    ((3, 2, 1), ORDER, FAILED),
    ((1, 1, 3), ORDER, NOISE),
    ((1, 2, 3), trend("up"), REPRODUCED),
    ((1, 2, 3), trend("down"), FAILED),
    ((3, 2, 1), trend("down"), REPRODUCED),
    ((1, 3, 2), trend("up"), TREND),
    ((1, 1, 1), trend("up"), NOISE),
    ((1, 1, 1), trend("flat"), REPRODUCED),
    ((1, 2, 1), trend("flat"), FAILED),
    ((1, 1.1, 1), trend("flat"), NOISE),
    ((3, 1, 2), location(10), REPRODUCED),
    ((1, 2, 3), location(10), TREND),
    ((1, 2, 3), location(100), FAILED),
    ((3, 1, 1.001), location(10), NOISE),
    ((3, 1, 1.001), location(100), NOISE),
    ((1, 2, 3), location(7), INCOMPARABLE),
    ((1, 3, 2), location(10, "max"), REPRODUCED),
    ((0.1, 0.2), BOUND, REPRODUCED),
    ((0.1, 0.6), BOUND, FAILED),
    ((0.1, 0.5), BOUND, NOISE),
    ((0.5,), {"kind": "value", "expect": 110, "within": 1.5}, REPRODUCED),  # 100 ms an iteration
    ((0.5,), {"kind": "value", "expect": 500, "within": 1.5}, FAILED),
    ((0.1,), {**UPDATE, "at_most": 0.9}, REPRODUCED),  # two metrics of one line
)
def test_a_claim_is_judged_by_the_times(bench, times, claim, verdict):
    assert bench.judge(ladder(*times), **claim).verdict == verdict


def test_a_skipped_place_says_why_and_a_skipped_point_is_counted(bench):
    assert "skipped: too large" in bench.judge(ladder(3, None, 2), **location(10)).why
    for times, asked in (((1, None, 3), trend("up")), ((0.1, None), BOUND)):
        found = bench.judge(ladder(*times), **asked)
        assert (found.verdict, found.why) == (REPRODUCED, "without a value: 1 of the matching cases")


def test_equality_and_difference(bench):
    items = [{"packages": 1}, {"packages": 10}]
    lines = [line(packages=1, inertia=100.0), line(packages=10, inertia=101.0)]
    assert bench.judge(lines, kind="equality", metric="inertia", items=items).verdict == FAILED
    assert bench.judge(lines, kind="equality", metric="inertia", items=items, within=0.02).verdict == REPRODUCED
    assert bench.judge(lines, kind="difference", metric="inertia", items=items, at_least=0.005).verdict == REPRODUCED
    assert bench.judge(lines, kind="difference", metric="inertia", items=items, at_least=0.5).verdict == TREND
    first = [{"packages": [1, 10]}, {"packages": 1}]  # a list stands for the first of its values that was measured
    assert bench.judge(lines, kind="equality", metric="inertia", items=first).verdict == REPRODUCED


@cases(
    "lines why",
    ([], "nothing of this exhibit was run"),
    (ladder(0.1), "no line with packages = 10"),
    (ladder(0.1, None), "skipped: too large"),
    ([line(packages=1), line(packages=10, samples_s=[], verdict=None, failure="killed")], "failed: killed"),
    ([line(packages=1), wrong("label 3 is wrong", packages=10)], "wrong: label 3 is wrong"),
    (
        [line(), line(packages=1), line(packages=10, precision="fp32"), line(packages=10, precision="fp64")],
        "matches 2 cases: they differ in precision",
    ),
    ([line(packages=1), line(packages=10, profile="quick")], "only in the quick profile"),
    ([line(threads=1)], "no line has a field packages"),
)
def test_not_comparable_says_why(bench, lines, why):
    found = bench.judge(lines, **RATIO, at_least=1.0)
    assert found.verdict == INCOMPARABLE
    assert why in found.why


def test_a_list_prefers_its_first_value_and_falls_back_if_it_was_skipped(bench):
    claim = {"kind": "value", "where": {"dataset": ["real", "like"]}, "expect": 20, "within": 1.2}
    both = [line(seconds=0.1, dataset="real"), line(seconds=0.9, dataset="like")]
    assert bench.judge(both, **claim).verdict == REPRODUCED
    assert bench.judge([skipped("not fetched", dataset="real"), both[1]], **claim).verdict == FAILED


def test_one_sample_is_decided_on_the_point_and_says_so(bench):
    found = bench.judge([line(samples=1, packages=1), line(samples=1, packages=10)], **RATIO, expect=1.0, within=1.1)
    assert found.verdict == REPRODUCED
    assert "measured once" in found.why


def test_a_case_of_two_sources_is_shown_once(bench):
    bench.exhibit(TABLE, "demo/source")
    bench.exhibit(TABLE, "demo/other")
    text = 'reuse = ["demo/source", "demo/other"]\n' + re.sub(r"\[\[sweep\]\].*?(?=\[profile)", "", TABLE, flags=re.S)
    lines = [line(f"demo/{name}", packages=p) for name in ("source", "other") for p in (1, 10)]
    view = bench.view([*lines, line("demo/other", packages=100)], text)
    assert sorted((one["exhibit"], one["parameters"]["packages"]) for one in view.lines) == [
        ("demo/other", 100),
        ("demo/source", 1),
        ("demo/source", 10),
    ]
    assert "Left out: 2 lines of cases that are here already." in view.left_out


CASES = """
[claim."at-{packages}"]
text = "It is always quick ({packages} packages)"
for = { packages = [1, 10, 100] }
bound = { packages = "{packages}" }
metric = "run"
at_most = 150
[claim.alone]
text = "One package will do"
bound = { packages = 1 }
metric = "run"
at_most = 1e6
"""
OTHER = """
[claim.there]
sentence = 'demo/quick'
text = 'It is quick there'
bound = {}
metric = 'run'
at_most = 1e6
"""


@pytest.fixture
def sheet(bench):
    """One sentence has three cases: one holds, one fails, one was not run. Another sentence holds."""
    bench.exhibit(TABLE + CASES)
    bench.run([line(packages=1, seconds=0.1), line(packages=10, seconds=0.2)])
    return claim_sheet.sheet(*bench.read())


def test_a_sentence_has_the_worst_verdict_of_its_decided_cases(sheet):
    (quick, cases), (alone, none) = by_sentence(sheet)
    assert (quick.part, alone.part, cases[0].part) == ("2 of 3 cases", "", "")
    assert (quick.text, quick.verdict) == ("It is always quick", FAILED)
    assert quick.measured == "3 cases: 1 reproduced, 1 not reproduced, 1 not comparable"
    assert [case.text for case in cases] == ["· 1 packages", "· 10 packages", "· 100 packages"]
    assert [case.verdict for case in cases] == [REPRODUCED, FAILED, INCOMPARABLE]
    assert (alone.text, alone.verdict, none) == ("One package will do", REPRODUCED, [])


def test_counts_are_of_sentences_and_lists_hold_the_cases(sheet, bench, tmp_path):
    assert claim_sheet.summary(sheet) == "1 reproduced · 1 not reproduced"
    assert claim_sheet.reach(sheet) == "2 of 2 claims can be decided here."
    texts = re.findall(r"^\| demo/table1 \| (.*?) \|", claim_sheet.page(sheet), re.M)
    assert "| not reproduced (2 of 3 cases) |" in claim_sheet.page(sheet)
    assert texts == ["It is always quick", "· 1 packages", "· 10 packages", "· 100 packages", "One package will do"]
    table = claim_sheet.across_machines(sheet)
    assert [row[1].text for row in table.rows] == [text for text in texts if "100" not in text]
    assert "demo: 1 reproduced, 1 not reproduced." in table.remarks
    assert any(cell.text == "not reproduced (2 of 3 cases)" for row in table.rows for cell in row)
    page = report.pages(*bench.read())["index.html"]
    assert "not reproduced (2\u00a0of\u00a03\u00a0cases)</span>" in page
    assert "2 of 2 claims judged" in page and page.count('class="words case"') == 3
    readme = tmp_path / "README.md"
    readme.write_text("<!-- begin:summary -->\n<!-- end -->\n")
    assert bench.main("readme", "--file", readme) == 0
    assert "| `demo` | 2 | 1 |  |  |  | 1 |  |  |" in readme.read_text()


def test_a_sentence_may_go_through_a_paper(bench):
    bench.exhibit(TABLE + CASES.replace("[claim.alone]", '[claim.alone]\nsentence = "demo/quick"'))
    bench.exhibit(TABLE + OTHER, "demo/table2")
    bench.run([line(packages=1), line("demo/table2", packages=1)])
    found = claim_sheet.sheet(*bench.read())
    assert len(found) == 5 and len(once(found)) == 2
    assert [one.exhibit for one in listed(found)][-2:] == ["demo/table1", "demo/table2"]


def test_claims_with_one_text_are_one_sentence_and_rows_with_their_own_are_not(bench):
    bound = 'kind="bound"\nmetric="run"\nat_most=1\nwhere={packages=PLACE}'
    places = (claim(bound.replace("PLACE", place), name, "Equal") for name, place in (("a", "1"), ("b", "10")))
    bench.exhibit(TABLE + "".join(places))
    rows = 'for=[{name="a", text="A holds"},{name="b", text="B holds"}]\nbound={}\nmetric="run"\nat_most=1\n'
    bench.exhibit(TABLE + '[claim."{name}"]\n' + rows, "demo/table2")
    bench.run([line(packages=1), line(packages=10), line("demo/table2")])
    (equal, cases), *others = by_sentence(claim_sheet.sheet(*bench.read()))
    assert (equal.text, len(cases)) == ("Equal", 2) and cases[0].text.startswith("· iterate at most 1 ms (1 package")
    assert equal.part == ""  # both are decided
    assert [(one.text, len(cases)) for one, cases in others] == [("A holds", 0), ("B holds", 0)]


@cases(
    "texts name",
    (["A is fast (n = 10)", "A is fast (n = 12)"], "A is fast"),
    (["A is fast: 10", "A is fast: 100"], "A is fast"),
    (["A is fast", "A is fast here"], "A is fast"),
    (["A is fast", "B is fast"], "A is fast"),
    (["A (old) wins at 3", "A (old) wins at 4"], "A (old) wins at …"),
    (["1M x 2: A is as fast as B", "2M x 3: A is as fast as C"], "… x … A is as fast as …"),
    (["m: A finds all groups", "n: A finds all groups"], "… A finds all groups"),
    (["A beats all others (k = 4)", "… and B (k = 4)"], "A beats all others"),
    (["A beats all others (k = 4)", "It does so again"], "A beats all others"),
)
def test_texts_are_named_after_what_they_share_up_to_a_word_and_an_open_bracket(texts, name):
    assert common(texts) == name
