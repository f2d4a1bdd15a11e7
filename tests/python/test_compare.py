"""plots compare: pairs, verdicts, hidden times, Google Benchmark's JSON, bad input."""

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import cases, git
from synthetic import empty, line, samples, side, skipped, timed, wrong

from plots.__main__ import main
from plots.decide import compare
from plots.decide.change import of_samples
from plots.read import changes, sides
from plots.write import comparison


def compared(folder: Path, base: list[dict], new: list[dict]) -> compare.Comparison:
    return compare.compare(*(sides.read(side(folder, name, lines)) for name, lines in (("base", base), ("new", new))))


def in_pairs(folder: Path, base: list[dict], new: list[dict]) -> list[str]:
    """Writes both sides and returns their paths as arguments."""
    return [str(side(folder, name, lines)) for name, lines in (("base", base), ("new", new))]


def test_each_case_has_its_verdict(tmp_path):
    base = [timed(1, k=k) for k in (2, 3, 4, 5)]
    new = [timed(seconds, k=k) for k, seconds in ((2, 1.2), (3, 0.8), (4, 1.001), (5, 1))]
    new[3]["samples_s"] = samples(1, 12, 0.4)
    made = compared(tmp_path, base, new)
    assert [pair.verdict for pair in made.pairs] == ["slower", "faster", "same", "undecided"]
    slower = made.pairs[0].change
    assert slower.ratio.low < 1.2 < slower.ratio.high and slower.ratio.value == pytest.approx(1.2, rel=0.01)
    assert made.pairs[0].p < 0.05 < made.pairs[3].p
    assert made.slower == [made.pairs[0]] and made.code == 1


def test_cases_pair_by_their_parameters_and_lonely_ones_are_counted(tmp_path, output):
    base = [timed(1, packages=1), timed(1, packages=10), timed(1, precision="fp64")]
    new = [timed(1, packages=10), timed(1, packages=1), timed(1, tolerance=0.5), timed(1, sigma2=2)]
    shown = output("compare", *in_pairs(tmp_path, base, new), code=3)
    assert "Cannot decide: new lacks 1 case of base" in shown
    assert "2 pairs: " in shown and "Only in base: 1 case. Only in new: 2 cases." in shown
    assert "| base | cpu/lloyd/two_step | 1 |" in shown and "| new | cpu/lloyd/two_step | 2 |" in shown


def test_two_medians_are_the_ratio_and_order_of_runs_is_nothing(tmp_path):
    change = of_samples([3, 1, 2, 5, 4, 6], [60, 10, 20, 40, 50, 30])
    assert change.ratio.value == pytest.approx(10)
    assert change.p == pytest.approx(2 / math.comb(12, 6))
    assert change == of_samples(sorted([3, 1, 2, 5, 4, 6]), sorted([60, 10, 20, 40, 50, 30]))


def test_many_cases_need_more_evidence_than_one(tmp_path):
    alone = compared(tmp_path / "a", [timed(1, 5)], [timed(1.2, 5)])
    assert alone.pairs[0].verdict == "slower"
    ks = range(2, 102)
    among = compared(tmp_path / "b", [timed(1, 5, k=k) for k in ks], [timed(1.2 if k == 2 else 1, 5, k=k) for k in ks])
    (pair,) = [pair for pair in among.pairs if "/k:2/" in pair.name]
    assert (pair.verdict, pair.detectable) == ("undecided", None)


def test_a_wrong_result_has_no_time_and_fails(tmp_path, output):
    """The line holds samples although its result is wrong."""
    lied = {**wrong("label 3 is wrong", k=3), "exhibit": None, "samples_s": samples(0.123456)}
    base, new = [timed(1), timed(0.123456, k=3)], [timed(1), lied]
    paths = in_pairs(tmp_path, base, new)
    files = [tmp_path / f"out{ending}" for ending in (".md", ".csv", ".tex")]
    shown = output("compare", *paths, "--all", *(f"--out={file}" for file in files), code=1)
    assert "no time now" in shown and "label 3 is wrong" in shown
    assert files[1].read_text().startswith("implementation,case,base,base_low,base_high,new,")
    for text in (shown, *(file.read_text() for file in files)):
        assert "123.4" not in text and "0.123" not in text
    assert "123" not in output("compare", "--rank", paths[1]).replace(str(tmp_path), "")


