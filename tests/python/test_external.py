"""Programs with the protocol of docs/adding.md: examples/mine.py is right; a broken one costs one case."""

import re
import sys
from pathlib import Path

import pytest
from built import KMBENCH, ROOT, by_implementation, executable, flags, kmbench, needed, refused, script, succeeded

needed(KMBENCH)
FAULTY = Path(__file__).with_name("external_faulty.py")
EXAMPLE = ROOT / "examples/mine.py"
SMALL = flags(dataset="blobs", n=500, d=3, k=4, iterations=3, repetitions=3, warmup=0)


def program(folder: Path, *words: object) -> str:
    """A command without spaces, because --external splits at spaces."""
    return str(script(folder / "program", *words))


def test_the_example_is_right_as_it_stands(tmp_path):
    assert len(EXAMPLE.read_text().splitlines()) < 45
    command = program(tmp_path, sys.executable, EXAMPLE)
    shapes = "fp../d = 2|fp32/(ties|empty clusters|equal centroids|converges, tolerance 0)|fp64/k = n"
    ran = kmbench("check", "--filter", f"^library/external/({shapes})$", "--external", command)
    assert "7 right, 0 wrong, 0 skipped" in ran.stdout, ran.stdout + ran.stderr


def test_a_line_has_the_cost_of_a_call_and_the_program_s_own_clock(tmp_path):
    text = f"#!/bin/sh\nsleep 1\nexec {sys.executable} {FAULTY} none\n"
    command = f"env {executable(tmp_path / 'program', text)}"
    succeeded("run", "--implementation", "library/external", *SMALL, "--out", tmp_path, "--external", command)
    line = by_implementation(tmp_path)["library/external"]
    assert (line["verdict"], line["failure"]) == ("", None) and line["grade"] in ("exact", "rounded")
    assert line["phases"]["inside"] == pytest.approx([0.001 / 3] * 3)
    assert 0 < line["prepare_phases"]["empty_call"] < line["prepare_s"] < 1, "its start does not count"
    assert line["argv"][-1] == "env program", "no folder of the machine"


BROKEN = {
    "hangs in hello": r"^no end after 3 s",
    "hangs in iterate": r"^no end after 3 s",
    "dies in iterate": r"^the program '.*' died of signal 11 in iterate$",
    "ends in prepare": r"^the program '.*' ended with exit code 3 in prepare$",
    "ends in download": r"^the program '.*' ended with exit code 3 in download$",
    "says garbage in hello": r"^the program '.*' answered 'Traceback: .*nothing.* is right' to hello: no JSON object$",
    "says a list in iterate": r"^the program '.*' answered '\[1, 2\]' to iterate: no JSON object$",
    "never ends its line in iterate": r" answered more than a MiB to iterate, without the end of a line$",
    "says an error in reset": r"^no memory.for the tree$",
    "other precision": r"^the program computes in 'tf32', and is judged by 'input'$",
    "no iterations": r"^the program did not say how many iterations it made$",
    "-5 seconds": r"^the program says that its iterations took -5 seconds; accepted: 0 to [0-9.e-]+, by our clock$",
    "1e308 seconds": r"^the program says that its iterations took 1e\+308 seconds; accepted: ",
    "seconds in words": r'^the program says that its iterations took "few" seconds; accepted: ',
    "2^40 + 3 iterations": r"^the program says that it made 1099511627779 iterations; accepted: 0 to 2147483647$",
    "-3 iterations": r"^the program says that it made -3 iterations; accepted: ",
    "2^64 - 1 iterations": r"^the program says that it made 18446744073709551615 iterations; accepted: ",
    "a name of 500 kB": r"^the program's name is 'x{60}', of 500000 bytes; accepted: a line of up to 200$",
    "a version of two lines": r"^the program's version is '1\?2', of 3 bytes; accepted: a line of up to 200$",
    "one iteration fewer": r"^2 iterations where exactly 3 were asked for$",
    "too few labels": r"could not broadcast",
    "transposed": r"could not broadcast",
    "shrinks its file": r"^Operation not permitted$",
    "remembers its answers": r"^a run from rows that nobody could foresee took \S+ ms, the others \S+ ms: ",
    "one iteration told as three": r"^iteration 3 does not go on where a run of 2 iterations ends",
    "three iterations or none": r"^three iterations or none$",
    "writes the points": r" is nearer | but the mean of its \d+ points is ",
    "NaN centroids": r"^centroid 0, dimension 0 is nan$",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_protocol_costs_one_case_and_one_line(fault, tmp_path):
    command = program(tmp_path, sys.executable, FAULTY, fault)
    small = [*SMALL[:-1], 1]  # a warm-up run
    allowed = "3" if fault.startswith("hangs") else "60"  # a busy machine starts Python late
    names = "^(library/external|cpu/lloyd/naive)$"
    which = ["--implementation", names, *small, "--timeout", allowed, "--out", tmp_path]
    ran = kmbench("run", *which, "--external", command)
    assert ran.returncode == 1, ran.stderr
    lines = by_implementation(tmp_path)
    assert lines["cpu/lloyd/naive"]["verdict"] == "", "the others go on"
    external = lines["library/external"]
    said = external["failure"] or external["verdict"]
    assert re.search(BROKEN[fault], said) and said.isprintable(), said
    assert external["samples_s"] == []


def test_a_missing_program_is_refused_and_an_unnamed_one_a_skip(tmp_path):
    which = ["run", "--implementation", "library/external", *SMALL, "--out"]
    kmbench(*which, tmp_path / "none")
    assert by_implementation(tmp_path / "none")["library/external"]["skip"] == "--external names no program"
    for missing in ("/nowhere/at/all", "nosuchprogram", str(tmp_path)):
        ran = kmbench(*which, tmp_path / "gone", "--external", f"{missing} 1 2")
        refused(ran, f"--external: no such program: {missing}")
    assert not (tmp_path / "gone").exists()


def test_a_missing_library_is_skipped_and_the_python_is_named(tmp_path):
    bare = program(tmp_path, sys.executable, "-I", "-S")  # without site-packages
    ran = kmbench("run", "--implementation", "library/torch", *SMALL, "--dry-run", KMBENCH_PYTHON=bare)
    assert f"PyTorch is not installed for {bare}" in ran.stdout + ran.stderr
