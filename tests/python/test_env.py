"""kmbench env --price records the price of a machine, and later runs keep it."""

import json

import pytest
from built import flags, kmbench, needs_kmbench, succeeded

from plots.errors import UserError
from plots.read import results
from plots.read.metrics import METRICS

SMALL = flags(dataset="blobs", n=200, d=2, k=3, iterations=2, repetitions=2)
RUN = ["run", *flags(implementation="cpu/lloyd/naive$"), *SMALL]


@needs_kmbench
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


@pytest.mark.parametrize("price", [3, {"cpu": "dear"}])
def test_a_bad_price_is_refused(price, tmp_path):
    (tmp_path / "machine.json").write_text(json.dumps({"price": price}))
    with pytest.raises(UserError, match=r"price is .*in dollars an hour"):
        results.record(tmp_path / "machine.json")
