"""scripts/: arguments that they refuse, the packages that they install, their output. The commands of workflows."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

from plots.__main__ import parser

SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file())
PAPERS = sorted(path.parent.name for path in ROOT.glob("papers/*/paper.toml"))


def requirements(name: str) -> dict[str, str]:
    """Package and pinned version of every line."""
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def bash(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_can_be_run_and_read(script):
    first = script.read_text().splitlines()[0]
    assert script.stat().st_mode & 0o111
    assert first in ("#!/usr/bin/env bash", "#!/usr/bin/env python3")
    if first.endswith("bash"):
        assert subprocess.run(["bash", "-n", script]).returncode == 0
    else:
        compile(script.read_text(), script.name, "exec")


REFUSED = {
    "compare_test --rounds": "--rounds ''",
    "compare_test --tries x": "--tries 'x'",
    "compare_test fast": "unknown argument 'fast'",
    "regress": "name the commit to compare with",
    "regress a b c": "name the commit to compare with",
    "regress no-such-commit": "'no-such-commit' is no commit of this repository",
    "regress HEAD --rounds many": "--rounds 'many'",
    "regress HEAD --threshold much": "--threshold 'much'",
    "regress HEAD '('": "the filter '(' is not a regular expression: missing )",
    "regress HEAD 'a{2,1}'": "the filter 'a{2,1}' is not a regular expression: min repeat",
    "regress HEAD zzznomatch --rounds 5": "the filter 'zzznomatch' matches no case",
    "record --bogus": "the following arguments are required: MACHINE, --budget",
    "record here --budget 1min --bogus": "unrecognized arguments: --bogus",
    **{
        f"record here --budget {bad}": f"argument --budget: '{bad}'; accepted: a number of s, min"
        for bad in ("25", "0s")
    },
    "record ../here --budget 25min": "machine '../here'; accepted: letters, digits and . _ + -",
    "record here --budget 25min --paper nobody1999": f"{ROOT}/papers: nothing named nobody1999; there are ",
    "record here --budget 25min --kmbench /nowhere/kmbench": "/nowhere/kmbench env --json: No such file",
    "regress HEAD --json --annotations": "--json prints JSON alone",
    "regress HEAD --fast": "unknown argument '--fast'",
    "reproduce --paper nobody1999": f"no paper 'nobody1999'; there are: {' '.join(PAPERS)}",
    "reproduce --profile fast": "--profile 'fast'; accepted: quick, paper",
    "reproduce --out": "--out needs a value",
    "reproduce --out /dev/null": "--out /dev/null: not a folder",
    "reproduce --out /dev/null/below": "--out /dev/null/below: not a folder",
    "reproduce --quick": "unknown argument '--quick'; see scripts/reproduce --help",
    "setup --fast": "unknown argument '--fast'; none is accepted",
    "setup ''": "unknown argument ''; none is accepted",
    "spectral_real --fast": "unknown argument '--fast'; one is accepted: the path of kmbench",
    "test clean": "unknown argument 'clean'; none is accepted",
    "test ''": "unknown argument ''; none is accepted",
    "transcripts": "/nonexistent/kmbench: not built",
    "transcripts --help": "unknown argument '--help'; none is accepted",
    "tune_test --kept x": "--kept 'x'",
    "tune_test --rounds 3": "--kept is at least 1, --rounds at least 8",
    "tune_test fast": "unknown argument 'fast'",
}


@pytest.mark.parametrize(("command", "said"), REFUSED.items())
def test_a_script_refuses_before_it_does_anything(command, said, tmp_path):
    """setup and test run in a copy, in which an ignored argument could set up nothing."""
    script, home = command.split()[0], ROOT
    if script in ("setup", "test"):
        home = tmp_path / "copy"
        shutil.copytree(ROOT / "scripts", home / "scripts")
    ran = bash(f"KMBENCH_BUILD=/nonexistent {home}/scripts/{command}", tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert ran.stderr.startswith(f"{script}: {said}")
    assert [path.name for path in home.iterdir()] == ["scripts"] or home == ROOT


def test_reproduce_measures_no_exhibit_at_its_full_size_unasked():
    exhibits = {path: tomllib.loads(path.read_text()) for path in ROOT.glob("papers/*/*.toml")}
    measured = {path: table for path, table in exhibits.items() if table.get("sweep")}
    assert [str(path) for path, table in measured.items() if "quick" not in table.get("profile", {})] == []


def test_packages_of_the_tests_alone_come_with_the_tests():
    always, tests = requirements("requirements.txt"), requirements("requirements-test.txt")
    assert not always.keys() & tests.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    plain = [re.split("[><=]", name)[0] for name in (*project["dependencies"], *optional["library"])]
    assert always.keys() == set(plain)
    assert tests.keys() == {re.split("[><=]", name)[0] for name in optional["test"]}
    setup = (ROOT / "scripts/setup").read_text()
    assert "libgtest-dev" not in setup.split("packages=(")[1].split(")")[0]


@pytest.mark.skipif(not (ROOT / ".venv/stamp").exists(), reason="not set up by scripts/setup")
def test_a_step_is_one_line_and_its_output_in_the_log(tmp_path):
    log = tmp_path / "log"
    begin = f"for_tests=1 log={log}; source {ROOT}/scripts/setup;"
    ran = bash(f"{begin} quietly 'A step' sh -c 'echo much; sleep 2.1'; echo next", tmp_path)
    assert re.fullmatch(r"A step: \d+ s\nnext\n", ran.stdout), ran
    assert log.read_text() == "\n== A step\nmuch\n"
    ran = bash(f"{begin} quietly 'A step' sh -c 'echo why; exit 3'; echo next", tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "why" in ran.stderr and f"A step failed with code 3; all of its output: {log}" in ran.stderr


FILES = sorted((ROOT / "examples/workflows").glob("*.yml"))
HELP = subprocess.run([ROOT / "scripts/regress", "--help"], capture_output=True, text=True).stdout


def steps(text: str) -> list[str]:
    """The commands of `run:`, without their comments."""
    return [step.split(" # ")[0] for step in re.findall(r"^ +(?:- )?run: (.+)$", text, re.MULTILINE)]


COMMANDS = [(path.name, step) for path in FILES for step in steps(path.read_text())]


@pytest.mark.parametrize(("file", "step"), COMMANDS)
def test_a_step_is_bash_and_starts_what_is_there(file, step):
    assert subprocess.run(["bash", "-n", "-c", step]).returncode == 0
    first = shlex.split(step)[0]
    assert not first.startswith("scripts/") or (ROOT / first).is_file()


def test_regress_and_plots_have_the_flags_that_a_workflow_gives_them():
    (step,) = [step for _, step in COMMANDS if step.startswith("scripts/regress")]
    assert set(re.findall(r" (--[a-z]+)", step)) <= set(re.findall(r"--[a-z]+", HELP))
    (step,) = [step for _, step in COMMANDS if "-m plots" in step]
    words = shlex.split(step.partition(" -m plots ")[2].partition("|")[0])
    assert parser().parse_args(words).command == "history"
