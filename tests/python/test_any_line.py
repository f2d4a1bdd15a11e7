"""Every command of `plots` takes any result line without a traceback (tests/python/any_line.py).

KMBENCH_EXAMPLES sets the number of lines, which are then others in every run (default: the same 150). A failure keeps
the fewest lines that repeat it."""

import itertools
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import any_line
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from line_schema import VALIDATOR

from plots.errors import UserError
from plots.read import check, json_text

LINES = int(os.environ.get("KMBENCH_EXAMPLES", "150"))
SIZES = (1, 4, 70, 75) if LINES < 1000 else (1, 4, 30, 800, 800, 800)  # lines in one batch
ALWAYS_THE_SAME = "KMBENCH_EXAMPLES" not in os.environ
USUAL = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": ALWAYS_THE_SAME}


@pytest.fixture(scope="module")
def papers(tmp_path_factory) -> Path:
    return any_line.write_papers(tmp_path_factory.mktemp("papers"))


def many(strategy: st.SearchStrategy[dict], count: int) -> list[dict]:
    found: list[dict] = []

    @settings(max_examples=count, phases=(Phase.generate,), database=None, **USUAL)
    @given(strategy)
    def keep(line):
        found.append(line)

    keep()
    return found


def fewest(lines: list[dict], fails: Callable[[list[dict]], bool]) -> list[dict]:
    """Halves the failing lines as long as one half fails too."""
    half = len(lines) // 2
    found = next((part for part in (lines[:half], lines[half:]) if half and fails(part)), None)
    return lines if found is None else fewest(found, fails)


def test_every_command_takes_any_line(papers, monkeypatch, capsys, tmp_path):
    def failure(lines: list[dict]) -> Exception | None:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                any_line.run(lines, papers, Path(folder), monkeypatch)
            except Exception as e:
                return e
        return None

    pairs = zip(many(any_line.drawn(), LINES // 2), many(any_line.mutated(), LINES // 2), strict=False)
    lines, sizes, at = [line for pair in pairs for line in pair], itertools.cycle(SIZES), 0
    while at < len(lines):
        batch = lines[at : at + next(sizes)]
        at += len(batch)
        if found := failure(batch):
            few = fewest(batch, lambda part: failure(part) is not None)
            kept = any_line.write_lines(tmp_path / "lines.jsonl", few)
            print(f"{len(few)} lines fail together: {kept}", *map(json.dumps, few[:5]), sep="\n")
            raise failure(few) or found
    with capsys.disabled():
        print(f"\n{len(lines)} lines")


@settings(max_examples=max(300, LINES), **USUAL)
@given(st.one_of(any_line.mutated(), any_line.drawn()))
def test_our_check_agrees_with_the_schema(line):
    """Both agree, except on rules over several fields, 1.0 for 1, and extra fields of earlier schemas."""
    try:
        check.line(json_text.parse(json.dumps(line).encode()), "made up", {})
    except (UserError, ValueError):
        assert not VALIDATOR.is_valid(line) or any_line.stricter(line)
    else:
        problems = [e for e in VALIDATOR.iter_errors(line) if not {"then", "else"} & set(e.relative_schema_path)]
        assert not problems or line["schema"] < check.LATEST
