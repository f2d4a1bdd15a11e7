"""The folder of a user's lines and tuned values, which never mix with another machine's; prices; load is seen."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from built import ENVIRONMENT, KMBENCH, flags, kmbench, lines_of, needed, succeeded

from plots.read import results
from plots.read.metrics import METRICS

needed(KMBENCH)
BLOBS = flags(dataset="blobs", n=2000, d=4, k=8, repetitions=2)
RUN = ["run", "--implementation", "cpu/lloyd/naive", *BLOBS]
TUNE = ["tune", "cpu/lloyd/multi_pass", *BLOBS, "--anyway", *flags(budget="1s", rounds=8, machine="here")]


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    return {"KMBENCH_RESULTS": str(tmp_path / "own/results")}


def test_lines_go_to_ones_own_folder_under_the_machines_id(own, tmp_path):
    ran = kmbench(*RUN, **own)
    machine = json.loads(kmbench("env", "--json").stdout)["id"]
    file = tmp_path / "own/results" / machine / "adhoc.jsonl"
    assert ran.returncode == 0 and f"in {file}\n" in ran.stdout, "it names the file"
    assert lines_of(file)[0]["machine"] == machine
    record = json.loads(file.with_name("machine.json").read_text())
    assert set(record["fingerprint"]) == {"model", "caches", "memory", "gpu", "host", "boot"}
    assert os.uname().nodename not in json.dumps(record), "no host name"


@pytest.mark.parametrize("command", [RUN, TUNE])
def test_a_folder_of_another_machine_is_refused(command, tmp_path):
    folder = tmp_path / "here" if command[0] == "tune" else tmp_path
    folder.mkdir(exist_ok=True)
    fingerprint = json.loads(kmbench("env", "--json").stdout)["fingerprint"]
    other = json.dumps({"id": "here", "fingerprint": {**fingerprint, "gpu": "another", "host": "another"}})
    (folder / "machine.json").write_text(other)
    ran = kmbench(*command, "--out", tmp_path)
    said = r"another machine \(gpu, host differ\).*--out.*--same-machine"
    assert ran.returncode == 2 and len(re.findall(f"kmbench: .*{said}", ran.stderr)) == 1, ran.stderr
    assert (folder / "machine.json").read_text() == other
    assert not any(file.read_text() for file in tmp_path.rglob("*.jsonl"))
    for more in (["--same-machine"], []):  # from then on it is the same one
        succeeded(*command, "--out", tmp_path, *more)


def test_tuned_values_are_looked_for_in_ones_own_folder_first(own, tmp_path):
    succeeded(*TUNE, "--set", "threads=1,2", **own)
    assert (tmp_path / "own/tuning/here.json").is_file()
    again = ["run", "--implementation", "cpu/lloyd/multi_pass", "--machine", "here", "--tuned", *BLOBS]
    succeeded(*again, **own)
    assert lines_of(tmp_path / "own/results/here/adhoc.jsonl")[0]["tuned"] == "exact"


def test_a_busy_machine_is_seen_in_the_samples(tmp_path):
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        long = flags(dataset="blobs", n=100_000, d=8, k=32, iterations=20, repetitions=3)
        ran = kmbench("run", *flags(implementation="cpu/lloyd/two_step", out=tmp_path), *long)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert ran.returncode == 0, ran.stderr
    line = lines_of(tmp_path / "adhoc.jsonl")[0]
    if line["run_delay_s"] is None:
        pytest.skip("the kernel counts no run delay here")
    shares = [delay / seconds for delay, seconds in zip(line["run_delay_s"], line["samples_s"], strict=True)]
    assert sum(share > 0.05 for share in shares) >= 2, shares
    assert line["involuntary_switches"] is None
    assert "disturbed" in ran.stdout and "‡" in ran.stdout


def test_the_users_wait_policy_is_kept_and_recorded(tmp_path):
    plain = {name: text for name, text in ENVIRONMENT.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    for own in ({}, {"OMP_WAIT_POLICY": "passive"}, {"GOMP_SPINCOUNT": "7"}):
        command = [KMBENCH, *RUN, "--redo", "--out", tmp_path]
        assert subprocess.run(command, env={**plain, **own}, capture_output=True).returncode == 0
    policies = [line["wait_policy"] for line in lines_of(tmp_path / "adhoc.jsonl")]
    assert policies == ["GOMP_SPINCOUNT=3000", "OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=7"]


def test_a_price_is_written_added_to_and_kept_by_runs(tmp_path):
    succeeded(*RUN, "--out", tmp_path)
    file = tmp_path / "machine.json"
    recorded = json.loads(file.read_text())
    ran = kmbench("env", "--price", "cpu=0.40", "--out", tmp_path)
    assert (ran.returncode, ran.stdout) == (0, f"{file}: price.cpu 0.4 USD/h\n"), ran.stderr
    assert json.loads(file.read_text()) == {**recorded, "price": {"cpu": 0.4}}, "only the price changes"
    succeeded("env", "--price", "gpu=3", "--price", "cpu=0.5", "--out", tmp_path)
    succeeded(*RUN, "--redo", "--out", tmp_path)
    machine = results.load_machine(tmp_path)
    assert machine.record["price"] == {"cpu": 0.5, "gpu": 3}
    for one in machine.lines:
        seconds = METRICS["iteration"].of(one, machine.record).value * 1e-3  # of samples that nothing disturbed
        assert METRICS["cost"].of(one, machine.record).value == pytest.approx(1e6 * seconds * 0.5 / 3600)
