"""kmbench advise names the fastest right candidate, and why a candidate has no time."""

import re
from pathlib import Path

import numpy as np
import pytest
from built import FAULTY, KMBENCH, flags, kmbench, lines_of, needed, succeeded

needed(KMBENCH, FAULTY)
FAULTS = "^faults/(wrong_label|crash|throws|says_no|fast_where_wrong)$"


@pytest.fixture
def points(tmp_path: Path) -> Path:
    np.save(tmp_path / "points.npy", np.random.default_rng(1).normal(size=(2000, 3)))
    return tmp_path / "points.npy"


def advise(points: Path, *more: object) -> tuple[list[str], str, int]:
    """The lines of the table, the text below it, and the exit code."""
    run = kmbench("advise", points, *flags(k=4, iterations=3, budget="30s", at_last=5), *more, program=FAULTY)
    table, _, said = run.stdout.partition("Fastest")
    return table.splitlines(), "Fastest" + said if said else run.stdout + run.stderr, run.returncode


def test_a_wrong_candidate_has_a_reason_and_no_time(points, tmp_path):
    kept = tmp_path / "lines.jsonl"
    table, said, code = advise(points, "--implementation", f"{FAULTS}|^cpu/lloyd/naive$", "--out", kept)
    assert code == 0, said
    row = {text.split()[0].split("/")[-1]: text for text in table}
    assert "wrong: point 0 has label" in row["wrong_label"]
    assert "died of signal 11" in row["crash"]
    assert "failed: the solver gave up" in row["throws"]
    assert not any(re.search(r"\d\.\d{3}\s", row[name]) for name in ("wrong_label", "crash", "throws"))
    assert "says_no" not in row, "a candidate that cannot run is named before the table"
    assert re.search(r"cpu/lloyd/naive +\d", row["naive"])
    assert re.match(r"Fastest, and exact: cpu/lloyd/naive, [\d.]+ ms an iteration", said) or "Fastest at all" in said
    assert not re.search("wrong_label|crash|throws", said)
    again = [line["implementation"] for line in lines_of(kept) if len(line["samples_s"]) == 5]
    assert sorted(again) == ["cpu/lloyd/naive", "faults/fast_where_wrong"]


def test_it_says_how_sure_it_is(points):
    _, said, code = advise(points, "--implementation", "^faults/fast_where_wrong$|^cpu/lloyd/reference$")
    assert code == 0
    sure = r"sure \(p = [\de.-]+, rank test over 5 runs each\); the next, \S+, takes [\d.]+ times as long\."
    assert re.search(rf"; (?:{sure}|not sure: \S+ may be as fast, by a rank test over 5 runs each\.)\n", said), said


def test_without_a_right_candidate_it_says_so_and_ends_with_code_1(points):
    _, said, code = advise(points, "--implementation", "^faults/(wrong_label|throws)$")
    assert code == 1
    assert "No candidate has a right result" in said


def test_many_points_are_ordered_by_a_trial_on_few(tmp_path):
    np.save(tmp_path / "many.npy", np.random.default_rng(1).normal(size=(450_000, 2)).astype("f4"))
    wanted = flags(k=2, iterations=2, implementation="^cpu/lloyd/(naive|two_step)$")
    run = succeeded("advise", tmp_path / "many.npy", *wanted)
    assert run.stderr.count(", 100000 points: ") == 2
    assert run.stdout.count("7 runs beside the others") == 2


REFUSED = {
    "none.npy --k 3": "none.npy",
    "blobs": "name the number of clusters: --k",
    "blobs --k 3 --n 2": "k = 3 is more than n = 2",
    "blobs --k 3 --implementation nobody": "unknown implementation 'nobody'",
    "blobs --k 3 --implementation says_no": "no candidate can run: nothing is supported",
    "blobs --k 3 --budget later": "--budget 'later'",
    "blobs --k 3 --at-last 65": "--at-last must be a whole number from 1 to 64",
    "blobs --k 3 --tuning here": "give --tuned as well",
    "nan.npy --k 3": "nan.npy",
    "": "points is required",
}


@pytest.mark.parametrize(("args", "says"), REFUSED.items())
def test_bad_input_is_one_line(tmp_path, args, says):
    np.save(tmp_path / "nan.npy", np.array([[1.0, 2], [np.nan, 4], [5, 6], [7, 8]]))
    run = kmbench("advise", *args.split(), "--out", "lines.jsonl", program=FAULTY, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, ""), run.stderr
    assert re.fullmatch(rf"(?s:.*\n)?kmbench: .*{re.escape(says)}.*\n", run.stderr), run.stderr
    assert not (tmp_path / "lines.jsonl").exists()
