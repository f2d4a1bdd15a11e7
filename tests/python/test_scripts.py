"""scripts/: arguments that they refuse, the packages that they install, their output."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

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


@pytest.mark.parametrize(
    ("script", "arguments", "said"),
    [
        ("reproduce", "--paper nobody1999", f"no paper 'nobody1999'; there are: {' '.join(PAPERS)}"),
        ("reproduce", "--profile fast", "--profile 'fast'; accepted: quick, paper"),
        ("reproduce", "--out", "--out needs a value"),
        ("reproduce", "--quick", "unknown argument '--quick'; see scripts/reproduce --help"),
        ("transcripts", "", "/nonexistent/kmbench: not built"),
        ("transcripts", "--help", "unknown argument '--help'; none is accepted"),
    ],
)
def test_a_script_refuses_before_it_does_anything(script, arguments, said, tmp_path):
    ran = bash(f"KMBENCH_BUILD=/nonexistent {ROOT}/scripts/{script} {arguments}", tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.strip()) == (2, "", f"{script}: {said}")


@pytest.mark.parametrize("script", ["setup", "test"])
@pytest.mark.parametrize("argument", ["--fast", "clean", "''"])
def test_setup_and_test_refuse_arguments(script, argument, tmp_path):
    """Runs in a copy, in which an ignored argument could set up nothing."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    ran = bash(f"scripts/{script} {argument}", tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    argument = argument.strip("'")
    assert ran.stderr.startswith(f"{script}: unknown argument '{argument}'; none is accepted")
    assert [path.name for path in tmp_path.iterdir()] == ["scripts"]


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
