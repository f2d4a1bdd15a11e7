"""lutz2018's exhibits: sizes of the data sets, and performance for the price from printed numbers."""

import json

import pytest
from conftest import exhibits_of

from plots.errors import UserError
from plots.read import results

PAPER = exhibits_of("lutz2018")
SIZES = {"figure8": 2**31, "figure11": 2**31, "figure12": 2**31, "figure6": 2**29, "figure10": 2**29}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_sets_are_of_one_size_at_every_d(name, size):
    """Section 6.1. Figures without printed numbers take a quarter of its size; Figures 7 and 13 have their own."""
    for sweep in PAPER[name].spec["sweep"]:
        assert sweep["n"] * sweep["d"] * 4 == size


def test_performance_for_the_price_follows_from_the_printed_numbers():
    rows = PAPER["figure14"].printed()
    printed = {row.key["machine"]: row.values for row in rows if "price" in row.values}
    derived = {row.key["machine"]: row.values for row in rows if "flops_per_price" in row.values}
    assert printed.keys() == derived.keys() == {"c4.8xlarge", "r4.4xlarge", "g3.4xlarge"}
    for machine, values in printed.items():
        for peak, per_price in (("peak_flops", "flops_per_price"), ("peak_bandwidth", "bandwidth_per_price")):
            quotient = float(values[peak]) / float(values["price"])
            assert float(derived[machine][per_price]) == pytest.approx(quotient, rel=5e-4)


@pytest.mark.parametrize("price", [3, {"cpu": "dear"}])
def test_a_bad_price_is_refused(price, tmp_path):
    (tmp_path / "machine.json").write_text(json.dumps({"price": price}))
    with pytest.raises(UserError, match=r"price is .*in dollars an hour"):
        results.record(tmp_path / "machine.json")
