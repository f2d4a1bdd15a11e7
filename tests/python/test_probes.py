"""Implementations that watch the harness (tests/faults/probes.cpp): how often they run, what is timed and judged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from built import FAULTY, kmbench, lines_of, needed

needed(FAULTY)
SMALL = ["--dataset", "blobs", "--n", 300, "--k", 3, "--iterations", 4]


def line_of(probe: str, folder: Path, *flags: object, code: int = 0) -> dict:
    """The one line of a probe, which is right unless another exit code is expected."""
    ran = kmbench("run", "--implementation", probe, *flags, "--out", folder, program=FAULTY)
    assert ran.returncode == code, ran.stderr
    (line,) = lines_of(folder / "adhoc.jsonl")
    return line


@pytest.mark.parametrize(("warmup", "repetitions"), [(0, 1), (3, 2)])
def test_warm_up_runs_come_before_the_timed_ones(warmup: int, repetitions: int, tmp_path: Path) -> None:
    line = line_of("faults/probes/counts_runs", tmp_path, *SMALL, "--warmup", warmup, "--repetitions", repetitions)
    assert line["counters"]["runs_before"] == [0, 0, 0, warmup + repetitions], "the traced run is the last"
    assert len(line["samples_s"]) == repetitions


def test_a_sample_is_iterate_alone(tmp_path: Path) -> None:
    line = line_of("faults/probes/own_stopwatch", tmp_path, *SMALL, "--warmup", 0, "--repetitions", 4)
    own, download = line["counters"]["iterate_s"][-1], line["counters"]["download_s"][-1]
    assert own <= sum(line["samples_s"]) < own + download / 2
    assert line["download_s"] >= 0.02


def test_a_phase_holds_what_was_done_in_it(tmp_path: Path) -> None:
    line = line_of("faults/probes/own_stopwatch", tmp_path, *SMALL, "--warmup", 0, "--repetitions", 1)
    assert len(line["phases"]["assign"]) == len(line["phases"]["update"]) == 4
    assert sum(line["phases"]["assign"]) >= sum(line["counters"]["assign_s"]) > sum(line["phases"]["update"])


@pytest.mark.parametrize("run", [1, 2, 3])
def test_of_several_runs_the_worst_is_told(run: int, tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    np.save(tmp_path / "far.npy", 100 + random.uniform(size=(20_000, 2)).astype(np.float32))
    flags = ["--data", tmp_path / "far.npy", "--k", 40, "--iterations", 1, "--warmup", 0, "--repetitions", 3]
    right = line_of("faults/probes/coarser_once", tmp_path / "right", *flags)
    worst = line_of("faults/probes/coarser_once", tmp_path / "worst", *flags, "--set", f"run={run}")
    assert right["wrong_labels"] == 0
    assert worst["wrong_labels"] > 0
    assert worst["grade"] != "exact"


KNOWN = ['end ID {"case": 5}\n', "start ID\nend ID \n"]
EVENTS = ["start none\n", "end none {}\n", *KNOWN, "crash it\n", "\n", "no line"]


@pytest.mark.parametrize("text", EVENTS)
def test_text_in_the_pipe_costs_its_case_alone(text: str, tmp_path: Path) -> None:
    names = "^faults/probes/writes_to_pipes$|^cpu/lloyd/(naive|two_step)$"
    flags = ["run", "--implementation", names, *SMALL, "--repetitions", 2]
    assert kmbench(*flags, "--out", tmp_path / "known", program=FAULTY).returncode == 0
    ids = {line["implementation"]: line["case"] for line in lines_of(tmp_path / "known/adhoc.jsonl")}
    text = text.replace("ID", ids["faults/probes/writes_to_pipes"])
    ran = kmbench(*flags, "--out", tmp_path / "out", program=FAULTY, KMBENCH_WRITES=text)
    assert ran.returncode == 1, ran.stderr
    said = {line["implementation"]: line["failure"] for line in lines_of(tmp_path / "out/adhoc.jsonl")}
    assert said.keys() == ids.keys(), "the rest of the plan has run"
    assert said.pop("faults/probes/writes_to_pipes").startswith("it wrote '")
    assert set(said.values()) == {None}


@pytest.mark.parametrize(
    ("lie", "tolerance", "said"),
    [
        ("damped_update", None, "iteration 10 does not go on where a run of 9 iterations ends"),
        ("other_start", None, "the first iteration did not start from the initial centroids"),
        ("false_convergence", 0, "it stopped after"),
        ("stops_one_late", 0.1, "it went on for"),
        ("work_in_download", None, "download took"),
    ],
)
def test_a_lie_has_its_sentence_and_exit_code_1(lie: str, tolerance: float | None, said: str, tmp_path: Path) -> None:
    stop = ["--iterations", 10] if tolerance is None else ["--iterations", 200, "--tolerance", tolerance]
    points = 100_000 if lie == "work_in_download" else 3000
    flags = ["--dataset", "uniform", "--n", points, "--k", 7, "--repetitions", 2, "--precision", "fp64", *stop]
    line = line_of(f"faults/{lie}", tmp_path, *flags, code=1)
    assert line["verdict"].startswith(said)
    assert line["samples_s"] == []


def test_ceilings_are_in_the_units_they_say(tmp_path: Path) -> None:
    assert kmbench("ceilings", "--out", tmp_path, program=FAULTY).returncode == 0
    record = json.loads((tmp_path / "machine.json").read_text())
    cpu, floor = record["ceilings"]["cpu"], record["floor"]["cpu"]
    assert all(0.1 < cpu[name] < 5000 for name in ("copy_gbs", "read_gbs")), "no processor's memory is slower or faster"
    assert 1 / 30 < cpu["copy_gbs"] / cpu["read_gbs"] < 30, "one memory, one unit, however busy the machine"
    assert floor["bytes_per_s"] == pytest.approx(1e9 * max(cpu["copy_gbs"], cpu["read_gbs"]))
    assert floor["flops_per_s"]["fp32"] == pytest.approx(1e9 * cpu["fma_fp32_gflops"])
