"""Machines side by side: pairs of cases, ratios, portability, and claims by machine."""

import csv
import re
from types import SimpleNamespace

import pytest
from conftest import TABLE, cases, claim, printed
from synthetic import line, skipped, write, wrong

from plots.decide import devices, portability
from plots.decide.expected import expected, floor
from plots.decide.side_by_side import sides
from plots.decide.verdicts import FAILED, REPRODUCED
from plots.read import results
from plots.read.across import BOUNDS, Comparison
from plots.read.intervals import geometric_mean
from plots.write import claim_sheet, hardware, side_tables, table_formats

RIVALS = TABLE.replace('rows = ["packages"]', 'rows = ["n", "implementation", "packages"]')
PAPER = printed('[[1, "100"], [10, "200"]]')
CLAIM = claim('kind="bound"\nmetric="run"\nat_most=300', "short", "short")
FLOOR = {"floor": {"cpu": {"bytes_per_s": 1e9, "flops_per_s": {"fp32": 1e9}}}}
WORK = {"bytes": 2_000_000, "flops": 8_000_000}


@pytest.fixture
def two(bench):
    """One exhibit on a fast machine and on one that takes twice as long, with these records."""

    def made(lines, text=RIVALS, records=({}, {}), slow_lines=None):
        bench.exhibit(text)
        write(bench.results, "fast", lines, records[0])
        scaled = [{**m, "samples_s": [2 * s for s in m["samples_s"]]} for m in slow_lines or lines]
        write(bench.results, "slow", scaled, records[1])
        (paper,), machines = bench.read()
        return sides(paper.exhibits[0], machines), paper

    return made


def cells(table):
    return [{c.name: cell for c, cell in zip(table.columns, row, strict=True)} for row in table.rows]


def test_cases_are_paired_despite_other_hashes_and_points(two):
    lines = [line(packages=1), line(packages=10)]
    elsewhere = [{**made, "case": f"other {i}", "exhibit_hash": "f" * 16} for i, made in enumerate(lines)]
    both, _ = two(lines, slow_lines=elsewhere)
    assert [sorted(one.lines) for one in both.pairs] == [["fast", "slow"]] * 2
    faster = [row["faster:slow"].raw for row in cells(side_tables.times(both))]
    assert [value for value, *_ in faster] == pytest.approx([0.5, 0.5])
    assert all(low < 0.5 < high for _, low, high in faster)


def test_a_missing_case_is_a_dash_and_a_skipped_one_says_why(two):
    both, _ = two([line(packages=1), line(packages=10)], slow_lines=[skipped("too large", packages=10)])
    first, second = cells(side_tables.times(both))
    assert (first["iteration:slow"].text, first["faster:slow"].text) == ("–", "–")
    assert second["iteration:slow"].text == "skipped"
    assert side_tables.times(both).footnotes == ["skipped: too large"]


@pytest.mark.parametrize("scaled", ["ranks", "gpus"])
def test_one_device_beside_several_says_nothing_of_a_machine(two, scaled):
    own, _ = two([line(packages=1, threads=0)])
    assert len(list(devices.lines_of([own]))) == 2
    several, _ = two([line(packages=1, threads=0)], RIVALS.replace('"packages"]', f'"packages", "{scaled}"]'))
    assert not list(devices.lines_of([several]))


def test_a_size_that_differs_is_told_by_machine(two):
    both, _ = two([line(packages=1)], slow_lines=[line(packages=1, d=8)])
    assert re.fullmatch(r"fast: .*d = 4.*; slow: .*d = 8.*", side_tables.times(both).size)


def test_the_profile_is_that_of_most_machines(bench):
    exhibit = bench.exhibit()
    for name, profile in (("a", "paper"), ("b", "quick"), ("c", "quick")):
        write(bench.results, name, [line(packages=1, n=10 if profile == "quick" else 1000, profile=profile)])
    write(bench.results, "a", [line(packages=1, n=10, profile="quick")])
    machines = results.load(bench.results)
    assert (sides(exhibit, machines).profile, list(sides(exhibit, machines).views)) == ("quick", ["a", "b", "c"])
    assert list(sides(exhibit, machines, "paper").views) == ["a"]
    assert "Not run in the paper profile on b, c." in sides(exhibit, machines, "paper").remarks


