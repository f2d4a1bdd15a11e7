"""scripts/regress from end to end in a small repository: CMake, the rounds and the comparison are fakes."""

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, git

SETUP = """
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
quietly() { echo "$1" >&2; "${@:2}"; }
has_gpu() { false; }
cd "$root"
"""
# "Compiles" by copying the implementation of the source folder that was configured.
CMAKE = """#!/bin/sh
echo "$*" >>"$LOG"
if [ "$1" = --build ]; then cp "$(cat "$2/source")/impl/cpu/lloyd/naive.cpp" "$2/kmbench"; exit; fi
mkdir -p "$4" && echo "$2" >"$4/source" && touch "$4/build.ninja"
"""
INTERLEAVE = """#!/bin/bash
echo "interleave $(tail -n 1 "$1") $(tail -n 1 "$2") ${*:4}" >>"$LOG"
mkdir -p "$3/base/0001" "$3/new/0001"
echo "{}" | tee "$3/base/0001/adhoc.jsonl" >"$3/new/0001/adhoc.jsonl"
"""
PLOTS = """#!/bin/sh
echo "plots $*" >>"$LOG"
echo "the comparison"
exit 3
"""


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        for name, text in (("setup", SETUP), ("interleave", INTERLEAVE)):
            self.write(f"scripts/{name}", text)
        self.write("bin/cmake", CMAKE)
        self.write(".venv/bin/python3", PLOTS)
        shutil.copy(ROOT / "scripts/regress", folder / "scripts/regress")
        for name in ("naive", "two_step"):
            self.write(f"impl/cpu/lloyd/{name}.cpp", "// Register<\n// old\n")
        self.write(".gitignore", "/build/\n/.venv/\n/log\n")
        for words in ("init -q", "add -A", "commit -qm old"):
            git(folder, *words.split())

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def regress(self, *words: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        path = f"{self.folder}/bin:/usr/local/bin:/usr/bin:/bin"
        env = {"PATH": path, "HOME": str(self.folder), "LOG": str(self.log)}
        return subprocess.run(["scripts/regress", *words], cwd=self.folder, env=env, capture_output=True, text=True)

    def logged(self, word: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if word in line]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_both_states_are_built_in_one_folder_and_the_base_once(repository):
    repository.write("impl/cpu/lloyd/naive.cpp", "// Register<\n// uncommitted\n")
    ran = repository.regress("HEAD", "cpu/lloyd/naive/", "--rounds", "7", "--annotations")
    assert (ran.returncode, ran.stdout) == (3, "the comparison\n"), ran.stderr
    assert ran.stderr.index("Forecast: ") < ran.stderr.index("Configuration of base")
    assert "1 implementations; 1 files differ" in ran.stderr
    (rounds,) = repository.logged("interleave")
    assert rounds.startswith("interleave // old // uncommitted --rounds 7 -- ")
    assert rounds.endswith("--filter cpu/lloyd/naive/ --machine here")
    configured = repository.logged("-S ")
    assert len(configured) == 2 and all("-DKM_ONLY=cpu/lloyd/naive --log" in line for line in configured)
    assert len({line.split(" -B ")[1].split()[0] for line in configured}) == 1, "one build folder"
    (compared,) = repository.logged("plots")
    assert "--annotations" in compared and compared.endswith("comparison.json")
    assert "comparison.md, comparison.json" in ran.stderr

    repository.write("impl/cpu/lloyd/fresh.cpp", "// Register<\n")
    again = repository.regress("HEAD", "cpu/lloyd/naive/", "--json")
    assert "the base is built; of the new state 2 files differ" in again.stderr, "an untracked file counts"
    assert len(repository.logged("--build")) == 1
    status = git(repository.folder, "status", "--porcelain")
    assert status == "M impl/cpu/lloyd/naive.cpp\n?? impl/cpu/lloyd/fresh.cpp", "the user's index is untouched"


@pytest.mark.parametrize(
    ("words", "only"), [(["cpu/lloyd/.*d:4/"], "cpu/lloyd/naive;cpu/lloyd/two_step"), (["/d:4/"], ""), ([], "")]
)
def test_a_filter_of_names_says_what_is_compiled(repository, words, only):
    repository.regress("HEAD", *words)
    assert all(f"-DKM_ONLY={only} --log" in line for line in repository.logged("-S "))
