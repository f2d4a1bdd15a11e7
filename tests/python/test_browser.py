"""The report's pages in a headless Chromium: no complaint, no overflow, sorted, filtered, printed, accessible."""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from chromium import PROGRAM, Chromium
from conftest import ROOT, TABLE, Bench, claim, figure, printed
from synthetic import line, skipped, wrong

from plots.__main__ import main
from plots.decide import findings

if PROGRAM is None:
    pytest.skip("no chromium, chromium-browser or google-chrome: the pages are not opened", allow_module_level=True)

COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
SECONDS = [0.5, 0.1, 0.9, 0.3, 2.0, 0.2, 0.4, 11.0, 0.6, 0.7]
COLUMNS = '"iteration", "assign"]', '"iteration", "assign", "update", "overall", "grade"]'
LONG = "A sentence that goes on for a while, as papers like them. " * 3
MACHINE = "a-machine-with-a-rather-long-name"
EXHIBIT = TABLE.replace(*COLUMNS) + printed('[[1, "10.0", "5"], [3, "20", "4"]]', metrics="iteration assign")
EXHIBIT += claim('kind="bound"\nmetric="run"\nat_most=1e6', "holds", LONG)
EXHIBIT += claim('kind="bound"\nmetric="run"\nat_least=1e6', "fails", LONG)
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
TABLE1 = "[...document.querySelectorAll('article table')].find((t) => t.closest('article').id.endsWith('table1'))"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder with the report and the claims of two machines."""
    folder = tmp_path_factory.mktemp("pages")
    bench = Bench(folder)
    bench.exhibit(EXHIBIT)
    bench.exhibit(figure("line", "iteration"), "demo/figure1")
    lines = [line(packages=p, seconds=s) for p, s in zip(COUNTS, SECONDS, strict=True)]
    lines += [skipped("too large for this card, by far", packages=11), wrong("label 3 is wrong", packages=12)]
    lines += [line(exhibit="demo/figure1", packages=p, seconds=s) for p, s in zip(COUNTS, SECONDS, strict=True)]
    for name in (MACHINE, "another"):
        bench.run(lines, name)
    for command in ("report", "claims"):
        assert bench.main(command, "--out", folder) == 0
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def index(browser, pages):
    """Opens the report of the two machines."""
    browser.open(pages / "index.html", 1280)


@pytest.mark.parametrize("page", ["index.html", "claims.html", "exhibits/demo/table1.html"])
@pytest.mark.parametrize(("width", "mobile"), [(320, True), (390, True), (1280, False), (1920, False)])
def test_it_opens_without_complaint_and_without_scrolling_sideways(browser, pages, page, width, mobile):
    browser.open(pages / page, width, mobile=mobile)
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


def test_a_press_on_a_head_sorts_and_two_more_bring_it_back(index, browser):
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


def test_rows_are_filtered_by_every_word(index, browser):
    box = f"{TABLE1}.closest('.scroll').nextElementSibling.querySelector('input')"
    for words, left in (("rounded", 10), ("skipped", 1), ("no such row", 0), ("", 12)):
        browser.run(f"(() => {{ const box = {box}; box.value = '{words}'; box.dispatchEvent(new Event('input')); }})()")
        assert len(column(browser, "packages")) == left, words


def test_claims_are_filtered_by_verdict_on_both_pages(browser, pages):
    for page in ("index.html", "claims.html"):
        browser.open(pages / page, 1280)
        count = "[...document.querySelectorAll('tr.claim')].filter((row) => row.offsetParent).length"
        failed, all_of_them = browser.run("document.querySelectorAll('tr.claim.failed').length"), browser.run(count)
        assert 0 < failed < all_of_them
        for left in (failed, all_of_them):
            browser.run("document.querySelector('[data-tone=failed]').click()")
            assert browser.run(count) == left


def test_a_machine_is_switched_off_and_on(index, browser):
    count = "[...document.querySelectorAll('.m1')].filter((part) => part.offsetParent).length"
    both = browser.run(count)
    assert both > 0
    for left in (0, both):
        browser.run("document.getElementById('show1').click()")
        assert browser.run(count) == left


@pytest.mark.parametrize("page", ["index.html", "claims.html", "exhibits/demo/table1.html"])
def test_it_prints_whole_tables_and_nothing_to_press(browser, pages, page):
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.open(pages / page, 703)  # A4 less its margins
    hidden = "nav, .filter, .links, input"
    assert browser.run(f"[...document.querySelectorAll('{hidden}')].filter((part) => part.offsetParent).length") == 0
    wide = "t.offsetParent && t.offsetWidth > t.parentElement.clientWidth + 1"
    cut = f"[...document.querySelectorAll('table')].filter((t) => {wide}).length"
    assert browser.run(cut) == 0
    assert browser.run("all('.scroll').every((box) => getComputedStyle(box).maxHeight === 'none')")
    pdf = browser.printed()
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 1 and len(pdf) > 10_000
    browser.call("Emulation.setEmulatedMedia", media="")
    assert browser.errors == []


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The report of all recorded machines beside a reader's own, for which one of them stands; an H200's claims."""
    folder = tmp_path_factory.mktemp("recorded")
    shutil.copytree(ROOT / "results/intel-xeon-2t", folder / "own/here")
    words = ["--results", folder / "own", "--beside", ROOT / "results", "--papers", ROOT / "papers", "--out", folder]
    assert main(["report", *map(str, words)]) == 0
    words[1:4] = [ROOT / "results", "--machine", "h200"]
    assert main(["claims", *map(str, words)]) == 0
    return folder


