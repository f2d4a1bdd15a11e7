"""Shared libraries with the ABI of bench/contract/plugin.h: examples/mine.c is right, and what breaks the contract
costs a case and a line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from built import KMBENCH, ROOT, kmbench, lines_of, needed

COMPILER = shutil.which("cc")
needed(KMBENCH)
if not COMPILER:
    pytest.skip("no C compiler", allow_module_level=True)
EXAMPLE = (ROOT / "examples/mine.c").read_text()
SMALL = ["--dataset", "blobs", "--n", 500, "--d", 3, "--k", 4, "--precision", "fp64"]
SMALL += ["--iterations", 3, "--repetitions", 2, "--warmup", 0]


def library(folder: Path, source: str) -> Path:
    (folder / "mine.c").write_text(source)
    out = folder / "libmine.so"
    strict = ["-Wall", "-Werror"] if source == EXAMPLE else ["-w"]
    flags = ["-O2", *strict, "-shared", "-fPIC", f"-I{ROOT}"]
    subprocess.run([COMPILER, *flags, folder / "mine.c", "-o", out], check=True, capture_output=True)
    return out


def changed(old: str, new: str) -> str:
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new)


def test_the_example_is_right_as_it_stands(tmp_path: Path) -> None:
    ran = kmbench("check", "--plugin", library(tmp_path, EXAMPLE), "--filter", "^plugin/mine/")
    assert ran.returncode == 0 and " 0 wrong" in ran.stdout, ran.stdout + ran.stderr
    assert int(re.search(r"(\d+) right", ran.stdout)[1]) > 20


def test_a_run_has_its_line(tmp_path: Path) -> None:
    flags = ["--implementation", "plugin/mine|cpu/lloyd/naive$", *SMALL, "--out", tmp_path / "out"]
    ran = kmbench("run", "--plugin", library(tmp_path, EXAMPLE), *flags)
    assert ran.returncode == 0, ran.stderr
    (mine,) = (line for line in lines_of(tmp_path / "out/adhoc.jsonl") if line["implementation"] == "plugin/mine")
    assert mine["verdict"] == "" and mine["grade"] in ("exact", "rounded") and len(mine["samples_s"]) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("dist < best_dist", "dist > best_dist", "is nearer"),
        ("s->labels[i] = c, ", "s->labels[i] = c + 7, ", "labels are 0 to 3"),
        ("return made;\n", "return -1;\n", "iterate of plugin/mine failed"),
        ("  return 0;\n", "  return -1;\n", "download of plugin/mine failed"),
        ("  return s;\n", "  return NULL;\n", "prepare of plugin/mine failed"),
        ("  int64_t changed = 0;\n", "  int64_t changed = *(volatile int64_t*)8;\n", "segmentation fault"),
    ],
)
def test_what_breaks_the_contract_costs_a_case_and_a_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    plugin = library(tmp_path, changed(old, new))
    flags = ["--implementation", "plugin/mine|cpu/lloyd/naive$", *SMALL, "--out", tmp_path / "out"]
    kmbench("run", "--plugin", plugin, *flags)
    lines = {line["implementation"]: line for line in lines_of(tmp_path / "out/adhoc.jsonl")}
    told = (lines["plugin/mine"]["verdict"] or "") + (lines["plugin/mine"]["failure"] or "")
    assert said in told.lower()
    assert lines["cpu/lloyd/naive"]["verdict"] == "" and lines["cpu/lloyd/naive"]["samples_s"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (".abi = KMBENCH_PLUGIN_ABI", ".abi = 99", "its ABI is 99; this kmbench has 1"),
        ('.name = "mine"', '.name = "my own"', "a name is not 1 to 100 letters"),
        (".value_bytes = 8", ".value_bytes = 3", "value_bytes of mine is 3: 4, 8, or 12 for both"),
        (".prepare = prepare", ".prepare = NULL", "mine lacks a function"),
        ("index == 0 ? &mine", "index <= 1 ? &mine", "there is a plugin/mine already"),
        ("index == 0 ? &mine", "index < 0 ? &mine", "offers no implementation"),
        ("kmbench_plugin(int32_t index)", "another(int32_t index)", "exports no kmbench_plugin"),
    ],
)
def test_a_library_that_is_no_plugin_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    ran = kmbench("list", "--plugin", library(tmp_path, changed(old, new)), "implementations")
    assert ran.returncode == 2 and said in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "libmine.so").write_text("no library\n")
    for path, said in ((tmp_path / "libmine.so", "--plugin: "), (tmp_path / "none.so", "there is no file")):
        ran = kmbench("list", "implementations", "--plugin", path)
        assert ran.returncode == 2 and said in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr


def test_external_names_a_program(tmp_path: Path) -> None:
    faulty = Path(__file__).with_name("external_faulty.py")
    wrapper = tmp_path / "program"
    wrapper.write_text(f"#!/bin/sh\nexec {sys.executable!r} {str(faulty)!r} none\n")
    wrapper.chmod(0o755)
    flags = ["--implementation", "library/external", *SMALL, "--out", tmp_path / "out"]
    ran = kmbench("run", "--external", wrapper, *flags)
    assert ran.returncode == 0, ran.stderr
    (line,) = lines_of(tmp_path / "out/adhoc.jsonl")
    assert line["verdict"] == "" and line["failure"] is None
