"""Any result line goes through every command of `plots` without a traceback (tests/python/any_line.py).

KMBENCH_EXAMPLES=10000 draws so many lines; by default a few dozen."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

import any_line
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

LINES = int(os.environ.get("KMBENCH_EXAMPLES", "60"))
MOST = 100  # lines of one example
USUAL = {"deadline": None, "print_blob": True, "suppress_health_check": list(HealthCheck)}
NO_SHRINKING = {"phases": (Phase.explicit, Phase.reuse, Phase.generate)}  # an example takes seconds


@pytest.fixture(scope="module")
def papers(tmp_path_factory) -> Path:
    return any_line.write_papers(tmp_path_factory.mktemp("papers"))


@pytest.mark.parametrize("kind", ["mutated", "drawn"])
def test_every_command_takes_any_line(kind, papers, monkeypatch):
    count, examples = 0, max(2, LINES // MOST * 2)
    line = getattr(any_line, kind)()

    @settings(max_examples=examples, **USUAL, **NO_SHRINKING)
    @given(st.lists(line, min_size=1, max_size=8) if LINES < 100 else st.lists(line, min_size=1, max_size=MOST))
    def takes(lines):
        nonlocal count
        count += len(lines)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            any_line.run(lines, papers, Path(folder), monkeypatch)

    takes()
    print(f"{kind}: {count} lines")
