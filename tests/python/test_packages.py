"""What is installed and listed, and how commands are refused: from any folder, in one line, without slow imports."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from tempfile import gettempdir

import pytest
from built import KMBENCH, ROOT, kmbench, needed, succeeded, written
from conftest import cases

needed(KMBENCH)
EMULATOR = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
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
