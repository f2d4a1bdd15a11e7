"""kmbench run --launch: several MPI ranks on this machine, right and faulty ones."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import built
import numpy as np
import pytest
from built import ENVIRONMENT, FAULTY, KMBENCH, QUIET, flags, kmbench, lines_of, needed, processes, refused, wait_until
from conftest import ROOT, cases

needed(KMBENCH, FAULTY)
BLOBS = flags(dataset="blobs", n=300, k=3, precision="fp32", iterations=3, repetitions=2)
ONE_THREAD = {**built.AS_ROOT, "OMP_NUM_THREADS": "1"}


def has_mpi() -> bool:
    asked = kmbench("run", "--dry-run", "--implementation", "cpu/ranks/two_step", *BLOBS, "--launch", "mpirun")
    return "no MPI" not in asked.stderr


needs_mpi = pytest.mark.skipif(not shutil.which("mpirun") or not has_mpi(), reason="no mpirun, or a build without MPI")


def launch(ranks: int) -> list[str]:
    return ["--launch", f"mpirun --oversubscribe -n {ranks}"]


def run(*words: object, ranks: int, folder: Path, program: Path = KMBENCH) -> list[dict]:
    """The lines of a run on so many ranks."""
    ran = kmbench("run", *words, *launch(ranks), *flags(out=folder), program=program, **ONE_THREAD)
    files = list(folder.glob("*.jsonl"))
    assert files, ran.stderr
    return lines_of(files[0])


def asleep(ranks: list[int]) -> bool:
    """Whether one of them has not run for half a second: it is at its fault. The others poll."""

    def switches(rank: int) -> list[str]:
        return re.findall(r"ctxt_switches:\t(\d+)", Path(f"/proc/{rank}/status").read_text())

    before = {rank: switches(rank) for rank in ranks}
    time.sleep(0.5)
    return any(switches(rank) == count for rank, count in before.items())


@needs_mpi
def test_any_number_of_ranks_ends_with_the_same_bits(tmp_path):
    sweep = {"dataset": "blobs", "n": 1003, "k": 7, "iterations": 60, "repetitions": 1, "precision": "fp64"}
    exhibit = built.exhibit(tmp_path / "made/up.toml", implementation="cpu/ranks/two_step", **sweep)
    ends, hashes = [], set()
    for ranks in (1, 2, 3, 5):
        folder = tmp_path / str(ranks)
        (line,) = run(exhibit, "--save", "--timeout", "300", ranks=ranks, folder=folder)
        assert (line["verdict"], line["grade"], line["iterations"], line["failure"]) == ("", "exact", 60, None)
        where = line["ranks"]
        assert (where["count"], where["nodes"], len(where["processors"])) == (ranks, 1, ranks)
        assert all(threads >= 1 for threads in where["threads"]) and where["library"]
        assert where["node"] == [0] * ranks and where["gpus"] is None
        walls = where["walls_s"] or [line["samples_s"]]
        assert len(walls) == ranks and all(own[0] > 0 for own in walls) and walls[0] <= line["samples_s"]
        assert set(line["phases"]) >= {"assign", "update", "reduce"}
        hashes.add(line["dataset"]["hash"])
        ends.append([np.load(file).tobytes() for file in sorted(folder.rglob("*.npy"))])
    assert len(ends[0]) == 3 and all(end == ends[0] for end in ends)
    assert len(hashes) == 1


@needs_mpi
@pytest.mark.parametrize(("n", "ranks"), [(4, 5), (7, 3)])
def test_ranks_with_one_point_and_with_none(n, ranks, tmp_path):
    small = flags(dataset="blobs", n=n, k=2, precision="fp32", iterations=5, repetitions=2)
    lines = run("--implementation", "cpu/ranks/", *small, ranks=ranks, folder=tmp_path)
    assert len(lines) == 4
    for line in lines:
        assert (line["failure"], line["verdict"]) == (None, "")
        assert (line["grade"], sum(line["cluster_sizes"])) == ("exact", n)


@needs_mpi
def test_a_fault_of_one_rank_is_one_line_and_the_next_case_runs(tmp_path):
    faults = {
        "prepare_throws": r"^rank 1: prepare gave up$",
        "reset_throws": r"^rank 1: reset gave up$",
        "iterate_throws": r"^rank 1: iterate gave up$",
        "download_throws": r"^rank 1: download gave up$",
        "goes_on": r"^rank 1 ended with another number of iterations than rank 0$",
        "ends_apart": r"^rank 1 ended with other centroids than rank 0$",
        "ends_apart_later": r"^rank 1 ended with other centroids than rank 0$",
        "dies": r"^a rank died of signal 9",
        "exits": r"^(the launcher ended|a rank died|the worker)",  # rank 2, with code 0
        "stops_alone": r"^(rank 1 ended with another number|the launcher ended|a rank died|no end after)",
        "skips_a_sum": r"^rank 1 ended with other centroids than rank 0$",
    }
    lies = {
        "wrong_label": r"^point 100 has label",
        "drops_a_row": r"^(point 199 has label|centroid)",
        "counts_twice": r"^centroid .* but the mean of its .* points",
        "sums_before": r"^centroid .* but the mean of its .* points",
        "reads_a_row_twice": r"^(point 100 has label|centroid)",
        "reads_a_neighbours_row": r"^(point 100 has label|centroid)",
        "turns_labels": r"^point \d+ has label",
        "swaps_labels": r"^point \d+ has label",
        "labels_before": r"^(point \d+ has label|centroid)",
    }
    wanted = ["--implementation", "faults/ranks", "--set", "fault=none," + ",".join(faults | lies), "--timeout", "10"]
    uniform = flags(dataset="uniform", n=300, k=7, precision="fp32", iterations=3, repetitions=2)
    every = run(*wanted, *uniform, ranks=3, folder=tmp_path, program=FAULTY)
    found = {line["parameters"]["fault"]: line for line in every}
    assert found.pop("none")["verdict"] == ""
    assert set(found) == {*faults, *lies}
    told = {fault: line["failure"] or line["verdict"] for fault, line in found.items()}
    assert {fault: why for fault, why in told.items() if not re.search((faults | lies)[fault], why)} == {}
    assert not processes(tmp_path)


@needs_mpi
def test_a_hang_ends_in_time_and_leaves_nothing(tmp_path):
    sleeping = flags(implementation="faults/ranks", set="fault=sleeps", timeout=1)
    (line,) = run(*sleeping, *BLOBS, ranks=2, folder=tmp_path, program=FAULTY)
    assert line["failure"] == "no end after 1 s; --timeout allows more"
    wait_until(lambda: not processes(tmp_path))


@needs_mpi
@pytest.mark.parametrize("victim", ["a rank", "the supervisor"])
def test_whoever_is_killed_nothing_is_left_behind(victim, tmp_path):
    words = [*flags(implementation="faults/ranks", set="fault=sleeps", out=tmp_path), *BLOBS, *launch(3)]
    with subprocess.Popen([FAULTY, "run", *words], **{**QUIET, "env": {**ENVIRONMENT, **ONE_THREAD}}) as supervisor:
        ranks: list[int] = []

        def started() -> bool:
            rows = [row.split() for row in processes(tmp_path)]
            ranks[:] = [int(row[0]) for row in rows if row[1] != "mpirun" and row[-1] == "--worker=rank"]
            return len(ranks) == 3

        wait_until(started)
        wait_until(lambda: asleep(ranks))  # a rank that dies while MPI starts is not missed before the time limit
        os.kill(ranks[-1] if victim == "a rank" else supervisor.pid, signal.SIGKILL)
        supervisor.wait(timeout=120)
        wait_until(lambda: not processes(tmp_path))
    found = lines_of(tmp_path / "adhoc.jsonl")
    assert [line["failure"] for line in found] == (["a rank died of signal 9 (Killed)"] if victim == "a rank" else [])


PYTORCH = {"KMBENCH_PYTHON": sys.executable, "PYTHONPATH": str(Path(__file__).with_name("stand_ins") / "torch_ranks")}


def by_pytorch(which: str, folder: Path, ranks: int, fault: str = "", **settings: object) -> list[dict]:
    """The lines of these implementations; PyTorch is a stand-in."""
    shape = flags(**{"dataset": "blobs", "n": 300, "k": 5, "precision": "fp32", "iterations": 40, **settings})
    words = [*flags(implementation=which, repetitions=2, out=folder), *shape, *launch(ranks)]
    kmbench("run", *words, **ONE_THREAD, **PYTORCH, STAND_IN_FAULT=fault)
    return lines_of(folder / "adhoc.jsonl")


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_pytorchs_processes_add_their_sums_over_ranks(ranks, tmp_path):
    """Several cases of one process; ranks without points; the share of changed labels is that of all points."""
    slow = {"dataset": "uniform", "n": "2,300", "k": 2, "tolerance": 0.02}
    lines = by_pytorch("library/torch$|cpu/ranks/two_step", tmp_path, ranks, **slow)
    assert [(line["failure"], line["verdict"], line["ranks"]["count"]) for line in lines] == [(None, "", ranks)] * 4
    ends = {(line["implementation"], line["n"]): (line["iterations"], line["cluster_sizes"]) for line in lines}
    for n in (2, 300):
        assert ends["library/torch", n] == ends["cpu/ranks/two_step", n]
    assert 2 < ends["cpu/ranks/two_step", 300][0] < 40, "the tolerance is tested"


@needs_mpi
@cases(
    "fault why",
    ("dies", r"^rank 1: the program .* ended with exit code 3 in iterate$|EOFError|ConnectionResetError"),
    ("alone", r"^rank 1 ended with other centroids than rank 0$"),
)
def test_a_fault_of_one_ranks_pytorch_is_one_line(fault, why, tmp_path):
    (line,) = by_pytorch("library/torch", tmp_path, 2, fault)
    assert re.search(why, line["failure"]), line["failure"]
    wait_until(lambda: not processes(tmp_path))


def in_slurm(*words: object, **more: str) -> str:
    """The output of a command inside a Slurm of one node."""
    command = ["timeout", "300", ROOT / "scripts/slurm_node", *map(str, words)]
    environment = {**ENVIRONMENT, "OMP_NUM_THREADS": "1", **more}
    made = subprocess.run(command, env=environment, capture_output=True, text=True)
    if made.returncode == 3:
        pytest.skip(made.stderr.strip().splitlines()[-1])
    return made.stdout + made.stderr


@needs_mpi
def test_srun_starts_ranks_and_ends_those_that_throw_die_or_hang(tmp_path):
    limits = {"none,iterate_throws,dies": 100, "sleeps": 2}  # a busy machine takes seconds to see that a rank ended
    for fault, limit in limits.items():
        which = flags(implementation="faults/ranks", set=f"fault={fault}", timeout=limit, out=tmp_path)
        said = in_slurm(FAULTY, "run", *which, *BLOBS, "--launch", "srun -n 2 --overcommit")
    found = {line["parameters"]["fault"]: line for line in lines_of(tmp_path / "adhoc.jsonl")}
    right = found.pop("none")
    assert (right["verdict"], right["ranks"]["count"], right["ranks"]["nodes"]) == ("", 2, 1), said
    assert {fault: re.sub(r"signal.*", "signal", line["failure"]) for fault, line in found.items()} == {
        "iterate_throws": "rank 1: iterate gave up",
        "dies": "a rank died of signal",
        "sleeps": "no end after 2 s; --timeout allows more",
    }, said
    assert not processes(tmp_path)


@needs_mpi
def test_the_batch_script_scales_strongly_and_weakly(tmp_path):
    script = ROOT / "examples/scale.sbatch"
    asked = {"KMBENCH": str(KMBENCH), "WHAT": "cpu/ranks/two_step", "OUT": str(tmp_path / "lines"), "POINTS": "2000"}
    job = f"sbatch --ntasks=2 --cpus-per-task=1 --time=10 --output='{tmp_path / 'log'}' '{script}'"
    wait = "while [[ $(squeue -h) ]]; do sleep 0.2; done"  # sbatch --wait asks ever more seldom
    said = in_slurm("bash", "-c", f"{job} && {wait}", **asked, SRUN_WORDS="--overcommit")
    lines = lines_of(tmp_path / "lines/adhoc.jsonl")
    assert sorted((line["n"], line["ranks"]["count"]) for line in lines) == [(2000, 1), (2000, 2), (4000, 2)], said
    assert all((line["verdict"], line["failure"]) == ("", None) for line in lines)


@needs_mpi
def test_others_are_skipped_and_wrong_words_refused(tmp_path):
    (line,) = run("--implementation", "^cpu/lloyd/naive$", *BLOBS, ranks=2, folder=tmp_path)
    assert line["skip"].startswith("runs in one process")
    ranks = ["run", "--implementation", "cpu/ranks/two_step", *BLOBS, *flags(out=tmp_path)]
    refused(kmbench(*ranks, *launch(2), "--energy"), "--launch contradicts --energy")
    refused(kmbench(*ranks, *launch(2), "--memory", 1), "--launch contradicts --memory")
    kmbench(*ranks, "--launch", "no_such_launcher -n 2")
    assert "the launcher was not found" in lines_of(tmp_path / "adhoc.jsonl")[-1]["failure"]
