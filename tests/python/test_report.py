"""The report's first screen, tables and links, and claims at another size or on another machine than the paper's."""

import json
import re
import shutil
from dataclasses import replace

import pytest
from conftest import TABLE, Bench, cases, claim, figure, papers, printed
from synthetic import RATIO, ladder, line, skipped, write

from plots.decide import findings
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, STAND_IN, TREND
from plots.draw import svg
from plots.errors import UserError
from plots.read import exhibits, results
from plots.write import claim_sheet, html_rows, places, report, tables

PAPER = 'title = "A paper"\nauthors = ["A. Author"]\nyear = 2020\ndoi = "10.1/abc"\nmachine = "their machine"\n'
RECORD = {"cpu": {"model": "Made-up 9000", "threads": 8}, "memory_bytes": 2**34, "warnings": ["busy"]}
SIDES = "numerator={packages=1}\ndenominator={packages=10}"
THREADS = TABLE + printed('[["20", "1"]]', "threads", more='match = { threads = { "20" = 0 } }\n')


def bound(name: str, asked: str) -> str:
    return claim(f'kind="bound"\nmetric="run"\n{asked}', name, name)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of one table with two claims."""
    bench = Bench(tmp_path_factory.mktemp("no-name-of-this-folder"))
    claims = bound("holds", "at_most=1e6") + bound("fails", "at_least=1e6")
    text = TABLE.replace('rows = ["packages"]', 'rows = ["packages", "threads"]').replace("made up", "a < b & c")
    bench.exhibit(text + claims)
    (bench.papers / "demo" / "paper.toml").write_text(PAPER)
    lines = [line(packages=1, threads=t, seconds=0.1 * t) for t in (1, 2)]
    lines += [skipped("too large", packages=10, threads=1), line(packages=100, threads=1, departs="it stops early")]
    write(bench.results, "demo", lines, RECORD)
    return report.pages(*bench.read())["index.html"]


def test_it_names_the_machine_the_date_the_size_and_the_decided_claims(page):
    assert "Made-up 9000" in page[: page.index('class="filter"')]
    for said in (
        "Made-up 9000 with 8 threads, 16 GiB of memory",
        "measured 2024-01-01",
        "2 of 2 claims can be decided",
        "2 of 2 claims judged",
        "n = 1000 · d = 4 · k = 4 · 5 iterations · fp32 · paper profile · 4 cases at 0123456789",
        "departs from the task: it stops early",
        "skipped: too large",
        "kmbench run papers/demo/table1.toml",
        "a &lt; b &amp; c",
    ):
        assert said in page


def test_it_needs_no_network_and_names_no_folder(page):
    for outside in ("<link", "<script ", 'src="', "url(", "@import", "http://"):
        assert outside not in re.sub(r'src="data:[^"]*"', "", page)
    assert re.findall(r'href="(https?:[^"]*)"', page) == ["https://doi.org/10.1/abc"]
    assert "no-name-of-this-folder" not in page


def test_a_case_without_a_time_says_so_once_a_row(page):
    assert page.count(">skipped<sup>1</sup>") == 1
    assert 'colspan="2">skipped' in page


def test_every_claim_has_its_verdict_to_filter_by(page):
    rows = re.findall(r'<tr id="demo/table1-(\w+)" class="claim (\w+)"', page)
    assert rows == [("holds", "reproduced"), ("fails", "failed")]
    assert re.findall(r'class="count" [^>]*>([^<]*)<', page) == ["1 of 2"]
    assert re.findall(r'data-tone="(\w+)"', page) == ["reproduced", "failed"]


def test_a_ratio_is_coloured_by_the_better_side():
    assert html_rows.tint("iteration", 0.5) == "up1"
    assert html_rows.tint("iteration", 2.1) == "down2"
    assert html_rows.tint("bandwidth", 0.01) == "down4"
    assert html_rows.tint("bandwidth", float("inf")) == "up4"
    assert html_rows.tint("iterations", 2.0) == html_rows.tint("iteration", None) == ""


@cases(
    "seconds claim paper quick",
    ((0.2, 0.1), {**RATIO, "expect": 2.0, "within": 1.2}, REPRODUCED, TREND),
    ((0.4, 0.1), {**RATIO, "expect": 2.0, "within": 1.2}, TREND, TREND),
    ((0.1, 0.2), {**RATIO, "expect": 2.0, "within": 1.2}, FAILED, INCOMPARABLE),
    ((0.1, 0.2), {"kind": "order", "items": [{"packages": 10}, {"packages": 1}]}, FAILED, INCOMPARABLE),
    ((0.1, 0.2), {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]}, REPRODUCED, TREND),
    ((0.1, 0.2), {"kind": "value", "where": {"packages": 1}, "expect": 20, "within": 2}, REPRODUCED, INCOMPARABLE),
    ((0.1, 0.2), {"kind": "mean", "where": {"packages": 1}, "expect": 20, "within": 2}, REPRODUCED, INCOMPARABLE),
    ((0.1, 0.2), {"kind": "trend", "along": "packages", "direction": "down"}, FAILED, FAILED),
)
def test_at_another_size_only_the_direction_counts(bench, seconds, claim, paper, quick):
    assert bench.judge(ladder(*seconds), **claim).verdict == paper
    found = bench.judge(ladder(*seconds, profile="quick"), **claim)
    assert found.verdict == quick
    assert claim["kind"] == "trend" or "quick profile: another n than the paper's" in found.why
    assert found.need == ("size" if quick == INCOMPARABLE else "")


@cases("ours seconds verdict", (20, 0.2, FAILED), (8, 0.1, INCOMPARABLE), (None, 0.2, FAILED))
def test_with_other_threads_than_the_papers_no_claim_about_all_of_them_is_decided(bench, ours, seconds, verdict):
    record = {"cpu": {"threads": ours}} if ours else {}
    lines = [line(packages=1, threads=0, seconds=0.1), line(packages=10, threads=0, seconds=seconds)]
    claim = {**RATIO, "at_least": 5.0}
    found = bench.judge(lines, THREADS, record, **claim)
    assert found.verdict == verdict
    assert (found.why, found.need) == (("8 threads here, 20 in the paper", "threads") if ours == 8 else ("", ""))
    assert bench.judge(lines, THREADS, record, **claim, metric="iterations").verdict == FAILED


def test_a_direction_alone_says_on_the_page_that_the_threads_differ(bench):
    bench.exhibit(THREADS + claim('kind="ratio"\nat_least=1.5\nmetric="run"\n' + SIDES))
    lines = [line(packages=1, threads=0, seconds=0.2), line(packages=10, threads=0, seconds=0.1)]
    write(bench.results, "demo", lines, {"cpu": {"threads": 8}})
    page = report.pages(*bench.read())["index.html"]
    assert re.search(r"trend only</span><i>[^<]* · 8 threads here, 20 in the paper</i>", page)


def test_claims_that_this_machine_can_and_cannot_decide(bench, tmp_path, output):
    fetch = "household.npy is not on this machine: run kmbench fetch household"
    text = TABLE.replace('rows = ["packages"]', 'rows = ["implementation", "packages"]')
    places = {"here": "packages=1", "gpu": "packages=2, implementation='gpu/lloyd/tiled'", "data": "packages=3"}
    bench.exhibit(text + "".join(bound(name, f"at_most=1e6\nwhere={{{where}}}") for name, where in places.items()))
    tiled = "gpu/lloyd/tiled"
    absent = skipped(f"{tiled} is not in this build of kmbench", implementation=tiled, device=None)
    bench.run([line(packages=1), absent, skipped(fetch, packages=3)])
    out = output("claims", *bench.folders, "--list", "--out", tmp_path)
    said = "demo: 1 of 3 claims can be decided here; 1 needs a GPU, 1 needs data: kmbench fetch household.\n"
    assert out.startswith(said) and "\there\t" in out and "\tgpu\t" not in out
    assert "\tgpu\t" in output("claims", *bench.folders, "--list", "--out", tmp_path, "--all")
    told = json.loads((tmp_path / "claims.json").read_text())
    assert [finding["need"] for finding in told] == ["", "gpu", "data household"]


def test_claims_are_told_in_words(bench):
    found = bench.judge([], **RATIO, expect=2.0, within=1.2)
    assert found.expected == "iteration of 1 package is 2 × that of 10 packages, within a factor of 1.2"
    assert "{" not in claim_sheet.markdown([found])


def test_a_tolerance_has_a_reason(bench):
    lines = ladder(0.1, 0.1)
    assert bench.judge(lines, **RATIO, at_least=1.1).tolerance == ""
    assert "some percent" in bench.judge(lines, **RATIO, expect=1.0, within=1.1).tolerance
    assert "order of magnitude" in bench.judge(lines, **RATIO, expect=1.0, within=2.0).tolerance
    equal = bench.judge(lines, kind="equality", items=[{"packages": 1}, {"packages": 10}], within=0.0)
    assert equal.tolerance.startswith("equal counts")


def test_the_printed_number_stands_beside_the_claim(bench):
    text = TABLE.replace('"assign"]', '"iterations"]') + printed('[[1, "7"], [10, "5"]]', metrics="iterations")
    lines = [line(packages=1, iterations=6, tolerance=0), line(packages=10, iterations=5, tolerance=0)]
    found = bench.judge(lines, text, **{**RATIO, "metric": "iterations", "at_least": 1.1})
    assert (found.printed, found.paper_value, found.measured) == ("7 → 5 (1.4 ×)", "at least 1.1 ×", "6 → 5 (1.20 ×)")
    assert bench.judge(lines, text, **{**RATIO, "at_least": 1.1}).printed == ""
    assert bench.judge(lines, text, **{**RATIO, "expect": 9.1, "within": 2.0}).printed == "9.1 ×"


def test_only_exhibits_with_a_decided_claim_stand_open(page, bench):
    assert '<article class="exhibit half" id="demo/table1">' in page
    bench.exhibit(TABLE)
    bench.run([line(packages=1)])
    page = report.pages(*bench.read())["index.html"]
    assert '<article class="other" id="demo/table1"><details>' in page and "no claim rests on it" in page


def test_many_rows_with_one_reason_are_one(bench):
    bench.exhibit(TABLE)
    lines = [skipped("no such card", packages=p) for p in (1, 2, 3, 4)] + [line(packages=5)]
    bench.run([*lines, *(skipped("no such card", packages=p) for p in (6, 7))])
    page = report.pages(*bench.read())["index.html"]
    assert "4 cases: 1 … 4" in page
    assert page.count(">skipped<sup>1</sup>") == 3


def test_a_page_says_what_an_exhibit_without_a_value_needs(bench):
    bench.exhibit(TABLE)
    reasons = ["8 threads, but the machine has 4", "8 threads, but the machine has 2", "run kmbench fetch susy"]
    bench.run([skipped(reason, packages=packages) for reason, packages in zip(reasons, (1, 10, 100), strict=True)])
    page = report.pages(*bench.read())["index.html"]
    assert "2 cases need more threads, 1 case needs data: kmbench fetch susy" in page


def test_a_missing_data_set_has_no_size(bench):
    text = TABLE.replace('["packages"]', '["packages", "d"]') + printed('[[1, 7, "10"]]', "packages d")
    lines = [skipped("not fetched", packages=p, n=0, d=0) for p in (1, 10)]
    table = tables.build(bench.view(lines, text))
    bench.run(lines)
    page = report.pages(*bench.read())["index.html"]
    assert "2 cases were skipped, failed or were wrong" in page  # nothing has a value: one line
    assert [cell.text for cell in table.rows[0]][:2] == ["1", "7"]  # the paper's own, beside its value
    assert [cell.text for cell in table.rows[1]][:2] == ["10", "–"]


FINDINGS = """
[[finding]]
text = "The bound holds"
claims = ["table1/holds", "table1/fails"]
[[finding]]
text = "It fails elsewhere"
claims = ["table1/fails"]
"""


@pytest.fixture
def two(bench, tmp_path):
    """A reader's machine with one of two cases, a recorded one with both, and an exhibit that none measured."""
    claims = bound("holds", "at_most=1e6\nwhere={packages=1}") + bound("fails", "at_least=1e6\nwhere={packages=10}")
    bench.exhibit(TABLE + claims)
    bench.exhibit(TABLE, "demo/table2")
    (bench.papers / "demo/paper.toml").write_text(PAPER + FINDINGS)
    busy = {**RECORD, "warnings": ["the machine is not quiet: load 3"]}
    write(bench.results, "mine", [line(packages=1, seconds=0.1), skipped("no such card", packages=10)], busy)
    write(tmp_path / "recorded", "big", [line(packages=p, seconds=0.2) for p in (1, 10)], RECORD)
    return bench, tmp_path / "recorded"


