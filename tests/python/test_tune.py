"""kmbench tune and kmbench run --tuned, end to end, and what plots makes of a tuning."""

from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from built import ENVIRONMENT, FAULTY, KMBENCH, kmbench, lines_of, needed
from synthetic import empty, line, skipped, wrong

from plots.__main__ import main
from plots.draw import figures, heat
from plots.errors import UserError
from plots.read import check, tuning
from plots.read.exhibits import load_one
from plots.write import regret, t4

needed(KMBENCH, FAULTY)
POINTS = "faults-fast_where_wrong.jsonl"
WINNERS = "faults-fast_where_wrong.winners.jsonl"
PROBLEM = ["--dataset", "blobs", "--n", "500", "--k", "3", "--iterations", "3"]
TUNE = ["tune", "faults/fast_where_wrong", *PROBLEM, "--machine", "m", "--at-last", "3"]
WRONG_PACE, DEADLY_PACE = 8, 16


def stored(folder: Path) -> dict:
    (entry,) = json.loads((folder / "m.json").read_text())["implementations"]["faults/fast_where_wrong"].values()
    return entry


# ---- a wrong point never counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["exhaustive", "random", "halving", "descent"])
def test_a_wrong_point_has_no_time_anywhere_and_its_reason_is_kept(tmp_path: Path, strategy: str) -> None:
    out = tmp_path / "tuning"
    run = kmbench(*TUNE, "--budget", "30s", "--strategy", strategy, "--out", out, program=FAULTY)
    assert run.returncode == 0, run.stderr
    tried = lines_of(out / "m" / POINTS)
    by_pace = {pace: [one for one in tried if one["parameters"]["pace"] == pace] for pace in (1, 2, 4, 8, 16, 32)}
    assert by_pace[32] == [], "what says no is not tried"
    assert by_pace[WRONG_PACE] and by_pace[DEADLY_PACE]
    for one in by_pace[WRONG_PACE]:
        assert "is nearer" in one["verdict"]
        assert one["samples_s"] == []
    for one in by_pace[DEADLY_PACE]:
        assert "died of signal 9" in one["failure"]
    assert stored(out)["parameters"]["pace"] == 4
    again = lines_of(out / "m" / WINNERS)
    assert {one["parameters"]["pace"] for one in again} == {1, 4}
    assert all(len(one["samples_s"]) == 3 for one in again)
    told = [text for text in (run.stdout + run.stderr).splitlines() if re.search(r"pace=(8|16)\b", text)]
    assert told
    assert not any("ms an iteration" in text for text in told)
    assert "wrong: point 0 has label" in run.stdout


def test_where_no_point_is_right_nothing_is_kept(tmp_path: Path) -> None:
    only = ["--set", "mode=0", "--set", "pace=1,8", "--set", "idle=1"]
    run = kmbench(*TUNE, *only, "--out", tmp_path / "a", program=FAULTY)
    assert run.returncode == 0, run.stderr
    assert stored(tmp_path / "a")["parameters"]["pace"] == 1
    assert "nothing tried is faster than the defaults" in run.stdout
    refused = kmbench(*TUNE, "--set", "pace=8", "--out", tmp_path / "b", program=FAULTY)
    assert refused.returncode == 1
    assert "no point of faults/fast_where_wrong has a time: nothing is kept" in refused.stderr
    assert not (tmp_path / "b" / "m.json").exists()


def test_defaults_that_cannot_run_are_told_and_beaten(tmp_path: Path) -> None:
    out = tmp_path / "tuning"
    run = kmbench(*TUNE, "--set", "mode=1", "--set", "pace=1,2,4", "--budget", "30s", "--out", out, program=FAULTY)
    assert run.returncode == 0, run.stderr
    assert stored(out)["parameters"]["pace"] == 4
    assert stored(out)["default_iteration_s"] is None
    assert "the defaults have no time" in run.stdout
    first, *others = lines_of(out / "m" / POINTS)
    assert first["skip"] == "mode 1 has no pace 1"
    assert all(one["verdict"] == "" for one in others)
    (one,) = tuning.load(out / "m" / POINTS)
    (cells,) = regret.build([one]).rows
    assert [cell.text for cell in (cells[4], cells[6])] == ["–", "–"]
    again = kmbench(*TUNE, "--set", "mode=1", "--set", "pace=1,2,4", "--budget", "30s", "--out", out, program=FAULTY)
    assert again.returncode == 0, again.stderr
    assert len(lines_of(out / "m" / POINTS)) == 1 + len(others)