@pytest.fixture
def whole(browser, recorded):
    """Opens the report of all machines, and is its folder."""
    browser.open(recorded / "index.html", 1300)
    return recorded


def test_all_machines_fit_on_a_small_and_short_page(whole, browser):
    assert (whole / "index.html").stat().st_size < 3_000_000
    browser.run("all('.exhibit').forEach((part) => { part.style.contentVisibility = 'visible'; })")
    empty = "all('figure img').filter((one) => one.offsetParent && one.offsetHeight < 50).length"
    assert browser.run(empty) == 0  # figures keep their place before they are seen
    changed = "document.querySelector('.switch').dispatchEvent(new Event('change'))"
    for shown in range(browser.run("all('.switch input').length")):
        browser.run(f"all('.switch input').forEach((box, at) => {{ box.checked = at === {shown}; }}); {changed}")
        assert browser.run("document.documentElement.scrollHeight") <= 29 * 900
    browser.run(f"all('.switch input').forEach((box) => {{ box.checked = true; }}); {changed}")
    browser.run("all('details').forEach((part) => { part.open = true; })")
    browser.run(FRAMES)
    cut = "all('.scroll').filter((box) => box.scrollWidth > box.clientWidth + 1)"
    assert browser.run(f"{cut}.map((box) => [box.closest('article')?.id, box.scrollWidth])") == []
    assert browser.errors == []


def test_every_exhibit_with_a_value_has_a_page_with_all_its_numbers(whole, browser):
    links = browser.run("all('article').map((part) => [part.id, part.querySelector('a.own').getAttribute('href')])")
    assert len(links) > 40
    written = sorted(str(file.relative_to(whole)) for file in whole.glob("exhibits/*/*.html"))
    assert sorted(page for _, page in links) == written
    page = dict(links)["he2021/figure3"]
    browser.open(whole / page, 390, mobile=True)
    assert browser.run("all('.numbers table').filter((table) => table.offsetParent).length") >= 2  # H100, H200
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("document.querySelector('nav a').href.endsWith('index.html#he2021/figure3')")
    assert browser.errors == []


# Five tasks of a reader, each in at most three presses.


def test_task_does_a_finding_hold_on_the_h200(whole, browser):
    browser.run("document.querySelector('details:has(.matrix) summary').click()")
    at = "[...document.querySelector('.matrix thead tr').cells].findIndex((th) => th.textContent === 'NVIDIA H200')"
    row = "all('.matrix tr').find((row) => row.textContent.startsWith('Summing in packages repairs'))"
    cell = browser.run(f"(() => {{ const cell = {row}.cells[{at}]; return cell.offsetParent && cell.textContent; }})()")
    assert re.search("|".join(findings.VERDICTS[:-1]), cell)
    squares = "all('.answers .square').filter((a) => a.title.startsWith('Summing in packages')).map((a) => a.title)"
    assert any(title.endswith(cell[2:]) for title in browser.run(squares))


def test_task_the_fastest_for_64_dimensions_and_500_clusters(whole, browser):
    typed = "box.value = {}; box.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    for at, value in ((1, 64), (2, 500)):
        browser.run(f"(() => {{ const box = all('.ask input')[{at}]; {typed.format(value)}; }})()")
    told = browser.run("all('.ask li').filter((item) => item.offsetParent).map((item) => item.textContent)")
    (h200,) = (text for text in told if text.startswith("NVIDIA H200, GPU: gpu/"))
    assert re.search(r" ms an iteration at n = 1,000,000, d = 64, k = 512$", h200)


CELLS = {
    "querySelector('td.why')": "skipped: too large for this card, by far",
    "tBodies[0].rows[2].cells[1]": f"kmbench explain demo/table1 3 iteration --machine {MACHINE}",
}


@pytest.mark.parametrize(("cell", "told"), CELLS.items())
def test_task_what_stands_behind_a_cell(index, browser, cell, told):
    browser.run(f"{TABLE1}.{cell}.click()")
    assert browser.run(f"{TABLE1}.closest('.scroll').parentElement.querySelector('.asked').textContent") == told


