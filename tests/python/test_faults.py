"""Every planted fault of tests/faults through `run` and `check`."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from built import FAULTY, TESTS, kmbench, needed
from faults import Fault, catalogue, problems

needed(FAULTY, TESTS)
FAULTS = catalogue()
RIGHT = "twin_left"  # a right implementation that runs beside the faults on every problem
COMES_AGAIN = "^a run from rows that nobody could foresee took"  # disturbed runs are made again until a start recurs
Lines = dict[tuple[str, str, str], dict]  # by problem, fault and precision
Checks = dict[str, str]  # by fault


def faulty(*args: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return kmbench(*args, program=FAULTY, TMPDIR=str(folder), OMP_WAIT_POLICY="passive")


def patterns(names: list[str]) -> list[str]:
    """Regular expressions that match these faults, each short enough for the program."""
    parts: list[list[str]] = []
    for name in names:
        if not parts or len("|".join([*parts[-1], name])) > 900:
            parts.append([])
        parts[-1].append(name)
    return [f"^faults/({'|'.join(part)})" for part in parts]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """The lines of all faults, each on its problem."""
    found = {}
    for problem, data in problems().items():
        folder = tmp_path_factory.mktemp("run")
        flags = [*data.save(folder, "points"), "--out", folder / "out"]
        for precision in ("fp32", "fp64"):
            here = [fault.name for fault in FAULTS if fault.on == problem and precision in fault.precisions]
            for pattern in patterns(here + [RIGHT] * bool(here)):
                run = faulty("run", "--implementation", f"{pattern}$", "--precision", precision, *flags, folder=folder)
                assert run.returncode in (0, 1), run.stderr
        for text in (folder / "out/adhoc.jsonl").read_text().splitlines():
            line = json.loads(text)
            key = problem, line["implementation"].removeprefix("faults/"), line["precision"]
            assert key not in found, f"two lines of {key}"
            found[key] = line
    return found


def sentence(line: dict) -> str:
    """The verdict, failure or skip of a line, else "coarse" for that grade, else ""."""
    said = line["verdict"] or line["failure"] or line["skip"] or ""
    return "coarse" if not said and line["grade"] == "coarse" else said


def measured_again(fault: Fault, precision: str, folder: Path) -> dict:
    """A fault's line of another run: where others hold up most runs, times prove nothing."""
    folder.mkdir(exist_ok=True)
    flags = [*problems()[fault.on].save(folder, "points"), "--out", folder / precision]
    faulty("run", "--implementation", f"^faults/{fault.name}$", "--precision", precision, *flags, folder=folder)
    return json.loads((folder / precision / "adhoc.jsonl").read_text())


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Checks:
    """The complaint of `check` about each fault that it has to find, on one shape; right ones are missing."""
    folder, found = tmp_path_factory.mktemp("check"), {}
    asked: dict[tuple[str, str, int], list[str]] = {}
    for fault in FAULTS:
        if fault.check:
            where = fault.check, fault.precisions[-1], 1 if fault.on == "1 s" else 60  # 1 s: it hangs
            asked.setdefault(where, []).append(fault.name)
    for (shape, precision, timeout), names in sorted(asked.items()):
        for pattern in patterns(names):
            run = faulty("check", "--filter", f"{pattern}/{precision}/{shape}$", "--timeout", timeout, folder=folder)
            assert run.returncode in (0, 1), run.stderr
            for line in run.stdout.splitlines():
                if match := re.match(rf"WRONG  faults/(\w+)/{precision}/{shape}: ", line):
                    found[match[1]] = line[match.end() :]
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_run_names_the_fault(fault: Fault, lines: Lines, tmp_path: Path) -> None:
    for precision in fault.precisions:
        line = lines[fault.on, fault.name, precision]
        for again in range(3 if fault.category == "untimed_work" and fault.run else 0):
            if sentence(line) == "":
                line = measured_again(fault, precision, tmp_path / str(again))
        said = sentence(line)
        if fault.run == "":
            assert fault.argued and (said == "" or re.search(COMES_AGAIN, said)), said
        else:
            assert re.search(fault.run, said), f"{precision}: {said or 'right'}"
        assert (line["samples_s"] == []) == (said not in ("", "coarse")), "a wrong run has no time"


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.check], ids=lambda fault: fault.name)
def test_check_finds_it_too(fault: Fault, checks: Checks) -> None:
    assert fault.name in checks, f"right on {fault.check}"


def test_the_right_ones_among_them_are_unharmed(lines: Lines) -> None:
    beside = {key: line for key, line in lines.items() if key[1] == RIGHT}
    assert {key[0] for key in beside} == set(problems())
    unharmed = {key: sentence(line) for key, line in beside.items() if key[0] != "huge"}
    assert set(unharmed.values()) == {""}, unharmed


def test_the_words_of_an_implementation_stay_out_of_standard_output(tmp_path: Path) -> None:
    flags = [*problems()["wide"].save(tmp_path, "points"), "--benchmark_format=json", "--out", tmp_path / "out"]
    run = faulty("run", "--implementation", "^faults/prints$", *flags, folder=tmp_path)
    assert len(json.loads(run.stdout)["benchmarks"]) > 0


def test_every_fault_is_expected_somewhere() -> None:
    assert {fault.on for fault in FAULTS} <= set(problems()), "a problem of faults.py"
    assert not [fault.name for fault in FAULTS if not fault.run and not fault.argued], "why may they pass?"
    assert FAULTS