# ---- killed, interrupted and run again --------------------------------------------------------------------------


def wait_for_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while (not path.exists() or path.read_text().count("\n") < count) and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_tuning_goes_on_where_it_was(tmp_path: Path, how: signal.Signals) -> None:
    command = [*TUNE, "--strategy", "exhaustive", "--out", str(tmp_path)]
    with subprocess.Popen([FAULTY, *command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as first:
        wait_for_lines(tmp_path / "m" / POINTS, 3)
        first.send_signal(how)
        _, told = first.communicate(timeout=60)
    assert first.returncode == (130 if how == signal.SIGINT else -how)
    assert how == signal.SIGKILL or "the same command goes on from there" in told
    before = lines_of(tmp_path / "m" / POINTS)
    assert 3 <= len(before) < 10
    again = kmbench(*command, program=FAULTY)
    assert again.returncode == 0, again.stderr
    assert f"{len(before)} points have lines already" in again.stderr
    cases = [one["case"] for one in lines_of(tmp_path / "m" / POINTS)]
    assert len(cases) == len(set(cases)) == 10, "nothing twice, nothing left out"
    assert [one["case"] for one in before] == cases[: len(before)]


def test_two_tunings_of_one_device_at_once_are_refused(tmp_path: Path) -> None:
    command = [*TUNE, "--strategy", "exhaustive", "--repetitions", "100", "--out", str(tmp_path)]
    with subprocess.Popen([FAULTY, *command], env=ENVIRONMENT, stderr=subprocess.DEVNULL) as first:
        wait_for_lines(tmp_path / "m" / ".lock", 0)
        time.sleep(0.3)
        second = kmbench(*command, program=FAULTY)
        first.kill()
    assert second.returncode == 2
    assert re.fullmatch(r"kmbench: another kmbench tune is writing to .*\n", second.stderr)


def test_the_budget_ends_a_search(tmp_path: Path) -> None:
    run = kmbench(*TUNE, "--budget", "0.1s", "--strategy", "exhaustive", "--out", tmp_path, program=FAULTY)
    assert run.returncode == 0, run.stderr
    assert 1 <= len(lines_of(tmp_path / "m" / POINTS)) < 10


# ---- runs with tuned values -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    run = kmbench(*TUNE, "--set", "pace=1,4", "--set", "idle=1", "--out", folder, program=FAULTY)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.parametrize(
    ("flags", "match", "pace"),
    [
        (["--n", "500"], "exact", 4),
        (["--n", "260"], "exact", 4),
        (["--n", "2000"], "nearest", 4),
        (["--n", "500", "--set", "mode=1"], "nearest", 4),
        (["--n", "500", "--set", "pace=2"], "exact", 2),
        (["--n", "500", "--precision", "fp64"], "default", 1),
        (["--n", "500", "--machine", "other"], "default", 1),
        ([], None, 1),
    ],
)
def test_a_run_says_where_its_values_come_from(
    tuned: Path, tmp_path: Path, flags: list[str], match: str | None, pace: int
) -> None:
    asked = ["--tuned", "--tuning", tuned] if flags else ["--n", "500"]
    machine = [] if "--machine" in flags else ["--machine", "m"]
    command = ["run", "--implementation", "faults/fast_where_wrong", "--dataset", "blobs", "--k", "3", "--iterations"]
    once = ["3", "--repetitions", "1", "--warmup", "0", "--out", tmp_path]
    run = kmbench(*command, *once, *flags, *asked, *machine, program=FAULTY)
    assert run.returncode == 0, run.stderr
    (one,) = lines_of(tmp_path / "adhoc.jsonl")
    assert (one["tuned"], one["parameters"]["pace"]) == (match, pace)


# ---- bad input: one line, code 2, nothing written ---------------------------------------------------------------

GOOD = ["tune", "faults/fast_where_wrong", *PROBLEM]
REFUSED = {
    "no implementation": (["tune", *PROBLEM], "implementation"),
    "unknown implementation": (["tune", "nobody", *PROBLEM], "unknown implementation 'nobody'"),
    "nothing to choose": (["tune", "cpu/lloyd/naive", *PROBLEM], "no tunable parameter with several values"),
    "unknown parameter": ([*GOOD, "--set", "speed=1,2"], "has no parameter 'speed'"),
    "not tunable": ([*GOOD, "--set", "mode=0,1"], "mode is not tunable, for it changes more than speed"),
    "out of range": ([*GOOD, "--set", "pace=1,99"], "parameter pace = 99; accepted: 1 to 32"),
    "no number": ([*GOOD, "--set", "pace=1,fast"], "parameter pace = fast; accepted"),
    "an empty value": ([*GOOD, "--set", "pace=1,,2"], "holds an empty value"),
    "set twice": ([*GOOD, "--set", "pace=1,2", "--set", "pace=4,8"], "--set pace is given twice"),
    "set nothing": ([*GOOD, "--set", "pace"], "'pace' is not name=value"),
    "budget": ([*GOOD, "--budget", "soon"], "--budget 'soon': seconds, minutes or hours"),
    "budget 0": ([*GOOD, "--budget", "0s"], "--budget '0s'"),
    "strategy": ([*GOOD, "--strategy", "luck"], "--strategy 'luck'; accepted: exhaustive, random, halving, descent"),
    "repetitions": ([*GOOD, "--repetitions", "0"], "--repetitions must be a whole number from 1"),
    "at last": ([*GOOD, "--at-last", "x"], "--at-last must be a whole number"),
    "seed": ([*GOOD, "--search-seed", "-1"], "--search-seed"),
    "two shapes": (["tune", "faults/fast_where_wrong", "--dataset", "blobs", "--n", "5,6", "--k", "3"], "one value"),
    "no k": (["tune", "faults/fast_where_wrong", "--dataset", "blobs"], "--k"),
    "no data": (["tune", "faults/fast_where_wrong", "--k", "3"], "--dataset NAME"),
    "both data": ([*GOOD, "--data", "x.npy"], "--dataset and --data exclude"),
    "missing data": (["tune", "faults/fast_where_wrong", "--data", "x.npy", "--k", "3"], "x.npy: no such file"),
    "k over n": (["tune", "faults/fast_where_wrong", "--dataset", "blobs", "--n", "3", "--k", "9"], "k = 9 is more"),
    "machine": ([*GOOD, "--machine", "../up"], "--machine '../up'"),
    "unknown flag": ([*GOOD, "--fast"], "--fast"),
    "tuning without tuned": (["run", *PROBLEM, "--tuning", "there"], "give --tuned as well"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path: Path, what: str) -> None:
    args, says = REFUSED[what]
    run = kmbench(*args, "--out", tmp_path / "out", program=FAULTY)
    assert run.returncode == 2, run.stderr
    assert re.fullmatch(rf"kmbench: .*{re.escape(says)}.*\n", run.stderr), run.stderr
    assert run.stdout == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1}', '{"schema": 9, "implementations": {}}', ""])
def test_a_file_of_tuned_values_that_is_none_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    tune = kmbench(*TUNE, "--out", tmp_path, program=FAULTY)
    run = kmbench(
        "run", *PROBLEM, "--tuned", "--tuning", tmp_path, "--machine", "m", "--out", tmp_path / "out", program=FAULTY
    )
    for one in (tune, run):
        assert one.returncode == 2, one.stderr
        assert re.fullmatch(r"kmbench: .*m\.json.*\n", one.stderr), one.stderr
    assert (tmp_path / "m.json").read_text() == text
    assert not (tmp_path / "out").exists()


def test_a_dry_run_tells_the_points_and_writes_nothing(tmp_path: Path) -> None:
    run = kmbench(*GOOD, "--set", "pace=2,4", "--dry-run", "--out", tmp_path / "out", program=FAULTY)
    assert run.returncode == 0
    assert run.stdout == "pace = 1, 2, 4 (default 1)\nidle = 1, 2 (default 1)\n6 points\n"
    assert not (tmp_path / "out").exists()


# ---- what plots makes of it -------------------------------------------------------------------------------------


def search() -> list[dict]:
    """Nine points of two parameters, the defaults first; one is wrong, though it would be the fastest."""
    times = {(x, y): 0.1 + 0.02 * abs(x - 2) + 0.01 * y for x, y in itertools.product((1, 2, 4), (1, 2, 3))}
    made = [line(None, s, block=x, grid=y) for (x, y), s in times.items()]
    return [*made[:4], wrong("point 3 has label 1", exhibit=None, block=2, grid=2), *made[5:]]


def write(folder: Path, lines: list[dict], name: str = "points") -> Path:
    path = folder / "card" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_the_best_is_right_and_regret_is_of_the_defaults(tmp_path: Path) -> None:
    (one,) = tuning.load(write(tmp_path, search()))
    assert one.axes == ["block", "grid"]
    assert one.best["parameters"] == {"block": 2, "grid": 1}
    (cells,) = regret.build([one]).rows
    assert [cell.text for cell in cells[1:4]] == ["9", "1", "0"]
    assert cells[6].raw[0] == pytest.approx(100 * (0.13 / 0.11 - 1))
    assert cells[7].text == "block = 2"


def test_what_was_measured_again_stands_in_the_table(tmp_path: Path) -> None:
    path = write(tmp_path, search())
    again = [line(None, 0.2, block=1, grid=1), line(None, 0.1, block=2, grid=1)]
    write(tmp_path, again, "points.winners")
    (cells,) = regret.build(tuning.load(path)).rows
    assert cells[6].raw[0] == pytest.approx(100)


def test_a_best_that_was_luck_is_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path, search())
    again = [line(None, 0.1, block=1, grid=1), line(None, 0.2, block=2, grid=1)]
    write(tmp_path, again, "points.winners")
    (cells,) = regret.build(tuning.load(path)).rows
    assert (cells[6].raw[0], cells[7].text) == (0, "none")


