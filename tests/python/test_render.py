"""Tables, figures, the report and the README: their content, and the same bytes from the same lines. LaTeX tables: the
parts fit a page and lose no cell."""

import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest
from conftest import ROOT, SERIES, TABLE, claim, figure, printed, rows_of
from synthetic import line, skipped, wrong

from plots.__main__ import main
from plots.draw import style
from plots.read import exhibits, results
from plots.read.view import gather
from plots.write import fastest, latex, readme, table_formats, tables
from plots.write.tables import Cell, Column, Table

PAPER = TABLE + printed('[[1, "10.0"], [10, "20.0"], ["7", "3.50"]]', more='notes = { "7" = "their own" }\n')
LINES = [line(seconds=0.1, packages=1), line(seconds=0.2, packages=10), skipped("too large", packages=100)]


def cells(view):
    table = tables.build(view)
    return table, rows_of(table)


def test_a_row_holds_ours_the_papers_and_the_ratio_or_what_the_paper_alone_has(bench):
    table, rows = cells(bench.view(LINES, PAPER))
    first = rows[0]
    assert first["packages", "field"].text == "1"
    assert first["iteration", "ours"].raw[0] == pytest.approx(20)
    assert first["iteration", "paper"].text == "10.0"
    assert first["iteration", "ratio"].text == "2.00"
    lonely = next(row for row in rows if row["packages", "field"].text == "7")
    assert (lonely["iteration", "ours"].text, lonely["iteration", "paper"].text) == ("–", "3.50"), "the paper's digits"
    assert table.footnotes[lonely["packages", "field"].marks[0] - 1] == "their own"


def test_a_ratio_is_ours_over_the_papers_in_its_unit(bench):
    text = TABLE + printed('[[1, "0.2"]]', more='units = { iteration = "s" }\n')
    view = bench.view([line(seconds=0.5, packages=1)], text)
    row = rows_of(tables.build(view))[0]
    assert row["iteration", "ours"].raw[0] == pytest.approx(100)
    assert row["iteration", "ratio"].raw[0] == pytest.approx(0.5)
    assert row["iteration", "ratio"].text == "0.500"


def test_a_case_without_a_time_says_why_in_a_footnote(bench):
    table, rows = cells(bench.view([*LINES, wrong("label 3 is wrong", packages=1000)], PAPER))
    for row, why in ((rows[2], "skipped: too large"), (rows[3], "wrong: label 3 is wrong")):
        cell = row["assign", "ours"]
        assert cell.text == why.split(":")[0]
        assert table.footnotes[cell.marks[0] - 1] == why
    for text in (table_formats.markdown(table), latex.latex(table), table_formats.csv_text(table)):
        assert "too large" in text


def test_cases_that_the_rows_do_not_tell_apart_are_told_apart(bench):
    table, rows = cells(bench.view([line(packages=1), line(packages=1, precision="fp64")], PAPER))
    assert ("precision", "field") in rows[0]
    assert any("precision" in remark for remark in table.remarks)


def test_columns_have_the_papers_words(bench):
    words = 'labels.column = { packages = "Nb of packages", iteration = "Mean time" }\n'
    table, _ = cells(bench.view(LINES, words + PAPER))
    assert [column.group for column in table.columns][:2] == ["Nb of packages", "Mean time (ms)"]


def test_the_quick_profile_has_no_ratios(bench):
    table, rows = cells(bench.view([line(packages=1, n=10, profile="quick")], PAPER))
    assert rows[0]["iteration", "paper"].text == "10.0"
    assert rows[0]["iteration", "ratio"].text == "–"
    assert any("Quick profile" in remark for remark in table.remarks)


def test_formats(bench):
    table, _ = cells(bench.view(LINES, PAPER))
    first = table_formats.csv_text(table).splitlines()[0]
    assert first.startswith("packages,iteration,iteration_low,iteration_high,iteration_paper,iteration_ratio,assign")
    text = latex.latex(table)
    assert r"\multicolumn{3}{c}{iteration (ms)}" in text
    assert r"\cmidrule(lr){2-4}" in text
    rows = [row for row in table_formats.markdown(table).splitlines() if row.startswith("|")]
    assert all(row.count("|") == len(table.columns) + 1 for row in rows)


