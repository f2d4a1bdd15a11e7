"""Result lines: the schema, what is refused, and which line counts."""

from __future__ import annotations

import json

import jsonschema
import pytest
from conftest import ROOT
from synthetic import NEW, line, of_schema_1, skipped, wrong

from plots.errors import UserError
from plots.read import results

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RECORDED = sorted((ROOT / "results").glob("*/*.jsonl"))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "made",
    [line(), skipped("too large"), wrong("label 3"), line(exhibit=None), of_schema_1(line()), line(grade="coarse")],
)
def test_made_up_lines_keep_the_schema(made):
    VALIDATOR.validate(made)


@pytest.mark.parametrize(
    "fault",
    [
        {"schema": 3},
        {"grade": "good"},
        {"device": "tpu"},
        {"exhibit_hash": "none"},
        {"grade": "exact", "verdict": "label 3", "samples_s": [], "phases": {}},
        {"samples_s": []},
        {"samples_s": [-1.0]},
        {"verdict": "wrong"},
        {"n": "many"},
        {"precision": "fp16"},
        {"date": "today"},
        {"phases": {"assign": 0.1}},
        {"skip": "why", "verdict": ""},
        {"verdict": None, "samples_s": [], "phases": {}},
        {"exhibit": "table3"},
    ],
)
def test_the_schema_refuses(fault):
    assert not VALIDATOR.is_valid({**line(), **fault})


@pytest.mark.parametrize("field", SCHEMA["required"])
def test_the_schema_misses_every_missing_field(field):
    assert not VALIDATOR.is_valid({k: v for k, v in line().items() if k != field})


@pytest.mark.parametrize("field", NEW)
def test_what_schema_2_added_is_asked_of_its_lines_only(field):
    assert not VALIDATOR.is_valid({k: v for k, v in line().items() if k != field})
    assert VALIDATOR.is_valid({k: v for k, v in of_schema_1(line()).items() if k != field})


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_recorded_line_keeps_the_schema(path):
    for number, text in enumerate(path.read_text().split("\n")[:-1], start=1):
        problem = next(iter(VALIDATOR.iter_errors(json.loads(text))), None)
        assert problem is None, f"{path}:{number}: {problem.message}"
    assert len(list(results.read_lines(path))) == number


def test_the_later_line_counts(bench):
    folder = bench.run([line(seconds=1.0), line(seconds=2.0)])
    (machine,) = results.load(folder)
    assert [made["prepare_s"] for made in machine.lines] == [0.2]


def test_paper_lines_go_before_quick_ones(bench):
    (machine,) = results.load(bench.run([line(profile="quick"), line(n=5)]))
    assert [x["n"] for x in results.of_exhibit(machine, "demo/table1")] == [5]
    assert [x["n"] for x in results.of_exhibit(machine, "demo/table1", "quick")] == [1000]


def test_a_torn_last_line_is_left_out_and_said_so(bench, capsys):
    folder = bench.run([line()])
    with (folder / "demo" / "demo.jsonl").open("a") as file:
        file.write('{"schema": 1, "ca')
    (machine,) = results.load(folder)
    assert len(machine.lines) == 1
    assert "cut off" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["{]\n", "[1]\n", '{"schema": 1}\n', json.dumps({**line(), "inertia": float("nan")}) + "\n"]
)
def test_a_line_that_is_none_is_refused_with_its_place(bench, text):
    folder = bench.run([line()])
    with (folder / "demo" / "demo.jsonl").open("a") as file:
        file.write(text)
    with pytest.raises(UserError, match=r"demo\.jsonl:2: not"):
        results.load(folder)


def test_a_folder_of_other_json_is_no_machine(bench):
    folder = bench.run([line()])
    (folder / "report").mkdir()
    (folder / "report" / "claims.json").write_text("[]")
    assert [machine.name for machine in results.load(folder)] == ["demo"]


def test_a_case_done_again_is_the_newest():
    done = [line(packages=1), line(packages=10), line(packages=1, seconds=2.0)]
    assert [made["parameters"]["packages"] for made in results.latest(done)] == [10, 1]
