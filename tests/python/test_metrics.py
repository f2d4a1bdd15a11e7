"""Metrics: each formula on a line with known numbers."""

import pytest
from synthetic import line, skipped, wrong

from plots.errors import UserError
from plots.read import phases
from plots.read.metrics import METRICS, metric
from plots.read.phases import traced

KNOWN = line(
    samples_s=[0.5, 0.5, 0.5],
    iterations=5,
    prepare_s=0.2,
    download_s=0.1,
    phases={"assign": [0.01, 0.03]},
    prepare_phases={"transfer": 0.15},
    work={"bytes": 2e9, "flops": 4e9},
    peak_bytes=2**21,
    device_peak_bytes=5 << 20,
    samples_event_s=[0.2] * 3,
)
# mean M of five iterations of k = 8 (wu2011, Equation 2)
COUNTED = line(
    k=8,
    samples_s=[0.5, 0.5, 0.5],
    phases={"icd_rid": [0.01] * 5, "icd": [0.004] * 5, "assign": [0.06] * 5, "update": [0.02] * 5},
    counters={"mean_m": [8.0, 4.0, 2.0, 2.01, 2.0], "warp_imbalance": [0.0, 1.0, 0.5, 0.0, 0.0]},
)
ENERGY = {"joules": 10.0, "iterations": 4, "window_s": 1.0, "source": "nvml", "skipped": None}
VALUES = {
    **{"iteration": 100, "run": 500, "overall": 700, "end_to_end": 800, "end_to_end_iteration": 160},
    **{"prepare": 200, "download": 100, "assign": 20, "phase:assign": 20, "transfer": 150, "iterations": 5},
    **{"cluster_size:0": 260, "cluster_size:3": 240, "cluster_spread": 20, "bandwidth": 20, "flop_rate": 40},
    **{"peak": 2, "device_peak": 5, "run_event": 200, "wrong_labels": 0, "counter:distances": 16000},
    **{"centroid_error": 0.001, "inertia": 123.5},
}
OF_COUNTED = {
    "ealt": 70,  # 10 + 60: icd is within icd_rid
    "ealt_share:icd": 100 * 4 / 70,
    "ealt_share:labeling": 100 * 60 / 70,
    "saved": 100 * (1 - 18.01 / 40),
    "saved_in_warps": 100 * (1 - 23.01 / 40),
    "settled": 4,
}


@pytest.mark.parametrize("name", [*VALUES, *OF_COUNTED])
def test_value(name):
    of, value = (COUNTED, OF_COUNTED[name]) if name in OF_COUNTED else (KNOWN, VALUES[name])
    assert metric(name).of(of, {}).value == pytest.approx(value)


@pytest.mark.parametrize("name", [*OF_COUNTED, "distances_saved"])
def test_a_wrong_run_and_one_without_counters_have_none(name):
    assert metric(name).of(wrong("label"), {}) is None
    assert metric(name).of(line(phases={}, counters={"shift": [1.0]}), {}) is None


def test_missing_fields_have_no_value():
    alone = line(k=8, phases={"assign": [0.06] * 5, "update": [0.02] * 5}, counters={"mean_m": [8.0] * 5})
    assert metric("ealt").of(alone, {}).value == pytest.approx(60)
    assert metric("ealt_share:labeling").of(alone, {}) is None, "labeling is the only part"
    assert metric("run_event").of(line(samples_event_s=None), {}) is None


def test_the_first_steady_iteration_differs_little_from_the_one_before():
    assert phases.settled([100, 50, 49.9, 20], {}) == 3
    assert phases.settled([100, 99.5], {}) == 2
    assert phases.settled([100, 50], {}) is None
    assert phases.settled([100, 50, 100], {}) is None, "the first has no predecessor"
    assert metric("settled").of(line(k=8, counters={"mean_m": [8.0, 6.0, 4.0]}), {}) is None


def test_distances_saved_are_of_all_iterations():
    made = line(n=1000, k=10, counters={"distances": [10_000.0, 5_000.0, 1_000.0, 0.0]})
    assert metric("distances_saved").of(made, {}).value == pytest.approx(60)


def test_shares_of_time_are_of_prepare_iterate_and_download():
    made = line(prepare_s=1.0, download_s=2.0, phases={"assign": [1.0, 2.0], "update": [4.0, 0.0]})
    assert [metric(f"time_share:{name}").of(made, {}).value for name in ("assign", "update", "other")] == [30, 40, 30]
    assert metric("time_share:fused").of(made, {}) is None
    nothing = line(prepare_s=0.0, download_s=0.0, phases={"assign": [0.0]})
    assert metric("time_share:other").of(nothing, {}) is None
    assert traced(made) == [5000, 2000], "milliseconds of each iteration, the sum of its phases"