def test_recorded_machines_stand_beside_the_readers_own(two):
    bench, folder = two
    page = report.pages(*bench.read(), None, results.load(folder))["index.html"]
    table = page[page.index('id="demo/table1"') :]
    head = re.findall(r"<th(?: [^>]*)?>([^<]*)", table[: table.index("</thead>")])
    assert head == ["packages", "iteration (ms)", "assign (ms)", "big: iteration (ms)"]
    row = next(text for text in table.split("<tr>") if "skipped" in text)
    assert 'class="beside m1">40.00' in row
    assert [label for _, label in re.findall(r'id="show(\d)" checked>([^<]*)', page)] == ["this machine", "big"]
    assert "The bound holds: <b>holds on this machine (1 of 2 checks); does not hold on big</b>" in page
    assert "This machine was busy" in page and "not quiet: load 3" in page
    assert re.search(r'<li id="demo/table2">made up: <i>not run on any', page)


@pytest.mark.parametrize("faster", [1, 2])
def test_a_picture_that_two_machines_share_is_there_once(bench, tmp_path, faster):
    bench.exhibit(figure("line", "iteration"))
    write(bench.results, "mine", [line(packages=p, seconds=0.1) for p in (1, 10)])
    write(tmp_path / "recorded", "big", [line(packages=p, seconds=0.1 / faster) for p in (1, 10)])
    page = report.pages(*bench.read(), None, results.load(tmp_path / "recorded"))["index.html"]
    assert page.count("data:image/svg+xml") == faster
    assert page.count("The same picture as of this machine.") == 2 - faster


