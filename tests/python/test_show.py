"""plots show: ad hoc lines, or those of any file, as a table and a plot."""

from synthetic import line, wrong

from plots.__main__ import main
from plots.read.check import line as checked
from plots.write import show


def sweep():
    return [
        line(exhibit=None, n=n, hash=f"{n:032x}", seconds=n * s, implementation=f"cpu/lloyd/{name}")
        for n in (1000, 10_000, 100_000)
        for name, s in (("naive", 3e-6), ("two_step", 1e-6))
    ]


def run(*args):
    return main(["show", *map(str, args)])


def test_ad_hoc_lines_are_a_table_and_a_plot(bench, tmp_path, capsys):
    bench.run([*sweep(), line()])
    assert run("adhoc", "--results", bench.results, "--out", tmp_path / "out") == 0
    out = capsys.readouterr().out
    assert out.count("| cpu/lloyd/") == 6
    assert "**20.00**" in out
    assert {p.suffix for p in (tmp_path / "out").iterdir()} == {".md", ".csv", ".svg", ".png"}


def test_a_file_shows_everything_in_it(bench, tmp_path, capsys):
    bench.run([line(packages=1), line(exhibit="demo/other", packages=2), wrong("label 3", packages=3)])
    assert run(bench.results / "demo" / "demo.jsonl", "--out", tmp_path / "out") == 0
    out = capsys.readouterr().out
    assert "wrong: label 3" in out
    assert out.count("\n| ") == 3 + 1


def test_tuned_values_are_named(bench, tmp_path, capsys):
    bench.run([line(None, threads=4, tuned="exact"), line(None, k=77, threads=2)])
    assert run("adhoc", "--results", bench.results, "--out", tmp_path / "out") == 0
    out = capsys.readouterr().out
    assert "cpu/lloyd/two_step, --tuned (exact): threads = 4." in out and "threads = 2." not in out


def test_settings_of_a_generator_may_vary(bench, tmp_path, capsys):
    of = {0.1: "1" * 32, 0.2: "2" * 32}
    bench.run([line(exhibit=None, generator={"sigma2": s}, hash=points, source=points) for s, points in of.items()])
    assert run("adhoc", "--results", bench.results, "--out", tmp_path) == 0
    assert "Left out" not in capsys.readouterr().out


def test_the_axis_is_the_most_varied_number():
    lines = [checked(made, "made up", {}) for made in sweep()]
    figure = show.layout(lines)
    assert (figure["x"], figure["series"], figure["style"], figure["logx"]) == ("n", ["implementation"], "line", True)
    assert show.layout(lines[:2])["x"] == "implementation"