def test_shares_are_of_the_machines_own_ceilings(two):
    both, _ = two([line(packages=1, work=WORK)], records=(FLOOR, {}))
    (row,) = cells(side_tables.ceilings(both))
    assert row["memory_share:fast"].raw[0] == pytest.approx(10)  # 2 MB in 20 ms of 1 GB/s
    assert row["arithmetic_share:fast"].raw[0] == pytest.approx(40)
    assert row["bound:fast"].text == "arithmetic"
    assert row["memory_share:slow"].text == "–"
    assert any("No ceilings of slow" in remark for remark in side_tables.ceilings(both).remarks)


def test_price_and_energy_are_told_or_the_reason(two):
    energy = {"joules": 60.0, "iterations": 300, "window_s": 1.2, "source": "NVML", "skipped": None}
    none = {**energy, "joules": None, "iterations": None, "skipped": "no RAPL counters"}
    lines = [line(packages=1, energy=energy)]
    both, _ = two(lines, records=({"price": {"cpu": 3.6}}, {}), slow_lines=[{**lines[0], "energy": none}])
    table = side_tables.costs(both)
    (row,) = cells(table)
    assert row["cost:fast"].raw[0] == pytest.approx(20)  # 20 ms, 3.6 dollars an hour, 10^6 times
    assert row["energy:fast"].raw[0] == pytest.approx(0.2)
    assert row["energy:slow"].text == "–" and "cost:slow" not in row, "no column without a price"
    assert "slow: no energy: no RAPL counters." in table.remarks


def test_the_binding_resource_takes_longer():
    assert floor({"bytes": 1e9, "flops": 1e9}, 1e9, 2e9) == floor({"bytes": 1e9, "flops": 0}, 1e9, 2e9)
    assert floor({"bytes": 1e9, "flops": 4e9}, 1e9, 2e9).resource == "arithmetic"
    assert floor({"bytes": 1e9, "flops": 4e9}, 1e9, None) is None


def test_expected_is_the_papers_time_by_the_binding_resources(bench, two):
    peak = '[peak.cpu]\nbandwidth_gbs = 0.5\nfp32_gflops = 8\nsource = "made up"\n'
    (bench.papers / "demo").mkdir(parents=True)
    (bench.papers / "demo" / "paper.toml").write_text(peak)
    lines = [line(packages=p, work=WORK, threads=0) for p in (1, 10)]  # there 4 ms of memory, here 8 ms of arithmetic
    both, paper = two(lines, text=RIVALS + PAPER, records=(FLOOR, {}))
    one = both.pairs[0]
    found = expected(one, one.lines["fast"], both.views["fast"].machine, paper)
    assert (found.there, found.here) == ("memory", "arithmetic")
    assert found.value == pytest.approx(200)
    rows = cells(side_tables.expectations(both, paper))
    assert [row["over:fast"].raw[0] for row in rows] == pytest.approx([0.1, 0.05])
    assert rows[0]["expected:slow"].text == "unknown"
    some = {**one.lines["fast"], "parameters": {"threads": 1}}
    assert "threads" in expected(one, some, both.views["fast"].machine, paper).why


def test_pp_is_the_harmonic_mean_and_0_without_support():
    found = portability.cascade("a", {"x": 0.5, "y": 1.0, "z": None})
    assert [(p, e) for p, e, _ in found.steps] == [("y", 1.0), ("x", 0.5)]
    assert found.steps[-1][2] == pytest.approx(2 / 3)
    assert found.pp is None and found.missing == ("z",)
    assert portability.cascade("a", {"x": 1.0, "y": 0.0}).pp == 0


