"""The commands of kmbench in Python: each starts from any folder and names what is missing."""

import argparse
import json

import pytest
from built import kmbench, needs_kmbench, refused, succeeded
from conftest import TABLE
from synthetic import line, samples, side, timed

from plots.__main__ import parser
from plots.decide.compare import compare
from plots.read import sides

STARTED = ("compare", "replay", "hardware", "claims", "explain", "render", "report", "all", "show", "history")
STARTED += ("coverage", "artifact", "tuning", "t4", "scatter")
pytestmark = needs_kmbench


def test_the_users_arguments_go_before_kmbenchs_own(tmp_path, bench):
    bench.exhibit(TABLE)
    bench.run([line(packages=p, seconds=0.1 * p) for p in (1, 10, 100)])
    ran = kmbench("replay", "results/demo/demo.jsonl", "--kmbench", "/nonexistent/kmbench", cwd=tmp_path)
    assert ran.returncode == 2 and ran.stderr.startswith("plots: /nonexistent/kmbench env")
    own = bench.folders
    ran = kmbench("explain", "demo/table1", "packages=10", "iteration", *own, cwd=tmp_path)
    assert ran.returncode == 0 and "row      2 of 3: packages = 10" in ran.stdout, ran.stderr
    ran = kmbench("hardware", "demo/table1", *own, "--out", "report", cwd=tmp_path)
    assert ran.returncode == 0 and "files in report/hardware" in ran.stdout, ran.stderr


def test_the_code_of_compare_is_that_of_kmbench(tmp_path):
    for name, seconds in (("base", 1), ("new", 1.3)):
        side(tmp_path, name, [timed(seconds)])
    ran = kmbench("compare", "base", "new", cwd=tmp_path)
    assert ran.returncode == 1 and "1 pair: 1 slower" in ran.stdout, ran.stderr


def test_an_export_pairs_with_its_lines(tmp_path):
    made = [timed(1, packages=3, sigma=0.5), line("demo/t", samples_s=samples(2), tolerance=1e-3)]
    base = side(tmp_path, "base", made)
    succeeded("export", *sorted(base.glob("*.jsonl")), "--out", tmp_path / "new.json")
    lines, exported = sides.read(base), sides.read(tmp_path / "new.json")
    assert lines.cases.keys() == exported.cases.keys() and len(lines.cases) == 2
    assert [pair.change.ratio.value for pair in compare(lines, exported).pairs] == [1, 1]
    names = {case.implementation for case in exported.cases.values()}
    assert names == {"cpu/lloyd/two_step", "demo/t/cpu/lloyd/two_step"}


@pytest.mark.parametrize("command", STARTED)
def test_without_python_or_plots_it_is_one_line(command, tmp_path):
    for folder in ("datasets", "papers"):
        (tmp_path / folder).mkdir()
    refused(kmbench(command, "a", "b", KMBENCH_HOME=str(tmp_path)), f"kmbench: {command} is Python, in plots/, and ")
    ran = kmbench(command, "a", "b", KMBENCH_PYTHON="/nonexistent/python3")
    refused(ran, "kmbench: cannot start /nonexistent/python3")


def test_help_lists_them_and_completion_offers_their_flags():
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    script, said = kmbench("completion", "bash").stdout, kmbench("--help").stdout
    for command in STARTED:
        assert f"  {command} " in said
        flags = {name for action in commands.choices[command]._actions for name in action.option_strings} - {"-h"}
        (choices,) = (text for text in script.splitlines() if text.strip().startswith(f"{command})"))
        offered = {word.strip('"') for word in choices.split("choices=")[1].split()}
        assert {word for word in offered if word.startswith("--")} == flags, command


def test_an_export_has_the_last_line_of_a_case_and_what_it_continues(tmp_path):
    old, first, more = timed(9), timed(1), timed(2, k=3)
    further = {**timed(3, k=3), "continues": len(more["samples_s"])}
    base = side(tmp_path, "base", [{**old, "machine": "before"}, more, first, further])
    exported = json.loads(succeeded("export", base / "adhoc.jsonl").stdout)["benchmarks"]
    times = [1e3 * sample for sample in [*first["samples_s"], *more["samples_s"], *further["samples_s"]]]
    assert [entry["real_time"] for entry in exported] == pytest.approx(times)
