"""Shared libraries with the ABI of include/kmbench/plugin.h: examples/mine.c is right; a broken one costs a case."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from built import KMBENCH, ROOT, by_implementation, flags, kmbench, needed, refused
from conftest import cases

COMPILER = shutil.which("cc")
needed(KMBENCH)
if not COMPILER:
    pytest.skip("no C compiler", allow_module_level=True)
EXAMPLE = (ROOT / "examples/mine.c").read_text()
SMALL = flags(dataset="blobs", n=500, d=3, k=4, precision="fp64", iterations=3, repetitions=2, warmup=0)


def library(folder: Path, source: str) -> Path:
    (folder / "mine.c").write_text(source)
    out = folder / "libmine.so"
    strict = ["-Wall", "-Werror"] if source == EXAMPLE else ["-w"]
    flags = ["-O2", *strict, "-shared", "-fPIC", f"-I{ROOT}/include"]
    subprocess.run([COMPILER, *flags, folder / "mine.c", "-o", out], check=True, capture_output=True)
    return out


def changed(folder: Path, old: str, new: str) -> Path:
    assert old in EXAMPLE
    return library(folder, EXAMPLE.replace(old, new))


def run(folder: Path, plugin: Path) -> dict[str, dict]:
    """The lines of the plugin and of cpu/lloyd/naive, which is right."""
    which = flags(plugin=plugin, implementation="plugin/mine|cpu/lloyd/naive$", out=folder)
    kmbench("run", *which, *SMALL)
    lines = by_implementation(folder)
    assert lines["cpu/lloyd/naive"]["verdict"] == "" and lines["cpu/lloyd/naive"]["samples_s"]
    return lines


def test_the_example_is_right_as_it_stands(tmp_path):
    ran = kmbench("check", "--plugin", library(tmp_path, EXAMPLE), "--filter", "^plugin/mine/")
    assert ran.returncode == 0 and " 0 wrong" in ran.stdout, ran.stdout + ran.stderr
    assert int(re.search(r"(\d+) right", ran.stdout)[1]) > 20


def test_a_run_has_its_line(tmp_path):
    mine = run(tmp_path, library(tmp_path, EXAMPLE))["plugin/mine"]
    assert mine["verdict"] == "" and mine["grade"] in ("exact", "rounded") and len(mine["samples_s"]) == 2


@cases(
    "old new said",
    ("dist < best_dist", "dist > best_dist", "is nearer"),
    ("s->labels[i] = c, ", "s->labels[i] = c + 7, ", "labels are 0 to 3"),
    ("return made;\n", "return -1;\n", "iterate of plugin/mine failed"),
    ("  return 0;\n", "  return -1;\n", "download of plugin/mine failed"),
    ("  return s;\n", "  return NULL;\n", "prepare of plugin/mine failed"),
    ("  int64_t changed = 0;\n", "  int64_t changed = *(volatile int64_t*)8;\n", "segmentation fault"),
    ("return made;\n", "return made + 1;\n", "4 iterations where exactly 3 were asked for"),
    ("  return 0;\n", "  exit(0);\n", "ended with exit code 0"),
    ("s->labels[i] = c, ", "((double*)points)[i] = 0, s->labels[i] = c, ", "it wrote to the points"),
    ("memcpy(s->after, s->p.initial_centroids, ", "memset(s->after, 0, ", "did not start from the initial centroids"),
)
def test_a_broken_contract_costs_a_case_and_a_line(old, new, said, tmp_path):
    mine = run(tmp_path, changed(tmp_path, old, new))["plugin/mine"]
    assert said in ((mine["verdict"] or "") + (mine["failure"] or "")).lower()


@cases(
    "old new said",
    (".abi = KMBENCH_PLUGIN_ABI", ".abi = 99", "its ABI is 99; this kmbench has 1"),
    ('.name = "mine"', '.name = "my own"', "a name is not 1 to 100 letters"),
    (".value_bytes = 8", ".value_bytes = 3", "value_bytes of mine is 3: 4, 8, or 12 for both"),
    (".prepare = prepare", ".prepare = NULL", "mine lacks a function"),
    ("index == 0 ? &mine", "index <= 1 ? &mine", "there is a plugin/mine already"),
    ("index == 0 ? &mine", "index < 0 ? &mine", "offers no implementation"),
    ("kmbench_plugin(int32_t index)", "another(int32_t index)", "exports no kmbench_plugin"),
    ("index == 0 ? &mine", "*(volatile int64_t*)8 ? &mine", "asked what it offers, it died of signal 11"),
    ('.name = "mine"', ".name = (char*)8", "asked what it offers, it died of signal 11"),
)
def test_a_library_that_is_no_plugin_is_refused(old, new, said, tmp_path):
    refused(kmbench("list", "--plugin", changed(tmp_path, old, new), "implementations"), said)


def asking(folder: Path, head: str) -> Path:
    """The example with this function `unsupported`."""
    source = EXAMPLE.replace(".prepare = prepare", ".unsupported = unsupported, .prepare = prepare")
    return library(folder, source.replace("static void* prepare", f"{head}\nstatic void* prepare"))


@cases(
    "body said",
    ("return *(const char**)8;", "asked whether it can run, it died of signal 11"),
    ("return (const char*)8;", "asked whether it can run, it died of signal 11"),
    ("exit(0);", "asked whether it can run, it ended with exit code 0"),
    ("for (;;) pause();", "asked whether it can run, it did not answer within 10 s"),
    ('return "only on Sundays";', "only on Sundays"),
)
def test_a_question_that_kills_costs_one_case(body, said, tmp_path):
    plugin = asking(tmp_path, f"static const char* unsupported(const kmbench_problem* p) {{ {body} }}")
    assert run(tmp_path, plugin)["plugin/mine"]["skip"] == said


@pytest.mark.parametrize("refused", ["p->max_iters != 3", "p->n > 500", "p->max_iters == 2", "asked++ > 0"])
def test_refusing_the_replay_is_wrong(refused, tmp_path):
    head = "static int asked;\nstatic const char* unsupported(const kmbench_problem* p)"
    mine = run(tmp_path, asking(tmp_path, f'{head} {{ return {refused} ? "no" : 0; }}'))["plugin/mine"]
    assert re.search(r"^it does not support \d+ iterations of \d+ points: no$", mine["verdict"]), mine["verdict"]
    assert mine["samples_s"] == []


def test_a_file_that_is_no_library_is_refused(tmp_path):
    (tmp_path / "libmine.so").write_text("no library\n")
    for path, said in ((tmp_path / "libmine.so", "--plugin: "), (tmp_path / "none.so", "there is no file")):
        refused(kmbench("list", "implementations", "--plugin", path), said)