def test_lines_of_another_commit_are_another_tuning(tmp_path: Path) -> None:
    old = [{**one, "commit": "old"} for one in search()]
    (one,) = tuning.load(write(tmp_path, [*old, search()[0], search()[3]]))
    assert len(one.lines) == 2


def test_a_wrong_point_has_a_cross_in_the_map_and_no_time(tmp_path: Path) -> None:
    (one,) = tuning.load(write(tmp_path, search()))
    (ax,) = heat.heat_tuning(one, "block", "grid", "iteration").axes
    texts = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert len(texts) == 9
    assert texts[1, 1] == "×"
    assert texts[1, 0] == "22.0", "0.11 s for five iterations, in ms"


HEAT = """kind = "figure"
title = "block sizes"
[figure]
style = "heat"
x = "block"
down = ["grid"]
y = ["iteration"]
"""


def test_an_exhibit_draws_the_same_map(bench) -> None:
    lines = [{**one, "exhibit": "demo/table1", "exhibit_hash": None} for one in search()]
    (ax,) = figures.draw(bench.view(lines, HEAT)).axes
    texts = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert len(texts) == 9
    assert (texts[1, 1], texts[1, 0]) == ("×", "22.0")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4"]


def test_a_map_of_no_times_is_no_figure(bench) -> None:
    assert figures.draw(bench.view([wrong("point 3 has label 1", block=1, grid=1)], HEAT)) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAT.replace('down = ["grid"]\n', ""), "down missing"),
        (HEAT.replace('["iteration"]', '["iteration", "update"]'), "one metric"),
        (HEAT.replace('"heat"', '"line"'), "down belongs to a map"),
    ],
)
def test_a_map_that_cannot_be_drawn_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(UserError, match=says):
        load_one(tmp_path / "x.toml")


