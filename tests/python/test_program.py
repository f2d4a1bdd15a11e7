"""The built programs, end to end: faults, kills, resuming, refusals, flags, formats."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from built import FAULTY, KMBENCH, ROOT, kmbench, lines_of, needed

needed(KMBENCH, FAULTY)
NAIVE = ["--implementation", "^cpu/lloyd/naive$"]
SMALL = ["--dataset", "blobs", "--n", "300", "--k", "3", "--repetitions", "2", "--iterations", "3"]
SLOW = ["run", "--implementation", "^faults/slow$", "--dataset", "blobs", "--n", "100"]

# What each fault's line has to say; None where the answer is right.
WRONG = {
    "wrong_label": r"point 0 has label 3 .*is nearer",
    "wrong_mean": r"centroid 0, dimension 0 is .* but the mean of its",
    "nan_centroid": r"is nan$",
    "unwritten_outputs": r"centroid 0, dimension 0 is nan",
    "unwritten_labels": r"point 0 has label -2",
    "label_out_of_range": r"has label 4: labels are 0 to 3",
    "wrong_iterations": r"2 iterations where exactly 3",
    "empty_cluster_moved": r"centroid 3 has no points and moved",
}
FAILED = {
    "throws": r"^the solver gave up$",
    "out_of_memory": r"^out of memory$",
    "crash": r"died of signal 11",
    "killed": r"died of signal 9",
}


def lines(out: Path, name: str = "adhoc") -> list[dict]:
    return lines_of(out / f"{name}.jsonl")


def by_fault(found: list[dict]) -> dict[str, dict]:
    named = {line["implementation"].split("/")[-1]: line for line in found}
    assert len(named) == len(found), "one line a case"
    return named


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def points(tmp_path: Path) -> list[str]:
    """200 points and four initial centroids, of which one is too far away for any point."""
    values = np.random.default_rng(1).normal(size=(200, 3))
    centroids = values[:4].copy()
    centroids[3] = 1e6
    np.save(tmp_path / "points.npy", values)
    np.save(tmp_path / "initial.npy", centroids)
    return ["--data", str(tmp_path / "points.npy"), "--k", "4", "--init", str(tmp_path / "initial.npy")]


# ---- what fails costs its own case --------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_each_fault_is_one_line_without_a_time_and_the_rest_go_on(points: list[str], out: Path, precision: str) -> None:
    names = "|".join([*WRONG, *FAILED, "says_no", "slow"])
    run = kmbench(
        "run",
        "--implementation",
        f"^faults/({names})$|^cpu/lloyd/naive$",
        *points,
        "--iterations",
        3,
        "--repetitions",
        2,
        "--warmup",
        0,
        "--set",
        "sleep_ms=0",
        "--precision",
        precision,
        "--out",
        out,
        program=FAULTY,
    )
    assert run.returncode == 1, run.stderr
    found = by_fault(lines(out))
    assert set(found) == {*WRONG, *FAILED, "says_no", "slow", "naive"}
    for fault, sentence in WRONG.items():
        assert re.search(sentence, found[fault]["verdict"]), found[fault]["verdict"]
        assert found[fault]["samples_s"] == []
    for fault, reason in FAILED.items():
        assert re.search(reason, found[fault]["failure"]), found[fault]["failure"]
        assert found[fault]["verdict"] is None
        assert found[fault]["samples_s"] == []
    assert found["says_no"]["skip"] == "nothing is supported"
    for right in ("naive", "slow"):
        assert found[right]["verdict"] == ""
        assert len(found[right]["samples_s"]) == 2
    for line in found.values():  # the table at the end names every reason
        assert (line["verdict"] or line["failure"] or line["skip"] or line["grade"]) in run.stdout


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_crash_with_interleaved_repetitions_is_blamed_on_the_one_that_crashed(
    points: list[str], out: Path, seed: int
) -> None:
    run = kmbench(
        "run",
        "--implementation",
        "^faults/(crash|slow|throws)$|^cpu/lloyd/naive$",
        *points,
        "--warmup",
        0,
        "--set",
        "sleep_ms=0",
        "--benchmark_enable_random_interleaving=true",
        "--repetitions",
        3,
        "--order-seed",
        seed,
        "--out",
        out,
        program=FAULTY,
    )
    assert run.returncode == 1
    found = by_fault(lines(out))
    assert "signal 11" in found["crash"]["failure"]
    assert found["throws"]["failure"] == "the solver gave up"
    assert len(found["naive"]["samples_s"]) == len(found["slow"]["samples_s"]) == 3


def test_checks_of_a_fault_end_with_code_1() -> None:
    run = kmbench("check", "--filter", "^faults/stale/fp64/d = 2$", program=FAULTY)
    assert run.returncode == 1
    assert "WRONG  faults/stale/fp64/d = 2: inertia" in run.stdout
    assert kmbench("check", "--filter", "^cpu/lloyd/naive/fp64/d = 2$").returncode == 0


# ---- killed and run again -----------------------------------------------------------------------------------


def test_a_killed_run_goes_on_where_it_was(out: Path) -> None:
    command = [*SLOW, "--k", "2,3,4,5,6,7", "--repetitions", "2", "--set", "sleep_ms=100", "--out", str(out)]
    with subprocess.Popen([FAULTY, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as parent:
        deadline = time.monotonic() + 60
        while len(lines_so_far(out)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        parent.kill()
    before = wait_until_quiet(out)
    assert 2 <= len(before) < 6, "the kill has to come in the middle"
    assert all(line["verdict"] == "" for line in before), "nobody is left to record the case in flight as failed"

    (out / "adhoc.jsonl").open("a").write('{"schema": 1, "case": "torn')
    again = kmbench(*command, program=FAULTY)
    assert again.returncode == 0, again.stderr
    assert f"{len(before)} of 6 cases have results already" in again.stderr
    after = lines(out)
    assert after[: len(before)] == before, "what was there is never edited"
    assert len(after) == 6, "nothing repeated, nothing lost"
    assert len({line["case"] for line in after}) == 6

    content = (out / "adhoc.jsonl").read_bytes()
    third = kmbench(*command, program=FAULTY)
    assert third.returncode == 0
    assert "6 of 6 cases have results already" in third.stderr
    assert (out / "adhoc.jsonl").read_bytes() == content

    redone = kmbench(*command, "--redo", program=FAULTY)
    assert redone.returncode == 0, redone.stderr
    assert len(lines(out)) == 12


def lines_so_far(out: Path) -> list[str]:
    path = out / "adhoc.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def wait_until_quiet(out: Path) -> list[dict]:
    """The lines once the dead parent's worker holds the folder no longer and is gone with it."""
    size = -1
    while size != (size := (out / "adhoc.jsonl").stat().st_size):
        time.sleep(1)
    return lines(out)


