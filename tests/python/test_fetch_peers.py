"""scripts/fetch_peers, with a stand-in for the authors' code, for the network and for nvcc."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from built import KMBENCH, executable, kmbench, needed, script, written
from conftest import ROOT, git

URL, COMMIT = "https://github.com/src-d/kmcuda", "7dcd28c49a6c76bb9c5e1b19c23976a1f76e1b3b"
STAND_IN = Path(__file__).parent / "stand_ins/peer.cpp"


@pytest.fixture
def place(tmp_path):
    """A copy of the script that knows a repository in a folder, and an nvcc that compiles the stand-in."""
    theirs = tmp_path / "theirs"
    written(theirs / "src/kmcuda.h", "// theirs\n")
    (theirs / "src/kmeans.cu").touch()
    git(theirs, "init", "--quiet")
    git(theirs, "add", ".")
    git(theirs, "commit", "--quiet", "-m", "theirs")
    here = tmp_path / "here"
    (here / "scripts").mkdir(parents=True)
    for name in ("scripts/peers", "impl"):
        (here / name).symlink_to(ROOT / name)
    text = (ROOT / "scripts/fetch_peers").read_text()
    assert URL in text and COMMIT in text
    changed = text.replace(URL, f"file://{theirs}").replace(COMMIT, git(theirs, "rev-parse", "HEAD"))
    executable(here / "scripts/fetch_peers", changed)
    compiles = f'g++ -O1 -std=c++20 -shared -fPIC -I{ROOT}/scripts/peers {STAND_IN} -o "${{@: -1}}"\n'
    executable(tmp_path / "nvcc", "#!/usr/bin/env bash\n[[ -e kmcuda.h ]] || exit 1\n" + compiles)
    return tmp_path


def fetch_peers(place: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NVCC": str(place / "nvcc"), "GIT_TERMINAL_PROMPT": "0", **variables}
    return subprocess.run([place / "here/scripts/fetch_peers", *words], env=env, capture_output=True, text=True)


@pytest.mark.parametrize("words", [(), ("kmcude",), ("kmcuda", "rodinia")])
def test_an_unknown_name_lists_the_known_ones(place, words):
    ran = fetch_peers(place, *words)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1
    assert "there are: benedetti2025, kmcuda, rodinia, taylor2021" in ran.stderr


def test_without_the_network_it_says_where_to_put_the_source(place):
    shutil.rmtree(place / "theirs")
    ran = fetch_peers(place, "kmcuda")
    said = ran.stderr.splitlines()[-1]
    assert ran.returncode == 3 and said.endswith(f"unpacked, in {place / 'here/build/peers/kmcuda'}"), ran.stderr
    assert not (place / "here/build/peers/kmcuda").exists()


def test_it_fetches_the_commit_and_builds_it(place):
    ran = fetch_peers(place, "kmcuda")
    assert ran.returncode == 0, ran.stderr
    assert (place / "here/build/peers/kmcuda/src/kmcuda.h").read_text() == "// theirs\n"
    assert (place / "here/build/peers/built/kmcuda/libpeer_fp32.so").exists()
    assert fetch_peers(place, "kmcuda").stdout == ran.stdout


def test_a_source_put_there_needs_no_network(place):
    (place / "peers/kmcuda").mkdir(parents=True)
    shutil.copytree(place / "theirs/src", place / "peers/kmcuda/src")
    shutil.rmtree(place / "theirs")
    ran = fetch_peers(place, "kmcuda", KMBENCH_PEERS=str(place / "peers"))
    assert ran.returncode == 0 and str(place / "peers/built/kmcuda") in ran.stdout


def test_without_a_compiler_or_with_other_code_it_says_so(place):
    assert fetch_peers(place, "kmcuda", NVCC="no-such-nvcc").returncode == 3
    (place / "here/build/peers/kmcuda/src/kmcuda.h").unlink()
    ran = fetch_peers(place, "kmcuda")
    assert ran.returncode == 1 and "does not compile; see " in ran.stderr


@pytest.mark.parametrize("variant", ["assign", "update", "after"])
def test_the_adapter_s_answers_are_right(place, variant):
    needed(KMBENCH)
    words = fetch_peers(place, "kmcuda").stdout.split()
    assert words[0] == "python3"
    program = script(place / "program", sys.executable, *words[1:], variant)
    shapes = "fp32/(d = 2|ties|empty clusters|converges, tolerance 0)|fp64/k = n"
    ran = kmbench("check", "--filter", f"^library/external/({shapes})$", "--external", program)
    assert "4 right, 1 wrong" in ran.stdout, ran.stdout + ran.stderr
    assert "kmcuda does not compute in fp64" in ran.stdout + ran.stderr
