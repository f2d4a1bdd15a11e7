"""Implementations that watch the harness (tests/faults/probes.cpp): their runs, the timed part, the judge. Points in a
mapped file: right runs and faults are told apart; a file that shrinks costs its case."""

import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from built import ENVIRONMENT, FAULTY, by_implementation, flags, kmbench, lines_of, needed, succeeded

needed(FAULTY)
SMALL = flags(dataset="blobs", n=300, k=3, iterations=4)


def line_of(probe: str, folder: Path, *more: object, code: int = 0) -> dict:
    """The one line of a probe, whose run must end with this exit code."""
    ran = kmbench("run", "--implementation", probe, *more, "--out", folder, program=FAULTY)
    assert ran.returncode == code, ran.stderr
    (line,) = lines_of(folder / "adhoc.jsonl")
    return line


@pytest.mark.parametrize(("warmup", "repetitions"), [(0, 1), (3, 2)])
def test_warm_up_runs_come_before_the_timed_ones(warmup, repetitions, tmp_path):
    line = line_of("faults/probes/counts_runs", tmp_path, *SMALL, "--warmup", warmup, "--repetitions", repetitions)
    *earlier, before = line["counters"]["runs_before"]  # a disturbed run is made again, at most four times
    assert earlier == [0, 0, 0], "the traced run is the last"
    assert warmup + repetitions <= before <= warmup + 5 * repetitions + 4
    assert len(line["samples_s"]) == repetitions


def test_a_sample_is_iterate_alone(tmp_path):
    line = line_of("faults/probes/own_stopwatch", tmp_path, *SMALL, "--warmup", 0, "--repetitions", 4)
    shortest, longest = (line["counters"][f"{which}_s"][-1] for which in ("shortest", "longest"))
    assert shortest <= min(line["samples_s"]) < shortest + 0.015 < longest + 0.015, "no download is in it"
    assert line["download_s"] >= 0.02


def test_a_phase_holds_what_was_done_in_it(tmp_path):
    line = line_of("faults/probes/own_stopwatch", tmp_path, *SMALL, "--warmup", 0, "--repetitions", 1)
    assert len(line["phases"]["assign"]) == len(line["phases"]["update"]) == 4
    assert sum(line["phases"]["assign"]) >= sum(line["counters"]["assign_s"])
    assert min(line["phases"]["assign"]) >= 0.008 > min(line["phases"]["update"]), "assign alone sleeps, for 8 ms"


def test_of_several_runs_the_worst_is_told(tmp_path):
    random = np.random.default_rng(4)
    np.save(tmp_path / "far.npy", 100 + random.uniform(size=(20_000, 2)).astype(np.float32))
    far = flags(data=tmp_path / "far.npy", k=40, iterations=1, warmup=0, repetitions=3)
    assert line_of("faults/probes/coarser_once", tmp_path / "right", *far)["wrong_labels"] == 0
    for run in (1, 2, 3):
        worst = line_of("faults/probes/coarser_once", tmp_path / str(run), *far, "--set", f"run={run}")
        assert worst["wrong_labels"] > 0 and worst["grade"] != "exact", run


KNOWN = ['end ID {"case": 5}\n', "start ID\nend ID \n"]
EVENTS = ["start none\n", "end none {}\n", *KNOWN, "crash it\n", "\n", "no line"]
NAMES = "^faults/probes/writes_to_pipes$|^cpu/lloyd/(naive|two_step)$"
PIPES = ["run", "--implementation", NAMES, *SMALL, "--repetitions", 2]


@pytest.fixture(scope="module")
def ids(tmp_path_factory) -> dict[str, str]:
    """The cases of that plan, by implementation."""
    folder = tmp_path_factory.mktemp("known")
    succeeded(*PIPES, "--out", folder, program=FAULTY)
    return {line["implementation"]: line["case"] for line in lines_of(folder / "adhoc.jsonl")}


@pytest.mark.parametrize("text", EVENTS)
def test_text_in_the_pipe_costs_its_case_alone(text, ids, tmp_path):
    text = text.replace("ID", ids["faults/probes/writes_to_pipes"])
    ran = kmbench(*PIPES, "--out", tmp_path, program=FAULTY, KMBENCH_WRITES=text)
    assert ran.returncode == 1, ran.stderr
    said = {line["implementation"]: line["failure"] for line in lines_of(tmp_path / "adhoc.jsonl")}
    assert said.keys() == ids.keys(), "the rest of the plan has run"
    assert said.pop("faults/probes/writes_to_pipes").startswith("it wrote '")
    assert set(said.values()) == {None}