def test_the_commands_write_table_map_and_t4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, search())
    assert main(["tuning", str(path), "--out", str(tmp_path / "report")]) == 0
    names = {file.name for file in (tmp_path / "report").iterdir()}
    stem = "tuning-points-card"
    assert names == {f"{stem}.md", f"{stem}.csv", f"{stem}-1.svg", f"{stem}-1.png"}
    first = (tmp_path / "report" / f"{stem}-1.svg").read_bytes()
    assert main(["tuning", str(path), "--out", str(tmp_path / "report")]) == 0
    assert (tmp_path / "report" / f"{stem}-1.svg").read_bytes() == first
    capsys.readouterr()
    assert main(["t4", str(path)]) == 0
    assert len(json.loads(capsys.readouterr().out)["results"]) == 9
    assert main(["t4", str(path), "--out", str(tmp_path / "t4.json")]) == 0
    assert json.loads((tmp_path / "t4.json").read_text())["schema_version"] == "1.0.0"


T4_REQUIRED = ("configuration", "times", "invalidity", "correctness")
T4_INVALIDITY = ("timeout", "compile", "runtime", "correctness", "constraints", "correct")


def failed(reason: str) -> dict:
    return line(**{**empty(), "failure": reason})


@pytest.mark.parametrize(
    ("made", "word"),
    [
        (line(None), "correct"),
        (wrong("point 3 has label 1"), "correctness"),
        (failed("the worker process died of signal 11"), "runtime"),
        (failed("no end after 60 s; --timeout allows more"), "timeout"),
        (skipped("k exceeds 4"), "constraints"),
    ],
)
def test_every_end_of_a_point_has_its_word_in_t4(made: dict, word: str) -> None:
    (one,) = t4.document([check.line(made, "made up", {})])["results"]
    assert all(name in one for name in T4_REQUIRED)
    assert word in T4_INVALIDITY
    assert (one["invalidity"], one["correctness"]) == (word, int(word == "correct"))
    assert (one["times"]["runtimes"] != []) == (word == "correct")
    assert any(m["name"] == one["objectives"][0] for m in one["measurements"]) == (word == "correct")


