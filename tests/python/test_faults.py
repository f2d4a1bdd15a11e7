"""Every planted fault of tests/faults through `run` and `check`, and the table of them in docs/method.md.

KMBENCH_UPDATE=1 writes the table anew; KMBENCH_BUILD names the build folder (default build)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from faults import CATALOGUE, FAULTS, Fault, problems

ROOT = Path(__file__).resolve().parents[2]
FAULTY = ROOT / os.environ.get("KMBENCH_BUILD", "build") / "kmbench_faulty"
METHOD = ROOT / "docs/method.md"
RIGHT = ["twin_left", "slow"]  # beside the faults on every problem, and unharmed by them
OTHERS = {"twin_left", "twin_right", "slow", "says_no"}  # no faults, and the wrong twin, which test_program.py has
Lines = dict[tuple[str, str, str], dict]  # by problem, fault and precision
Checks = dict[tuple[str, str], str]  # by fault and precision
if not FAULTY.exists():
    pytest.skip(f"no {FAULTY}: build it, or set KMBENCH_BUILD", allow_module_level=True)


def faulty(*args: object, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KMBENCH_HOME": str(ROOT), "TMPDIR": str(folder)}
    return subprocess.run([FAULTY, *map(str, args)], capture_output=True, text=True, env=environment, timeout=300)


def either(names: list[str]) -> str:
    return f"^faults/({'|'.join(names)})"


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Result lines by problem, name and precision: one `run` a problem."""
    found = {}
    for problem, data in problems().items():
        folder = tmp_path_factory.mktemp("run")
        here = [fault for fault in FAULTS if fault.on == problem]
        precisions = ",".join(sorted({precision for fault in here for precision in fault.precisions}))
        names = [fault.name for fault in here] + RIGHT * (problem != "huge")
        flags = ["--implementation", either(names) + "$", "--precision", precisions, "--set", "sleep_ms=0"]
        run = faulty("run", *flags, *data.save(folder, "points"), "--out", folder / "out", folder=folder)
        assert run.returncode == (1 if problem not in ("far", "huge", "settled") else 0), run.stderr
        for text in (folder / "out/adhoc.jsonl").read_text().splitlines():
            line = json.loads(text)
            key = problem, line["implementation"].removeprefix("faults/"), line["precision"]
            assert key not in found, f"two lines of {key}"
            found[key] = line
    return found


def sentence(line: dict) -> str:
    """What the line says is wrong, or its grade where that is coarse; "" of a right run."""
    said = line["verdict"] or line["failure"] or line["skip"] or ""
    return "coarse" if not said and line["grade"] == "coarse" else said


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Checks:
    """What `check` says of a fault and a precision, each fault on one shape."""
    folder, found = tmp_path_factory.mktemp("check"), {}
    shapes = {fault.check or "d = 2" for fault in FAULTS}
    for shape in sorted(shapes):
        names = [fault.name for fault in FAULTS if (fault.check or "d = 2") == shape]
        run = faulty("check", "--filter", f"{either(names)}/fp../{shape}$", "--timeout", 2, folder=folder)
        for line in run.stdout.splitlines():
            if match := re.fullmatch(rf"WRONG  faults/(\w+)/(fp..)/{shape}: (.+)", line):
                found[match[1], match[2]] = match[3]
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_run_says_what_is_wrong(fault: Fault, lines: Lines) -> None:
    for precision in fault.precisions:
        line = lines[fault.on, fault.name, precision]
        said = sentence(line)
        if fault.run == "":
            assert said == "" and fault.argued, said
        else:
            assert re.search(fault.run, said), f"{precision}: {said or 'right'}"
        assert (line["samples_s"] == []) == (said not in ("", "coarse")), "what is wrong has no time"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_check_says_so_too(fault: Fault, checks: Checks) -> None:
    for precision in fault.precisions:
        said = checks.get((fault.name, precision), "")
        assert (said != "") == (fault.check is not None), f"{precision}: {said or 'right'}"


def test_the_right_ones_among_them_are_unharmed(lines: Lines) -> None:
    beside = {key: line for key, line in lines.items() if key[1] in RIGHT}
    assert {key[0] for key in beside} >= set(problems()) - {"huge"}
    assert {key: sentence(line) for key, line in beside.items() if sentence(line)} == {}


def test_every_fault_is_in_the_catalogue() -> None:
    files = {path.stem for path in (ROOT / "tests/faults").glob("*.cpp")}
    assert files == {fault.name for fault in FAULTS} | OTHERS
    assert len(FAULTS) >= 85


def general(said: str) -> str:
    """A sentence without its numbers."""
    said = re.sub(r"-?\b\d[\d.]*(e[+-]?\d+)?\b", "…", said)
    return said.replace("|", "\\|")


def table(lines: Lines, checks: Checks, summaries: dict[str, str]) -> str:
    rows = []
    for group, faults in CATALOGUE.items():
        rows += ["", f"**{group}**", "", "| fault | what it does | `check` | what `run` says |", "|---|---|---|---|"]
        for fault in faults:
            precision = fault.precisions[-1]
            said = general(sentence(lines[fault.on, fault.name, precision])) or f"nothing: {fault.argued}"
            seen = "yes" if (fault.name, precision) in checks else "no"
            rows.append(f"| `{fault.name}` | {summaries[fault.name]} | {seen} | {said} |")
    return "\n".join(rows) + "\n"


def test_the_table_in_the_method(lines: Lines, checks: Checks, tmp_path: Path) -> None:
    listed = json.loads(faulty("list", "--json", folder=tmp_path).stdout)
    summaries = {entry["name"].removeprefix("faults/"): entry["summary"] for entry in listed}
    text = METHOD.read_text()
    match = re.search(r"(?<=<!-- faults -->\n).*(?=<!-- /faults -->)", text, re.DOTALL)
    assert match, "docs/method.md holds <!-- faults --> and <!-- /faults -->"
    now = table(lines, checks, summaries)
    if os.environ.get("KMBENCH_UPDATE") == "1":
        METHOD.write_text(text[: match.start()] + now + text[match.end() :])
    else:
        assert match[0] == now, "KMBENCH_UPDATE=1 writes the table anew"