def test_latex_escapes():
    assert latex.escape("50% of a_b & $") == r"50\% of a\_b \& \$"


def test_best_and_coarse_are_told_apart():
    assert latex.value(Cell("1.5", best=True)) == r"\textbf{1.5}"
    assert latex.value(Cell("1.5", doubt="coarse", marks=(2, 3))) == r"1.5$^\dagger$$^{2,3}$"


def test_a_colour_belongs_to_a_name_not_to_a_place():
    alone, among = style.colours(["cpu/b"]), style.colours(["cpu/b", "zzz/later"])
    assert alone["cpu/b"] == among["cpu/b"]
    many = style.colours([f"cpu/{i}" for i in range(len(style.PALETTE))])
    assert len(set(many.values())) == len(style.PALETTE)


def test_readme_regions_are_filled_once_and_for_all(bench, tmp_path):
    bench.exhibit(PAPER)
    bench.exhibit(figure("line", "assign update", SERIES), "demo/figure1")
    bench.run([*LINES, *({**made, "exhibit": "demo/figure1"} for made in LINES)])
    page = tmp_path / "README.md"
    regions = ("begin:demo/table1 machine=demo", "begin:demo/figure1", "begin:claims")
    page.write_text("before\n" + "".join(f"<!-- {r} -->\nold\n<!-- end -->\n" for r in regions) + "after\n")
    assert bench.main("readme", "--file", page) == 0
    first = page.read_text()
    assert first.startswith("before\n") and first.endswith("after\n")
    assert "old" not in first and "too large" in first
    assert "](docs/pictures/demo/demo/figure1.svg)" in first
    assert (tmp_path / "docs/pictures/demo/demo/figure1.svg").exists()
    assert bench.main("readme", "--file", page) == 0
    assert page.read_text() == first


