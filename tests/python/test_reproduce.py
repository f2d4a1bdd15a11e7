"""The page of claims, the explanation of a cell, the replay of a result file, and the archive."""

import hashlib
import io
import json
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from built import flags, needs_kmbench, succeeded
from conftest import TABLE, claim, printed
from synthetic import line, skipped, words, write, wrong

from plots.__main__ import main
from plots.read import results
from plots.write import replaying

BOTH = "numerator={packages=10}\ndenominator={packages=1}"
CLAIMS = "".join(
    claim(f'section="4.1"\nmetric="run"\n{body}', name, f"The {name} holds")
    for name, body in {
        "bound": 'kind="bound"\nat_most=300\nwhere={packages=1}',
        "ratio": f'kind="ratio"\nexpect=2.0\nwithin=1.5\n{BOTH}',
        "gpu": 'kind="value"\nwhere={implementation="gpu/x"}\nexpect=5\nwithin=2',
    }.items()
)
LINES = [line(packages=1, seconds=0.1), line(packages=10, seconds=0.2), skipped("too large", packages=100)]


@pytest.fixture
def folders(bench, tmp_path):
    """The arguments that name an exhibit with claims and its results."""
    bench.exhibit(TABLE + printed('[[1, "10.0"]]') + CLAIMS)
    write(bench.results, "demo", LINES, {"id": "demo", "cpu": {"model": "Made-up 9000"}})
    (bench.papers / "demo/paper.toml").write_text('title="A paper"\nauthors=["A. Author"]\ndoi="10.1/abc"\n')
    return bench.folders


def test_the_claims_are_one_page(bench, folders, tmp_path, capsys):
    write(bench.results, "slow", [{**made, "samples_s": [10 * s for s in made["samples_s"]]} for made in LINES])
    assert main(["claims", *folders, "--out", str(tmp_path)]) == 0
    rows = [row.split(" | ") for row in (tmp_path / "claims.md").read_text().splitlines() if row.startswith("| demo/")]
    assert [(row[1], row[3], row[5], row[6].rstrip(" |")) for row in rows] == [
        ("The bound holds (§4.1)", "at most 300 ms", "reproduced", "demo"),
        ("The bound holds (§4.1)", "at most 300 ms", "not reproduced", "slow"),
        ("The ratio holds (§4.1)", "2 ×", "reproduced", "demo"),
        ("The ratio holds (§4.1)", "2 ×", "reproduced", "slow"),
        ("The gpu holds (§4.1)", "5 ms", rows[4][5], "none"),
    ]
    assert rows[4][5].startswith("not comparable: ")
    page = (tmp_path / "claims.html").read_text()
    assert page.count('<tr class="claim ') == 5
    values = {finding["paper_value"] for finding in json.loads((tmp_path / "claims.json").read_text())}
    assert values == {"at most 300 ms", "2 ×", "5 ms"}


def explained(capsys, *args):
    code = main(["explain", *args])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.mark.parametrize("row", ["1", "packages=1", "packages=1.0"])
def test_a_cell_is_explained(folders, capsys, row):
    code, text = explained(capsys, "demo/table1", row, "iteration", *folders)
    assert code == 0
    told = dict(part.split("  ", 1) for part in text.splitlines())
    told = {name: value.strip() for name, value in told.items()}
    assert told["value"].startswith("20.00 [19.")
    assert told["samples"].startswith("0.098, 0.1, 0.102,") and "5 iterations" in told["samples"]
    assert told["command"] == "kmbench run papers/demo/table1.toml"
    assert told["commit"] == "0123456789abcdef, measured 2024-01-01T00:00:00Z"
    judged = "right, rounded, 1000 of 1000 labels judged, 0 not the nearest centroid's, means off by at most 1e-06"
    assert told["judge"] == judged
    assert told["paper"] == "10.0 ms (printed); ours is 2.00 times that"
    assert told["source"].endswith("https://doi.org/10.1/abc")
    assert told["line"] == "demo.jsonl, byte 0"


def test_a_case_without_a_time_is_explained_by_its_reason(bench, folders, capsys):
    write(bench.results, "demo", [wrong("label 3 is wrong", packages=1)])
    _, text = explained(capsys, "demo/table1", "packages=1", "iteration", *folders)
    assert "wrong: label 3 is wrong" in text and "samples" not in text
    _, text = explained(capsys, "demo/table1", "packages=100", "assign", *folders)
    assert "skipped: too large" in text and "samples" not in text


