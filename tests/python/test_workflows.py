"""The workflow files of examples/workflows: their commands are bash, and every program and flag in them exists."""

import re
import shlex
import subprocess

import pytest
from conftest import ROOT

from plots.__main__ import parser

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
