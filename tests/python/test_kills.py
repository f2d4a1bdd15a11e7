"""kill -9 at random moments costs the case in flight and nothing else. KILLS sets how many (default 8)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

from built import ENVIRONMENT, KMBENCH, needed

needed(KMBENCH)
CASES = 60


def whole_lines(path: Path) -> list[str]:
    text = path.read_text() if path.exists() else ""
    return text.split("\n")[:-1]  # what has no end is torn


def test_killed_again_and_again_a_run_loses_nothing_that_had_ended(tmp_path: Path) -> None:
    moments = random.Random(7)
    out, path = tmp_path / "out", tmp_path / "out" / "adhoc.jsonl"
    command = [KMBENCH, "run", "--implementation", "cpu/lloyd/naive", "--dataset", "blobs", "--n", "2000"]
    command += ["--k", f"2:{CASES + 1}:+1", "--repetitions", "2", "--out", out]
    kept: list[str] = []
    for _ in range(int(os.environ.get("KILLS", "8"))):
        with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            time.sleep(moments.uniform(0, 0.4))
            run.kill()
        time.sleep(0.05)  # its worker goes with it
        now = whole_lines(path)
        assert now[: len(kept)] == kept, "what was there stays as it was"
        for line in now:
            assert json.loads(line)["verdict"] == "", "nobody was left to record the case in flight"
        kept = now
        if len(kept) > CASES - 5:  # nearly done: begin anew
            path.unlink()
            kept = []
    assert subprocess.run(command, env=ENVIRONMENT, capture_output=True).returncode == 0
    after = whole_lines(path)
    assert after[: len(kept)] == kept
    assert len({json.loads(line)["case"] for line in after}) == len(after) == CASES, "nothing lost, nothing twice"
