"""Claims: every kind, each verdict, from planted lines."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from conftest import ROOT, TABLE, machine
from synthetic import line, skipped, wrong

from plots.decide.claims import judge_one
from plots.decide.verdicts import FAILED, INCOMPARABLE, NOISE, REPRODUCED, STAND_IN, TREND
from plots.errors import UserError
from plots.read import exhibits
from plots.read.metrics import metric
from plots.read.view import gather


def ladder(*times, **fields):
    """A line for 1, 10, 100, … packages; a time of None is a skipped case."""
    return [
        line(seconds=t, packages=10**i, **fields) if t else skipped("too large", packages=10**i, **fields)
        for i, t in enumerate(times)
    ]


def noisy(seconds, **fields):
    return line(samples_s=[seconds * f for f in (0.5, 0.7, 0.9, 1, 1.1, 1.4, 2)], **fields)


RATIO = {"kind": "ratio", "numerator": {"packages": 1}, "denominator": {"packages": 10}}


@pytest.mark.parametrize(
    ("slow", "bounds", "verdict"),
    [
        (0.2, {"expect": 2.0, "within": 1.2}, REPRODUCED),
        (0.4, {"expect": 2.0, "within": 1.2}, TREND),
        (0.05, {"expect": 2.0, "within": 1.2}, FAILED),
        (0.24, {"expect": 2.0, "within": 1.2}, NOISE),
        (0.2, {"at_least": 1.5}, REPRODUCED),
        (0.2, {"at_least": 3.0}, TREND),
        (0.05, {"at_least": 3.0}, FAILED),
        (0.1, {"at_least": 1.0}, NOISE),
        (0.05, {"at_most": 0.6}, REPRODUCED),
        (0.05, {"at_most": 0.1}, TREND),
        (0.2, {"at_most": 0.6}, FAILED),
        (0.2, {"expect": 1.0, "within": 1.1}, FAILED),
    ],
)
def test_ratio(bench, slow, bounds, verdict):
    assert bench.judge(ladder(slow, 0.1), **RATIO, **bounds).verdict == verdict


def test_ratio_of_two_metrics_of_one_line(bench):
    found = bench.judge(
        ladder(0.1),
        kind="ratio",
        numerator_metric="update",
        denominator_metric="assign",
        numerator={"packages": 1},
        denominator={"packages": 1},
        at_most=0.9,
    )
    assert found.verdict == REPRODUCED


def test_noise_decides_nothing(bench):
    lines = [noisy(0.2, packages=1), noisy(0.1, packages=10)]
    assert bench.judge(lines, **RATIO, expect=2.0, within=1.2).verdict == NOISE


def test_order(bench):
    items = [{"packages": p} for p in (1, 10, 100)]
    for times, verdict in (((1, 2, 3), REPRODUCED), ((1, 3, 2), TREND), ((3, 2, 1), FAILED), ((1, 1, 3), NOISE)):
        assert bench.judge(ladder(*times), kind="order", items=items).verdict == verdict


@pytest.mark.parametrize(
    ("times", "direction", "verdict"),
    [
        ((1, 2, 3), "up", REPRODUCED),
        ((1, 2, 3), "down", FAILED),
        ((3, 2, 1), "down", REPRODUCED),
        ((1, 3, 2), "up", TREND),
        ((1, 1, 1), "up", NOISE),
        ((1, 1, 1), "flat", REPRODUCED),
        ((1, 2, 1), "flat", FAILED),
        ((1, 1.1, 1), "flat", NOISE),
    ],
)
def test_trend(bench, times, direction, verdict):
    assert bench.judge(ladder(*times), kind="trend", along="packages", direction=direction).verdict == verdict


@pytest.mark.parametrize(
    ("times", "expect", "verdict"),
    [
        ((3, 1, 2), 10, REPRODUCED),
        ((1, 2, 3), 10, TREND),
        ((1, 2, 3), 100, FAILED),
        ((3, 1, 1.001), 10, NOISE),
        ((3, 1, 1.001), 100, NOISE),
        ((1, 2, 3), 7, INCOMPARABLE),
    ],
)
def test_location(bench, times, expect, verdict):
    found = bench.judge(ladder(*times), kind="location", along="packages", expect=expect, extreme="min")
    assert found.verdict == verdict


def test_location_of_a_maximum(bench):
    found = bench.judge(ladder(1, 3, 2), kind="location", along="packages", expect=10, extreme="max")
    assert found.verdict == REPRODUCED


def test_a_skipped_place_says_why_and_a_skipped_point_is_counted(bench):
    location = {"kind": "location", "along": "packages", "extreme": "min"}
    assert "skipped: too large" in bench.judge(ladder(3, None, 2), **location, expect=10).why
    found = bench.judge(ladder(1, None, 3), kind="trend", along="packages", direction="up")
    assert (found.verdict, found.why) == (REPRODUCED, "without a value: 1 of the matching cases")


def test_bound_needs_every_line(bench):
    for times, verdict in (((0.1, 0.2), REPRODUCED), ((0.1, 0.6), FAILED), ((0.1, 0.5), NOISE)):
        assert bench.judge(ladder(*times), kind="bound", metric="run", at_most=500).verdict == verdict


def test_bound_counts_what_it_could_not_see(bench):
    found = bench.judge(ladder(0.1, None), kind="bound", metric="run", at_most=500)
    assert found.verdict == REPRODUCED
    assert "1 of the matching cases" in found.why


def test_equality_and_difference(bench):
    items = [{"packages": 1}, {"packages": 10}]
    lines = [line(packages=1, inertia=100.0), line(packages=10, inertia=101.0)]
    assert bench.judge(lines, kind="equality", metric="inertia", items=items).verdict == FAILED
    assert bench.judge(lines, kind="equality", metric="inertia", items=items, within=0.02).verdict == REPRODUCED
    assert bench.judge(lines, kind="difference", metric="inertia", items=items, at_least=0.005).verdict == REPRODUCED
    assert bench.judge(lines, kind="difference", metric="inertia", items=items, at_least=0.5).verdict == TREND


def test_value(bench):
    lines = ladder(0.5)  # 100 ms an iteration
    assert bench.judge(lines, kind="value", expect=110, within=1.5).verdict == REPRODUCED
    assert bench.judge(lines, kind="value", expect=500, within=1.5).verdict == FAILED


def test_value_of_the_quick_profile_is_no_measure(bench):
    found = bench.judge(ladder(0.5, profile="quick"), kind="value", expect=100, within=1.5)
    assert found.verdict == INCOMPARABLE
    assert "quick profile: another n" in found.why


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "nothing of this exhibit was run"),
        (ladder(0.1), "no line with packages = 10"),
        (ladder(0.1, None), "skipped: too large"),
        ([line(packages=1), line(packages=10, samples_s=[], verdict=None, failure="killed")], "failed: killed"),
        ([line(packages=1), wrong("label 3 is wrong", packages=10)], "wrong: label 3 is wrong"),
        (
            [line(), line(packages=1), line(packages=10, precision="fp32"), line(packages=10, precision="fp64")],
            "matches 2 cases: they differ in precision",
        ),
        ([line(packages=1), line(packages=10, profile="quick")], "only in the quick profile"),
        ([line(threads=1)], "no line has a field packages"),
    ],
)
def test_not_comparable_says_why(bench, lines, why):
    found = bench.judge(lines, **RATIO, at_least=1.0)
    assert found.verdict == INCOMPARABLE
    assert why in found.why


def test_a_list_prefers_its_first_and_falls_back_where_that_was_skipped(bench):
    claim = {"kind": "value", "where": {"dataset": ["real", "like"]}, "expect": 20, "within": 1.2}
    both = [line(seconds=0.1, dataset="real"), line(seconds=0.9, dataset="like")]
    assert bench.judge(both, **claim).verdict == REPRODUCED
    assert bench.judge([skipped("not fetched", dataset="real"), both[1]], **claim).verdict == FAILED


def test_one_sample_is_decided_on_the_point_and_says_so(bench):
    found = bench.judge([line(samples=1, packages=1), line(samples=1, packages=10)], **RATIO, expect=1.0, within=1.1)
    assert found.verdict == REPRODUCED
    assert "measured once" in found.why


@pytest.mark.parametrize(
    ("datasets", "verdict", "why"),
    [
        (("real", "like"), REPRODUCED, ""),
        (("like",), STAND_IN, "on like, made up in the shape of real"),
        (("half",), STAND_IN, "on half, a part of real"),
        (("other",), REPRODUCED, ""),
    ],
)
def test_a_verdict_says_which_data_it_rests_on(bench, datasets, verdict, why):
    record = {"stand_ins": {"like": "real"}, "parts": {"half": "real"}}
    exhibit = replace(bench.exhibit(), record=record)
    lines = [line(dataset=name, packages=p, seconds=s) for name in datasets for p, s in ((1, 0.2), (10, 0.1))]
    where = {"dataset": ["real", "like", "half", "other"]}
    sides = {side: {**where, "packages": p} for side, p in (("numerator", 1), ("denominator", 10))}
    claim = {"id": "c", "text": "t", "metric": "iteration", **RATIO, **sides, "at_least": 1.0}
    found = judge_one(gather(exhibit, machine(lines)), claim)
    assert (found.verdict, found.why) == (verdict, why)
    trend = {**claim, "kind": "trend", "along": "packages", "direction": "down", "where": where}
    trend = {name: value for name, value in trend.items() if name not in sides}
    assert judge_one(gather(exhibit, machine(lines)), trend).verdict == verdict
    worse = judge_one(gather(exhibit, machine(lines)), {**claim, "at_least": 0, "at_most": 0.5})
    assert (worse.verdict, worse.why) == (FAILED, why), "the data are named whatever the verdict"


def test_a_stand_in_beside_the_real_set_counts_where_every_case_does(bench):
    exhibit = replace(bench.exhibit(), record={"stand_ins": {"like": "real"}})
    lines = [line(dataset=name, packages=1) for name in ("real", "like")]
    claim = {"id": "c", "text": "t", "metric": "run", "kind": "bound", "at_most": 1e6}
    assert judge_one(gather(exhibit, machine(lines)), claim).verdict == STAND_IN


def test_a_claim_on_a_file_that_is_not_there_waits_for_data(bench):
    exhibit = replace(bench.exhibit(), record={"stand_ins": {"like": "real"}})
    claim = {"id": "c", "text": "t", "metric": "iteration", "kind": "value", "expect": 1.0, "within": 2.0}
    lines = [line(dataset="like", packages=1)]
    found = judge_one(gather(exhibit, machine(lines)), {**claim, "where": {"dataset": "real"}})
    assert (found.verdict, found.need) == (INCOMPARABLE, "data real")
    there = [*lines, line("demo/other", dataset="real")]
    assert judge_one(gather(exhibit, machine(there)), {**claim, "where": {"dataset": "real"}}).need == "run"


def test_a_claim_about_gpus_alone_waits_for_one(bench):
    record = {"cpu": {"threads": 2}}
    claim = {"id": "c", "text": "t", "metric": "run", "kind": "bound", "at_most": 1e6}
    for name, need in (("gpu/lloyd/naive", "gpu"), ("cpu/lloyd/naive", "run"), (["gpu/a", "cpu/b"], "run")):
        where = {"implementation": name}
        found = judge_one(gather(bench.exhibit(), machine([line(packages=1)], record)), {**claim, "where": where})
        assert found.need == need


def test_what_could_not_fail_is_not_decided(bench):
    found = bench.judge(ladder(0.2, 0.1), **RATIO, at_least=1.0, by_construction="both are one kernel")
    assert (found.verdict, found.need) == (INCOMPARABLE, "construction")
    assert found.why == "by construction: both are one kernel"


@pytest.mark.parametrize(("made", "verdict"), [((5, 5), INCOMPARABLE), ((5, 4), FAILED), ((4, 4), REPRODUCED)])
def test_runs_that_end_at_their_limit_are_no_equal_numbers_of_iterations(bench, made, verdict):
    lines = [line(packages=p, iterations=n) for p, n in zip((1, 10), made, strict=True)]
    items = [{"packages": p} for p in (1, 10)]
    assert bench.judge(lines, kind="equality", metric="iterations", items=items).verdict == verdict


THREADS = TABLE + (
    '[[paper]]\nsource="printed"\nfields=["threads"]\nmetrics=["iteration"]\nrows=[["20", "1"]]\n'
    'match = { threads = { "20" = 0 } }\n'
)


@pytest.mark.parametrize(
    ("times", "claim", "verdict"),
    [
        ((1, 2), {**RATIO, "at_least": 1.0}, FAILED),
        ((1, 2), {**RATIO, "expect": 3.0, "within": 1.5}, FAILED),
        ((2, 1), {**RATIO, "at_most": 0.9}, FAILED),
        ((2, 1), {**RATIO, "at_least": 3.0}, TREND),
        ((1, 1), {**RATIO, "at_least": 1.0}, INCOMPARABLE),
        ((1, 3), {**RATIO, "expect": 0.98, "within": 1.3}, TREND),
        ((3, 1), {**RATIO, "expect": 0.98, "within": 1.3}, INCOMPARABLE),
        ((2, 1), {"kind": "order", "items": [{"packages": 1}, {"packages": 10}]}, FAILED),
        ((2, 1), {"kind": "trend", "along": "packages", "direction": "up"}, FAILED),
        ((1, 2), {"kind": "trend", "along": "packages", "direction": "down"}, FAILED),
        ((1, 2), {"kind": "trend", "along": "packages", "direction": "flat"}, INCOMPARABLE),
        ((1, 2), {"kind": "value", "where": {"packages": 1}, "expect": 900, "within": 1.1}, INCOMPARABLE),
    ],
)
def test_the_opposite_direction_shows_with_other_threads_too(bench, times, claim, verdict):
    lines = [line(packages=p, threads=0, seconds=s) for p, s in zip((1, 10), times, strict=True)]
    view = gather(bench.exhibit(THREADS), machine(lines, {"cpu": {"threads": 8}}))
    found = judge_one(view, {"id": "c", "text": "t", "metric": "iteration", **claim})
    assert found.verdict == verdict
    assert ("the opposite direction" in found.why) == (verdict == FAILED)
    assert "8 threads here, 20 in the paper" in found.why


CLAIMS = {
    f"{e.key}/{c['id']}": c
    for p in exhibits.load(ROOT / "papers")
    for e in p.exhibits
    for c in e.claims
    if p.key != "ours"
}


def test_no_paper_is_judged_by_absolute_times():
    """A newer machine would make them true for no merit of the code."""
    absolute = {
        name
        for name, claim in CLAIMS.items()
        if claim["kind"] in ("bound", "value", "mean", "share", "printed")
        and metric(claim["metric"]).unit in ("ms", "GB/s", "GFLOP/s")
    }
    assert absolute == set()


def test_a_printed_range_is_tested_on_both_sides():
    said = re.compile(r"(?:speedups between|spanning) ([\d.]+)(?: and |-)([\d.]+)")
    ranges = {name: said.search(claim["text"]) for name, claim in CLAIMS.items()}
    found = {name: tuple(map(float, match.groups())) for name, match in ranges.items() if match}
    assert len(found) >= 32
    assert {name: (CLAIMS[name].get("at_least"), CLAIMS[name].get("at_most")) for name in found} == found


CAUSE = {
    "text": "ours is {ratio} times as fast as theirs",
    "claims": ["table1/c"],
    "exhibit": "table1",
    "metric": "iteration",
    "theirs": 300.0,
    "gpu": "H200",
    "denominator": {"packages": 1},
}


@pytest.mark.parametrize(
    ("cause", "gpu", "expect", "said"),
    [
        (CAUSE, "NVIDIA H200", 1.0, "likely because ours is 15 times as fast as theirs"),
        (CAUSE, "NVIDIA H100", 1.0, ""),
        (CAUSE, None, 1.0, ""),
        (CAUSE, "NVIDIA H200", 20.0, ""),
        ({**CAUSE, "claims": ["table1/other"]}, "NVIDIA H200", 1.0, ""),
        ({**CAUSE, "denominator": {"packages": 7}}, "NVIDIA H200", 1.0, ""),
        ({"text": "it is known", "claims": ["table1/c"]}, None, 1.0, "likely because it is known"),
    ],
)
def test_the_likely_cause_of_what_is_not_reproduced_is_named(bench, cause, gpu, expect, said):
    """20 ms here, 300 ms theirs; no cause of what is reproduced, on another card, or of a line that is not there."""
    exhibit = replace(bench.exhibit(), record={"cause": [cause]})
    claim = {"id": "c", "text": "t", "metric": "iteration", "kind": "value", "expect": expect, "within": 1.5}
    view = gather(exhibit, machine([line(packages=1, seconds=0.1)], {"gpu": {"name": gpu}} if gpu else {}))
    found = judge_one(view, claim)
    assert (found.why, found.verdict) == (said, REPRODUCED if expect == 20.0 else FAILED)


def test_a_cause_is_of_claims_that_there_are():
    known = {f"{key.partition('/')[0]} {key.partition('/')[2]}" for key in CLAIMS}
    causes = [(p.key, one) for p in exhibits.load(ROOT / "papers") for one in p.record.get("cause", [])]
    named = {f"{key} {name}" for key, one in causes for name in one["claims"]}
    assert named and named <= known


def test_a_cause_whose_ratio_has_one_side_is_refused(bench):
    bench.exhibit()
    text = '[[cause]]\ntext = "t"\nclaims = ["table1/c"]\nexhibit = "table1"\nmetric = "run"\ndenominator = {}\n'
    unknown = text.replace('"run"', '"rum"') + "numerator = {}\n"
    for wrong_text, said in ((text, "needs numerator or theirs"), (unknown, "unknown metric 'rum'")):
        (bench.papers / "demo/paper.toml").write_text(wrong_text)
        with pytest.raises(UserError, match=said):
            exhibits.load(bench.papers)


PRINTED = TABLE + (
    '[[paper]]\nsource="printed"\nfields=["packages"]\nmetrics=["iteration", "assign"]\n'
    'rows=[[1, "20", ""], [10, "30", "–"], [100, "40", "5"]]\n'
)


@pytest.mark.parametrize(
    ("times", "within", "verdict", "measured", "why"),
    [
        ((0.1, 0.15, 0.2), 1.1, REPRODUCED, "3 of 3 printed values; ours 1.00 … 1.00 times theirs", ""),
        ((0.1, 0.15, 0.6), 1.1, FAILED, "2 of 3 printed values; ours 1.00 … 3.00 times theirs", ""),
        ((0.1, 0.15, 0.22), 1.1, NOISE, "2 of 3 printed values; ours 1.00 … 1.10 times theirs", ""),
        (
            (0.1, None, None),
            1.1,
            REPRODUCED,
            "1 of 1 printed values; ours 1.00 … 1.00 times theirs",
            "without a line: 2 of the printed values",
        ),
    ],
)
def test_every_printed_value_is_held_against_its_line(bench, times, within, verdict, measured, why):
    found = bench.judge(ladder(*times), PRINTED, kind="printed", within=within)
    assert (found.verdict, found.why) == (verdict, why)
    assert found.measured == measured or verdict == NOISE


def test_printed_values_without_any_line_say_why_and_stand_ins_do_not_count(bench):
    found = bench.judge([line(packages=7)], PRINTED, kind="printed", within=2.0)
    assert (found.verdict, found.need) == (INCOMPARABLE, "run")
    assert bench.judge(ladder(0.1), PRINTED, kind="printed", within=2.0, where={"packages": 3}).verdict == INCOMPARABLE
    text = PRINTED.replace('fields=["packages"]', 'fields=["dataset"]').replace("[1,", '["real",')
    exhibit = replace(bench.exhibit(text), record={"stand_ins": {"like": "real"}})
    claim = {"id": "c", "text": "t", "metric": "iteration", "kind": "printed", "within": 2.0}
    judged = judge_one(gather(exhibit, machine([line(dataset="like")])), {**claim, "where": {"dataset": "real"}})
    assert (judged.verdict, judged.need) == (INCOMPARABLE, "data real")
    judged = judge_one(gather(exhibit, machine([line(dataset="real")])), {**claim, "where": {"dataset": "real"}})
    assert judged.verdict == REPRODUCED


def test_several_lines_beside_a_printed_value_count_as_their_mean(bench):
    text = PRINTED.replace('fields=["packages"]', 'fields=["k"]').replace("[1,", "[4,")
    lines = [line(packages=p, seconds=s) for p, s in ((1, 0.05), (10, 0.15))]
    found = bench.judge(lines, text, kind="printed", within=1.5, where={"k": 4})
    assert found.measured == "1 of 1 printed values; ours 1.00 … 1.00 times theirs"


def test_a_case_that_two_sources_have_is_shown_once(bench):
    bench.exhibit(TABLE, "demo/source")
    bench.exhibit(TABLE, "demo/other")
    text = 'reuse = ["demo/source", "demo/other"]\n' + re.sub(r"\[\[sweep\]\].*?(?=\[profile)", "", TABLE, flags=re.S)
    lines = [line(f"demo/{name}", packages=p) for name in ("source", "other") for p in (1, 10)]
    view = bench.view([*lines, line("demo/other", packages=100)], text)
    assert sorted((one["exhibit"], one["parameters"]["packages"]) for one in view.lines) == [
        ("demo/other", 100),
        ("demo/source", 1),
        ("demo/source", 10),
    ]
    assert "Left out: 2 lines of cases that are here already." in view.left_out
