"""What several tests start from: made-up results, and an exhibit in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic

from plots.decide.claims import Finding, judge_one
from plots.read import check, exhibits, results
from plots.read.view import View, gather

ROOT = Path(__file__).resolve().parents[2]

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


def machine(lines: list[dict], record: dict | None = None, folder: Path = ROOT) -> results.Machine:
    """These lines as the reader would give them."""
    read = (check.line(line, "made up", {}) for line in lines)
    return results.Machine("demo", record or {}, results.latest(read), folder)


class Bench:
    """A papers/ and a results/ folder of made-up content."""

    def __init__(self, folder: Path) -> None:
        self.papers, self.results = folder / "papers", folder / "results"

    def exhibit(self, text: str = TABLE, key: str = "demo/table1") -> exhibits.Exhibit:
        path = self.papers / f"{key}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return exhibits.load_one(path)

    def view(self, lines: list[dict], text: str = TABLE, profile: str | None = None) -> View:
        return gather(self.exhibit(text), machine(lines), profile)

    def judge(self, lines: list[dict], exhibit: str = TABLE, **claim: object) -> Finding:
        claim = {"id": "c", "text": "t", "metric": "iteration", **claim}
        return judge_one(self.view(lines, exhibit), claim)

    def run(self, lines: list[dict], machine: str = "demo") -> Path:
        return synthetic.write(self.results, machine, lines)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