def test_ceilings_are_in_the_units_they_say(tmp_path):
    succeeded("ceilings", "--out", tmp_path, program=FAULTY)
    record = json.loads((tmp_path / "machine.json").read_text())
    cpu, floor = record["ceilings"]["cpu"], record["floor"]["cpu"]
    assert all(0.1 < cpu[name] < 5000 for name in ("copy_gbs", "read_gbs")), "no processor's memory is slower or faster"
    assert 1 / 30 < cpu["copy_gbs"] / cpu["read_gbs"] < 30, "one memory, one unit, however busy the machine"
    assert floor["bytes_per_s"] == pytest.approx(1e9 * max(cpu["copy_gbs"], cpu["read_gbs"]))
    assert floor["flops_per_s"]["fp32"] == pytest.approx(1e9 * cpu["fma_fp32_gflops"])


@pytest.mark.parametrize("asked", [["--energy"], []])
def test_energy_on_request_is_measured_or_says_why_not(asked, tmp_path):
    line = line_of("cpu/lloyd/naive", tmp_path, *SMALL, "--repetitions", 2, *asked)
    assert len(line["samples_s"]) == 2 and line["verdict"] == ""
    if not asked:
        assert line["energy"] is None
        return
    assert (line["energy"]["joules"] is None) == bool(line["energy"]["skipped"])
    assert line["energy"]["source"].startswith("RAPL")


def test_a_wrong_case_has_no_energy(tmp_path):
    line = line_of("faults/all_labels_zero", tmp_path, *SMALL, "--energy", code=1)
    assert line["verdict"] and line["energy"] is None


HEADER = 128  # bytes of a .npy before its values


@pytest.fixture
def points(tmp_path: Path) -> Path:
    file = tmp_path / "points.npy"
    np.save(file, np.random.default_rng(3).random((20_000, 4), np.float32))
    return file


def mapped(points: Path, name: str, **more: object) -> list[str]:
    """The arguments of a run on the points in their file."""
    places = flags(data=points, data_set="map=1", out=points.parent / "out")
    return ["run", *places, *flags(k=5, implementation=name, **more)]


def test_faults_show_on_mapped_points(points):
    names = "cpu/lloyd/out_of_core|cpu/lloyd/two_step|faults/wrong_label|faults/writes_points|faults/count_plus_one"
    command = mapped(points, f"^({names})$", iterations=3, repetitions=2)
    run = kmbench(*command, program=FAULTY, OMP_WAIT_POLICY="passive")
    assert run.returncode == 1, run.stderr
    found = by_implementation(points.parent / "out")
    for name in ("cpu/lloyd/out_of_core", "cpu/lloyd/two_step"):
        assert found[name]["verdict"] == "" and found[name]["samples_s"], found[name]
        assert found[name]["dataset"]["generator"] == {"map": 1}
    assert "is nearer" in found["faults/wrong_label"]["verdict"]
    assert "but the mean of its" in found["faults/count_plus_one"]["verdict"]
    assert found["faults/writes_points"]["failure"] == "it wrote to the points, which are not its own"


def maps(file: Path) -> bool:
    """Whether a process maps the values of the file, not its header alone."""
    for entry in Path("/proc").glob("[0-9]*/maps"):
        try:
            regions = [line.split() for line in entry.read_text().splitlines() if line.endswith(str(file))]
        except OSError:
            continue
        sizes = [int(end, 16) - int(begin, 16) for begin, end in (region[0].split("-") for region in regions)]
        if any(size > file.stat().st_size // 2 for size in sizes):
            return True
    return False


def test_a_file_that_shrinks_costs_its_case(points):
    command = mapped(points, "cpu/lloyd/naive", iterations=1_000_000, repetitions=1)
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([FAULTY, *command], env={**ENVIRONMENT, "OMP_WAIT_POLICY": "passive"}, **pipes)
    seen = 0
    for _ in range(600):  # the parent maps it too, for a moment
        seen = seen + 1 if maps(points) else 0
        if seen == 5:
            break
        time.sleep(0.1)
    assert seen == 5, "nobody mapped the file"
    os.truncate(points, HEADER)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1, said
    line = by_implementation(points.parent / "out")["cpu/lloyd/naive"]
    assert line["failure"] == "the file that the points are mapped from became shorter"
