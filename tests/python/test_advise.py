"""kmbench advise names the fastest right candidate, and why another has no time. Forms of points."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from built import ENVIRONMENT, FAULTY, KMBENCH, flags, kmbench, lines_of, needed, succeeded

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
    assert not any(re.search(r"[\d.]+ +\d+ +[\d.]+ ", row[name]) for name in ("wrong_label", "crash", "throws"))
    assert "says_no" not in row, "a candidate that cannot run is named before the table"
    assert re.search(r"cpu/lloyd/naive +\d", row["naive"])
    exact = re.match(r"Fastest, and exact: cpu/lloyd/naive, [\d.]+ ms \(.*\) for 3 iterations", said)
    assert exact or "Fastest at all" in said
    assert not re.search("wrong_label|crash|throws", said)
    again = [line["implementation"] for line in lines_of(kept) if len(line["samples_s"]) == 5]
    assert sorted(again) == ["cpu/lloyd/naive", "faults/fast_where_wrong"]


def test_a_candidate_without_an_end_is_cut_by_the_budget(points):
    wanted = flags(k=4, budget="3s", implementation="^faults/sleeps_for_ever$")
    run = kmbench("advise", points, *wanted, program=FAULTY)
    assert run.returncode == 1
    assert "a longer --budget allows more" in run.stderr and "--timeout" not in run.stderr
    assert "too slow: no end within " in run.stdout


def test_with_a_small_budget_it_names_what_it_did_not_try(tmp_path):
    np.save(tmp_path / "large.npy", np.random.default_rng(1).random((400_000, 16)))
    run = kmbench("advise", tmp_path / "large.npy", *flags(k=64, budget="2s"))
    assert run.returncode in (0, 1)
    assert "Not tried: " in run.stdout or "too slow" in run.stdout, run.stdout
    assert "cpu/lloyd/two_step" in run.stdout + run.stderr
    assert "cpu/flags/" not in run.stdout + run.stderr, "builds of one loop under other flags are no candidates"


def test_it_says_how_sure_it_is(points):
    _, said, code = advise(points, "--implementation", "^faults/fast_where_wrong$|^cpu/lloyd/reference$")
    assert code == 0
    sure = r"sure \(p = [\de.-]+, rank test over 5 runs each\); the next, \S+, takes [\d.]+ times as long\."
    assert re.search(rf"; (?:{sure}|not sure: \S+ may be as fast, by a rank test over 5 runs each\.)\n", said), said


def test_without_a_right_candidate_it_says_so_and_ends_with_code_1(points):
    _, said, code = advise(points, "--implementation", "^faults/(wrong_label|throws)$")
    assert code == 1
    assert "No candidate has a right result" in said


def test_the_better_half_of_a_trial_on_few_points_runs_on_all(tmp_path):
    np.save(tmp_path / "many.npy", np.random.default_rng(1).normal(size=(40_000, 2)).astype("f4"))
    wanted = flags(k=2, iterations=2, implementation="^cpu/lloyd/(naive|two_step|reference|single_pass)$|says_no")
    run = succeeded("advise", tmp_path / "many.npy", *wanted)
    assert run.stderr.count(", 10000 points: ") == 4
    assert run.stdout.count("7 runs beside the others") >= 2
    assert run.stdout.count("on 10000 points: others were faster") <= 1


def test_runs_go_to_convergence_in_the_precision_of_the_file(points):
    run = succeeded("advise", points, *flags(k=4, implementation="^cpu/lloyd/(naive|two_step)$"))
    assert run.stderr.startswith("2000 x 3 points in fp64, 4 clusters, to convergence\n")
    header, *rows = run.stdout.partition("Fastest")[0].splitlines()
    assert header.split() == ["implementation", "ms", "iterations", "ms/iter", "result"]
    totals = [tuple(map(float, row.split()[1:4])) for row in rows]
    assert len({iterations for _, iterations, _ in totals}) == 1 and totals[0][1] > 3
    assert all(ms == pytest.approx(iterations * each, rel=0.01) for ms, iterations, each in totals)


def inputs(folder: Path) -> dict[str, list[object]]:
    """The same 300 points in 2 columns, in every form."""
    values = np.random.default_rng(2).integers(0, 9, size=(300, 2)).astype("f8")
    np.savetxt(folder / "table.tsv", values, delimiter="\t", header="x\ty", comments="")
    np.savetxt(folder / "table.txt", values, header="a comment")
    np.savez(folder / "plain.npz", values)
    np.savez_compressed(folder / "packed.npz", X=values, note=np.arange(3))
    np.save(folder / "half.npy", values.astype("f2"))
    rows = [f"{i},{x},{y},{'ab'[i % 2]}" for i, (x, y) in enumerate(values)]
    (folder / "class.csv").write_text("\n".join(["id,x,y,class", *rows]) + "\n")
    np.save(folder / "wide.npy", np.column_stack([np.arange(300), values]))
    plain = [folder / name for name in ("table.tsv", "table.txt", "plain.npz", "packed.npz", "half.npy")]
    return {path.name: [path] for path in plain} | {
        "names": [folder / "class.csv", "--columns", "x,y"],
        "all but": [folder / "class.csv", "--skip-columns", "id,class"],
        "numbers": [folder / "wide.npy", "--columns", "2-3"],
    }


def test_fit_takes_every_form_of_points(tmp_path):
    found = {}
    for name, words in inputs(tmp_path).items():
        out = tmp_path / f"out {name}"
        wanted = flags(k=3, n_init=1, precision="fp64", implementation="cpu/lloyd/two_step", out=out)
        succeeded("fit", *words, *wanted)
        found[name] = json.loads((out / "fit.json").read_text())["hash"]
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("name", ["table.txt", "half.npy", "packed.npz"])
def test_fit_reads_standard_input(tmp_path, name):
    inputs(tmp_path)
    command = [KMBENCH, "fit", "-", *flags(k=3, n_init=1, implementation="cpu/lloyd/two_step", out=tmp_path / "out")]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with (tmp_path / name).open("rb") as points:
        ran = subprocess.run(command, stdin=points, capture_output=True, env={**ENVIRONMENT, "TMPDIR": str(scratch)})
    assert ran.returncode == 0, ran.stderr
    said = json.loads((tmp_path / "out/fit.json").read_text())
    assert said["precision"] == ("fp32" if name == "half.npy" else "fp64")
    assert list(scratch.iterdir()) == []