def test_a_page_without_regions_of_lines_reads_none(bench, tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    page.write_text("<!-- begin:transcript fit -->\nold\n<!-- end -->\n")
    monkeypatch.setattr(results, "load", None)
    assert bench.main("readme", "--file", page) == 0
    assert "kmbench fit" in page.read_text()


def test_the_summary_counts_every_sentence_once_and_sets_single_runs_apart(bench, tmp_path):
    asked = [("a", "1e9", "1"), ("b", "1e-9", "1"), ("c", "1e9", "10"), ("d", "1", "7")]
    bound = 'kind="bound"\nmetric="run"\nat_most={}\nwhere={{packages={}}}'
    bench.exhibit(PAPER + "".join(claim(bound.format(most, at), name, name) for name, most, at in asked))
    for machine in ("one", "two"):
        bench.run([LINES[0], line(seconds=0.2, packages=10, samples=1)], machine)
    page = tmp_path / "README.md"
    page.write_text("<!-- begin:summary -->\n<!-- end -->\n<!-- begin:findings -->\n<!-- end -->\n")
    assert bench.main("readme", "--file", page) == 0
    table = [line for line in page.read_text().splitlines() if line.startswith("|")]
    header, _, row = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    told = {name: cell for name, cell in zip(header, row, strict=True) if cell}
    once = dict.fromkeys(("reproduced", "measured once", "not reproduced", "nowhere decided"), "1")
    assert told == {"paper": "`demo`", "sentences": "4", **once}
    assert (tmp_path / "docs/pictures/findings.svg").exists()


def test_two_workloads_of_cpus_stand_beside_the_libraries_the_largest_that_most_solved(bench):
    bench.exhibit(TABLE, "ours/peers")
    solved = {500: ["sklearn", "faiss"], 1000: ["sklearn"], 2000: ["sklearn"]}
    names = {n: ["cpu/lloyd/two_step", *(f"library/{who}" for who in own)] for n, own in solved.items()}
    bench.run([line("ours/peers", implementation=name, n=n) for n, own in names.items() for name in own])
    rows = [row for row in fastest.table(*bench.read()).splitlines() if " x 4, 4 | Made-up 9000 |" in row]
    assert [row.split(" x ")[0] for row in rows] == ["| 500", "| 2000"]


def test_outputs_in_the_readme_are_up_to_date():
    """Makes every output in the README again from the recorded lines."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    shown = [m for page in pages for m in readme.REGION.finditer(page.read_text(encoding="utf-8"))]
    words = [(m["what"], m["rest"].partition(f"({readme.COMMAND}")[0].strip(), m["body"]) for m in shown]
    outputs = {(rest, body) for what, rest, body in words if what == "output"}
    assert len(outputs) >= 3
    for rest, body in outputs:
        assert readme.output(shlex.split(rest)) + "\n" == body
    for rest, body in ((rest, body) for what, rest, body in words if what == "transcript"):
        assert readme.transcript(rest) + "\n" == body


def test_an_output_may_be_cut():
    lines = ["title", "a 1", "b", "a 2", "c"]
    assert readme.part(lines, "", None) == lines
    assert readme.part(lines, "a", "a 2") == ["…", "a 1", "b", "a 2", "…"]
    assert readme.part(lines, "a", "nothing") == ["…", "a 1", "b", "a 2", "c"]


@pytest.fixture
def clustering(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {"points": rng.normal(size=(500, 3)), "labels": rng.integers(0, 4, 500)}
    arrays["centroids"] = rng.normal(size=(4, 3))
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    return arrays, ["scatter", *(x for name in arrays for x in (f"--{name}", str(tmp_path / f"{name}.npy")))]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_scatter_draws_the_same_twice(clustering, tmp_path, ending):
    _, args = clustering
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        assert main([*args, "--out", str(path), "--dims", "0,2"]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_scatter_takes_text_and_the_folder_of_a_fit(clustering, tmp_path):
    arrays, args = clustering
    assert main([*args, "--out", str(tmp_path / "a.svg")]) == 0
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in arrays["points"])
    (tmp_path / "rows.csv").write_text(rows)
    (tmp_path / "named.csv").write_text(f"\ufeffx1,x2,x3\n{rows}\n")
    np.savez(tmp_path / "both.npz", X=arrays["points"], y=arrays["labels"])
    for name in ("rows.csv", "named.csv", "both.npz"):
        chosen = ["--points", str(tmp_path / name), "--clusters", str(tmp_path)]
        assert main(["scatter", *chosen, "--out", str(tmp_path / f"{name}.svg")]) == 0
        assert (tmp_path / f"{name}.svg").read_bytes() == (tmp_path / "a.svg").read_bytes()


def test_a_scatter_exhibit_draws_the_files_that_its_run_left(bench, clustering, tmp_path):
    arrays, _ = clustering
    arrays["labels"] = arrays["labels"].reshape(-1, 1).astype("float32")  # as kmbench writes them
    bench.exhibit('kind = "figure"\ntitle = "clusters"\n[figure]\nstyle = "scatter"\n', "demo/figure1")
    ended = line(exhibit="demo/figure1")
    bench.run([ended])
    assert bench.main("render", "--out", tmp_path / "out") == 0
    assert not (tmp_path / "out/demo/demo/figure1.svg").exists()
    (bench.results / "demo" / "demo").mkdir()
    for name, array in arrays.items():
        np.save(bench.results / "demo" / "demo" / f"figure1.{ended['case']}.{name}.npy", array)
    assert bench.main("render", "--out", tmp_path / "out") == 0
    assert (tmp_path / "out/demo/demo/figure1.svg").exists()


def table(metrics, rows, interval="10.00, 10.20", notes=()):
    columns = [Column("implementation", "field", "implementation"), Column("k", "field", "k")]
    roles = ("ours", "paper", "ratio")
    columns += [Column(f"m{m}", role, f"metric {m} (ms)") for m in range(metrics) for role in roles]
    cells = [
        [
            Cell("gpu/lloyd/two_step_streams", raw=("x",)),
            Cell(str(r), raw=(r,), marks=(1,) if notes and r == 0 else ()),
            *(cell for m in range(metrics) for cell in (Cell(f"{r}.{m:03}", interval), Cell("9.99"), Cell("1.01"))),
        ]
        for r in range(rows)
    ]
    return Table("demo/table1", "Made up", columns, cells, list(notes), ["A remark."], "n = 10")


def parts(text):
    return re.findall(r"\\begin\{table\}.*?\\end\{table\}", text, re.S)


def test_a_narrow_table_is_one():
    text = latex.latex(table(1, 3))
    assert len(parts(text)) == 1
    assert r"\label{tab:demo/table1}" in text
    assert "(1 of" not in text


def test_many_parts_in_latex_end_their_pages():
    runs = [len(parts(part)) for part in latex.latex(table(80, 1)).split(r"\clearpage")]
    assert len(runs) > 1 and max(runs) <= latex.FLOATS


@pytest.mark.parametrize(("metrics", "rows"), [(8, 3), (1, 100), (5, 60)])
def test_parts_fit_and_lose_nothing(metrics, rows):
    made = table(metrics, rows)
    text = latex.latex(made)
    assert len(parts(text)) > 1
    for part in parts(text):
        (align,) = re.findall(r"\\begin\{tabular\}\{(\w+)\}", part)
        body = part[part.index(r"\midrule") : part.index(r"\bottomrule")].splitlines()[1:]
        assert all(line.count("&") == len(align) - 1 for line in body)
        assert sum(9.5 if "[-2pt]" in line else 8 for line in body) < 550
        chosen = [i for i, c in enumerate(made.columns) if c.role == "field" or c.group in part]
        assert sum(latex.width(made, i) for i in chosen) < 1.2 * 345 + 10
        assert "implementation" in part
    for row in range(rows):
        for metric in range(metrics):
            assert len(re.findall(rf"(?<![\d.]){row}\.{metric:03}(?!\d)", text)) == 1
    assert text.count("A remark.") == 1


def test_a_footnote_stands_where_it_is_used():
    found = parts(latex.latex(table(8, 60, notes=["only the first row's"])))
    marked = [part for part in found if "only the first row" in part]
    assert 0 < len(marked) < len(found)
    assert all(r"$^{1}$" in part for part in marked)


def test_a_wide_table_has_the_paper_beneath_ours():
    narrow, broad = (table_formats.markdown(table(metrics, 1)).split("\n") for metrics in (2, 6))
    ours, shown = "| gpu/lloyd/two_step_streams | 0 |", " 0.{:03} <sub>[10.00, 10.20]</sub>"
    assert narrow[6] == ours + "".join(f"{shown.format(m)} | 9.99 | 1.01 |" for m in range(2))
    head = "".join(f" metric {m} (ms)<br><sub>paper · ratio</sub> |" for m in range(6))
    assert broad[4] == f"| implementation | k |{head}"
    assert broad[6] == ours + "".join(f"{shown.format(m)}<br><sub>9.99 · 1.01</sub> |" for m in range(6))


COMPILED = ("he2021/table3", "he2021/table7", "ours/peers", "benedetti2025/table3", "lutz2018/figure14")  # of the h200


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex: the tables are not compiled")
def test_recorded_tables_compile(tmp_path):
    machine = results.load_machine(ROOT / "results/h200")
    papers = exhibits.load(ROOT / "papers", None, list(COMPILED))
    views = [gather(exhibit, machine) for paper in papers for exhibit in paper.exhibits]
    made = [table(8, 60, notes=["50% of a_b & c^2 #1 {x} ~ × – − ² ∞ ≈ ≤ ≥ · … † ⁹ → <>"]), *map(tables.build, views)]
    names = [f"t{i}.tex" for i in range(len(made))]
    for name, one in zip(names, made, strict=True):
        (tmp_path / name).write_text(latex.latex(one))
    body = "\n\\clearpage\n".join(f"\\input{{{name}}}" for name in names)
    packages = ("[utf8]{inputenc}", "[T1]{fontenc}", "{booktabs,graphicx}")
    head = "\\documentclass{article}\n" + "".join(f"\\usepackage{name}\n" for name in packages)
    (tmp_path / "all.tex").write_text(f"{head}\\begin{{document}}\n{body}\n\\end{{document}}\n")
    compile_all = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"]
    ran = subprocess.run(compile_all, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert ran.returncode == 0, ran.stdout[-2000:]
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", ran.stdout)]
    tall = re.findall(r"Float too large for page by ([\d.]+)pt", ran.stdout)
    assert max(wide, default=0) < 1 and not tall, (wide, tall)