def test_t4_is_in_milliseconds() -> None:
    (one,) = t4.document([check.line(line(None, 0.5, samples=1), "made up", {})])["results"]
    assert one["measurements"][0] == {"name": "time", "value": pytest.approx(100 * 0.98), "unit": "ms"}
    assert one["times"]["runtimes"] == [pytest.approx(500 * 0.98)]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["tuning", "none.jsonl"], "none.jsonl: no such file"),
        (["t4", "none.jsonl"], "none.jsonl: no such file"),
        (["tuning", "PATH", "--x", "speed"], "speed: not varied in this tuning; varied: block, grid"),
        (["tuning", "PATH", "--x", "grid", "--y", "grid"], "--x and --y are both grid"),
        (["tuning", "PATH", "--metric", "inertia"], "--metric inertia: a time is needed"),
        (["tuning", "PATH", "--metric", "speed"], "speed"),
        (["tuning", "EMPTY"], "no result lines"),
        (["t4", "BROKEN"], "not JSON"),
    ],
)
def test_bad_input_to_plots_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], says: str
) -> None:
    (tmp_path / "broken.jsonl").write_text("{]\n")
    paths = {
        "PATH": write(tmp_path, search()),
        "EMPTY": write(tmp_path, [], "empty"),
        "BROKEN": tmp_path / "broken.jsonl",
    }
    assert main([str(paths.get(arg, arg)) for arg in args] + ["--out", str(tmp_path / "report")]) == 2
    assert re.fullmatch(rf"plots: .*{re.escape(says)}.*\n", capsys.readouterr().err)
    assert not (tmp_path / "report").exists()