def test_records_of_machines_stand_side_by_side_the_papers_last(two):
    bench, folder = two
    text = 'kind = "machine"\ntitle = "t"\n[machine]\nThreads = "cpu.threads"\nState = "warnings"\n'
    bench.exhibit(text + printed('[["Threads", "4"]]', "entry", "value"), "demo/table3")
    page = report.pages(*bench.read(), None, results.load(folder))["index.html"]
    table = page[page.index("<tbody>", page.index('id="demo/table3"')) :]
    cells = re.findall(r"<t[dh](?: [^>]*)?>([^<\n]*)", table[: table.index("</table>")])
    assert cells == ["Threads", "8", "8", "4", "State", "the machine is not quiet: load 3", "busy", "–"]


def test_findings_are_decided_by_their_claims_on_each_machine(two):
    bench, folder = two
    (paper,), machines = bench.read()
    sheets = [claim_sheet.sheet([paper], [machine]) for machine in (*machines, *results.load(folder))]
    found = findings.findings(paper, sheets)
    told = [[mark.told for mark in one.marks] for one in found]
    assert told == [["holds (1 of 2 checks)", "does not hold"], ["not comparable", "does not hold"]]
    (bench.papers / "demo/paper.toml").write_text(PAPER + FINDINGS.replace("table1/fails", "table1/other"))
    with pytest.raises(UserError, match="no claim table1/other"):
        findings.findings(exhibits.load(bench.papers)[0], [])