def test_energy_has_a_value_if_it_was_measured():
    assert metric("energy").of(line(energy=ENERGY), {}).value == 2.5
    assert metric("energy").of(line(energy={**ENERGY, "joules": None}), {}) is None
    assert metric("energy").of(line(energy=ENERGY, verdict="wrong"), {}) is None


def test_product_share_is_that_of_the_fastest_arithmetic_measured():
    """2 x 1000 x 4 x 4 operations in 0.1 s."""
    assert metric("product_rate").of(KNOWN, {}).value == pytest.approx(3.2e-4)
    gpu = {"fma_fp32_gflops": 1, "tensor_tf32_gflops": 3.2, "tensor_bf16_gflops": None}
    record = {"ceilings": {"cpu": {"fma_fp32_gflops": 6.4e-4}, "gpu": gpu}}
    assert metric("product_share").of(KNOWN, record).value == pytest.approx(50)
    assert metric("product_share").of({**KNOWN, "device": "gpu"}, record).value == pytest.approx(0.01)
    assert metric("product_share").of(KNOWN, {}) is None


def test_floor_share_is_the_least_time_over_the_time():
    record = {"floor": {"cpu": {"bytes_per_s": 1e11, "flops_per_s": {"fp32": 8e10}}}}
    assert metric("floor_share").of(KNOWN, record).value == pytest.approx(50)  # 0.05 s of arithmetic in 0.1 s
    assert metric("floor_share").of(KNOWN, {}) is None


def test_throughput_counts_the_points_bytes_and_the_bus_share_divides_by_the_upload():
    points = line(n=10_000_000, d=4, precision="fp32", samples_s=[0.5, 0.5, 0.5], iterations=5)  # 160 MB in 0.1 s
    assert metric("throughput").of(points, {}).value == pytest.approx(1.6)
    assert metric("throughput").of({**points, "precision": "fp64"}, {}).value == pytest.approx(3.2)
    assert metric("bus_share").of(points, {"ceilings": {"gpu": {"upload_gbs": 2.0}}}).value == pytest.approx(80)
    assert metric("bus_share").of(points, {"ceilings": {"gpu": None}}) is None


def test_performance_for_the_price_is_the_devices_peak_over_its_own_price():
    record = {
        "floor": {"cpu": {"bytes_per_s": 60e9, "flops_per_s": {"fp32": 1670.4e9}}, "gpu": {"bytes_per_s": 320e9}},
        "price": {"cpu": 1.591, "gpu": 1.140},
    }
    assert metric("flops_per_price").of(KNOWN, record).value == pytest.approx(1049.9, abs=0.05)  # c4.8xlarge
    assert metric("bandwidth_per_price").of(KNOWN, record).value == pytest.approx(37.71, abs=0.005)
    gpu = {**KNOWN, "device": "gpu"}
    assert metric("bandwidth_per_price").of(gpu, record).value == pytest.approx(280.7, abs=0.05)  # g3.4xlarge
    assert metric("flops_per_price").of(gpu, record) is None  # no such peak in the record
    assert metric("price").of(KNOWN, {}) is None
    assert metric("bandwidth_per_price").of(KNOWN, {**record, "price": None}) is None


def test_the_device_is_the_lines_own_and_of_schema_1_the_folders():
    record = {"floor": {"cpu": {"bytes_per_s": 1e10}, "gpu": {"bytes_per_s": 1e11}}}
    made = {"iterations": 1, "samples_s": [0.5], "work": {"bytes": 1e9, "flops": 0}}
    share = metric("floor_share").of
    assert share(line(implementation="library/faiss_gpu", device="gpu", **made), record).value == pytest.approx(2)
    assert share(line(implementation="library/sklearn", device="cpu", **made), record).value == pytest.approx(20)
    old = {**line(implementation="gpu/lloyd/tiled", **made), "device": None}
    assert share(old, record).value == pytest.approx(2)


@pytest.mark.parametrize("name", METRICS)
def test_a_case_without_a_time_has_none(name):
    for case in (skipped("no such card"), wrong("label 3 is wrong")):
        assert not METRICS[name].timed or METRICS[name].of(case, {}) is None


def test_a_wrong_case_has_no_time_even_where_its_line_has_samples():
    assert metric("run").of(line(verdict="label 3 is wrong"), {}) is None


@pytest.mark.parametrize("name", ["speed", "phase:", "cluster_size:x", "speedup:speed"])
def test_an_unknown_metric_is_refused(name):
    with pytest.raises(UserError, match="unknown metric"):
        metric(name)
