"""A script without code of plots/ recomputes the recorded verdicts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import recompute_verdicts
from conftest import ROOT, papers

from plots.read import results
from plots.write import claim_sheet


@pytest.fixture(scope="module")
def sheet(tmp_path_factory) -> Path:
    found = claim_sheet.sheet(papers(), results.load(ROOT / "results"))
    path = tmp_path_factory.mktemp("claims") / "claims.json"
    path.write_text(claim_sheet.FORMATS["claims.json"](found))
    return path


def test_it_shares_no_code() -> None:
    for path in [Path(recompute_verdicts.__file__), *(ROOT / "tests/recompute").glob("*.py")]:
        assert not re.search(r"^\s*(import|from) plots", path.read_text(), re.M)


def test_a_hundred_verdicts_follow_from_the_raw_lines(sheet, capsys) -> None:
    assert recompute_verdicts.main([str(sheet)]) == 0, capsys.readouterr().out
    assert "100 of 100 verdicts agree" in capsys.readouterr().out


def test_a_verdict_that_does_not_follow_is_named(sheet, tmp_path, capsys) -> None:
    rows = [row for row in json.loads(sheet.read_text()) if row["verdict"] == "reproduced"]
    (tmp_path / "claims.json").write_text(json.dumps([{**rows[0], "verdict": "not reproduced"}, rows[1]]))
    assert recompute_verdicts.main([str(tmp_path / "claims.json")]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith(f"{rows[0]['exhibit']}/{rows[0]['id']}: not reproduced; recomputed: reproduced")
    assert last == "1 of 2 verdicts agree"


def test_another_file_is_refused(tmp_path, capsys) -> None:
    (tmp_path / "none.json").write_text("claims")
    assert recompute_verdicts.main([str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err.startswith(f"recompute_verdicts: {tmp_path}/none.json: not what plots claims writes")