def test_a_star_names_every_claim_that_fits(two):
    bench, _ = two
    names = ('"table1/hold*"', '"table1/*"', '"table1/hold*", "table1/fail*"')
    for at, claims in enumerate(names):
        (bench.papers / "demo/paper.toml").write_text(f'{PAPER}[[finding]]\ntext = "t"\nclaims = [{claims}]\n')
        (found,) = findings.findings(exhibits.load(bench.papers)[0], [])
        assert found.claims == ["table1/holds", "table1/fails"][: 1 + (at > 0)]


UNDECIDABLE = (INCOMPARABLE, INCOMPARABLE)


@cases(
    "verdicts needs told",
    ((REPRODUCED, REPRODUCED), ("", ""), findings.HOLDS),
    ((REPRODUCED, TREND), ("", ""), findings.DIRECTION),
    ((REPRODUCED, STAND_IN), ("", ""), findings.ON_STAND_INS),
    ((STAND_IN, TREND), ("", ""), findings.DIRECTION),
    ((REPRODUCED, NOISE), ("", ""), findings.UNDECIDED),
    ((NOISE, FAILED), ("", ""), findings.FAILS),
    ((INCOMPARABLE, REPRODUCED), ("", ""), findings.HOLDS),
    (UNDECIDABLE, ("", ""), INCOMPARABLE),
    (UNDECIDABLE, ("run", "gpu"), findings.NOT_RUN),
    (UNDECIDABLE, ("data susy", "run"), findings.NOT_RUN),
    (UNDECIDABLE, ("run", "grade"), INCOMPARABLE),  # it was run
    (UNDECIDABLE, ("size", "size"), INCOMPARABLE),
)
def test_the_worst_decided_claim_decides_a_finding_else_what_the_claims_need(bench, verdicts, needs, told):
    one = bench.judge([line(packages=1), line(packages=10)], **RATIO, at_least=1.0)
    both = enumerate(zip(verdicts, needs, strict=True))
    outcomes = [replace(one, id=str(i), verdict=verdict, need=need) for i, (verdict, need) in both]
    assert findings.mark(["table1/0", "table1/1"], outcomes).verdict == told