def test_more_repetitions_continue_a_case(out: Path) -> None:
    command = ["run", *NAIVE, *SMALL[:-4], "--out", out]
    assert kmbench(*command, "--repetitions", 2).returncode == 0
    more = kmbench(*command, "--repetitions", 5)
    assert more.returncode == 0, more.stderr
    first, *then = lines(out)
    assert first["continues"] is None and len(first["samples_s"]) == 2
    if first["dirty"]:
        assert "1 of these have fewer runs than asked for and are not continued" in more.stderr
        assert then == []
        return
    assert "1 of 1 cases have fewer runs than asked for: the missing ones follow" in more.stderr
    assert [(line["continues"], len(line["samples_s"])) for line in then] == [(2, 3)]
    assert [line["case"] for line in then] == [first["case"]]
    for enough in (5, 3):
        again = kmbench(*command, "--repetitions", enough)
        assert "1 of 1 cases have results already" in again.stderr
    assert len(lines(out)) == 2
    kmbench(*command, "--repetitions", 5, "--redo")
    assert [(line["continues"], len(line["samples_s"])) for line in lines(out)[2:]] == [(None, 5)]


def test_failures_are_tried_again_and_wrong_answers_are_not(points: list[str], out: Path) -> None:
    command = ["run", "--implementation", "^faults/(throws|wrong_mean)$", *points, "--out", out]
    assert [kmbench(*command, program=FAULTY).returncode for _ in range(2)] == [1, 1]
    assert sorted(line["implementation"] for line in lines(out)) == [
        "faults/throws",
        "faults/throws",
        "faults/wrong_mean",
    ]


