"""Runs the examples of docs/adding.md unchanged: an implementation (CMake compiles it), data, an exhibit."""

import re
import shlex
import shutil
from pathlib import Path

import built
import numpy as np
import pytest
from built import FAULTY, ROOT, lines_of, needed

from plots.__main__ import main

needed(FAULTY)
TEXT = (ROOT / "docs/adding.md").read_text()
NAME = "adding/blocked"  # the name of cpu/lloyd/blocked in kmbench_faulty


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def fence(title: str, language: str) -> str:
    """The one code block of a language below a heading."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", section(title), re.MULTILINE | re.DOTALL)
    return block


def commands(title: str, folder: Path) -> list[list[str]]:
    """The arguments of every command that measures below a heading, with NAME, small data and files in this folder."""
    measuring = tuple(f"    kmbench {command} " for command in ("run", "check", "data"))
    lines = [line for line in section(title).splitlines() if line.startswith(measuring)]
    text = "\n".join(lines).replace("/tmp/", f"{folder}/").replace("report/results/here", f"{folder}/results/here")
    text = text.replace("cpu/lloyd/(blocked|naive)$", f"({NAME}|cpu/lloyd/naive)$").replace("cpu/lloyd/blocked", NAME)
    found = [shlex.split(line, comments=True)[1:] for line in text.splitlines()]
    return [words + ["--n", "2000"] * ("--dataset" in words) for words in found]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project folder with the data set and the exhibit of the page."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "papers/ours").mkdir(parents=True)
    shutil.copy(ROOT / "papers/ours/paper.toml", folder / "papers/ours")
    (folder / "papers/ours/blocks.toml").write_text(fence("An exhibit", "toml").replace("cpu/lloyd/blocked", NAME))
    (folder / "datasets").mkdir()
    generated = (ROOT / "datasets/synthetic.toml").read_text()
    (folder / "datasets/synthetic.toml").write_text(f"{generated}\n{fence('A data set', 'toml')}")
    return folder


def kmbench(arguments: list[str], home: Path) -> str:
    return built.succeeded(*arguments, program=FAULTY, cwd=home, KMBENCH_HOME=str(home)).stdout


def test_the_implementation_is_right(home):
    check, run = commands("An implementation", home)
    assert re.search(r"^[1-9]\d* right, 0 wrong", kmbench(check, home), re.MULTILINE)
    kmbench(run, home)
    ours = [line for line in lines_of(home / "blocked/adhoc.jsonl") if line["implementation"] == NAME]
    assert {line["parameters"]["block"] for line in ours} == {64, 1024}
    assert all(line["verdict"] == "" and line["grade"] != "coarse" for line in ours)


def test_the_data_set_is_generated(home):
    data, run = commands("A data set", home)
    kmbench(data, home)
    assert np.load(home / "noisy_blobs.npy").shape == (1000, 8)
    kmbench(run, home)
    ours = [line for line in lines_of(home / "blocked/adhoc.jsonl") if line["dataset"]["name"] == "noisy_blobs"]
    assert {line["dataset"]["generator"]["sigma2"] for line in ours} == {1, 4}
    assert all(line["verdict"] == "" and line["centroid_error"] is not None for line in ours)


def test_the_exhibit_is_measured_and_rendered(home):
    (run,) = commands("An exhibit", home)
    kmbench(run, home)
    folders = built.flags(results=home / "results", papers=home / "papers", out=home / "report")
    assert main(["report", *folders, "--exhibit", "ours/blocks"]) == 0
    page = (home / "report/index.html").read_text()
    assert "Does the block matter?" in page and "The size of the block changes nothing" in page