@cases(
    "marks told",
    ([(findings.HOLDS, 2), (findings.HOLDS, 2)], "Holds on both that ran it"),
    ([(findings.FAILS, 2)] * 3, "Holds on none of the 3 that ran it"),
    ([(findings.HOLDS, 1), (findings.HOLDS, 2)], "Holds on a (1 of 2 checks), b"),
    ([(findings.HOLDS, 2), (findings.INCOMPARABLE, 0)], "Holds on a"),
    ([(findings.INCOMPARABLE, 0), (findings.NOT_RUN, 0)], ""),
)
def test_a_finding_in_words_says_how_much_of_it_was_decided(marks, told):
    made = findings.Conclusion("t", [], [findings.Mark(verdict, decided, 2, {}) for verdict, decided in marks])
    where = [places.Place(i, name, None) for i, name in enumerate("abc"[: len(marks)])]
    assert places.spoken(made, where) == told


def test_every_paper_has_findings_that_rest_on_claims_of_its_own():
    for paper in papers():
        found = findings.findings(paper, [])
        assert 1 <= len(found) <= 6, paper.key
        assert len({one.text for one in found}) == len(found)


def test_the_terminal_gets_a_table_that_fits(two, tmp_path, output):
    bench, folder = two
    out = output("claims", *bench.folders, "--out", tmp_path / "out", "--beside", folder)
    paths = (str(tmp_path), "--results")
    assert all(len(text) <= 100 for text in out.splitlines() if not any(path in text for path in paths))
    head, row = re.findall(r"^(?:paper|demo) .*", out, re.M)
    assert len(head) == len(row) and row.split() == ["demo", *"21––––1––1–"]
    assert "The bound holds. Holds on this machine (1 of 2 checks); does not hold on big." in " ".join(out.split())
    assert "recorded" not in output("claims", *bench.folders, "--out", tmp_path / "out", "--beside", "none")


