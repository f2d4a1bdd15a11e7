"""LaTeX tables: the parts fit a page and lose no cell."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

from plots.read import exhibits, results
from plots.read.view import gather
from plots.write import latex, tables
from plots.write.tables import Cell, Column, Table


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


def test_best_and_coarse_are_told_apart():
    assert latex.value(Cell("1.5", best=True)) == r"\textbf{1.5}"
    assert latex.value(Cell("1.5", doubt="coarse", marks=(2, 3))) == r"1.5$^\dagger$$^{2,3}$"


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
