"""Every planted fault of tests/faults through `run` and `check`, and the table of them in docs/reference.md.

KMBENCH_UPDATE=1 writes the table anew."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from built import FAULTY, ROOT, TESTS, kmbench, needed
from faults import Fault, catalogue, problems

needed(FAULTY, TESTS)
FAULTS = catalogue()
PAGE = ROOT / "docs/reference.md"
RIGHT = "twin_left"  # beside the faults on every problem, and unharmed by them
Lines = dict[tuple[str, str, str], dict]  # by problem, fault and precision
Checks = dict[str, str]  # by fault


def faulty(*args: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return kmbench(*args, program=FAULTY, TMPDIR=str(folder), OMP_WAIT_POLICY="passive")


def patterns(names: list[str]) -> list[str]:
    """Regular expressions that match these faults, each of a length that the program accepts."""
    parts: list[list[str]] = []
    for name in names:
        if not parts or len("|".join([*parts[-1], name])) > 900:
            parts.append([])
        parts[-1].append(name)
    return [f"^faults/({'|'.join(part)})" for part in parts]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Every fault on its problem."""
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
    """What the line says is wrong, or its grade where that is coarse; "" of a right run."""
    said = line["verdict"] or line["failure"] or line["skip"] or ""
    return "coarse" if not said and line["grade"] == "coarse" else said


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Checks:
    """What `check` says of each fault on one shape; nothing of those it finds right."""
    folder, found = tmp_path_factory.mktemp("check"), {}
    asked = {(fault.check or "d = 2", fault.precisions[-1]) for fault in FAULTS}
    for shape, precision in sorted(asked):
        here = [fault.name for fault in FAULTS if (fault.check or "d = 2", fault.precisions[-1]) == (shape, precision)]
        for pattern in patterns(here):
            run = faulty("check", "--filter", f"{pattern}/{precision}/{shape}$", "--timeout", 1, folder=folder)
            assert run.returncode in (0, 1), run.stderr
            for line in run.stdout.splitlines():
                if match := re.match(rf"WRONG  faults/(\w+)/{precision}/{shape}: ", line):
                    found[match[1]] = line[match.end() :]
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


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.check], ids=lambda fault: fault.name)
def test_check_sees_it_too(fault: Fault, checks: Checks) -> None:
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
    assert len(FAULTS) >= 220


# Which run shows it first is drawn.
WHERE = re.compile(r"^(on a sample of \d+ points(, \d+ iterations)?|in a later run|after \d+ iterations)[:,] ")


# Whether a timed run or the traced one shows a broken link first depends on how many runs were made again.
LINKS = ("it began … iterations and reported …", "iteration … does not go on where a run of … iterations ends")


def general(said: str) -> str:
    """The first half of a sentence, without its numbers and without where it was seen."""
    said = WHERE.sub("", said.split("; ")[0])
    said = re.sub(r"(?<!code )(?<!signal )-?\b\d[\d.]*(e[+-]?\d+)?\b|-nan\b", "…", said).replace("is …nan", "is nan")
    return ", or ".join(LINKS) if said.startswith(LINKS) else said


def table(lines: Lines, summaries: dict[str, str]) -> str:
    rows = []
    for category, faults in itertools.groupby(FAULTS, lambda fault: fault.category):
        title = category.replace("_", " ").capitalize()
        rows += ["", f"**{title}**", "", "| fault | what it does | what `run` says | `check` |", "|---|---|---|---|"]
        for fault in faults:
            said = general(sentence(lines[fault.on, fault.name, fault.precisions[-1]])) or f"nothing: {fault.argued}"
            rows.append(f"| `{fault.name}` | {summaries[fault.name]} | {said} | {'yes' if fault.check else ''} |")
    return "\n".join(rows) + "\n"


def test_the_table_in_the_reference(lines: Lines, tmp_path: Path) -> None:
    listed = json.loads(faulty("list", "--json", folder=tmp_path).stdout)
    summaries = {entry["name"].removeprefix("faults/"): entry["summary"] for entry in listed}
    text = PAGE.read_text()
    match = re.search(r"(?<=<!-- faults -->\n).*(?=<!-- /faults -->)", text, re.DOTALL)
    assert match, "docs/reference.md holds <!-- faults --> and <!-- /faults -->"
    now = table(lines, summaries)
    if os.environ.get("KMBENCH_UPDATE") == "1":
        PAGE.write_text(text[: match.start()] + now + text[match.end() :])
    else:
        assert match[0] == now, "KMBENCH_UPDATE=1 writes the table anew"
