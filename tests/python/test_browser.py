"""The report and the page of claims in a headless Chromium: no complaint, no overflow, sorted, filtered, printed."""

import re

import pytest
from chromium import PROGRAM, Chromium
from conftest import ROOT, TABLE, Bench, claim, figure, printed
from synthetic import line, skipped, wrong

from plots.__main__ import main

if PROGRAM is None:
    pytest.skip("no chromium, chromium-browser or google-chrome: the pages are not opened", allow_module_level=True)

COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
SECONDS = [0.5, 0.1, 0.9, 0.3, 2.0, 0.2, 0.4, 11.0, 0.6, 0.7]
COLUMNS = '"iteration", "assign"]', '"iteration", "assign", "update", "overall", "grade"]'
LONG = "A sentence that goes on for a while, as papers like them. " * 3
EXHIBIT = TABLE.replace(*COLUMNS) + printed('[[1, "10.0", "5"], [3, "20", "4"]]', metrics="iteration assign")
EXHIBIT += claim('kind="bound"\nmetric="run"\nat_most=1e6', "holds", LONG)
EXHIBIT += claim('kind="bound"\nmetric="run"\nat_least=1e6', "fails", LONG)
TABLE1 = "[...document.querySelectorAll('article table')].find((t) => t.closest('article').id.endsWith('table1'))"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A browser, and the folder with the report and the claims of two machines."""
    folder = tmp_path_factory.mktemp("pages")
    bench = Bench(folder)
    bench.exhibit(EXHIBIT)
    bench.exhibit(figure("line", "iteration"), "demo/figure1")
    lines = [line(packages=p, seconds=s) for p, s in zip(COUNTS, SECONDS, strict=True)]
    lines += [skipped("too large for this card, by far", packages=11), wrong("label 3 is wrong", packages=12)]
    lines += [line(exhibit="demo/figure1", packages=p, seconds=s) for p, s in zip(COUNTS, SECONDS, strict=True)]
    for name in ("a-machine-with-a-rather-long-name", "another"):
        bench.run(lines, name)
    for command in ("report", "claims"):
        assert bench.main(command, "--out", folder) == 0
    with Chromium(folder / "profile") as browser:
        yield browser, folder


@pytest.mark.parametrize("page", ["index.html", "claims.html"])
@pytest.mark.parametrize(("width", "mobile"), [(320, True), (390, True), (1280, False), (1920, False)])
def test_it_opens_without_complaint_and_without_scrolling_sideways(pages, page, width, mobile):
    browser, folder = pages
    browser.open(folder / page, width, mobile=mobile)
    browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    wide, seen = browser.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= seen <= width
    assert browser.errors == []


def column(browser, head):
    """The values of a column in the visible rows, without intervals."""
    script = f"""(() => {{
      const table = {TABLE1}, [, at] = heads(table).find(([th]) => th.textContent.trim() === "{head}");
      return [...table.tBodies[0].rows].filter((row) => row.offsetParent).map((row) => shown(row, at)); }})()"""
    return browser.run(script)


def press(browser, head):
    th = f"heads({TABLE1}).find(([th]) => th.textContent.trim() === '{head}')[0]"
    browser.run(f"{th}.querySelector('button').click()")


def test_a_press_on_a_head_sorts_and_two_more_bring_it_back(pages):
    browser, folder = pages
    browser.open(folder / "index.html", 1280)
    before = column(browser, "packages")
    assert before == [str(p) for p in COUNTS] + ["11", "12"]
    press(browser, "iteration (ms)")
    by_time = [str(p) for _, p in sorted(zip(SECONDS, COUNTS, strict=True))]
    assert column(browser, "packages") == [*by_time, "11", "12"]  # no time: below
    press(browser, "iteration (ms)")
    assert column(browser, "packages") == [*by_time[::-1], "11", "12"]
    sorted_by = f"[...{TABLE1}.querySelectorAll('th')].filter((th) => th.ariaSort).map((th) => th.ariaSort)"
    assert browser.run(sorted_by) == ["descending"]
    press(browser, "iteration (ms)")
    assert column(browser, "packages") == before
    press(browser, "packages")  # as numbers: 10 after 9
    press(browser, "packages")
    assert column(browser, "packages")[:3] == ["12", "11", "10"]


def test_rows_are_filtered_by_every_word(pages):
    browser, folder = pages
    browser.open(folder / "index.html", 1280)
    box = f"{TABLE1}.closest('.scroll').nextElementSibling.querySelector('input')"
    for words, left in (("rounded", 10), ("skipped", 1), ("no such row", 0), ("", 12)):
        browser.run(f"(() => {{ const box = {box}; box.value = '{words}'; box.dispatchEvent(new Event('input')); }})()")
        assert len(column(browser, "packages")) == left, words


def test_claims_are_filtered_by_verdict_on_both_pages(pages):
    browser, folder = pages
    for page in ("index.html", "claims.html"):
        browser.open(folder / page, 1280)
        count = "[...document.querySelectorAll('tr.claim')].filter((row) => row.offsetParent).length"
        failed, all_of_them = browser.run("document.querySelectorAll('tr.claim.failed').length"), browser.run(count)
        assert 0 < failed < all_of_them
        for left in (failed, all_of_them):
            browser.run("document.querySelector('[data-tone=failed]').click()")
            assert browser.run(count) == left


def test_a_machine_is_switched_off_and_on(pages):
    browser, folder = pages
    browser.open(folder / "index.html", 1280)
    count = "[...document.querySelectorAll('.m1')].filter((part) => part.offsetParent).length"
    both = browser.run(count)
    assert both > 0
    for left in (0, both):
        browser.run("document.getElementById('show1').click()")
        assert browser.run(count) == left


@pytest.mark.parametrize("page", ["index.html", "claims.html"])
def test_it_prints_whole_tables_and_nothing_to_press(pages, page):
    browser, folder = pages
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.open(folder / page, 703)  # A4 less its margins
    hidden = "nav, .filter, .links, input"
    assert browser.run(f"[...document.querySelectorAll('{hidden}')].filter((part) => part.offsetParent).length") == 0
    wide = "t.offsetParent && t.offsetWidth > t.parentElement.clientWidth + 1"
    cut = f"[...document.querySelectorAll('table')].filter((t) => {wide}).length"
    assert browser.run(cut) == 0
    assert browser.run(
        "[...document.querySelectorAll('.scroll')].every((box) => getComputedStyle(box).maxHeight === 'none')"
    )
    pdf = browser.printed()
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 1 and len(pdf) > 10_000
    browser.call("Emulation.setEmulatedMedia", media="")
    assert browser.errors == []


def test_all_recorded_machines_fit_on_a_small_and_short_page(pages, tmp_path):
    browser, _ = pages
    folders = ["--results", str(ROOT / "results"), "--papers", str(ROOT / "papers"), "--out", str(tmp_path)]
    assert main(["report", *folders]) == 0
    assert (tmp_path / "index.html").stat().st_size < 3_000_000
    browser.open(tmp_path / "index.html", 1300)
    browser.run("all('.exhibit').forEach((part) => { part.style.contentVisibility = 'visible'; })")
    for shown in range(browser.run("all('.switch input').length")):
        browser.run(f"all('.switch input').forEach((box, at) => {{ box.checked = at === {shown}; }})")
        assert browser.run("document.documentElement.scrollHeight") <= 25 * 900
    assert browser.errors == []


def test_a_few_presses_give_the_command_of_a_cell_a_copy_and_one_exhibit(pages):
    """The command behind a cell, a table as LaTeX, and one exhibit alone."""
    browser, folder = pages
    browser.open(folder / "index.html", 1280)
    browser.run(f"{TABLE1}.tBodies[0].rows[2].cells[1].click()")
    asked = browser.run(f"{TABLE1}.closest('.scroll').parentElement.querySelector('.asked').textContent")
    assert asked == "kmbench explain demo/table1 3 iteration --machine a-machine-with-a-rather-long-name"
    browser.run("navigator.clipboard.writeText = (text) => { window.pasted = text; return Promise.resolve(); }")
    browser.run("[...document.querySelectorAll('.copy')].find((b) => b.textContent.includes('LaTeX')).click()")
    assert browser.run("window.pasted").startswith("\\begin{tabular}")
    browser.run("history.replaceState(null, '', '?only=demo/table1')")
    browser.run("location.reload(); 0")
    while browser.message().get("method") != "Page.loadEventFired":
        pass
    assert browser.run("all('article').filter((part) => part.offsetParent).map((part) => part.id)") == ["demo/table1"]