def test_an_archive_holds_what_its_checksums_say_and_the_same_bytes_twice(bench, folders, tmp_path, capsys):
    for ending in (".tar.gz", ".tar", ".zip"):
        paths = [tmp_path / f"{name}{ending}" for name in "ab"]
        for path in paths:
            assert main(["artifact", *folders, "--out", str(path)]) == 0
            (bench.results / "demo/demo.jsonl").touch()
        assert paths[0].read_bytes() == paths[1].read_bytes()
        content = unpacked(paths[0])
        sums = dict(reversed(row.split("  ")) for row in content.pop("SHA256SUMS").decode().splitlines())
        assert {name: hashlib.sha256(data).hexdigest() for name, data in content.items()} == sums
        kept = content["results/demo/demo.jsonl"].decode().splitlines()
        assert sorted(kept) == sorted((bench.results / "demo/demo.jsonl").read_text().splitlines())
        assert {"papers/demo/table1.toml", "papers/demo/paper.toml", "claims.md", "claims.json"} <= content.keys()
        tables = {"tables/demo/demo/table1.md", "tables/demo/demo/table1.csv"}
        assert {"results/demo/machine.json", *tables} <= content.keys()
        appendix = content["appendix.md"].decode()
        known = ("(AD)", "(AE)", "Made-up 9000", "at 0123456789ab\n", "cpu/lloyd/two_step")
        for said in (*known, "3, of which 2 were judged right, 0 wrong"):
            assert said in appendix


def unpacked(path: Path) -> dict[str, bytes]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            found = {name: archive.read(name) for name in archive.namelist()}
    else:
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
            assert all(entry.mtime == 0 and entry.uid == 0 for entry in archive)
            found = {entry.name: archive.extractfile(entry).read() for entry in archive.getmembers()}
    return {name.removeprefix("kmbench-artifact/"): data for name, data in found.items()}


def test_a_plan_holds_every_case_of_the_file_under_its_key(bench):
    generator = {"sigma2": 0.1, "seed": 42.0}
    made = [
        line(packages=10, tolerance=0.5, max_iters=7, samples=3, generator=generator, precision="fp64"),
        line(exhibit=None, instructions="avx2"),
        skipped("not fetched", n=0, d=0),
    ]
    path = bench.run(made) / "demo"
    lines = results.load_machine(path).lines
    texts = {key: tomllib.loads(text)["sweep"] for key, text in replaying.plans(lines).items()}
    assert set(texts) == {"demo/table1", "replay/adhoc"}
    (sweep,) = texts["demo/table1"]
    assert sweep == {
        **{"implementation": "cpu/lloyd/two_step", "dataset": "balls", "n": 1000, "d": 4, "k": 4, "precision": "fp64"},
        **{"init": "random", "init_seed": 1, "iterations": 7, "tolerance": 0.5, "repetitions": 3},
        "judge_seed": 2718281828,
        **{"set": {"packages": 10}, "data": {"sigma2": 0.1, "seed": 42}},
    }
    assert texts["replay/adhoc"][0]["set"] == {"instructions": "avx2"}
    assert all(one["repetitions"] == 2 for s in replaying.plans(lines, 2).values() for one in tomllib.loads(s)["sweep"])


@needs_kmbench
def test_a_result_file_is_run_again_by_the_program_that_is_asked_and_compared(tmp_path):
    which = flags(implementation="cpu/lloyd/(naive|two_step)$", set="packages=1,7", out="first", machine="first")
    small = flags(dataset="blobs", n=500, d=3, k=4, iterations=3, repetitions=3)
    succeeded("run", *which, *small, cwd=tmp_path)
    replay = ["replay", "first/adhoc.jsonl", "--out", "again"]
    succeeded(*replay, "--dry-run", cwd=tmp_path)
    assert not (tmp_path / "again/results").exists()
    out = succeeded(*replay, cwd=tmp_path).stdout
    assert out.index("What differs between the two") < out.index("Cases")
    assert "| commit |" not in out, "the same program measured both"
    old, new = (results.load_machine(tmp_path / name).lines for name in ("first", "again/results"))
    same = words("implementation parameters n d k precision init max_iters iterations inertia judge_seed verdict")
    told = [sorted(repr([*(one[x] for x in same), one["dataset"]["hash"]]) for one in lines) for lines in (old, new)]
    assert told[0] == told[1] and len(told[0]) == 3
    assert out.count("| cpu/lloyd/naive |") >= 1
