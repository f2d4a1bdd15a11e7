"""kmbench tune and kmbench run --tuned, end to end."""

import json
import re
import signal
import subprocess
from pathlib import Path

import built
import pytest
from built import ENVIRONMENT, FAULTY, KMBENCH, flags, kmbench, lines_of, needed, refused, succeeded
from conftest import cases

from plots.read import tuning
from plots.write import tunings

needed(KMBENCH, FAULTY)
POINTS = "faults-fast_where_wrong.jsonl"
WINNERS = "faults-fast_where_wrong.winners.jsonl"
PROBLEM = flags(dataset="blobs", n=500, k=3, iterations=1)
GOOD = ["tune", "faults/fast_where_wrong", *PROBLEM]
TUNE = [*GOOD, "--anyway", *flags(machine="m", rounds=8)]
WRONG_PACE, DEADLY_PACE = 8, 16


def stored(folder: Path) -> dict:
    (entry,) = json.loads((folder / "m.json").read_text())["implementations"]["faults/fast_where_wrong"].values()
    return entry


@pytest.mark.parametrize("strategy", ["exhaustive", "random", "halving", "descent"])
def test_a_wrong_point_has_no_time_anywhere_and_its_reason_is_kept(tmp_path, strategy):
    out = tmp_path / "tuning"
    run = succeeded(*TUNE, "--budget", "30s", "--strategy", strategy, "--out", out, program=FAULTY)
    tried = lines_of(out / "m" / POINTS)
    by_pace = {pace: [one for one in tried if one["parameters"]["pace"] == pace] for pace in (1, 2, 4, 8, 16, 32)}
    assert by_pace[32] == [], "unsupported values are not tried"
    assert by_pace[WRONG_PACE] and by_pace[DEADLY_PACE]
    assert all("is nearer" in one["verdict"] and one["samples_s"] == [] for one in by_pace[WRONG_PACE])
    assert all("died of signal 9" in one["failure"] for one in by_pace[DEADLY_PACE])
    assert stored(out)["parameters"]["pace"] == 4
    again = lines_of(out / "m" / WINNERS)
    entry = stored(out)
    low, high = entry["interval"]
    for setting in ({"pace": 1, "idle": 1}, entry["parameters"]):
        own = [one["order"] for one in again if setting.items() <= one["parameters"].items()]
        assert own == list(range(1, 9)), "a line a round"
    assert 0 < low <= entry["ratio"] <= high < 1 / 1.02 and entry["p"] <= 0.05
    assert entry["rounds"] == 8 and entry["load"] >= 0 and entry["anyway"] is True
    assert "surely faster" in run.stdout and "times as fast as the defaults; kept in" in run.stdout
    told = [text for text in (run.stdout + run.stderr).splitlines() if re.search(r"pace=(8|16)\b", text)]
    assert told and not any("ms an iteration" in text or "times as fast," in text for text in told)
    assert re.search(r"^  defaults +\S+ ms an iteration$", run.stdout, re.MULTILINE), "no times themselves"
    assert "wrong: point 0 has label" in run.stdout
    numbers = [int(text) for text in re.findall(r"^\[(\d+)\] ", run.stderr, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)) != [], "settings are counted from 1"


def test_without_a_right_point_nothing_is_kept(tmp_path):
    only = ["--set", "mode=0", "--set", "pace=1,8", "--set", "idle=1"]
    run = succeeded(*TUNE, *only, "--out", tmp_path / "a", program=FAULTY)
    assert stored(tmp_path / "a")["parameters"]["pace"] == 1
    assert "nothing tried is surely faster than the defaults, which stay" in run.stdout
    assert stored(tmp_path / "a")["ratio"] is None
    refused = kmbench(*TUNE, "--set", "pace=8", "--out", tmp_path / "b", program=FAULTY)
    assert refused.returncode == 1
    assert "no setting of faults/fast_where_wrong has a time: nothing is kept" in refused.stderr
    assert not (tmp_path / "b" / "m.json").exists()


