"""kmbench run without faults: its lines, exhibits, dry run, and Google Benchmark's flags."""

import json
import re

import built
import numpy as np
import pytest
from built import KMBENCH, flags, kmbench, lines_of, needed, refused, succeeded

needed(KMBENCH)
NAIVE = flags(implementation="^cpu/lloyd/naive$")
SMALL = flags(dataset="blobs", n=300, k=3, repetitions=2, iterations=3)


def test_a_line_of_a_right_run(tmp_path):
    wanted = flags(implementation="^cpu/lloyd/two_step$", set="packages=1,10", precision="fp32,fp64")
    run = succeeded("run", *wanted, *SMALL, "--timeout", "60", f"--out={tmp_path}")
    found = lines_of(tmp_path / "adhoc.jsonl")
    assert sorted(line["order"] for line in found) == [0, 1, 2, 3]
    for line in found:
        assert (line["verdict"], len(line["samples_s"]), line["iterations"]) == ("", 2, 3)
        assert all(0 < seconds < 60 for seconds in line["samples_s"])
        assert set(line["phases"]) >= {"assign", "update"}
        assert all(len(series) == 3 for series in line["phases"].values()), "an entry an iteration"
        assert sum(line["cluster_sizes"]) == line["judged_points"] == 300
        words = [str(word).replace(f"{tmp_path.parent}/", "") for word in run.args[1:]]  # absolute paths are shortened
        assert line["argv"][1:] == words and line["argv"][-1] == f"--out={tmp_path.name}"
    assert {"cpu", "gpu", "build"} <= set(json.loads((tmp_path / "machine.json").read_text()))
    assert len({line["dataset"]["hash"] for line in found}) == 2, "one data set in each precision"


def test_more_runs_do_not_change_the_result(tmp_path):
    """Later runs have other starts and ends. Inertia and cluster sizes are those of the given start."""
    case = flags(implementation="^cpu/lloyd/two_step$", dataset="census_like", n=20_000, k=16, precision="fp32")
    found = []
    for repetitions in (1, 8):
        folder = tmp_path / str(repetitions)
        once = flags(iterations=3, set="packages=1", repetitions=repetitions, out=folder)
        succeeded("run", *case, *once)
        found += [(line["inertia"], line["cluster_sizes"]) for line in lines_of(folder / "adhoc.jsonl")]
    assert found[0] == found[1]


def test_points_that_exceed_the_memory_are_skipped_with_both_numbers(tmp_path):
    huge = flags(dataset="blobs", n="1e12", d=4, k=2, precision="fp32,fp64", out=tmp_path)
    succeeded("run", *NAIVE, *huge)
    for line in lines_of(tmp_path / "adhoc.jsonl"):
        size = {"fp32": 4, "fp64": 8}[line["precision"]]
        told = re.fullmatch(r"needs ([\d.]+) GiB of memory, ([\d.]+) GiB are available", line["skip"])
        assert float(told[1]) == round(1e12 * (4 * size + 12) / 2**30, 1), "points, and three labels each"
        assert 0 < float(told[2]) < float(told[1])


def test_the_judges_seed_stands_in_the_line_and_can_be_given(tmp_path):
    for seed in ([], ["--judge-seed", 4711]):
        both = flags(precision="fp32,fp64", out=tmp_path)
        succeeded("run", *NAIVE, *SMALL, *both, "--redo", *seed)
    drawn, other, *given = (line["judge_seed"] for line in lines_of(tmp_path / "adhoc.jsonl"))
    assert drawn != other, "each case has its own"
    assert given == [4711, 4711]


@pytest.fixture
def exhibit(tmp_path):
    """The name of a made-up exhibit in this folder."""
    sweep = {"implementation": "cpu/lloyd/naive", "dataset": "blobs", "n": 200, "k": 3, "repetitions": 2}
    made = built.exhibit(tmp_path / "demo2000/table1.toml", "[profile.quick]\nn = 50\n", **sweep)
    return made.relative_to(tmp_path)


def test_an_exhibit_writes_to_its_papers_file(exhibit, tmp_path):
    for profile in ("paper", "quick"):
        succeeded("run", exhibit, *flags(profile=profile, out="out"), cwd=tmp_path)
    written = [(line["exhibit"], line["profile"], line["n"]) for line in lines_of(tmp_path / "out/demo2000.jsonl")]
    assert written == [("demo2000/table1", "paper", 200), ("demo2000/table1", "quick", 50)]
    assert not list((tmp_path / "out").rglob("*.npy")), "points and labels are saved for who asks"


