"""scripts/record: missing cases, forecasts, order; no exhibit is ever half hidden. A fake program measures nothing."""

import json
import re
from pathlib import Path

import pytest
from built import executable, written
from conftest import TABLE, cases, git, machine, printed
from synthetic import line, skipped, write, wrong

from plots import recording
from plots.decide.forecast import ABOVE_FLOOR, DATA_S, OVERHEAD_S, Case, Forecast, planned, raw_lines
from plots.errors import UserError
from plots.read import exhibits, results
from plots.recorder import main
from plots.recording import FAILED, NO_LINE, OLD_JUDGE, OLD_KERNEL, Open, Question

CLAIM = """[claim.packages-cost-nothing]
text = "They cost nothing"
ratio = [{ packages = 10 }, { packages = 1 }]
metric = "iteration"
at_most = 1.1
"""
EXHIBIT = TABLE.replace(', "assign"', "") + CLAIM + printed('[[1, "5"], [100, "4"]]')

PROGRAM = '''#!/usr/bin/env python3
"""Prints its plan, and writes a line for each case of the filter."""
import json, pathlib, re, sys
here = pathlib.Path(__file__).parent
cases = json.loads((here / "cases.json").read_text())
flags = sys.argv[2:]
if sys.argv[1] == "env":
    print(json.dumps({"build": {"commit": "c" * 12}}))
elif "--dry-run" in flags:
    print("\\n".join(json.dumps(one["plan"]) for one in cases))
elif (here / "refuses").exists():
    print("another machine wrote here", file=sys.stderr)
    sys.exit(2)
else:
    value = {name: flags[flags.index(name) + 1] for name in ("--filter", "--out", "--machine")}
    made = [one for one in cases if re.search(value["--filter"], one["plan"]["name"])]
    out = pathlib.Path(value["--out"])
    out.mkdir(parents=True, exist_ok=True)
    for one in made:
        with (out / "demo.jsonl").open("a") as file:
            file.write(json.dumps(one["line"]) + "\\n")
    with (here / "ran").open("a") as file:
        file.write(" ".join(str(one["line"]["parameters"]["packages"]) for one in made) + "\\n")
'''


def plan_of(made: dict, **fields) -> dict:
    """The plan entry of a line."""
    names = ("case", "exhibit", "profile", "exhibit_hash", "implementation", "parameters", "n", "d", "k", "precision")
    name = f"{made['exhibit']}/{made['implementation']}/balls/n:{made['n']}/packages:{made['parameters']['packages']}"
    entry = {field: made[field] for field in (*names, "init", "max_iters", "tolerance")}
    dataset = {"name": made["dataset"]["name"], "source": made["dataset"]["source"]}
    work = {"repetitions": 3, "warmup": 1, "skip": "", "memory_bytes": 1.0, "forecast_s": 1.0}
    return {**entry, "dataset": dataset, "name": name, **work, **fields}


def case(packages: int = 1, **fields) -> Case:
    (made,) = planned(json.dumps(plan_of(line(packages=packages), **fields)))
    return made


def nothing_changed(_: object) -> bool:
    return False


