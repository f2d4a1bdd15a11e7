"""The report's first look, tables and links; what is said of a size or a machine that is not the paper's."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest
from conftest import TABLE, machine
from synthetic import line, skipped, write

from plots.__main__ import main
from plots.decide.claims import judge_one
from plots.decide.verdicts import FAILED, INCOMPARABLE, REPRODUCED, TREND
from plots.read import exhibits, results
from plots.read.view import gather
from plots.write import claim_sheet, html_rows, report

PAPER = 'title = "A paper"\nauthors = ["A. Author"]\nyear = 2020\ndoi = "10.1/abc"\nmachine = "their machine"\n'
RECORD = {"cpu": {"model": "Made-up 9000", "threads": 8}, "memory_bytes": 2**34, "warnings": ["busy"]}
RATIO = {"kind": "ratio", "numerator": {"packages": 1}, "denominator": {"packages": 10}}
THREADS = TABLE + (
    '[[paper]]\nsource="printed"\nfields=["threads"]\nmetrics=["iteration"]\nrows=[["20", "1"]]\n'
    'match = { threads = { "20" = 0 } }\n'
)


@pytest.fixture
def page(bench):
    """The report of one table with two claims, and its folders."""
    claims = "".join(
        f'[[claim]]\nid="{name}"\ntext="{name}"\nkind="bound"\nmetric="run"\n{bound}\n'
        for name, bound in (("holds", "at_most=1e6"), ("fails", "at_least=1e6"))
    )
    bench.exhibit(TABLE.replace('rows = ["packages"]', 'rows = ["packages", "threads"]') + claims)
    (bench.papers / "demo" / "paper.toml").write_text(PAPER)
    lines = [line(packages=1, threads=t, seconds=0.1 * t) for t in (1, 2)]
    lines += [skipped("too large", packages=10, threads=1), line(packages=100, threads=1, departs="it stops early")]
    write(bench.results, "demo", lines, RECORD)
    return report.page(exhibits.load(bench.papers), results.load(bench.results))


def test_the_first_screen_says_what_when_and_what_came_of_it(page):
    first = page[page.index('class="first"') : page.index('class="filter"')]
    for said in (
        "Made-up 9000 with 8 threads, 16 GiB of memory",
        "measured 2024-01-01 at 0123456789",
        "Of 2 claims that can be decided here: 1 reproduced, 1 not reproduced.",
        "2 of 2 claims can be decided here.",
    ):
        assert said in first
    assert 1 <= first.count("<li>") <= 3


def test_the_size_stands_under_the_title(page):
    assert "n = 1000 · d = 4 · k = 4 · 5 iterations · fp32 · paper profile · 4 cases at 0123456789" in page


def test_it_needs_no_network_and_names_no_folder(page, bench):
    for outside in ("<link", 'src="', "url(", "@import", "http://"):
        assert outside not in page.replace('src="data:', "")
    assert re.findall(r'href="(https?:[^"]*)"', page) == ["https://doi.org/10.1/abc"] * 2
    assert str(bench.results) not in page


def test_what_has_no_time_says_so_once_a_row(page):
    assert page.count(">skipped<sup>1</sup>") == 1
    assert 'colspan="2">skipped' in page


def test_a_departure_is_a_footnote(page):
    assert "departs from the task: it stops early" in page


def test_every_claim_has_its_verdict_to_filter_by(page):
    assert re.findall(r'<li id="demo/demo/table1-(\w+)" class="(\w+)"', page) == [
        ("holds", "reproduced"),
        ("fails", "failed"),
    ]
    assert re.findall(r'data-tone="(\w+)"', page) == ["reproduced", "failed"]


def test_its_lines_and_tables_can_be_saved(page, bench):
    saved = dict(re.findall(r'download="([^"]+)" href="data:[\w/-]+;base64,([^"]+)"', page))
    lines = gzip.decompress(base64.b64decode(saved["demo-table1.jsonl.gz"])).decode().splitlines()
    written = (bench.results / "demo" / "demo.jsonl").read_text().splitlines()
    assert sorted(lines) == sorted(written)
    assert base64.b64decode(saved["demo-table1.csv"]).startswith(b"packages,threads,iteration")
    assert b"\\toprule" in base64.b64decode(saved["demo-table1.tex"])


def test_a_ratio_is_coloured_by_who_is_better():
    assert "--reproduced" in html_rows.tint("iteration", 0.5)
    assert "--trend" in html_rows.tint("iteration", 2.0)
    assert "--trend" in html_rows.tint("bandwidth", 0.5)
    assert html_rows.tint("iterations", 2.0) == html_rows.tint("iteration", None) == ""


@pytest.mark.parametrize(
    ("seconds", "claim", "paper", "quick"),
    [
        ((0.2, 0.1), {**RATIO, "expect": 2.0, "within": 1.2}, REPRODUCED, TREND),
        ((0.4, 0.1), {**RATIO, "expect": 2.0, "within": 1.2}, TREND, TREND),
        ((0.1, 0.2), {**RATIO, "expect": 2.0, "within": 1.2}, FAILED, INCOMPARABLE),
        ((0.1, 0.2), {"kind": "order", "items": [{"packages": 10}, {"packages": 1}]}, FAILED, INCOMPARABLE),
        ((0.1, 0.2), {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]}, REPRODUCED, TREND),
        ((0.1, 0.2), {"kind": "value", "where": {"packages": 1}, "expect": 20, "within": 2}, REPRODUCED, INCOMPARABLE),
        ((0.1, 0.2), {"kind": "trend", "along": "packages", "direction": "down"}, FAILED, FAILED),
    ],
)
def test_at_another_size_only_the_direction_counts(bench, seconds, claim, paper, quick):
    lines = [line(seconds=s, packages=p) for s, p in zip(seconds, (1, 10), strict=True)]
    assert bench.judge(lines, **claim).verdict == paper
    found = bench.judge(
        [line(seconds=s, packages=p, profile="quick") for s, p in zip(seconds, (1, 10), strict=True)], **claim
    )
    assert found.verdict == quick
    assert claim["kind"] == "trend" or "quick profile: another n than the paper's" in found.why
    assert found.need == ("size" if quick == INCOMPARABLE else "")


@pytest.mark.parametrize(("ours", "verdict"), [(20, FAILED), (8, INCOMPARABLE), (None, FAILED)])
def test_with_other_threads_than_the_papers_no_claim_about_all_of_them_fails(bench, ours, verdict):
    record = {"cpu": {"threads": ours}} if ours else {}
    lines = [line(packages=1, threads=0, seconds=0.1), line(packages=10, threads=0, seconds=0.2)]
    claim = {"id": "c", "text": "t", "metric": "iteration", **RATIO, "at_least": 5.0}
    found = judge_one(gather(bench.exhibit(THREADS), machine(lines, record)), claim)
    assert found.verdict == verdict
    assert (found.why, found.need) == (("8 threads here, 20 in the paper", "threads") if ours == 8 else ("", ""))
    exact = {**claim, "metric": "iterations"}
    assert judge_one(gather(bench.exhibit(THREADS), machine(lines, record)), exact).verdict == FAILED


def test_what_this_machine_can_show_and_cannot(bench, tmp_path, capsys):
    fetch = "household.npy is not on this machine: run scripts/fetch_datasets household"
    text = TABLE.replace('rows = ["packages"]', 'rows = ["implementation", "packages"]')
    for name, where in (
        ("here", "packages = 1"),
        ("gpu", "packages = 2, implementation = 'gpu/lloyd/tiled'"),
        ("data", "packages = 3"),
    ):
        text += f'[[claim]]\nid="{name}"\ntext="{name}"\nkind="bound"\nmetric="run"\nat_most=1e6\nwhere={{ {where} }}\n'
    bench.exhibit(text)
    bench.run(
        [
            line(packages=1),
            skipped(
                "gpu/lloyd/tiled is not in this build of kmbench",
                implementation="gpu/lloyd/tiled",
                device=None,
            ),
            skipped(fetch, packages=3),
        ]
    )
    args = ["claims", "--papers", str(bench.papers), "--results", str(bench.results), "--out", str(tmp_path)]
    assert main(args) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "demo: 1 of 3 claims can be decided here; 1 need a GPU, 1 data: scripts/fetch_datasets household.\n"
    )
    assert "\there\t" in out
    assert "\tgpu\t" not in out
    assert main([*args, "--all"]) == 0
    assert "\tgpu\t" in capsys.readouterr().out
    findings = json.loads((tmp_path / "claims.json").read_text())
    assert [finding["need"] for finding in findings] == ["", "gpu", "data household"]


def test_claims_are_told_in_words(bench):
    found = bench.judge([], **RATIO, expect=2.0, within=1.2)
    assert found.expected == "iteration of 1 package is 2 × that of 10 packages, within a factor of 1.2"
    assert "{" not in claim_sheet.markdown([found])


def test_the_papers_own_times_are_met_by_the_median(bench):
    """Of five ratios, one far off: the median is not moved by it."""
    printed = '[[paper]]\nsource="printed"\nfields=["packages"]\nmetrics=["iteration"]\nrows=['
    printed += ", ".join(f'[{p}, "{t}"]' for p, t in ((1, 10), (2, 20), (3, 40), (4, 80), (5, 0.1))) + "]\n"
    bench.exhibit(TABLE + printed)
    bench.run([line(packages=p) for p in range(1, 6)])
    page = report.page(exhibits.load(bench.papers), results.load(bench.results))
    assert re.search(r"An iteration takes 1(\.0)? times as long", page)
    assert "median of 5 printed times (0.25 to 200)" in page


def test_a_data_set_that_is_not_there_has_no_size(bench):
    printed = '[[paper]]\nsource="printed"\nfields=["packages", "d"]\nmetrics=["iteration"]\nrows=[[1, 7, "10"]]\n'
    bench.exhibit(TABLE.replace('["packages"]', '["packages", "d"]') + printed)
    bench.run([skipped("not fetched", packages=p, n=0, d=0) for p in (1, 10)])
    page = report.page(exhibits.load(bench.papers), results.load(bench.results))
    rows = re.findall(r"<tr><td.*?</tr>", page[page.index('<tbody>\n<tr><td class="field') :], re.S)[:2]
    assert ">7<" in rows[0]  # the paper's own, beside its value
    assert ">10<" in rows[0]
    assert ">–<" in rows[1]


def test_many_rows_with_one_reason_are_one(bench):
    bench.exhibit(TABLE)
    lines = [skipped("no such card", packages=p) for p in (1, 2, 3, 4)] + [line(packages=5)]
    bench.run([*lines, *(skipped("no such card", packages=p) for p in (6, 7))])
    page = report.page(exhibits.load(bench.papers), results.load(bench.results))
    assert "4 cases: 1 … 4" in page
    assert page.count(">skipped<sup>1</sup>") == 3