@cases(
    "new verdict code",
    (timed(0.5, grade="coarse"), "coarse now", 1),
    ({**skipped("no GPU"), "exhibit": None}, "no time", 3),
    (timed(0.5, hash="f" * 32), "another task", 3),
)
def test_incomparable_cases_are_not_compared(tmp_path, output, new, verdict, code):
    shown = output("compare", *in_pairs(tmp_path, [timed(1)], [new]), "--all", code=code)
    assert f"1 {verdict}" in shown and ("† coarse" in shown) == (verdict == "coarse now")
    assert "500" not in shown.replace(str(tmp_path), "")


@cases("slower threshold code", (1.04, "5", 0), (1.04, "3%", 1), (1.2, "5", 1), (0.8, "5", 0))
def test_the_exit_code_tells_a_regression_past_the_threshold(tmp_path, slower, threshold, code):
    paths = in_pairs(tmp_path, [timed(1)], [timed(slower)])
    assert main(["compare", *paths, "--threshold", threshold]) == code


@cases(
    "base new said",
    ({}, {"dirty": True}, "New has uncommitted changes"),
    ({"dirty": True}, {}, "Base has uncommitted changes"),
    ({"dirty": True}, {"dirty": True}, "Both sides have uncommitted changes"),
    ({}, {}, ""),
    ({"commit": "f" * 16}, {"dirty": True}, ""),
    ({"commit": None}, {"commit": None, "dirty": True}, ""),
)
def test_a_build_with_changes_beside_its_own_commit(tmp_path, base, new, said):
    verdict = comparison.conclusion(compared(tmp_path, [timed(1, **base)], [timed(1, **new)]))
    told = f" Both sides are commit 0123456789. {said}: the verdict is about these." if said else ""
    assert re.fullmatch(r"No regression of 5%: at most \d\.\d% slower\." + re.escape(told), verdict)


def test_one_run_a_side_decides_nothing_for_an_implementation(tmp_path):
    made = compared(tmp_path, [timed(1, k=k) for k in range(2, 12)], [timed(1.2, k=k) for k in range(2, 12)])
    assert {pair.verdict for pair in made.pairs} == {"slower"}
    assert [(group.verdict, group.change) for group in made.groups] == [("undecided", None)]
    assert made.groups[0].ratio.value == pytest.approx(1.2)


def test_the_environment_comes_first(tmp_path, output):
    base = side(tmp_path, "base", [timed(1, commit="a" * 12)])
    new = side(tmp_path, "new", [timed(1, commit="b" * 12)], {"cpu": {"model": "Another 1", "threads": 2}})
    shown = output("compare", base, new, "--markdown")
    assert shown.index("| cpu.model | Made-up 9000 | Another 1 |") < shown.index("1 pair: ")
    assert f"| commit | {'a' * 12} | {'b' * 12} |" in shown
    assert "cpu.threads" not in shown and "Not the code's change alone: cpu.model differ" in shown


def test_a_ranking_is_over_the_problems_that_all_have_solved(tmp_path, output):
    def of(name: str, **times: float) -> list[dict]:
        return [timed(seconds, implementation=name, k=int(k[1:])) for k, seconds in times.items()]

    lines = of("cpu/a", k2=1, k3=4, k4=9) + of("cpu/b", k2=2, k3=2) + of("cpu/c", k5=1)
    lines += [timed(0.1, implementation="cpu/d", k=2, grade="coarse")]
    lines += [timed(1.5, implementation="cpu/b", k=2, packages=7), timed(9, implementation="cpu/a", k=2, packages=7)]
    (found,) = compare.rankings(sides.read(side(tmp_path, "base", lines)).cases.values())
    assert found.problems == 2 and found.left_out == {"cpu/c": 1}
    places = {place.implementation: place for place in found.places}
    assert places.keys() == {"cpu/a", "cpu/b"}, "coarse results do not count"
    assert places["cpu/a"].mean == pytest.approx(math.sqrt(2), rel=0.01)
    assert places["cpu/b"].mean == pytest.approx(math.sqrt(1.5), rel=0.01), "the faster of its parameter values"
    assert [place.first for place in found.places] == [1, 1]
    shown = output("compare", "--rank", tmp_path / "base")
    assert shown.index("| 1 | cpu/b |") < shown.index("| 2 | cpu/a |") and "cpu/c (1 problem)" in shown


