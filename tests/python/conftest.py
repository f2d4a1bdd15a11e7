"""Shared helpers: made-up exhibits and results in a folder of their own."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import synthetic
from built import ROOT, written

from plots.__main__ import main
from plots.decide.claims import Finding, judge_one
from plots.read import check, exhibits, results
from plots.read.view import View, gather
from plots.write.tables import Cell, Table

Record = dict | None  # of a machine or of a paper
results.RECORDED = ROOT / "no such folder"  # a test that wants recorded lines beside its own says so by --beside

TABLE = """
kind = "table"
title = "made up"
[[sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "balls"
set.packages = [1, 10, 100]
[profile.quick]
n = 10
[table]
rows = ["packages"]
columns = ["iteration", "assign"]
"""
RIVALS = TABLE.replace('rows = ["packages"]', 'rows = ["implementation", "packages"]')
SERIES = 'series = ["implementation"]\n'


def figure(style: str, y: str, more: str = "") -> str:
    """A figure of TABLE's sweep over its packages."""
    head = TABLE.replace('"table"', '"figure"').partition("[table]")[0]
    return f'{head}[figure]\nstyle = "{style}"\nx = "packages"\ny = {json.dumps(y.split())}\n{more}'


def printed(rows: str, fields: str = "packages", metrics: str = "iteration", more: str = "") -> str:
    """A [[paper]] table of printed values."""
    names = f"fields = {json.dumps(fields.split())}\nmetrics = {json.dumps(metrics.split())}\n"
    return f'[[paper]]\nsource = "printed"\n{names}rows = {rows}\n{more}'


def claim(body: str, name: str = "a", text: str = "t") -> str:
    return f'[[claim]]\nid = "{name}"\ntext = "{text}"\n{body}\n'


@cache
def papers() -> list[exhibits.Paper]:
    """The papers of this repository, read once for all tests; none may change them."""
    return exhibits.load(ROOT / "papers")


@cache
def recorded() -> list[results.Machine]:
    """The recorded machines, read once for all tests; none may change them."""
    return results.load(ROOT / "results")


def exhibits_of(paper: str) -> dict[str, exhibits.Exhibit]:
    """The exhibits of one of these papers, by name."""
    return {one.name: one for found in papers() if found.key == paper for one in found.exhibits}


def machine(lines: list[dict], record: Record = None) -> results.Machine:
    """A machine with these lines, checked as the reader checks them."""
    read = (check.line(line, "made up", {}) for line in lines)
    return results.Machine("demo", record or {}, results.latest(read), ROOT)


class Bench:
    """A papers/ and a results/ folder."""

    def __init__(self, folder: Path) -> None:
        self.papers, self.results = folder / "papers", folder / "results"
        self.folders = ["--papers", str(self.papers), "--results", str(self.results)]

    def exhibit(self, text: str = TABLE, key: str = "demo/table1") -> exhibits.Exhibit:
        return exhibits.load_one(written(self.papers / f"{key}.toml", text))

    def view(self, lines: list[dict], text: str = TABLE, record: Record = None, paper: Record = None) -> View:
        """What the exhibit shows of these lines. `record` is machine.json, `paper` is paper.toml."""
        return gather(replace(self.exhibit(text), record=paper or {}), machine(lines, record))

    def judge(
        self, lines: list[dict], exhibit: str = TABLE, record: Record = None, paper: Record = None, **claim: object
    ) -> Finding:
        claim = {"id": "c", "text": "t", "metric": "iteration", **claim}
        return judge_one(self.view(lines, exhibit, record, paper), claim)

    def read(self) -> tuple[list[exhibits.Paper], list[results.Machine]]:
        """The papers and the machines, as every command reads them."""
        return exhibits.load(self.papers), results.load(self.results)

    def run(self, lines: list[dict], machine: str = "demo") -> Path:
        return synthetic.write(self.results, machine, lines)

    def add(self, text: str, file: str = "demo/demo.jsonl") -> None:
        """Appends text to a file of results."""
        path = self.results / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as out:
            out.write(text)

    def main(self, command: str, *words: object) -> int:
        """Runs a command on these folders and returns its exit code."""
        return main([command, *self.folders, *map(str, words)])


def cases(names: str, *rows: object) -> pytest.MarkDecorator:
    """Runs a test once a row, whose values have these names."""
    return pytest.mark.parametrize(names.split(), rows)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command of plots, asserts that it ends with this code, and returns what it prints."""

    def run(*words: object, code: int = 0) -> str:
        assert main([*map(str, words)]) == code
        return capsys.readouterr().out

    return run


def git(folder: Path, *words: str) -> str:
    """The output of git in this folder, whatever the user has configured."""
    own = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def rows_of(table: Table) -> list[dict[tuple[str, str], Cell]]:
    """The cells of each row, by name and role of their column."""
    return [{(c.name, c.role): cell for c, cell in zip(table.columns, row, strict=True)} for row in table.rows]


def one_line(capsys, *says: str) -> None:
    """Asserts that stdout is empty and stderr is one line that holds these words."""
    out, error = capsys.readouterr()
    assert out == "" and error.startswith("plots: ") and error.count("\n") == 1, error
    assert all(words in error for words in says), error
