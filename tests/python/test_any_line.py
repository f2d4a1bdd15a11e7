"""Any result line goes through every command of `plots` without a traceback (tests/python/any_line.py).

KMBENCH_EXAMPLES=10000 takes so many lines; by default a few hundred. A failure prints the blob that repeats it."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

import any_line
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from line_schema import VALIDATOR

from plots.errors import UserError
from plots.read import check, json_text

LINES = int(os.environ.get("KMBENCH_EXAMPLES", "240"))
SIZES = (
    (1, 4, 60) if LINES < 1000 else (1, 4, 240, 240, 240)
)  # lines of one example: of many, figures and tables are few
USUAL = {"deadline": None, "print_blob": True, "suppress_health_check": list(HealthCheck)}
NO_SHRINKING = {"phases": (Phase.explicit, Phase.reuse, Phase.generate)}  # an example takes seconds


@pytest.fixture(scope="module")
def papers(tmp_path_factory) -> Path:
    return any_line.write_papers(tmp_path_factory.mktemp("papers"))


@pytest.mark.parametrize("kind", ["mutated", "drawn"])
def test_every_command_takes_any_line(kind, papers, monkeypatch, capsys):
    line, count = getattr(any_line, kind)(), 0
    sizes = st.sampled_from(SIZES).flatmap(lambda size: st.lists(line, min_size=size, max_size=size))

    @settings(max_examples=max(2, LINES * len(SIZES) // sum(SIZES) // 2), **USUAL, **NO_SHRINKING)
    @given(sizes)
    def takes(lines):
        nonlocal count
        count += len(lines)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            any_line.run(lines, papers, Path(folder), monkeypatch)

    takes()
    with capsys.disabled():
        print(f"\n{kind}: {count} lines")


@settings(max_examples=max(300, LINES), **USUAL)
@given(st.one_of(any_line.mutated(), any_line.drawn()))
def test_the_check_says_what_the_schema_says(line):
    """As a validator of JSON Schema reads it, but for rules over several fields, 1.0 for 1, and what a line of an
    earlier schema holds besides."""
    try:
        check.line(json_text.parse(any_line.text_of(line)), "made up", {})
    except (UserError, ValueError):
        assert not VALIDATOR.is_valid(line) or any_line.stricter(line)
    else:
        problems = [e for e in VALIDATOR.iter_errors(line) if not {"then", "else"} & set(e.relative_schema_path)]
        assert not problems or line["schema"] < check.LATEST
