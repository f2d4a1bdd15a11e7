"""kmbench env --price records the price of a machine, and later runs keep it."""

import json

import pytest
from built import flags, kmbench, lines_of, needs_kmbench, refused, succeeded

from plots.read import results
from plots.read.metrics import METRICS

SMALL = flags(dataset="blobs", n=200, d=2, k=3, iterations=2, repetitions=2)
RUN = ["run", *flags(implementation="cpu/lloyd/naive$"), *SMALL]
pytestmark = needs_kmbench


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
        seconds = sorted(one["samples_s"])
        middle = sum(seconds) / len(seconds) / one["iterations"]
        assert METRICS["cost"].of(one, machine.record).value == pytest.approx(1e6 * middle * 0.5 / 3600)


REFUSED = {
    "--price tpu=1": "of cpu or gpu",
    "--price 2.50": "is not name=value",
    "--price gpu=dear": "--price gpu must be a number",
    "--price gpu=2.5USD": "--price gpu must be a number",
    "--price gpu=0": "--price gpu must be a number",
    "--price gpu=-1": "--price gpu must be a number",
    "--price gpu=1 --price cpu=nan": "--price cpu must be a number",
    "": "give --price as well",
}


@pytest.mark.parametrize(("words", "said"), REFUSED.items())
def test_a_bad_price_is_one_line_and_changes_nothing(words, said, tmp_path):
    file = tmp_path / "machine.json"
    file.write_text('{"id": "here", "price": {"gpu": 2}}')
    refused(kmbench("env", *words.split(), "--out", tmp_path), said)
    assert file.read_text() == '{"id": "here", "price": {"gpu": 2}}' and list(tmp_path.iterdir()) == [file]


def test_a_machine_that_was_never_recorded_has_no_price(tmp_path):
    ran = kmbench("env", "--price", "gpu=1", "--out", tmp_path / "none")
    assert ran.returncode == 2 and "no " in ran.stderr and not (tmp_path / "none").exists()


@pytest.mark.parametrize("broken", ['{"id": "here", "price": {"gpu": 2},}', "[]", ""])
def test_a_broken_record_is_not_overwritten(broken, tmp_path):
    file = tmp_path / "machine.json"
    file.write_text(broken)
    for words in (RUN, ["env", "--price", "gpu=1"]):
        refused(kmbench(*words, "--out", tmp_path), f"{file}: not a JSON object")
    assert file.read_text() == broken and lines_of(tmp_path / "adhoc.jsonl") == []
