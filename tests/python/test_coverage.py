"""Which printed numbers have a line or a stand-in beside them, and what the others need."""

import csv

import pytest
from conftest import TABLE, cases, machine, papers, printed, rows_of
from synthetic import line, skipped

from plots.read import exhibits
from plots.read.view import gather
from plots.write import coverage, report, tables

ROWS = '[["real", 4, 1, "10", "29", "1"], ["real", 8, 1, "20", "30", ""], ["real", 8, "40", "5", "", "Segfault"]]'
EXHIBIT = (
    TABLE.replace('"packages"', '"dataset", "k", "threads"').replace('"assign"', '"iterations", "init"')
    + printed(ROWS, "dataset k threads", "iteration iterations init")
    + printed('[["another program", "real", "7"]]', "implementation dataset")
    + printed('[["real", 4, "10.5"]]', "dataset k").replace('"printed"', '"derived from Table 2"')
)
PAPER = 'title = "A paper"\nstand_ins = { like = "real" }\nparts = { half = "real" }\n'
RECORD = {"cpu": {"model": "Made-up 9000", "threads": 8}}


@pytest.fixture
def paper(bench):
    bench.exhibit(EXHIBIT)
    (bench.papers / "demo/paper.toml").write_text(PAPER)
    return exhibits.load(bench.papers)[0]


def covered(paper, lines):
    return coverage.covered(gather(paper.exhibits[0], machine(lines, RECORD)))


def test_a_number_stands_beside_a_line_a_stand_in_or_nothing(paper):
    """Seven numbers: Segfault is none, and derived values count in their own table."""
    found = covered(paper, [line(dataset="real", k=4, threads=1, tolerance=0.0)])
    assert (found.numbers, found.lines, found.stand_ins) == (7, 2, 0)
    once = dict.fromkeys((coverage.VALUE, coverage.OTHER_THREADS, coverage.SYSTEM), 1)
    assert found.without == {**once, coverage.NEEDS["run"]: 2}
    like = covered(paper, [line(dataset="like", k=k, threads=1, tolerance=0.0) for k in (4, 8)])
    assert (like.lines, like.stand_ins, like.without[coverage.VALUE]) == (0, 4, 1)


def test_a_part_of_a_file_has_no_printed_value_beside_it(paper):
    assert covered(paper, [line(dataset="half", k=4, threads=1)]).stand_ins == 0


@cases("phases lines", ({}, 1), ({"init": 0.1}, 1), ({"init": 0.1, "choose_starts": 0.1}, 2))
def test_init_is_the_papers_where_the_start_is_chosen_inside_and_fixed_iterations_are_not(paper, phases, lines):
    found = covered(paper, [line(dataset="real", k=4, threads=1, prepare_phases=phases)])
    assert (found.lines, found.without[coverage.VALUE]) == (lines, 3 - lines)


def test_a_missing_file_is_the_need(paper):
    fetch = "real.npy is not on this machine: run kmbench fetch real"
    for lines in ([], [skipped(fetch, dataset="real", k=k, threads=1, n=0, d=0) for k in (4, 8)]):
        assert covered(paper, lines).without == {"data: real": 5, coverage.OTHER_THREADS: 1, coverage.SYSTEM: 1}


def test_a_stand_in_has_the_printed_value_beside_it_and_a_ratio_of_times_alone(paper):
    view = gather(paper.exhibits[0], machine([line(dataset="like", k=4, threads=1)]))
    table = tables.build(view)
    (shown,) = [row for row in rows_of(table) if row["dataset", "field"].text == "like"]
    assert (shown["iteration", "paper"].text, shown["iterations", "paper"].text) == ("10", "29")
    assert (shown["iteration", "ratio"].text, shown["iterations", "ratio"].text) == ("2.00", "–")
    assert any(note.startswith("printed of real; like is made up in its shape") for note in table.footnotes)
    assert "10" not in [cell.text for row in table.rows if row[0].text == "real" for cell in row], "once is enough"


def test_the_command_the_report_and_the_readme_show_it(paper, bench, tmp_path, output):
    bench.run([line(dataset="like", k=4, threads=1)])
    said = output("coverage", *bench.folders, "--out", tmp_path)
    assert "demo: of 7 printed numbers 0 beside a line, 1 beside a stand-in, 6 beside nothing." in said
    (row,) = csv.DictReader((tmp_path / "coverage.csv").open())
    assert (row["exhibit"], row["numbers"], row["beside a stand-in"]) == ("demo/table1", "7", "1")
    page = report.pages(*bench.read())["index.html"]
    assert "1 beside a stand-in" in page[page.index('id="coverage"') :]
    readme = tmp_path / "README.md"
    readme.write_text("<!-- begin:coverage -->\n<!-- end -->\n")
    assert bench.main("readme", "--file", readme) == 0
    assert "| `demo` | 7 | Made-up 9000 |  | 1 | 6 | " in readme.read_text()


def test_the_papers_print_this_many_numbers():
    """Counted by hand in the papers. Table 7's two segmentation faults and Table 8's N/A are no numbers."""
    numbers = {p.key: sum(len(coverage.own_numbers(e)) for e in p.exhibits) for p in papers()}
    known = {"benedetti2025": 20, "he2021": 263, "lutz2018": 11, "ours": 0, "taylor2021": 142, "wu2011": 14}
    assert numbers == known