def test_efficiencies_are_against_the_best_of_each_machine(two):
    lines = [line(seconds=0.1, n=n, implementation="cpu/a", packages=p) for n in (10, 20) for p in (1, 10)]
    lines += [line(seconds=0.4, n=n, implementation="cpu/b") for n in (10, 20)]
    slow = [*lines[:4], line(seconds=0.1, n=10, implementation="cpu/b"), skipped("no", n=20, implementation="cpu/b")]
    both, _ = two(lines, slow_lines=slow)
    found = portability.portability(both, "cpu", "application")
    assert (found.platforms, found.problems) == (("fast", "slow"), 2)
    a, b = found.cascades
    assert (a.implementation, a.pp) == ("cpu/a", pytest.approx(1))
    assert {p: e for p, e, _ in b.steps} == {"fast": pytest.approx(0.25), "slow": 0}  # it lacks a problem there
    assert b.pp == 0
    assert portability.portability(both, "gpu", "application").cascades == ()


def test_efficiencies_are_shares_of_each_machines_own_floor(two):
    lines = [line(work=WORK, implementation="cpu/a"), line(work=WORK, implementation="cpu/b", seconds=0.4)]
    both, _ = two(lines, records=(FLOOR, FLOOR))
    a, b = portability.portability(both, "cpu", "architecture").cascades
    found = {p: e for p, e, _ in a.steps}  # 8 MFLOP in 20 and 40 ms of 1 GFLOP/s
    assert found == {"fast": pytest.approx(0.4), "slow": pytest.approx(0.2)}
    assert b.pp == pytest.approx(a.pp / 4)


def test_a_value_of_0_is_no_support(two):
    both, _ = two([line(implementation="cpu/a"), line(implementation="cpu/b", inertia=0.0)])
    scores, tried = portability.collect(both, "cpu", "application", "inertia")
    assert {name for best in scores.values() for name in best} == {"cpu/a"}
    assert {name for *_, name in tried} == {"cpu/a", "cpu/b"}


@pytest.mark.parametrize("bad", [{"grade": "coarse"}, {"verdict": "label 3", "samples_s": []}])
def test_coarse_and_wrong_results_are_no_support(two, bad):
    lines = [line(implementation="cpu/a"), {**line(implementation="cpu/b", seconds=0.01), **bad}]
    both, _ = two(lines, slow_lines=[line(implementation="cpu/a"), line(implementation="cpu/b")])
    a, b = portability.portability(both, "cpu", "application").cascades
    assert (a.implementation, a.pp, b.pp) == ("cpu/a", pytest.approx(1), 0)


def test_claims_by_machine_are_one_table(bench):
    exhibit = bench.exhibit(RIVALS + CLAIM)
    for name, seconds in (("a", 0.1), ("b", 0.9)):
        write(bench.results, name, [line(packages=1, seconds=seconds)])
    write(bench.results, "c", [line(exhibit="demo/other")])
    table = claim_sheet.across_machines(claim_sheet.sheet(*bench.read()))
    (row,) = table.rows
    assert [cell.text for cell in row] == [exhibit.key, "short", REPRODUCED, FAILED, "–"]
    assert any("Decided on two machines or more: 1 claims, 0 with one verdict" in text for text in table.remarks)


def test_the_command_opens_with_sentences_and_writes_pages_tables_and_pictures(bench, tmp_path, output):
    bench.exhibit(RIVALS + PAPER + CLAIM)
    for name, factor in (("one", 1), ("two", 2)):
        rivals = [(f"cpu/{x}", s, n) for n in (10, 20, 40) for x, s in (("a", 0.1), ("b", 0.2))]
        lines = [line(implementation=x, n=n, seconds=factor * s, work=WORK, threads=0) for x, s, n in rivals]
        write(bench.results, name, lines, FLOOR)
    folder = tmp_path / "out/hardware"
    words = ["--out", folder.parent, "--machine", "two", "--machine", "one"]
    out = output("hardware", *bench.folders, "demo/table1", *words)
    assert "one is … times as fast as two" in out and "performance portability" in out and "Claims by machine" in out
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert {"table1.md", "table1-time.csv", "table1-time.tex", "table1-cascade.svg", "claims.md", "claims.csv"} <= names
    rows = list(csv.DictReader((folder / "demo/table1-time.csv").open()))
    assert [float(row["faster:one"]) for row in rows] == pytest.approx([2] * 6)
    assert "| application | cpu | cpu/a | 1.000 | 1.000 | 1.000 |" in (folder / "demo/table1.md").read_text()
    told = "one CPU against two CPU: 2 [2, 2] times as fast where arithmetic binds (3 problems)"
    assert told in out and told in (folder / "devices.md").read_text() and "devices.svg" in names


