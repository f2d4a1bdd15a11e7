"""What is installed and listed, and how commands are refused: from any folder, in one line, without slow imports. Those
in Python start from any folder and name what is missing."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from tempfile import gettempdir

import pytest
from built import KMBENCH, ROOT, kmbench, needed, refused, succeeded, written
from conftest import TABLE, cases
from synthetic import line, samples, side, timed

from plots.__main__ import parser
from plots.decide.compare import compare
from plots.read import sides

needed(KMBENCH)
EMULATOR = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
STARTED = ("compare", "replay", "hardware", "claims", "explain", "render", "report", "all", "show", "history")
STARTED += ("coverage", "artifact", "tuning", "t4", "scatter")
HEAVY = ("numpy", "scipy", "matplotlib", "rich", "jinja2")
COMMANDS = re.findall(r"^  ([a-z0-9]+) {2,}", kmbench("--help").stdout, re.MULTILINE)


@cache
def help_of(command: str) -> str:
    return succeeded(command, "--help", cwd=gettempdir()).stdout


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cff = dict(line.split(": ", 1) for line in (ROOT / "CITATION.cff").read_text().splitlines() if ": " in line)
    built = re.search(r"project\(kmbench VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    noted = re.search(r"^## (\S+), (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (project, cff["version"], noted[1]) == (built, built, built)
    assert cff["date-released"] == noted[2]


def test_sources_outside_git_name_their_build(tmp_path):
    def commit(text: str) -> str:
        for name in ("CMakeLists.txt", "impl/naive.cpp"):
            written(tmp_path / name, text)
        makes = [f"-DSOURCE={tmp_path}", f"-DOUT={tmp_path / 'version.cpp'}", "-P", ROOT / "cmake/version.cmake"]
        subprocess.run(["cmake", *makes], check=True)
        return re.search(r'commit\(\) \{ return "(nogit-\w{12})"', (tmp_path / "version.cpp").read_text())[1]

    first, other = commit("first"), commit("other")
    around = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=b"]  # the repository of another project
    for command in (["init"], ["commit", "--allow-empty", "--message=c"]):
        subprocess.run([*around, *command], check=True, capture_output=True)
    assert commit("first") == first != other


def test_help_imports_nothing_slow():
    loaded = "import sys, plots.__main__ as m\ntry: m.main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = set(ran.stdout.splitlines()[-1].split())
    assert "plots.comparing" in modules and not modules.intersection(HEAVY)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_kinds_of_values(command):
    said = help_of(command)
    assert "TEXT" not in said and "VALUE " not in said.replace("=VALUE ", "")


@cases(
    "command words",
    ("fit", ("--implementation NAME ", "--k,--kc INT REQUIRED", "default 1000", "the file's own", "default k-means++")),
    (
        "run",
        ("--implementation NAME|REGEX ", "--k,--kc INT Clusters", "default fp32", "default random", "k-means++ is"),
    ),
)
def test_help_says_what_is_required_and_what_the_defaults_are(command, words):
    said = " ".join(help_of(command).split())
    assert [one for one in words if one not in said] == []


def test_commands_of_plots_refuse_in_one_line_from_any_folder(tmp_path):
    for words, hint in (("claims --papr x", "--paper"), ("history --machine nobody", "nobody"), ("t4", "FILE")):
        ran = kmbench(*words.split(), cwd=tmp_path)
        assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1) and hint in ran.stderr


def test_recorded_files_are_found_from_any_folder(tmp_path):
    (tmp_path / "plots").mkdir()  # no module of kmbench
    (tmp_path / "plots/__init__.py").write_text("raise SystemExit(9)")
    ran = succeeded("t4", "tuning/h200/gpu-lloyd-two_step_streams.jsonl", "--out", "t4.json", cwd=tmp_path)
    assert (tmp_path / "t4.json").exists(), ran.stdout
    plan = succeeded("run", "papers/he2021/table3.toml", "--profile", "quick", "--dry-run", cwd=tmp_path)
    assert "10 cases" in plan.stdout


def test_a_python_without_packages_is_one_line(tmp_path):
    python = shutil.which("python3", path="/usr/bin")
    if not python or subprocess.run([python, "-c", "import tomllib, rich"], capture_output=True).returncode == 0:
        pytest.skip("no Python without packages")
    ran = kmbench("claims", "--paper", "he2021", cwd=tmp_path, KMBENCH_PYTHON=python)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "KMBENCH_PYTHON" in ran.stderr


def test_the_manual_has_every_command_and_flag():
    page = succeeded("man").stdout
    assert all(f".SS kmbench {command}\n" in page for command in COMMANDS)
    for flag in ("n\\-init", "budget", "same\\-machine"):
        assert f"\\-\\-{flag}" in page


def test_every_command_of_the_pages_has_an_expectation():
    ran = subprocess.run([ROOT / "scripts/docs_commands", "list"], capture_output=True, text=True)
    assert ran.returncode == 0 and "README.md" in ran.stdout and "packages.md" in ran.stdout
    assert "expected: None" not in ran.stdout


@pytest.mark.skipif(not EMULATOR, reason="no qemu-user to be another processor")
def test_another_processor_is_one_line():
    ran = subprocess.run([EMULATOR, "-cpu", "qemu64", KMBENCH, "--version"], capture_output=True, text=True)
    said = ran.stderr.splitlines()[-1]
    assert ran.returncode == 2 and said.startswith("kmbench: compiled for another processor") and " avx2" in said


def test_pages_name_commands_and_flags_that_exist():
    """Also within sentences, where commands are patterns and do not run."""
    known = {command: set(re.findall(r"--[\w-]+", help_of(command))) for command in COMMANDS}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    printed = re.compile(r"(?:`|^    |^\$ )kmbench ([a-z][^`\n#]*)", re.MULTILINE)
    named = [words for page in pages for words in printed.findall(page.read_text())]
    assert len(named) > 50
    for words in named:
        command = words.split()[0].split("|")[0]
        flags = set(re.findall(r" (--[a-z][\w-]*)", re.sub(r'"[^"]*"', "", words)))  # a launcher's own stand in quotes
        assert command in known and flags <= known[command], words


def listed(what: str) -> list[dict]:
    return json.loads(kmbench("list", what, "--json").stdout)


@pytest.mark.parametrize("what", ["implementations", "datasets", "exhibits"])
def test_lists_parse(what):
    text = kmbench("list", what).stdout
    assert listed(what) and all(entry.get("name", entry.get("key")) in text for entry in listed(what))


def test_the_lists_are_complete():
    names = [entry["name"] for entry in listed("implementations")]
    registering = [path for path in (ROOT / "impl/cpu").rglob("*.cpp") if "const Register<" in path.read_text()]
    assert {str(path.relative_to(ROOT / "impl").with_suffix("")) for path in registering} <= set(names)
    assert names == sorted(names) and "library/armadillo" in names, "in every build"
    assert not [name for name in names if name.startswith("faults/")], "kmbench itself has no faults"
    papers = [path for path in (ROOT / "papers").glob("*/*.toml") if path.stem != "paper"]
    assert {one["key"] for one in listed("exhibits")} == {f"{path.parent.name}/{path.stem}" for path in papers}


def test_the_list_of_data_sets_shows_their_settings():
    (blobs,) = [row for row in kmbench("list", "datasets").stdout.splitlines() if row.startswith("blobs ")]
    assert "(groups=0 high=10 low=-10 seed=42 sigma2=1 " in blobs
    settings = {entry["name"]: entry["settings"] for entry in listed("datasets")}
    assert settings["uniform"] == {"high": 1, "low": 0, "seed": 1}
    assert settings["household"] is None


def test_env_parses():
    record = json.loads(kmbench("env", "--json").stdout)
    assert {"id", "cpu", "memory_bytes", "gpu", "build", "warnings"} <= set(record)
    assert kmbench("env").stdout


def test_the_users_arguments_go_before_kmbenchs_own(tmp_path, bench):
    bench.exhibit(TABLE)
    bench.run([line(packages=p, seconds=0.1 * p) for p in (1, 10, 100)])
    ran = kmbench("replay", "results/demo/demo.jsonl", "--kmbench", "/nonexistent/kmbench", cwd=tmp_path)
    assert ran.returncode == 2 and ran.stderr.startswith("plots: /nonexistent/kmbench env")
    own = bench.folders
    ran = kmbench("explain", "demo/table1", "packages=10", "iteration", *own, cwd=tmp_path)
    assert ran.returncode == 0 and "row      2 of 3: packages = 10" in ran.stdout, ran.stderr
    ran = kmbench("hardware", "demo/table1", *own, "--out", "report", cwd=tmp_path)
    assert ran.returncode == 0 and "files in report/hardware" in ran.stdout, ran.stderr


def test_the_code_of_compare_is_that_of_kmbench(tmp_path):
    for name, seconds in (("base", 1), ("new", 1.3)):
        side(tmp_path, name, [timed(seconds)])
    ran = kmbench("compare", "base", "new", cwd=tmp_path)
    assert ran.returncode == 1 and "1 pair: 1 slower" in ran.stdout, ran.stderr


def test_an_export_pairs_with_its_lines(tmp_path):
    made = [timed(1, packages=3, sigma=0.5), line("demo/t", samples_s=samples(2), tolerance=1e-3)]
    base = side(tmp_path, "base", made)
    succeeded("export", *sorted(base.glob("*.jsonl")), "--out", tmp_path / "new.json")
    lines, exported = sides.read(base), sides.read(tmp_path / "new.json")
    assert lines.cases.keys() == exported.cases.keys() and len(lines.cases) == 2
    assert [pair.change.ratio.value for pair in compare(lines, exported).pairs] == [1, 1]
    names = {case.implementation for case in exported.cases.values()}
    assert names == {"cpu/lloyd/two_step", "demo/t/cpu/lloyd/two_step"}


@pytest.mark.parametrize("command", STARTED)
def test_without_python_or_plots_it_is_one_line(command, tmp_path):
    for folder in ("datasets", "papers"):
        (tmp_path / folder).mkdir()
    refused(kmbench(command, "a", "b", KMBENCH_HOME=str(tmp_path)), f"kmbench: {command} is Python, in plots/, and ")
    ran = kmbench(command, "a", "b", KMBENCH_PYTHON="/nonexistent/python3")
    refused(ran, "kmbench: cannot start /nonexistent/python3")


def test_help_lists_them_and_completion_offers_their_flags():
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    script, said = kmbench("completion", "bash").stdout, kmbench("--help").stdout
    for command in STARTED:
        assert f"  {command} " in said
        flags = {name for action in commands.choices[command]._actions for name in action.option_strings} - {"-h"}
        (choices,) = (text for text in script.splitlines() if text.strip().startswith(f"{command})"))
        offered = {word.strip('"') for word in choices.split("choices=")[1].split()}
        assert {word for word in offered if word.startswith("--")} == flags, command


def test_an_export_has_the_last_line_of_a_case_and_what_it_continues(tmp_path):
    old, first, more = timed(9), timed(1), timed(2, k=3)
    further = {**timed(3, k=3), "continues": len(more["samples_s"])}
    base = side(tmp_path, "base", [{**old, "machine": "before"}, more, first, further])
    exported = json.loads(succeeded("export", base / "adhoc.jsonl").stdout)["benchmarks"]
    times = [1e3 * sample for sample in [*first["samples_s"], *more["samples_s"], *further["samples_s"]]]
    assert [entry["real_time"] for entry in exported] == pytest.approx(times)
