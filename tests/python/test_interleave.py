"""scripts/interleave, compare_test: turns, rounds, missing cases, refusals. scripts/regress from end to end. The
programs are fakes; so are CMake, the rounds and the comparison."""

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from built import executable
from conftest import ROOT, cases, git

# Lists its cases. A run writes its name, its seed and the matching cases to the log and to its folder.
PROGRAM = r"""#!/usr/bin/env bash
cases=({cases})
for word; do case $word in
  --benchmark_list_tests) printf '%s\n' "${{cases[@]}}"; exit {listed} ;;
  --benchmark_filter=*) pattern=${{word#*=}} ;;
esac; done
while (($#)); do case $1 in --out) out=$2 ;; --order-seed) seed=$2 ;; esac; shift; done
mkdir -p "$out"
printf '%s\n' "${{cases[@]}}" | grep -E -- "$pattern" | sed "s|^|{name} $seed |" | tee -a "{log}" >>"$out/adhoc.jsonl"
exit {code}
"""


class Two:
    """Two programs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        self.log.touch()

    def program(self, name: str, cases: list[str], code: int = 0, listed: int = 0) -> None:
        quoted = " ".join(f"'{case}'" for case in cases)
        text = PROGRAM.format(cases=quoted, name=name, log=self.log, code=code, listed=listed)
        executable(self.folder / name, text)

    def programs(self, cases: list[str]) -> None:
        for name in ("one", "two"):
            self.program(name, cases)

    def interleave(self, *words: object) -> subprocess.CompletedProcess[str]:
        command = [ROOT / "scripts/interleave", "one", "two", "out", *map(str, words)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def runs(self) -> list[tuple[str, str, str]]:
        return [tuple(text.split(" ", 2)) for text in self.log.read_text().splitlines()]


@pytest.fixture
def two(tmp_path: Path) -> Two:
    return Two(tmp_path)


def test_every_round_has_every_case_of_both_by_turns(two):
    cases = [f"cpu/a (b+c)/n:{n}/k:[3]" for n in range(10)]
    two.programs(cases)
    ran = two.interleave("--rounds", 12, "--cases", 3, "--", "--dataset", "blobs")
    assert ran.returncode == 0, ran.stderr
    for side, name in (("base", "one"), ("new", "two")):
        assert sorted(path.name for path in (two.folder / "out" / side).iterdir()) == [f"{i:04}" for i in range(1, 13)]
        for path in (two.folder / "out" / side).iterdir():
            lines = (path / "adhoc.jsonl").read_text().splitlines()
            assert sorted(lines) == [f"{name} {path.name} {case}" for case in sorted(cases)]
    runs = two.runs()
    turns = [runs[0][0], *(b[0] for a, b in itertools.pairwise(runs) if a[0] != b[0])]
    assert len(turns) > 12 * 4, "the programs take turns after few cases"
    first = {"one": 0, "two": 0}
    for at in range(0, len(runs), 20):
        first[runs[at][0]] += 1
        ours = [case for name, _, case in runs[at : at + 20] if name == "one"]
        assert sorted(ours) == cases
    assert min(first.values()) >= 1, "the first program is drawn"
    orders = {tuple(case for _, _, case in runs[at : at + 20]) for at in range(0, len(runs), 20)}
    assert len(orders) > 1, "each round draws its order"


def test_whole_rounds_are_not_begun_again_and_others_go_on(two):
    two.programs(["a", "b"])
    assert two.interleave("--rounds", 2).returncode == 0
    first = two.runs()
    assert two.interleave("--rounds", 2).returncode == 0
    assert two.runs() == first
    two.program("two", ["a", "b"], code=2)
    refused = two.interleave("--rounds", 3)
    assert refused.returncode == 2 and "rounds of other programs" in refused.stderr, "a program was built again"
    two.program("two", ["a", "b"])
    assert two.interleave("--rounds", 4).returncode == 0
    assert {seed for _, seed, _ in two.runs()[len(first) :]} == {"0003", "0004"}
    assert two.interleave("--rounds", 1, "--", "--seed", 2).returncode == 0
    assert two.runs()[-1][1] == "0001", "another plan"


def test_a_pattern_has_no_more_bytes_than_the_program_takes(two):
    two.programs([f"{'x' * 250}{i}" for i in range(8)])
    two.log.unlink()
    assert two.interleave("--rounds", 1, "--cases", 8).returncode == 0
    assert len(two.runs()) == 16


def test_a_case_of_one_program_alone_runs_once(two):
    two.program("one", ["a", "b", "gone"])
    two.program("two", ["a", "b", "fresh", "later"])
    assert two.interleave("--rounds", 3).returncode == 0
    runs = [(name, case) for name, _, case in two.runs()]
    assert runs.count(("one", "a")) == runs.count(("two", "b")) == 3
    assert [runs.count(pair) for pair in (("one", "gone"), ("two", "fresh"), ("two", "later"))] == [1, 1, 1]


def test_a_wrong_case_goes_on_and_a_broken_program_stops(two):
    two.program("one", ["a"], code=1)
    two.program("two", ["a"])
    assert two.interleave("--rounds", 2).returncode == 0
    assert len(two.runs()) == 4
    two.program("two", ["a"], code=2)
    shutil.rmtree(two.folder / "out")
    ran = two.interleave("--rounds", 9)
    assert ran.returncode == 2 and "interleave: new, two ended with code 2" in ran.stderr.replace(f"{two.folder}/", "")


REFUSED = {
    "": "three places are needed",
    "one none out": "none: no such program",
    "one two out --fast": "unknown argument '--fast'",
    "one two out --rounds 0": "--rounds '0'",
    "one two out --rounds": "--rounds needs a value",
    "one other out": "no case that both programs have",
    "one two one/out": "cannot write to one/out",
    "one failing out": "failing cannot list its cases",
}


@pytest.mark.parametrize(("words", "said"), REFUSED.items())
def test_interleave_refuses_in_one_line(two, words, said):
    two.programs(["a"])
    two.program("other", ["b"])
    two.program("failing", ["a"], listed=2)
    ran = subprocess.run([ROOT / "scripts/interleave", *words.split()], cwd=two.folder, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("interleave: ") and ran.stderr.count("\n") == 1 and said in ran.stderr
    assert not (two.folder / "out").exists() and two.runs() == []


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
        executable(self.folder / name, text)

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


def test_one_gpu_implementation_can_be_compiled_alone(tmp_path):
    """As regress does for a filter that names it: none of Hopper's kernels, none that launches kernels."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        pytest.skip("no nvcc")
    settings = ["KM_ONLY=gpu/yinyang/compacted", "KM_TESTS=OFF", "KM_CUDA=ON", f"CMAKE_CUDA_COMPILER={nvcc}"]
    settings += ["CMAKE_CUDA_ARCHITECTURES=90", "KM_FEW_KERNELS=ON"]
    command = ["cmake", "-S", ROOT, "-B", tmp_path, *(f"-D{setting}" for setting in settings)]
    configured = subprocess.run(command, capture_output=True, text=True)
    assert configured.returncode == 0, configured.stderr[-1000:]


@cases("words only", (["cpu/lloyd/.*d:4/"], "cpu/lloyd/naive;cpu/lloyd/two_step"), (["/d:4/"], ""), ([], ""))
def test_a_filter_of_names_says_what_is_compiled(repository, words, only):
    repository.regress("HEAD", *words)
    assert all(f"-DKM_ONLY={only} --log" in line for line in repository.logged("-S "))