@cases("each told", ((2.0, 2.0, 2.1), "2.03 [1.90, 2.18]"), ((9.0, 0.1), "cannot tell"), ((3.0,), "3.00"))
def test_a_mean_that_is_only_noise_is_not_told(each, told):
    one = Comparison(("a", "cpu"), ("b", "cpu"), BOUNDS[0], geometric_mean(each), each)
    assert hardware.valued(one) == told
    assert bool(hardware.sentences([one], [])) == (told != "cannot tell")


def test_a_wrong_case_has_a_word_and_no_share(two):
    both, _ = two([wrong("label 3", packages=1), line(packages=10)], records=(FLOOR, FLOOR))
    for table in (side_tables.times(both), side_tables.ceilings(both)):
        assert cells(table)[0][next(c.name for c in table.columns if c.role == "ours")].text == "wrong"
    assert "wrong: label 3" in table_formats.markdown(side_tables.times(both))


@cases(
    "implementation parameters whole",
    ("cpu/lloyd/auto", {}, True),
    ("cpu/b", {}, False),
    ("cpu/a", {"threads": 2}, True),
    ("cpu/a", {"threads": 1}, False),
)
def test_what_uses_all_threads_stands_for_a_machine(implementation, parameters, whole):
    made = line(None, implementation=implementation)
    assert devices.all_threads({**made, "parameters": parameters}, SimpleNamespace(threads=2)) == whole


def test_machines_are_compared_by_what_binds_and_across_devices(bench):
    rates = FLOOR["floor"]["cpu"]
    record = {"floor": {"cpu": rates, "gpu": rates}, "ceilings": {"gpu": {"launch_sync_s": 1e-3}}}
    works = [{"bytes": 1e8, "flops": 1e7}, {"bytes": 1e7, "flops": 1e8}, {"bytes": 1e3, "flops": 1e3}]
    cpu = [line(n=10**i, work=work, threads=0) for i, work in enumerate(works, start=4)]
    gpu = {"implementation": "gpu/a", "device": "gpu", "parameters": {}}
    gpus = [{**one, **gpu, "case": f"g{one['n']}"} for one in cpu]
    sequential = [line(n=10**4, implementation="cpu/b", seconds=1e-6)]
    bench.exhibit(RIVALS)
    write(bench.results, "slow", [*cpu, *sequential, *gpus], record)
    faster = [{**one, "samples_s": [s / 4 for s in one["samples_s"]]} for one in gpus]
    write(bench.results, "fast", faster, record)
    (paper,), machines = bench.read()
    exhibits = [sides(paper.exhibits[0], machines)]
    pairs = devices.machines(exhibits, ["slow", "fast"])
    assert [(one.what, one.value.value) for one in pairs] == [(what, pytest.approx(4)) for what in BOUNDS]
    across = {(one.base[0], one.new[0]): one.value.value for one in devices.gpus_over_cpus(exhibits, "iteration")}
    assert across == {("slow", "slow"): pytest.approx(1), ("slow", "fast"): pytest.approx(4)}, "all threads"
    best = devices.best(exhibits, "iteration")
    assert all(len(own) == 3 for own in best.values())
    assert [problem.n for problem in best] == [10**4, 10**5, 10**6], "by how much there is to do"


def test_a_rate_past_multiply_adds_is_held_against_the_matrix_units(two):
    ceilings = {"cpu": {"fma_fp32_gflops": 1.0, "tensor_bf16_gflops": 1000.0}}
    both, _ = two([line(packages=1, work=WORK | {"flops": 8e9})], records=({**FLOOR, "ceilings": ceilings}, FLOOR))
    (row,) = cells(side_tables.ceilings(both))
    assert row["arithmetic_share:fast"].raw[0] < 100 < row["arithmetic_share:slow"].raw[0]
    assert row["arithmetic_share:fast"].marks and not row["arithmetic_share:slow"].marks