def test_a_plan_as_json_has_the_fields_of_the_lines(exhibit, tmp_path):
    """One object a case: scripts/record reads it."""
    table = ["run", exhibit, "--out", "out"]
    plan = kmbench(*table, "--dry-run", "--benchmark_format=json", cwd=tmp_path)
    planned = {one["case"]: one for one in map(json.loads, plan.stdout.splitlines())}
    assert plan.returncode == 0 and planned and not (tmp_path / "out").exists()
    succeeded(*table, cwd=tmp_path)
    made = lines_of(tmp_path / "out/demo2000.jsonl")
    assert {line["case"] for line in made} == planned.keys()
    for line in made:
        one = planned[line["case"]]
        for name in ("exhibit", "exhibit_hash", "profile", "implementation", "parameters", "n", "d", "k", "precision"):
            assert one[name] == line[name]
        assert one["dataset"]["source"] == line["dataset"]["source"]
        assert (one["skip"], one["name"].startswith("demo2000/table1/")) == ("", True)
        assert one["repetitions"] == len(line["samples_s"]) and one["forecast_s"] > 0


def test_a_dry_run_names_its_cases_and_writes_nothing(tmp_path):
    dry = ["run", *NAIVE, *SMALL, "--out", tmp_path / "out", "--dry-run"]
    for tolerance, says in ((0.5, "/tol:0.5/"), (0, "/tol:0/")):
        assert says in succeeded(*dry, f"--tolerance={tolerance}").stdout
    assert "/greedy-kmeans++1\n" in succeeded(*dry, "--init", "k-means++").stdout, "scikit-learn's word"
    said = succeeded(*dry).stdout
    assert re.search(r"GiB .* s  cpu/lloyd/naive/blobs/n:300", said) and "\n1 case, " in said and "/tol:" not in said
    assert not (tmp_path / "out").exists()


def test_a_link_in_the_place_of_a_result_file_is_not_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "out/adhoc.jsonl"
    target.write_text("kept")
    link.parent.mkdir()
    link.symlink_to(target)
    run = kmbench("run", *NAIVE, *SMALL, "--out", link.parent, "--same-machine")
    refused(run, f"cannot write {link}: it is a link, ")
    assert target.read_text() == "kept"


def test_google_benchmarks_flags(tmp_path):
    many = ["run", *flags(implementation="^cpu/lloyd/(naive|two_step)$", out=tmp_path / "out"), *SMALL]
    both = ["cpu/lloyd/naive", "cpu/lloyd/two_step"]
    listed = succeeded(*many, "--benchmark_list_tests")
    assert sorted(name.split("/blobs")[0] for name in listed.stdout.splitlines()) == both
    for pattern in ("naive", "-naive"):
        one = kmbench(*many, "--benchmark_list_tests=true", f"--benchmark_filter={pattern}").stdout
        assert len(one.splitlines()) == 1
    assert not (tmp_path / "out").exists()

    succeeded(*many, "--benchmark_filter=two_step", "--benchmark_repetitions=4")
    (line,) = lines_of(tmp_path / "out/adhoc.jsonl")
    assert (line["implementation"], len(line["samples_s"])) == ("cpu/lloyd/two_step", 4)

    interleaved = ["--benchmark_format=json", "--benchmark_enable_random_interleaving=true"]
    shown = succeeded(*many, *interleaved, f"--benchmark_out={tmp_path / 'gb.json'}")
    on_screen = json.loads(shown.stdout)
    assert on_screen == json.loads((tmp_path / "gb.json").read_text())
    assert {entry["name"].split("/blobs")[0] for entry in on_screen["benchmarks"]} == set(both)
    shown = kmbench(*many, "--redo", "--benchmark_format=console").stdout
    rows = [line.split() for line in shown.splitlines() if line.startswith("cpu/lloyd/two_step/")]
    assert len(rows) == 2 and all(row[2] == "ms" and "kmeans_iterations=3" in row for row in rows), shown


def test_a_start_that_needs_other_iterations_is_no_lie(tmp_path):
    """From one order of the two centroids labels rest after 2 iterations, from the other after 22."""
    points = np.random.default_rng(384).integers(0, 4, size=(3000, 5)).astype(float)
    np.save(tmp_path / "points.npy", np.tile(points, (5, 1)))
    np.save(tmp_path / "start.npy", points[:2])
    command = ["run", "--implementation", "cpu/lloyd/naive", "--data", tmp_path / "points.npy", "--k", "2"]
    command += ["--precision", "fp64", "--init", tmp_path / "start.npy", "--tolerance", "0", "--repetitions", "2"]
    for turn in range(10):
        succeeded(*command, "--out", tmp_path / str(turn))