def test_a_cell_is_asked_by_keyboard_and_by_touch(index, browser, pages):
    told = "document.activeElement.closest('.scroll').parentElement.querySelector('.asked').textContent"
    browser.run(f"{TABLE1}.querySelector('td[tabindex=\"0\"]').focus()")
    browser.press("Enter")
    assert browser.run(told).startswith("kmbench explain demo/table1 1 iteration ")
    browser.press("ArrowRight", "ArrowDown", "Enter")
    assert browser.run(told).startswith("kmbench explain demo/table1 2 assign ")
    assert browser.run(f"{TABLE1}.querySelectorAll('td[tabindex=\"0\"]').length") == 1
    browser.open(pages / "index.html", 390, mobile=True)
    browser.tap(f"{TABLE1}.tBodies[0].rows[1].cells[1]")
    assert browser.run("document.querySelector('.asked').textContent").startswith("kmbench explain demo/table1 2 iter")


def test_a_table_says_how_many_rows_it_has_and_shows_them(index, browser):
    box = f"{TABLE1}.closest('.scroll')"
    button = f"all('button', {box}.nextElementSibling).find((one) => one.textContent.endsWith('rows'))"
    hidden = f"{box}.scrollHeight > {box}.clientHeight + 8"
    for text, cut in (("Show all 12 rows", True), ("Show fewer rows", False), ("Show all 12 rows", True)):
        assert (browser.run(f"{button}.textContent"), browser.run(hidden)) == (text, cut)
        browser.run(f"{button}.click()")


def test_task_copy_a_table_as_latex(index, browser):
    browser.run("navigator.clipboard.writeText = (text) => { window.pasted = text; return Promise.resolve(); }")
    browser.run("[...document.querySelectorAll('.copy')].find((b) => b.textContent.includes('LaTeX')).click()")
    assert browser.run("window.pasted").startswith("\\begin{tabular}")


def test_task_compare_two_machines(whole, browser):
    for name in ("this machine", "amd-epyc-2t", "intel-xeon-2t", "intel-xeon-2.50ghz-2t"):
        browser.run(f"all('.switch label').find((label) => label.textContent === '{name}').click()")
    heads = "[...document.querySelector('.answers thead tr').cells].filter((th) => th.offsetParent)"
    shown = browser.run(f"{heads}.map((th) => th.textContent)")
    assert shown == ["paper", "does it still hold?", "NVIDIA H200", "NVIDIA H100"]


@pytest.fixture(scope="module")
def axe():
    """axe-core, Deque Systems' rules of accessibility, from the package that tests/python/axe.txt pins."""
    asked, cache = Path(__file__).with_name("axe.txt"), Path.home() / ".cache/kmbench/axe"
    if not list(cache.glob("*.whl")):
        quick = ["--quiet", "--retries", "0", "--timeout", "10", "--disable-pip-version-check"]
        command = ["download", *quick, "--no-deps", "--require-hashes", "--requirement", asked, "--dest", cache]
        ended = subprocess.run([sys.executable, "-m", "pip", *command], capture_output=True, text=True)
        if ended.returncode:
            pytest.skip(f"axe-core is not to be had: {ended.stderr.strip().splitlines()[-1]}")
    (wheel,) = cache.glob("*.whl")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() in asked.read_text()
    return zipfile.ZipFile(wheel).read("axe_playwright_python/axe.min.js").decode()


SCREENS = [(1300, "light"), (1300, "dark"), (390, "light"), (390, "dark")]
MADE_UP = ["index.html", "claims.html", "exhibits/demo/table1.html", "exhibits/demo/figure1.html"]


def serious(browser, axe, page, width, scheme, without=""):
    """What axe-core complains of on a page, all folds open. `without`: an array of elements to remove before."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", media="", features=features)
    browser.open(page, width, mobile=width < 600)
    browser.run(f"({without or []}).forEach((part) => part.remove())")
    browser.run("all('details').forEach((part) => { part.open = true; })")
    browser.run(f"{axe}; 0")
    found = "found.violations.map((one) => [one.impact, one.id, one.nodes[0].html, one.nodes[0].failureSummary])"
    violations = browser.run(f"axe.run(document, {{ resultTypes: ['violations'] }}).then((found) => {found})")
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    return [one for one in violations if one[0] in ("serious", "critical")]


@pytest.mark.parametrize("page", MADE_UP)
@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_serious(browser, pages, axe, page, width, scheme):
    assert serious(browser, axe, pages / page, width, scheme) == []


# Whole, they take minutes: the first exhibit of a paper, its first figure and five rows of a table stay.
MORE = """[...all('section.paper').flatMap((one) => all('article', one).slice(1)),
  ...all('tbody > :nth-child(n+6), figure + figure')]"""


@pytest.mark.parametrize("page", ["index.html", "claims.html"])
@pytest.mark.parametrize(("width", "scheme"), [SCREENS[0], SCREENS[-1]])
def test_axe_finds_nothing_serious_on_recorded_pages(browser, recorded, axe, page, width, scheme):
    assert serious(browser, axe, recorded / page, width, scheme, MORE) == []