def test_it_is_all_written_from_one_reading(two, tmp_path, capsys):
    bench, folder = two
    assert bench.main("all", "--out", tmp_path / "out", "--beside", folder) == 0
    for name in ("index.html", "claims.html", "claims.md", "mine/demo/table1.md"):
        assert (tmp_path / "out" / name).is_file()
    assert bench.main("report", "--out", tmp_path / "out", "--beside", tmp_path / "nowhere") == 2


PATH = '<path d="M 1.2345 6.789 \nL 3.001 4 \nz\n" style="fill: none; opacity: 0.123"/>'
STYLED = "<path id='m12ab' d='M0 0'/>" + "<use href='#m12ab' style='fill:red'/>" * 3
MARK = '<svg><style>*{a:b}</style><defs><path id="m12ab" d="SHAPE" style="stroke:red"/></defs>'
MARK += "".join(f'<use xlink:href="#m12ab" x="{x}" y="9" style="fill:red"/>' for x in (1, 2, 3)) + "</svg>"


@cases(
    "drawn small",
    (
        f'<?xml version="1.0"?>\n<svg x="1.23456"><!-- a -->\n <g id="a">{PATH}<text>0.0125</text></g></svg>',
        "<svg x='1.2'><path d='M1.2 6.8l1.8-2.8z' fill='none' style='opacity:0.12'/><text>0.0125</text></svg>",
    ),
    (
        f"<svg><style>*{{a:b}}</style>{STYLED}</svg>",  # a style once
        "<svg><style>*{a:b}.s0{fill:red}</style><path id='i0' d='M0 0'/>"
        + "<use href='#i0' class='s0'/>" * 3
        + "</svg>",
    ),
    (
        MARK.replace("SHAPE", "M 0 0 L 0 2 "),  # the ticks of an axis are one path
        "<svg><style>*{a:b}.s0{fill:red}</style><path d='M1 9v2M2 9v2M3 9v2' class='s0'/></svg>",
    ),
)
def test_a_smaller_picture_says_the_same(drawn, small):
    assert svg.small(drawn) == small


def test_a_path_goes_by_steps_whose_rounding_does_not_add():
    assert svg.relative("M 0 0 C 1 1 2 2 3 3.5 L 4 4 z M 5 5 L 4 6") == "M0 0c1 1 2 2 3 3.5l1 .5zM5 5l-1 1"
    assert svg.relative("M 0 0 L 0 2 L 3 2 L 3 1") == "M0 0v2h3v-1"
    steps = svg.relative("M 0 0 " + " ".join(f"L {0.04 * i:.2f} 0" for i in range(101)))
    assert round(sum(float(x) for x in re.findall(r"h([\d.]+)", steps)), 1) == 4


def test_a_smaller_picture_has_a_line_for_the_markers_of_a_curve():
    text = svg.small(MARK.replace("SHAPE", "M -1 0 L 1 0 "))
    assert text.count("#i0'") == 1
    assert text.endswith("<polyline points='1 9 2 9 3 9' style='marker:url(#m0)'/></svg>")


def test_a_smaller_picture_joins_lines_and_nothing_that_is_filled_or_seen_through():
    for style, joined in (("fill: none", True), ("fill: none; opacity: 0.5", False), ("fill: #abcdef", False)):
        drawn = "".join(f'<path d="M {x} 0 L {x} 2" style="{style}"/>' for x in (1, 2, 3))
        text = svg.small(f"<svg><style></style>{drawn}</svg>")
        assert (text.count("<path") == 1) == joined


def test_a_copy_of_a_recorded_machine_does_not_stand_beside_itself(two, tmp_path, output):
    bench, _ = two
    copy = shutil.copytree(bench.results, tmp_path / "copy")
    words = ["--papers", bench.papers, "--results", copy, "--out", tmp_path / "out", "--beside", bench.results]
    assert "on recorded machines" not in output("claims", *words)
