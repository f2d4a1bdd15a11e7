"""A sentence counts once, however many cases it has; the cases are listed below it."""

import re

import pytest
from conftest import TABLE, claim
from synthetic import line

from plots.decide.sentences import by_sentence, common, listed, once
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, STAND_IN, TREND, worst
from plots.write import claim_sheet, report

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


def test_the_worst_decided_verdict_comes_first():
    order = [INCOMPARABLE, REPRODUCED, STAND_IN, TREND, NOISE, FAILED]
    assert [worst(order[: i + 1]) for i in range(6)] == order
    assert worst([]) == INCOMPARABLE


def test_the_common_start_of_texts_ends_at_a_word_and_before_an_open_bracket():
    for ends in ((" (n = 10)", " (n = 12)"), (": 10", ": 100"), ("", " here")):
        assert common([f"A is fast{end}" for end in ends]) == "A is fast"
    assert common(["A is fast", "B is fast"]) == "A is fast"
    assert common(["A (old) wins at 3", "A (old) wins at 4"]) == "A (old) wins at …"


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["1M x 2: A is as fast as B", "2M x 3: A is as fast as C"], "… x … A is as fast as …"),
        (["m: A finds all groups", "n: A finds all groups"], "… A finds all groups"),
        (["A beats all others (k = 4)", "… and B (k = 4)"], "A beats all others"),
        (["A beats all others (k = 4)", "It does so again"], "A beats all others"),
    ],
)
def test_texts_that_begin_differently_are_named_after_what_they_share(texts, name):
    assert common(texts) == name