def test_defaults_that_cannot_run_are_told_and_beaten(tmp_path):
    out = tmp_path / "tuning"
    command = [*TUNE, "--set", "mode=1", "--set", "pace=1,2,4", "--budget", "30s", "--out", out]
    run = succeeded(*command, program=FAULTY)
    assert stored(out)["parameters"]["pace"] == 4
    assert stored(out)["default_iteration_s"] is None
    assert "the defaults have no time" in run.stdout
    first, *others = lines_of(out / "m" / POINTS)
    assert first["skip"] == "mode 1 has no pace 1"
    assert all(one["verdict"] == "" for one in others)
    (one,) = tuning.load(out / "m" / POINTS)
    (cells,) = tunings.regret([one]).rows
    assert [cell.text for cell in (cells[4], cells[6])] == ["–", "–"]
    succeeded(*command, program=FAULTY)
    assert len(lines_of(out / "m" / POINTS)) == (1 + len(others)) * (1 + first["dirty"])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_tuning_goes_on_where_it_was(tmp_path, how):
    command = [*TUNE, "--strategy", "exhaustive", "--out", str(tmp_path)]
    with subprocess.Popen([FAULTY, *command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as first:
        built.wait_until(lambda: len(built.whole_lines(tmp_path / "m" / POINTS)) >= 3)
        first.send_signal(how)
        _, told = first.communicate(timeout=120)
    assert first.returncode == (130 if how == signal.SIGINT else -how)
    before = lines_of(tmp_path / "m" / POINTS)
    assert 3 <= len(before) < 10
    again = succeeded(*command, program=FAULTY)
    if before[0]["dirty"]:
        assert "goes on from there" not in told and "have lines already" not in again.stderr
        assert f"{len(before)} lines of another machine or commit, or of uncommitted changes, in " in again.stderr
        return
    assert how == signal.SIGKILL or "the same command goes on from there" in told
    assert f"{len(before)} settings have lines already" in again.stderr
    cases = [one["case"] for one in lines_of(tmp_path / "m" / POINTS)]
    assert len(cases) == len(set(cases)) == 10, "nothing twice, nothing left out"
    assert [one["case"] for one in before] == cases[: len(before)]


def test_two_tunings_of_one_device_at_once_are_refused(tmp_path):
    command = [*TUNE, "--strategy", "exhaustive", "--repetitions", "100", "--out", str(tmp_path)]
    with subprocess.Popen([FAULTY, *command], **built.QUIET) as first:
        built.wait_until(lambda: built.whole_lines(tmp_path / "m" / POINTS))
        second = kmbench(*command, program=FAULTY)
        first.kill()
    refused(second, "another kmbench tune is writing to ")


def test_the_budget_ends_a_search(tmp_path):
    succeeded(*TUNE, "--budget", "0.1s", "--strategy", "exhaustive", "--out", tmp_path, program=FAULTY)
    assert 1 <= len(lines_of(tmp_path / "m" / POINTS)) < 10


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    succeeded(*TUNE, "--set", "pace=1,4", "--set", "idle=1", "--out", folder, program=FAULTY)
    return folder


@cases(
    "more match pace",
    ("--n 500", "exact", 4),
    ("--n 260 --k 2", "exact", 4),  # 2^8 and 2^1 likewise
    ("--n 2000", "nearest", 4),
    ("--n 500 --set mode=1", "nearest", 4),
    ("--n 500 --set pace=2", "exact", 2),
    ("--n 500 --precision fp64", "default", 1),
    ("--n 500 --machine other", "default", 1),
    ("--n 500 --implementation cpu/lloyd/multi_pass", "default", None),
    ("", None, 1),
)
def test_a_run_says_where_its_values_come_from(tuned, tmp_path, more, match, pace):
    asked = ["--tuned", "--tuning", tuned] if more else ["--n", "500"]
    machine = [] if "--machine" in more else ["--machine", "m"]
    usual = {"--implementation": "faults/fast_where_wrong", "--k": "3"}
    others = [word for flag, value in usual.items() if flag not in more for word in (flag, value)]
    once = flags(dataset="blobs", iterations=1, repetitions=1, warmup=0, out=tmp_path)
    succeeded("run", *others, *once, *more.split(), *asked, *machine, program=FAULTY)
    (one,) = lines_of(tmp_path / "adhoc.jsonl")
    assert (one["tuned"], one["parameters"].get("pace")) == (match, pace)
    assert one["parameters"].get("mode", 0) == ("mode=1" in more), "a given value stays"


def test_a_dry_run_tells_the_settings_and_writes_nothing(tmp_path):
    run = succeeded(*GOOD, "--set", "pace=2,4", "--dry-run", "--out", tmp_path / "out", program=FAULTY)
    assert run.stdout == "pace = 1, 2, 4 (default 1)\nidle = 1, 2 (default 1)\n6 settings\n"
    assert not (tmp_path / "out").exists()