class Bench:
    """A results folder, an exhibit and the program."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "results/demo"
        written(folder / "papers/demo/table1.toml", EXHIBIT)
        self.program = executable(folder / "kmbench", PROGRAM)
        self.plan([])

    def plan(self, lines: list[dict], **fields) -> None:
        cases = [{"plan": plan_of(one, **fields), "line": one} for one in lines]
        (self.folder / "cases.json").write_text(json.dumps(cases))

    def record(self, budget: str = "60s", *flags: str) -> int:
        places = [f"--results={self.folder / 'results'}", f"--papers={self.folder / 'papers'}"]
        return main(["demo", f"--budget={budget}", f"--kmbench={self.program}", *places, *flags])

    def shown(self, kept: list[dict]) -> None:
        write(self.folder / "results", "demo", kept)

    @property
    def ran(self) -> list[int]:
        file = self.folder / "ran"
        return [int(word) for word in file.read_text().split()] if file.exists() else []

    def lines(self, folder: str = "") -> list[dict]:
        file = self.home / folder / "demo.jsonl"
        return [json.loads(raw) for raw in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


NOW = {"commit": "c" * 12}
THREE = [line(packages=p, **NOW) for p in (1, 10, 100)]


@cases(
    "before reason",
    (None, NO_LINE),
    (skipped("no GPU"), NO_LINE),
    (line(), ""),
    (line(grade=None), OLD_JUDGE),
    (wrong("point 3 has label 2"), FAILED),
    (wrong("point 3 has label 2", **NOW), ""),
    (line(verdict=None, failure="died", samples_s=[], commit="d" * 12), FAILED),
    (line(verdict=None, failure="died", samples_s=[], **NOW), ""),
)
def test_a_case_runs_again_for_a_reason(before, reason):
    assert recording.why_again(before, "c" * 12, nothing_changed) == reason
    if before is not None and reason == "" and before["verdict"] == "":
        assert recording.why_again(before, "c" * 12, lambda _: True) == OLD_KERNEL


def test_a_kernel_has_changed_if_its_code_has(tmp_path):
    impl = tmp_path / "impl/cpu"
    impl.mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text("project(demo)\n")
    (impl / "sums.hpp").write_text("int sums = 1;\n")
    (impl / "one.cpp").write_text('#include "impl/cpu/sums.hpp"\nint one;  // a comment\n')
    for words in ("init -q", "add .", "commit -qm first"):
        git(tmp_path, *words.split())
    then = git(tmp_path, "rev-parse", "--short=12", "HEAD")

    def changed(commit: str = then) -> bool:
        return recording.Kernels(tmp_path).changed({"implementation": "cpu/one", "commit": commit})

    assert not changed()
    (impl / "one.cpp").write_text('#include "impl/cpu/sums.hpp"\n/* others */ int  one;\n')
    assert not changed(), "comments and spaces change nothing"
    (impl / "sums.hpp").write_text("int sums = 2;\n")
    assert changed(), "an included file counts"
    assert not changed("0" * 12), "an unknown commit tells nothing"


def test_the_plan_is_read():
    text = "\n".join(json.dumps(plan_of(made, skip=why)) for made, why in zip(THREE, ("", "no GPU", ""), strict=True))
    cases = planned(text)
    assert [one.line["parameters"]["packages"] for one in cases if not one.skip] == [1, 100]
    assert [one.skip for one in cases] == ["", "no GPU", ""]
    assert cases[0].runs == 5
    with pytest.raises(UserError, match="kmbench's plan: no case: 'three cases'"):
        planned("three cases")


def test_a_forecast_reads_right_lines_with_a_time(tmp_path):
    lines = [line(packages=1), wrong("label 3", packages=10, samples_s=[1.0]), skipped("no GPU"), [1]]
    (tmp_path / "demo.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"cut')
    assert [one["parameters"]["packages"] for one in raw_lines([tmp_path])] == [1]


def test_a_forecast_comes_from_the_case_then_from_one_alike_then_from_the_ceilings():
    own = line(packages=1, seconds=2.0, prepare_s=1.0, judge_s=4.0)
    record = {"floor": {"cpu": {"bytes_per_s": 1e9, "flops_per_s": {"fp32": 1e9}}}}
    forecast = Forecast([own], record)
    assert forecast.alone(case(1)) == pytest.approx(5 * 2.0 + 1 + 4 + OVERHEAD_S)
    twice = case(10, n=2000)
    assert forecast.alone(twice) == pytest.approx(2 * (5 * 2.0 + 1 + 4) + OVERHEAD_S), "twice the points"
    other = case(1, case="other", implementation="cpu/lloyd/naive")
    floor = 2 * 1000 * 4 * 4 / 1e9
    assert forecast.alone(other) == pytest.approx(2 * ABOVE_FLOOR * floor * 5 * 5 + OVERHEAD_S)
    old = Forecast([{**own, "judge_s": None}], record)
    assert old.alone(case(1)) == pytest.approx(2 * 5 * 2.0 + 1 + OVERHEAD_S)


def test_points_count_once():
    forecast = Forecast([], {})
    made = [case(p, n=100_000_000, forecast_s=0.0) for p in (1, 10)]
    points = 100_000_000 * 4 * DATA_S
    assert forecast.seconds(made) == pytest.approx(2 * OVERHEAD_S + points)
    forecast.factor = 3.0
    assert forecast.seconds(made) == pytest.approx(3 * (2 * OVERHEAD_S + points))


def chosen(questions: list[Question], seconds: dict[int, float], left_s: float, slice_s: float = 1e9) -> list[int]:
    cases = {str(p): case(p, case=str(p), forecast_s=s / 2) for p, s in seconds.items()}
    known = Open(cases, dict.fromkeys(cases, NO_LINE), {}, questions)
    return [int(one.id) for one in recording.next_cases(known, set(), Forecast([], {}), left_s, slice_s)]


def test_the_cases_that_decide_most_a_second_run_first():
    questions = [
        Question("dear", 1.0, frozenset(["1"])),
        Question("cheap", 1.0, frozenset(["2"])),
        Question("beside it", 1.0, frozenset(["2", "3"])),
    ]
    assert chosen(questions, {1: 100, 2: 10, 3: 10}, 1000) == [2, 3, 1]
    assert chosen(questions, {1: 100, 2: 10, 3: 10}, 1000, slice_s=5) == [2]


def test_a_question_past_the_budget_waits_and_single_cases_fill_the_rest():
    dear = Question("dear", 9.0, frozenset(["1"]))
    pair = Question("a pair", 1.0, frozenset(["2", "3"]))
    assert chosen([dear, pair], {1: 100, 2: 10, 3: 10}, 50) == [2, 3]
    assert chosen([dear, pair], {1: 100, 2: 10, 3: 30}, 20) == [2], "the rest of the pair waits"
    assert chosen([dear, pair], {1: 100, 2: 10, 3: 10}, 5) == []


def test_claims_numbers_and_points_ask_for_their_cases(bench):
    cases = planned("\n".join(json.dumps(plan_of(made)) for made in THREE))
    papers = exhibits.load(bench.folder / "papers")

    def missing(shown: list[dict]) -> Open:
        return recording.missing(papers, cases, machine(shown), machine([]), "c" * 12, nothing_changed)

    known = missing([])
    asked = {question.what: len(question.cases) for question in known.questions}
    assert asked == {"claim demo/table1/packages-cost-nothing": 2, "number demo/table1": 1}
    assert sum(question.what.startswith("number") for question in known.questions) == 2
    known = missing(THREE)
    assert (known.why, known.questions) == ({}, [])
    noisy = [{**made, "samples_s": [1.0, 1.2, 0.9, 1.1, 1.0], "commit": "d" * 12} for made in THREE]
    assert set(missing(noisy).why.values()) == {recording.NOISY}, "a claim that noise leaves open runs again"
    assert missing([{**made, "commit": "c" * 12} for made in noisy]).why == {}, "once with each build"
    known = missing([{**made, "grade": None} for made in THREE])
    assert set(known.why.values()) == {OLD_JUDGE}
    assert {question.what for question in known.questions} == {f"demo/table1: {OLD_JUDGE}"}
    known = missing([skipped("no CUDA device", packages=p, device="gpu") for p in (1, 10, 100)])
    assert known.questions
    assert not [one.what for one in known.questions if one.what.startswith("claim")], "no run here decides it"


def test_a_speedup_needs_its_baseline():
    base, own, other = case(1), case(10), case(100, n=5000)
    found = recording.needed([base, own, other], [{"packages": 10}], {"packages": 1})
    assert found == [own, base]


def test_a_filter_matches_its_cases_alone_and_is_short():
    cases = [case(p, name=f"demo/table1/cpu.x(y)/balls/n:{10**30 + p}/packages:{p}") for p in range(1, 200)]
    forecast = Forecast([], {})
    found = recording.batches(cases, forecast, 1e9)
    assert sorted(one.name for _, batch in found for one in batch) == sorted(one.name for one in cases)
    for pattern, batch in found:
        assert len(pattern.encode()) <= recording.LONGEST_FILTER
        assert [one for one in cases if re.search(pattern, one.name)] == sorted(batch, key=cases.index)
    assert len(found) > 1
    few = recording.batches(cases, forecast, 10 * forecast.alone(cases[0]))
    assert max(len(batch) for _, batch in few) == 9, "beside the points"
    assert len(recording.batches(cases, forecast, 0.0)) == len(cases)


OLD = {"exhibit_hash": "a" * 16}


@cases(
    "shown planned missing",
    (THREE[:1], THREE, [10, 100]),
    ([line(packages=p, **OLD) for p in (1, 10)], THREE, [100]),  # another version has the others
    # new cases hold no exhibit back
    ([line(packages=1, n=500, **OLD), line(packages=1, **OLD)], [THREE[0], line(packages=10, n=4000, **NOW)], [10]),
)
def test_missing_cases_are_recorded_once(bench, capsys, shown, planned, missing):
    bench.shown(shown)
    bench.plan(planned)
    assert bench.record() == 0
    assert sorted(bench.ran) == missing
    before = [one["parameters"]["packages"] for one in shown]
    assert [one["parameters"]["packages"] for one in bench.lines()] == [*before, *bench.ran]
    assert bench.lines("staging") == []
    assert "left: 0 cases (nothing)" in capsys.readouterr().out
    assert bench.record() == 0
    assert sorted(bench.ran) == missing, "nothing is missing now"


def test_a_dry_run_runs_nothing(bench, capsys):
    bench.plan(THREE)
    assert bench.record("60s", "--dry-run") == 0
    assert bench.ran == [] and not bench.home.exists()
    said = capsys.readouterr().out
    assert "missing: 3 cases (3 no line)" in said and "no line  demo/table1/cpu/lloyd/two_step" in said


def test_a_new_version_of_an_exhibit_hides_nothing_before_it_is_whole(bench, capsys):
    """Two of three cases fit the budget and wait in staging. A larger budget adds the third, then all are shown."""
    bench.shown([line(packages=7, **OLD), line(packages=8, **OLD), line(packages=100, n=1001, seconds=2000.0, **OLD)])
    bytes_before = (bench.home / "demo.jsonl").read_bytes()
    bench.plan(THREE)
    assert bench.record() == 0
    assert sorted(bench.ran) == [1, 10]
    assert (bench.home / "demo.jsonl").read_bytes() == bytes_before
    assert len(bench.lines("staging")) == 2
    assert len(results.load(bench.folder / "results")) == 1, "staging is no machine"
    assert "recorded apart until it is whole" in capsys.readouterr().out
    assert bench.record("20h") == 0
    assert sorted(bench.ran) == [1, 10, 100]
    assert [one["exhibit_hash"][0] for one in bench.lines()] == [*"aaa", *"eee"]
    assert bench.lines("staging") == []
    assert "3 lines, recorded apart, are added" in capsys.readouterr().out
    assert bench.record() == 0 and len(bench.ran) == 3


def test_lines_of_the_quick_profile_are_not_hidden_by_a_part_of_the_papers(bench):
    bench.shown([line(packages=p, profile="quick", n=10) for p in (1, 10, 100)])
    bench.plan(THREE)
    assert bench.record("1s") == 0
    assert bench.ran == [], "100 times the points take too long"
    assert bench.record("1h") == 0
    assert sorted(bench.ran) == [1, 10, 100] and len(bench.lines()) == 6


def test_lines_of_cases_that_cannot_run_here_stay(bench, capsys):
    """One of two cases of a new version cannot run here. Its old line stays, and the other case is not run in vain."""
    bench.shown([line(packages=7, **OLD), line(packages=7, n=5000, **OLD)])
    cases = [(THREE[0], ""), (line(packages=10, n=5000, **NOW), "no GPU")]
    made = [{"plan": plan_of(one, skip=why), "line": one} for one, why in cases]
    (bench.folder / "cases.json").write_text(json.dumps(made))
    assert bench.record() == 0
    assert bench.ran == [] and len(bench.lines()) == 2
    said = capsys.readouterr().out
    assert "cannot be whole here" in said and "cannot run here: 1 cases: no GPU" in said


@cases(
    "shown hidden",
    (line(), False),
    (line(**OLD, packages=1), False),
    (line(**OLD, packages=7), True),
    (line(exhibit_hash=None, packages=7), True),
    (line(source="6" * 32), True),
    (line(source="6" * 32, n=2000), False),
    (line(source=None), False),
    (line(profile="quick"), True),
    (skipped("no GPU", exhibit_hash="a" * 16), False),
)
def test_lines_that_new_ones_would_hide(shown, hidden):
    """New lines hide another version, other points of one name, and the quick profile. No plan has n = 2000."""
    assert recording.hides([case(1)], [shown], lambda one: one["parameters"]["packages"] == 1) == hidden


def test_a_refusing_program_stops_the_recorder_with_its_words(bench, capsys):
    bench.plan(THREE)
    (bench.folder / "refuses").touch()
    assert bench.record() == 2
    assert capsys.readouterr().err.splitlines() == [f"record: {bench.program} run: another machine wrote here"]
    assert bench.lines() == []