def test_two_runs_at_once_into_one_folder_are_refused(out: Path) -> None:
    slow = [*SLOW, "--k", "2", "--set", "sleep_ms=30000", "--out", out]
    with subprocess.Popen([FAULTY, *slow], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as first:
        deadline = time.monotonic() + 60
        while not (out / ".lock").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        second = kmbench("run", *NAIVE, *SMALL, "--out", out)
        first.kill()
    assert second.returncode == 2
    assert "another kmbench is writing" in second.stderr


# ---- bad input: one line, code 2, nothing written -----------------------------------------------------------

EXHIBIT = """kind = "table"
title = "made up"
[[sweep]]
implementation = "cpu/lloyd/naive"
dataset = "blobs"
n = 200
k = 3
repetitions = 2
"""
DATA = ["run", *NAIVE, "--k", "2", "--data"]
BLOBS = ["run", *NAIVE, "--dataset", "blobs", "--n", "100"]
EXHIBIT_RUN = ["run", "good.toml"]

REFUSED = {
    "malformed exhibit": (["run", "malformed.toml"], r"malformed\.toml, line 2"),
    "unknown section": (["run", "section.toml"], r"section\.toml, line 9: unknown section 'tabel'; accepted: "),
    "unknown sweep key": (["run", "key.toml"], r"key\.toml, line 3: unknown sweep key 'packages'"),
    "bad range in an exhibit": (["run", "range.toml"], r"range\.toml, line 7: '9:1:x2' is not a range"),
    "unknown implementation in an exhibit": (
        ["run", "unknown.toml"],
        r"unknown\.toml, line 3: unknown implementation 'cpu/lloyd/none'",
    ),
    "unknown implementation": (
        ["run", "--implementation", "nobody", "--dataset", "blobs", "--k", "2"],
        "unknown implementation 'nobody'",
    ),
    "not a regular expression": (
        ["run", "--implementation", "(", "--dataset", "blobs", "--k", "2"],
        "not a regular expression",
    ),
    "unknown data set": (["run", *NAIVE, "--dataset", "nothing", "--k", "2"], "nothing"),
    "missing exhibit": (["run", "none.toml"], r"no exhibit file none\.toml"),
    "missing paper": (["run", "--paper", "nobody1900"], "no paper 'nobody1900'"),
    "missing data": ([*DATA, "none.npy"], r"none\.npy: no such file"),
    "missing initial centroids": ([*BLOBS, "--k", "2", "--init", "none.npy"], r"none\.npy"),
    "initial centroids of another shape": (
        [*BLOBS, "--k", "2", "--init", "three.npy"],
        r"three\.npy: 3 x 2 initial centroids, 2 x 2",
    ),
    "unknown init": ([*BLOBS, "--k", "2", "--init", "best"], "init 'best'"),
    "non-numeric csv": ([*DATA, "words.csv"], r"words\.csv.*row 2.*column 2.*'two'"),
    "ragged csv": ([*DATA, "ragged.csv"], r"ragged\.csv.*row 2"),
    "NaN": ([*DATA, "nan.npy"], r"nan\.npy.*row 2, column 1.*nan"),
    "infinite in fp32": ([*DATA, "huge.npy"], r"huge\.npy.*fp32"),
    "not a .npy": ([*DATA, "words.npy"], r"words\.npy"),
    "d = 0": ([*DATA, "flat.npy"], r"flat\.npy"),
    "d = 0 of a generator": ([*BLOBS, "--d", "0", "--k", "2"], "d must lie between 1"),
    "another d": ([*DATA, "three.npy", "--d", "5"], "d = 5"),
    "k > n": ([*BLOBS, "--k", "101"], "k = 101 is more than n = 100"),
    "k = 0": ([*BLOBS, "--k", "0"], "k must lie between 1"),
    "no k": (BLOBS, "--k"),
    "no data": (["run", *NAIVE, "--k", "2"], "--dataset NAME"),
    "data set and data": ([*DATA, "three.npy", "--dataset", "blobs"], "--dataset and --data"),
    "exhibit and n": ([*EXHIBIT_RUN, "--n", "5"], "--n contradicts an exhibit"),
    "exhibit and implementation": ([*EXHIBIT_RUN, "--implementation", "x"], "--implementation contradicts an exhibit"),
    "bad range": ([*BLOBS, "--k", "9:1:x2"], "'9:1:x2' is not a range"),
    "empty list": ([*BLOBS, "--k", "1,,2"], "empty value"),
    "bad precision": ([*BLOBS, "--k", "2", "--precision", "fp16"], "precision 'fp16'; accepted: fp32, fp64"),
    "bad profile": ([*EXHIBIT_RUN, "--profile", "fast"], "--profile 'fast'; accepted: paper, quick"),
    "bad parameter": (
        ["run", "--implementation", "two_step$", *BLOBS[3:], "--k", "2", "--set", "packages=0"],
        "packages = 0; accepted: 1 to",
    ),
    "unknown parameter": ([*BLOBS, "--k", "2", "--set", "nothing=1"], "parameter 'nothing'"),
    "set without a value": ([*BLOBS, "--k", "2", "--set", "packages"], "'packages' is not name=value"),
    "unknown generator setting": ([*BLOBS, "--k", "2", "--data-set", "nothing=1"], "no setting 'nothing'"),
    "bad repetitions": ([*BLOBS, "--k", "2", "--repetitions", "0"], "--repetitions"),
    "bad filter": ([*EXHIBIT_RUN, "--filter", "("], "--filter"),
    "filter that matches nothing": ([*EXHIBIT_RUN, "--filter", "nothing"], "matches no case"),
    "unknown flag": ([*BLOBS, "--k", "2", "--fast"], "'--fast'"),
    "unknown flag of Google Benchmark": ([*BLOBS, "--k", "2", "--benchmark_fast"], "'--benchmark_fast'"),
    "unknown format": ([*BLOBS, "--k", "2", "--benchmark_format=xml"], "'--benchmark_format=xml'"),
    "no such GPU": ([*BLOBS, "--k", "2", "--device", "99"], "--device 99"),
}


@pytest.fixture
def bad_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    texts = {
        "good.toml": EXHIBIT,
        "malformed.toml": 'kind = "table"\nk = = 3\n',
        "section.toml": EXHIBIT + '[tabel]\nrows = ["n"]\n',
        "key.toml": EXHIBIT + "packages = 3\n",
        "range.toml": EXHIBIT.replace("k = 3", 'k = "9:1:x2"'),
        "unknown.toml": EXHIBIT.replace("naive", "none"),
        "words.csv": "1,2\n3,two\n",
        "ragged.csv": "1,2\n3\n",
        "words.npy": "not an array",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    np.save("nan.npy", np.array([[1, 2], [np.nan, 4], [5, 6]]))
    np.save("huge.npy", np.array([[1.0, 2], [1e300, 4], [5, 6]]))
    np.save("flat.npy", np.zeros((5, 0)))
    np.save("three.npy", np.arange(6.0).reshape(3, 2))
    return folder


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_line_and_code_2_and_writes_nothing(bad_inputs: Path, out: Path, what: str) -> None:
    args, says = REFUSED[what]
    run = kmbench(*args, "--out", out)
    assert run.returncode == 2, run.stderr
    assert re.fullmatch(rf"kmbench: .*{says}.*\n", run.stderr), run.stderr
    assert run.stdout == ""
    assert not out.exists()


@pytest.mark.parametrize(
    "args",
    [
        ["run", "--k"],
        ["sing"],
        [],
        ["list", "songs"],
        ["data"],
        ["data", "blobs"],
        ["export", "none.jsonl"],
        ["data", "blobs", "--out", "x.npy", "--n", "0"],
        ["check", "--filter", "("],
    ],
)
def test_bad_command_lines_too(bad_inputs: Path, args: list[str]) -> None:
    run = kmbench(*args)
    assert run.returncode == 2
    assert re.fullmatch(r"kmbench: .+\n", run.stderr), run.stderr
    assert not Path("x.npy").exists()


def test_a_link_in_the_place_of_a_result_file_is_not_followed(out: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    out.mkdir()
    (out / "adhoc.jsonl").symlink_to(target)
    flags = ["--dataset", "blobs", "--n", 100, "--k", 2, "--out", out, "--same-machine"]
    run = kmbench("run", "--implementation", "^cpu/lloyd/naive$", *flags)
    assert (run.returncode, run.stdout, target.read_text()) == (2, "", "kept")
    assert re.fullmatch(r"kmbench: cannot write .*adhoc\.jsonl: it is a link, .*\n", run.stderr), run.stderr


# ---- what it does when all is well --------------------------------------------------------------------------


def test_more_runs_do_not_change_the_result(out: Path) -> None:
    """Later runs start elsewhere and end elsewhere: inertia and cluster sizes are those of the start as given."""
    case = ["--dataset", "census_like", "--n", 20_000, "--k", 16, "--iterations", 3, "--precision", "fp32"]
    found = []
    for repetitions in (1, 8):
        folder = out / str(repetitions)
        flags = ["--set", "packages=1", "--repetitions", repetitions, "--out", folder]
        assert kmbench("run", "--implementation", "^cpu/lloyd/two_step$", *case, *flags).returncode == 0
        found += [(line["inertia"], line["cluster_sizes"]) for line in lines(folder)]
    assert found[0] == found[1]


def test_a_line_of_a_right_run(out: Path) -> None:
    run = kmbench(
        "run",
        "--implementation",
        "^cpu/lloyd/two_step$",
        *SMALL,
        "--set",
        "packages=1,10",
        "--precision",
        "fp32,fp64",
        "--out",
        out,
    )
    assert run.returncode == 0, run.stderr
    found = lines(out)
    assert len(found) == 4
    assert sorted(line["order"] for line in found) == [0, 1, 2, 3]
    for line in found:
        assert line["verdict"] == ""
        assert len(line["samples_s"]) == 2
        assert line["iterations"] == 3
        assert set(line["phases"]) >= {"assign", "update"}
        assert all(len(series) == 3 for series in line["phases"].values()), "an entry an iteration"
        assert sum(line["cluster_sizes"]) == 300
        assert line["judged_points"] == 300
        words = ["run", *map(str, run.args[2:])]  # of absolute paths the last name only
    assert line["argv"][1:] == [Path(word).name if word.startswith("/") else word for word in words]
    machine = json.loads((out / "machine.json").read_text())
    assert {"cpu", "gpu", "build"} <= set(machine)
    assert len({line["dataset"]["hash"] for line in found}) == 2, "one data set in each precision"


def test_the_judges_seed_stands_in_the_line_and_can_be_given(out: Path) -> None:
    for seed in ([], [], ["--judge-seed", 4711]):
        assert kmbench("run", *NAIVE, *SMALL, "--redo", *seed, "--out", out).returncode == 0
    drawn, other, given = (line["judge_seed"] for line in lines(out))
    assert (drawn != other, given) == (True, 4711)


def test_an_exhibit_writes_to_its_papers_file(bad_inputs: Path, out: Path) -> None:
    paper = bad_inputs / "demo2000"
    paper.mkdir()
    (paper / "table1.toml").write_text(EXHIBIT + "[profile.quick]\nn = 50\n")
    assert kmbench("run", "demo2000/table1.toml", "--out", out).returncode == 0
    assert kmbench("run", "demo2000/table1.toml", "--profile", "quick", "--out", out).returncode == 0
    assert [(line["exhibit"], line["profile"], line["n"]) for line in lines(out, "demo2000")] == [
        ("demo2000/table1", "paper", 200),
        ("demo2000/table1", "quick", 50),
    ]


def test_a_dry_run_writes_nothing(out: Path) -> None:
    run = kmbench("run", *NAIVE, *SMALL, "--out", out, "--dry-run")
    assert run.returncode == 0
    assert not out.exists()
    assert re.search(r"GiB .* s  cpu/lloyd/naive/blobs/n:300", run.stdout)
    assert "1 cases" in run.stdout


def test_a_plan_as_json_has_what_the_lines_will_have(out: Path, bad_inputs: Path) -> None:
    """One object a case: scripts/record reads it."""
    paper = bad_inputs / "demo2000"
    paper.mkdir()
    (paper / "table1.toml").write_text(EXHIBIT)
    plan = kmbench("run", "demo2000/table1.toml", "--dry-run", "--benchmark_format=json", "--out", out)
    planned = {one["case"]: one for one in map(json.loads, plan.stdout.splitlines())}
    assert plan.returncode == 0 and planned and not out.exists()
    assert kmbench("run", "demo2000/table1.toml", "--out", out).returncode == 0
    made = lines(out, "demo2000")
    assert {line["case"] for line in made} == planned.keys()
    for line in made:
        one = planned[line["case"]]
        for name in ("exhibit", "exhibit_hash", "profile", "implementation", "parameters", "n", "d", "k", "precision"):
            assert one[name] == line[name]
        assert one["dataset"]["source"] == line["dataset"]["source"]
        assert (one["skip"], one["name"].startswith("demo2000/table1/")) == ("", True)
        assert one["repetitions"] == len(line["samples_s"]) and one["forecast_s"] > 0


def test_missing_gpu_and_foreign_implementations_are_skipped_with_a_reason(out: Path) -> None:
    run = kmbench("run", "--implementation", "^faults/says_no$", *SMALL, "--out", out, program=FAULTY)
    assert run.returncode == 0, "no is an answer"
    assert lines(out)[0]["skip"] == "nothing is supported"


def test_google_benchmarks_flags(out: Path, tmp_path: Path) -> None:
    many = ["run", "--implementation", "^cpu/lloyd/(naive|two_step)$", *SMALL, "--out", out]
    listed = kmbench(*many, "--benchmark_list_tests")
    assert listed.returncode == 0
    assert sorted(name.split("/blobs")[0] for name in listed.stdout.splitlines()) == [
        "cpu/lloyd/naive",
        "cpu/lloyd/two_step",
    ]
    assert len(kmbench(*many, "--benchmark_list_tests=true", "--benchmark_filter=naive").stdout.splitlines()) == 1
    assert len(kmbench(*many, "--benchmark_list_tests=true", "--benchmark_filter=-naive").stdout.splitlines()) == 1
    assert not out.exists()

    filtered = kmbench(*many, "--benchmark_filter=two_step", "--benchmark_repetitions=4")
    assert filtered.returncode == 0, filtered.stderr
    assert [(line["implementation"], len(line["samples_s"])) for line in lines(out)] == [("cpu/lloyd/two_step", 4)]

    shown = kmbench(
        *many,
        "--benchmark_format=json",
        f"--benchmark_out={tmp_path / 'gb.json'}",
        "--benchmark_enable_random_interleaving=true",
    )
    assert shown.returncode == 0, shown.stderr
    on_screen, in_file = json.loads(shown.stdout), json.loads((tmp_path / "gb.json").read_text())
    assert on_screen == in_file
    assert {entry["name"].split("/blobs")[0] for entry in on_screen["benchmarks"]} == {
        "cpu/lloyd/naive",
        "cpu/lloyd/two_step",
    }
    assert "cpu/lloyd/two_step" in kmbench(*many, "--redo", "--benchmark_format=console").stdout


def test_export_is_google_benchmarks_json(out: Path, points: list[str]) -> None:
    kmbench(
        "run",
        "--implementation",
        "^faults/(wrong_mean|throws)$|^cpu/lloyd/naive$",
        *points,
        "--repetitions",
        3,
        "--out",
        out,
        program=FAULTY,
    )
    run = kmbench("export", out / "adhoc.jsonl")
    assert run.returncode == 0
    document = json.loads(run.stdout)
    assert document["context"]["date"]
    entries = {}
    for entry in document["benchmarks"]:
        assert "/iters:10/" in entry["name"] and entry["name"].endswith("initial.npy1")
        entries.setdefault(entry["name"].split("//")[0], []).append(entry)
    times = [entry["real_time"] for entry in entries["cpu/lloyd/naive"]]
    (naive,) = [line for line in lines(out) if line["implementation"] == "cpu/lloyd/naive"]
    assert times == pytest.approx([1e3 * sample for sample in naive["samples_s"]])
    assert entries["faults/throws"][0]["error_message"] == "the solver gave up"
    assert entries["faults/wrong_mean"][0]["error_occurred"] is True
    assert kmbench("export", out / "adhoc.jsonl", "--out", out / "gb.json").returncode == 0
    assert json.loads((out / "gb.json").read_text()) == document


@pytest.mark.parametrize("what", ["implementations", "datasets", "exhibits"])
def test_lists_parse(what: str) -> None:
    entries = json.loads(kmbench("list", what, "--json").stdout)
    text = kmbench("list", what).stdout
    assert entries
    assert all(entry.get("name", entry.get("key")) in text for entry in entries)


def test_the_list_of_data_sets_shows_their_settings() -> None:
    rows = kmbench("list", "datasets").stdout.splitlines()
    (blobs,) = [row for row in rows if row.startswith("blobs ")]
    assert "(groups=0 high=10 low=-10 seed=42 sigma2=1 " in blobs
    settings = {entry["name"]: entry["settings"] for entry in json.loads(kmbench("list", "datasets", "--json").stdout)}
    assert settings["uniform"] == {"high": 1, "low": 0, "seed": 1}
    assert settings["household"] is None


def test_the_lists_hold_what_is_there() -> None:
    names = [entry["name"] for entry in json.loads(kmbench("list", "--json").stdout)]
    registering = [path for path in (ROOT / "impl/cpu").rglob("*.cpp") if "const Register<" in path.read_text()]
    files = {str(path.relative_to(ROOT / "impl").with_suffix("")) for path in registering}
    assert files <= set(names)
    assert names == sorted(names)
    assert not [name for name in names if name.startswith("faults/")], "kmbench itself has no faults"
    exhibits = {entry["key"] for entry in json.loads(kmbench("list", "exhibits", "--json").stdout)}
    assert exhibits == {
        f"{path.parent.name}/{path.stem}" for path in (ROOT / "papers").glob("*/*.toml") if path.stem != "paper"
    }


def test_env_parses() -> None:
    record = json.loads(kmbench("env", "--json").stdout)
    assert {"id", "cpu", "memory_bytes", "gpu", "build", "warnings"} <= set(record)
    assert kmbench("env").stdout


@pytest.mark.parametrize(("precision", "dtype"), [("fp32", np.float32), ("fp64", np.float64)])
def test_data_round_trip(tmp_path: Path, out: Path, precision: str, dtype: type) -> None:
    first, second = tmp_path / "first.npy", tmp_path / "second.npy"
    run = kmbench("data", "blobs", "--n", 100, "--d", 3, "--k", 4, "--precision", precision, "--out", first)
    assert run.returncode == 0, run.stderr
    values = np.load(first)
    assert values.shape == (100, 3)
    assert values.dtype == dtype
    assert np.isfinite(values).all()
    assert kmbench("data", first, "--precision", precision, "--out", second).returncode == 0
    assert (np.load(second) == values).all()
    (digest,) = re.findall(r"hash ([0-9a-f]{32})", run.stdout)
    kmbench("run", *NAIVE, "--data", second, "--k", 4, "--precision", precision, "--out", out)
    assert lines(out)[0]["dataset"]["hash"] == digest


def test_csv_and_npy_of_the_same_points_are_the_same_data(tmp_path: Path, out: Path) -> None:
    values = np.random.default_rng(2).integers(0, 100, size=(50, 3)).astype(float)
    np.save(tmp_path / "points.npy", values)
    np.savetxt(tmp_path / "points.csv", values, delimiter=",", header="x,y,z", comments="")
    for suffix in ("npy", "csv"):
        assert kmbench("run", *NAIVE, "--data", tmp_path / f"points.{suffix}", "--k", 3, "--out", out).returncode == 0
    first, second = lines(out)
    assert first["dataset"]["hash"] == second["dataset"]["hash"]
    assert first["inertia"] == second["inertia"]