def google(times: dict[str, list[float]], **more) -> str:
    runs = [
        {"name": name, "run_name": name, "run_type": "iteration", "real_time": t, "cpu_time": t, "time_unit": "us"}
        for name, found in times.items()
        for t in found
    ]
    means = [{**run, "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1e9} for run in runs[:1]]
    return json.dumps({"context": {"host_name": "there"}, "benchmarks": [*runs, *means, *more.get("also", [])]})


def test_google_benchmarks_json_is_read(tmp_path, output):
    failed = {"name": "BM_c", "run_type": "iteration", "error_occurred": True, "error_message": "too large"}
    base = google({"BM_a/8": samples(5), "BM_b": samples(7), "BM_c": samples(3)})
    new = google({"BM_a/8": samples(10), "BM_b": samples(7)}, also=[failed])
    for name, text in (("base.json", base), ("new.json", new)):
        (tmp_path / name).write_text(text)
    shown = output("compare", tmp_path / "base.json", tmp_path / "new.json", "--all", code=1)
    assert "3 pairs: 1 slower · 1 no time now · 1 same within 2%" in shown
    assert "| BM_a | 8 | 0.00499" in shown and "new: failed: too large" in shown
    assert sides.read(tmp_path / "base.json").cases["BM_b"].samples == pytest.approx([t * 1e-6 for t in samples(7)])


@cases(
    "new runs code said",
    ([120, 121, 119], 3, 3, "Cannot decide: 3 runs a side, 5 are needed (1 of 2 cases). The largest ratio is 1.2"),
    ([120, 121, 119, 122, 118], 5, 1, "Regression past 5%: BM_a, 1.2"),
    ([100, 101, 99], 3, 0, "No regression of 5%: at most "),
)
def test_too_few_runs_cannot_decide_and_are_no_green_light(tmp_path, output, new, runs, code, said):
    base = [100, 101, 99, 100.5, 99.5][:runs]
    for name, a in (("base.json", base), ("new.json", new)):
        (tmp_path / name).write_text(google({"BM_a": a, "BM_b": base}))
    assert said in output("compare", tmp_path / "base.json", tmp_path / "new.json", code=code)


def test_an_interval_below_the_threshold_is_not_slower(tmp_path):
    base = [line(None, samples_s=samples(1, 12, 0.06))]
    made = compared(tmp_path, base, [line(None, samples_s=samples(1.01, 12, 0.06))])
    low, high = made.pairs[0].change.ratio.range
    assert low < 1 < 1.02 < high < 1.05 and made.pairs[0].verdict == compare.NOT_SLOWER
    assert comparison.summary(made) == "1 pair: 1 not slower than 5%."
    wide = [line(None, samples_s=samples(1.01, 12, 0.4))]
    made = compared(tmp_path / "wide", base, wide)
    assert made.pairs[0].verdict == compare.UNDECIDED and made.code == 0
    assert comparison.conclusion(made) == "No regression past 5% was seen; 1 case may hide one."


@cases(
    "seen told",
    ([0.088], "Of 1 undecided case a change of 8.8% would have been seen."),
    ([0.2, 0.1, None], "Of 2 undecided cases a change of 10.0% to 20.0% would have been seen (15.0% by the median)."),
    ([None], ""),
)
def test_the_changes_that_would_have_been_seen(seen, told):
    pairs = [SimpleNamespace(verdict=compare.UNDECIDED, detectable=one) for one in seen]
    assert comparison.sight(SimpleNamespace(pairs=pairs)) == told


def test_json_holds_every_case_and_the_code(tmp_path, output):
    paths = in_pairs(tmp_path, [timed(1), timed(1, k=3)], [timed(1.2), timed(1, k=3)])
    found = json.loads(output("compare", *paths, "--json", code=1))
    assert (found["code"], len(found["cases"]), found["files"]) == (1, 2, [])
    (slower,) = [one for one in found["cases"] if one["verdict"] == "slower"]
    assert 1.1 < slower["low"] < slower["ratio"] < slower["high"] and slower["p"] < 0.05
    assert slower["new_s"] / slower["base_s"] == pytest.approx(slower["ratio"])
    assert "Regression past 5%" in found["conclusion"]
    main(["compare", *paths, f"--out={tmp_path / 'x.json'}"])
    assert json.loads((tmp_path / "x.json").read_text()) == found


def test_annotations_name_the_file_of_the_implementation(tmp_path, output):
    paths = in_pairs(tmp_path, [timed(1)], [timed(1.2)])
    shown = output("compare", *paths, "--annotations", code=1).splitlines()
    (error,) = [text for text in shown if text.startswith("::error ")]
    place = "file=impl/cpu/lloyd/two_step.cpp,line=1"
    assert error.startswith(f"::error {place},title=Slower by 5%25 or more%2C or without")
    assert "times the time" in error
    same = in_pairs(tmp_path / "same", [timed(1)], [timed(1)])
    assert "::notice title=kmbench compare::No regression of 5%25" in output("compare", *same, "--annotations")


def test_the_changed_files_stand_beside_the_commits(tmp_path):
    git(tmp_path, "init", "-q")
    commits = []
    for text in ("1\n", "1\n2\n3\n"):
        (tmp_path / "naive.cpp").write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", text)
        commits.append(git(tmp_path, "rev-parse", "--short=12", "HEAD"))
    base, new = (sides.Side("", {}, {"commit": commit, "dirty": "False"}) for commit in commits)
    assert changes.changed(base, new, tmp_path) == [changes.Changed("naive.cpp", 2, 0)]
    (tmp_path / "naive.cpp").write_text("1\n")
    assert changes.changed(base, new, tmp_path) == [changes.Changed("naive.cpp", 2, 0)], "what was committed"
    dirty = sides.Side("", {}, {"commit": commits[1], "dirty": "True"})
    assert changes.changed(new, dirty, tmp_path) == [changes.Changed("naive.cpp", 0, 2)], "with what is not"
    several = sides.Side("", {}, {"commit": ", ".join(commits), "dirty": "False"})
    assert changes.changed(base, several, tmp_path) == changes.changed(base, new, tmp_path / "nowhere") == []
    assert (changes.ROOT / "plots").is_dir(), "else no file that differs is ever named"


def test_a_round_without_a_time_counts_on_neither_side():
    base = SimpleNamespace(rounds={"1": [2.0, 1.0], "2": [0.0, 1.0]})
    new = SimpleNamespace(rounds={"1": [4.0], "2": [1.0]})
    assert compare.least_runs(base, new) == {"1": (0.0, math.log(4))}
    assert compare.least_runs(new, base) == {"1": (math.log(4), 0.0)}


def crashed(of: dict) -> dict:
    """The line of this case if its process dies: it lacks the settings of its points."""
    points = {**of["dataset"], "hash": None, "generator": None}
    return {**of, **empty(), "failure": "died of signal 11", "verdict": None, "dataset": points}


def test_a_case_that_now_crashes_is_a_regression_whatever_its_line_lacks(tmp_path, output):
    base, new = [timed(1, sigma2=2), timed(1, k=3)], [crashed(timed(1, sigma2=2)), timed(1, k=3)]
    shown = output("compare", *in_pairs(tmp_path, base, new), code=1)
    assert "2 pairs: 1 no time now" in shown and "died of signal 11" in shown and "Only in" not in shown
    back = compared(tmp_path / "back", new, base)
    assert sorted(pair.verdict for pair in back.pairs) == ["no time", "same"] and back.code == 0
    assert not compared(tmp_path / "both", new, new).only_base


def test_a_crash_in_one_round_leaves_the_case_without_a_time(tmp_path):
    for name, broken in (("base", 0), ("new", 3)):
        for at in range(1, 9):
            made = timed(1 + 0.001 * at, 5, sigma2=2)
            side(tmp_path / name, f"{at:04}", [crashed(made) if at == broken else made])
    made = compare.compare(sides.read(tmp_path / "base"), sides.read(tmp_path / "new"))
    assert [pair.verdict for pair in made.pairs] == ["no time now"] and made.code == 1


def test_a_case_that_new_skips_is_as_good_as_missing(tmp_path, output):
    refused = {**skipped("too large", k=3), "exhibit": None}
    paths = in_pairs(tmp_path, [timed(1), timed(1, k=3)], [timed(1), refused])
    assert "Cannot decide: new lacks 1 case of base, such as cpu/lloyd/two_step/" in output("compare", *paths, code=3)


def test_the_newest_line_of_a_name_counts_alone(tmp_path):
    """Another recipe of the points makes another case of the same name."""
    old = {**timed(9, grade="coarse", hash="e" * 32, iterations=4), "case": "e" * 16, "date": "2023-01-01T00:00:00Z"}
    lost = {**wrong("label 3 is wrong", k=3), "exhibit": None, "case": "d" * 16, "date": "2023-01-01T00:00:00Z"}
    for at, base in enumerate(([old, lost, timed(1), timed(1, k=3)], [timed(1), timed(1, k=3), lost, old])):
        made = compared(tmp_path / str(at), base, [timed(1), timed(1, k=3)])
        assert [(pair.verdict, pair.why) for pair in made.pairs] == [("same", "")] * 2
        assert not any(pair.base.coarse for pair in made.pairs)
