"""The errors of tests/mutants.toml can be planted as the tree is; scripts/mutants runs the tests that see them."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "scripts/mutants"))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
sys.modules["mutants"] = mutants
sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
loader.exec_module(mutants)
sys.dont_write_bytecode = before
TABLE = mutants.read_table(mutants.TABLE.read_text())


@pytest.mark.parametrize("mutant", TABLE, ids=lambda mutant: mutant.name)
def test_it_can_be_planted(mutant) -> None:
    assert mutants.why_not(mutant) == ""
    assert mutants.mutated(mutant, ROOT) != (ROOT / mutant.file).read_text()
    for kind, what in mutant.tests:
        assert kind != "pytest" or all((ROOT / file).exists() for file in what.split() if file.startswith("tests/"))


def test_there_are_enough() -> None:
    assert len(TABLE) >= 42
    assert len({mutant.name for mutant in TABLE}) == len(TABLE)


def test_planting_minds_no_white_space() -> None:
    text = "  if (a <\n      b)  return f(x,\n y);\n"
    assert mutants.planted(text, "if (a < b) return f(x, y);", "return 0;") == "  return 0;\n"
    for absent in ("if (a > b)", "", "a", "f"):
        with pytest.raises(mutants.TableError):
            mutants.planted(text + text, absent, "")
