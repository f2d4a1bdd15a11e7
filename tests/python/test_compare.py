"""Two states held against each other: pairs, verdicts, what may not be shown, other formats, bad input."""

from __future__ import annotations

import json
import math
import os
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import synthetic
from synthetic import line, skipped, wrong

from plots.__main__ import main
from plots.decide import compare, rank
from plots.decide.change import Change, holm, of_samples
from plots.decide.rounds import of_rounds, p_of, quietness
from plots.read import sides
from plots.write import comparison

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / os.environ.get("KMBENCH_BUILD", "build") / "kmbench"
RECORD = {"id": "demo", "cpu": {"model": "Made-up 9000", "threads": 2}}


def samples(middle: float, count: int = 12, spread: float = 0.01) -> list[float]:
    """About the middle, never twice the same."""
    return [middle * (1 + spread * (((i * 7) % count) / count - 0.5)) for i in range(count)]


def timed(seconds: float, count: int = 12, **fields) -> dict:
    return line(None, samples_s=samples(seconds, count), **fields)


def side(folder: Path, name: str, lines: list[dict], record: dict | None = None) -> Path:
    return synthetic.write(folder, name, lines, {**RECORD, **(record or {})}) / name


def compared(folder: Path, base: list[dict], new: list[dict]) -> compare.Comparison:
    return compare.compare(*(sides.read(side(folder, name, lines)) for name, lines in (("base", base), ("new", new))))


def verdicts(made: compare.Comparison) -> dict[str, str]:
    return {pair.name.split("/blobs")[0].split("/balls")[0]: pair.verdict for pair in made.pairs}


# ---- verdicts -----------------------------------------------------------------------------------------------


def test_what_became_of_each_case(tmp_path: Path) -> None:
    base = [timed(1, k=k) for k in (2, 3, 4, 5)]
    new = [timed(seconds, k=k) for k, seconds in ((2, 1.2), (3, 0.8), (4, 1.001), (5, 1))]
    new[3]["samples_s"] = samples(1, 12, 0.4)
    made = compared(tmp_path, base, new)
    assert [pair.verdict for pair in made.pairs] == ["slower", "faster", "same", "undecided"]
    slower = made.pairs[0].change
    assert slower.ratio.low < 1.2 < slower.ratio.high and slower.ratio.value == pytest.approx(1.2, rel=0.01)
    assert made.pairs[0].p < 0.05 < made.pairs[3].p
    assert made.regressions == [made.pairs[0].name]


def test_cases_pair_by_their_parameters_and_lonely_ones_are_counted(tmp_path: Path, capsys) -> None:
    base = [timed(1, packages=1), timed(1, packages=10), timed(1, precision="fp64")]
    new = [timed(1, packages=10), timed(1, packages=1), timed(1, tolerance=0.5), timed(1, sigma2=2)]
    paths = side(tmp_path, "base", base), side(tmp_path, "new", new)
    assert main(["compare", *map(str, paths)]) == 0
    shown = capsys.readouterr().out
    assert "2 pairs: " in shown and "Only in base: 1 case. Only in new: 2 cases." in shown
    assert "| base | cpu/lloyd/two_step | 1 |" in shown and "| new | cpu/lloyd/two_step | 2 |" in shown


def test_two_medians_are_the_ratio_and_order_of_runs_is_nothing(tmp_path: Path) -> None:
    change = of_samples([3, 1, 2, 5, 4, 6], [60, 10, 20, 40, 50, 30])
    assert change.ratio.value == pytest.approx(10)
    assert change.p == pytest.approx(2 / math.comb(12, 6))
    assert change == of_samples(sorted([3, 1, 2, 5, 4, 6]), sorted([60, 10, 20, 40, 50, 30]))


def test_a_correction_for_the_number_of_cases_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1, 1]
    assert holm([]) == []


def test_many_cases_need_more_evidence_than_one(tmp_path: Path) -> None:
    alone = compared(tmp_path / "a", [timed(1, 5)], [timed(1.2, 5)])
    assert alone.pairs[0].verdict == "slower"
    ks = range(2, 102)
    among = compared(tmp_path / "b", [timed(1, 5, k=k) for k in ks], [timed(1.2 if k == 2 else 1, 5, k=k) for k in ks])
    (pair,) = [pair for pair in among.pairs if "/k:2/" in pair.name]
    assert (pair.verdict, pair.detectable) == ("undecided", None)


def test_a_wrong_result_has_no_time_and_fails(tmp_path: Path, capsys) -> None:
    """Also where a line holds samples that it may not have."""
    lied = {**wrong("label 3 is wrong", k=3), "exhibit": None, "samples_s": samples(0.123456)}
    base, new = [timed(1), timed(0.123456, k=3)], [timed(1), lied]
    paths = [str(side(tmp_path, name, lines)) for name, lines in (("base", base), ("new", new))]
    files = [tmp_path / f"out{ending}" for ending in (".md", ".csv", ".tex")]
    assert main(["compare", *paths, "--all", *(f"--out={file}" for file in files)]) == 1
    shown = capsys.readouterr().out
    assert "no time now" in shown and "label 3 is wrong" in shown
    for text in (shown, *(file.read_text() for file in files)):
        assert "123.4" not in text and "0.123" not in text
    assert main(["compare", "--rank", paths[1]]) == 0
    assert "123" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("new", "verdict", "code"),
    [
        (timed(0.5, grade="coarse"), "coarse now", 1),
        ({**skipped("no GPU"), "exhibit": None}, "no time", 0),
        (timed(0.5, hash="f" * 32), "another task", 0),
    ],
)
def test_what_cannot_be_compared_is_not(tmp_path: Path, capsys, new: dict, verdict: str, code: int) -> None:
    paths = [str(side(tmp_path, name, [one])) for name, one in (("base", timed(1)), ("new", new))]
    assert main(["compare", *paths, "--all"]) == code
    shown = capsys.readouterr().out
    assert f"1 {verdict}" in shown and "500" not in shown


@pytest.mark.parametrize(
    ("slower", "threshold", "code"), [(1.04, "5", 0), (1.04, "3%", 1), (1.2, "5", 1), (0.8, "5", 0)]
)
def test_the_exit_code_tells_a_regression_past_the_threshold(
    tmp_path: Path, slower: float, threshold: str, code: int
) -> None:
    paths = [str(side(tmp_path, name, [timed(s)])) for name, s in (("base", 1), ("new", slower))]
    assert main(["compare", *paths, "--threshold", threshold]) == code


@pytest.mark.parametrize(
    ("base", "new", "said"),
    [
        ({}, {"dirty": True}, "New has uncommitted changes"),
        ({"dirty": True}, {}, "Base has uncommitted changes"),
        ({"dirty": True}, {"dirty": True}, "Both sides have uncommitted changes"),
        ({}, {}, ""),
        ({"commit": "f" * 16}, {"dirty": True}, ""),
        ({"commit": None}, {"commit": None, "dirty": True}, ""),
    ],
)
def test_a_build_with_changes_beside_its_own_commit(tmp_path: Path, base: dict, new: dict, said: str) -> None:
    verdict = comparison.conclusion(compared(tmp_path, [timed(1, **base)], [timed(1, **new)]))
    commit = "Both sides are commit 0123456789."
    assert verdict == " ".join(
        ["No regression past 5% was seen.", *([f"{commit} {said}: the verdict is about these."] if said else [])]
    )


# ---- rounds -------------------------------------------------------------------------------------------------


def in_rounds(folder: Path, name: str, cases: dict[str, list[float]]) -> Path:
    """A folder of rounds, each value of a case being what one round measured."""
    for at in range(len(next(iter(cases.values())))):
        lines = [line(None, samples_s=samples(values[at], 5), k=int(k)) for k, values in cases.items()]
        side(folder / name, f"{at:02}", lines)
    return folder / name


def logs_of(logs: list[float]) -> Change:
    """The change of one case, of rounds that are as quiet as each other."""
    return of_rounds(-np.array([logs]) / 2, np.array([logs]) / 2)


def test_flipped_signs_are_counted_as_trying_all_of_them() -> None:
    scores = np.array([3.0, -1, 4, 1, -5, 9, 2, 6, 5])
    tried = [abs(sum(s * x for s, x in zip(signs, scores, strict=True))) for signs in product((-1, 1), repeat=9)]
    assert p_of(scores) == pytest.approx(np.mean([one >= abs(scores.sum()) for one in tried]), rel=0.02)
    assert p_of(np.ones(6)) == 2 / 2**6
    assert p_of(np.ones(200)) == pytest.approx(2 / 2**200)
    assert p_of(np.zeros(8)) == 1


def test_the_estimate_lies_in_its_interval_and_none_in_all_rounds_is_none() -> None:
    change = logs_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    low, middle, high = (math.log(v) for v in (change.ratio.low, change.ratio.value, change.ratio.high))
    assert 0.1 <= low < 0.2 < middle < 0.5 < high <= 0.6
    assert change.p == pytest.approx(2 / 2**6)
    assert logs_of([0.0] * 8).p == 1 and logs_of([0.0] * 8).ratio.range == (1, 1)


def test_the_interval_holds_the_change_that_is_there() -> None:
    """Heavy tails, and machine states that both programs share."""
    draw = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        states = draw.exponential(0.3, (4, 14))
        before, after = (states + 0.02 * draw.standard_t(2, (4, 14)) for _ in range(2))
        change = of_rounds(before, after + math.log(1.1))
        held += change.ratio.low <= 1.1 <= change.ratio.high
    assert 0.91 < held / 200 < 0.99


def test_rounds_in_which_both_were_quiet_count_for_more() -> None:
    before, after = np.array([[0.0, 0, 0.5, 0.1]]), np.array([[0.0, 0.1, 0.5, 0.0]])
    weights = quietness(before, after)
    assert weights[0] == pytest.approx([1, 0.5, 1 / 11, 0.5])
    assert (quietness(after, before) == weights).all(), "which program was which is not in it"


def test_what_falls_on_both_programs_alike_is_no_change(tmp_path: Path) -> None:
    """The machine is half as fast in half of the rounds; the new program is 3% slower in each."""
    drift = [1.0 + (at % 3) + 0.001 * at for at in range(12)]
    base, new = ({"2": [factor * d for d in drift], "3": drift} for factor in (1, 1.03))
    base, new = in_rounds(tmp_path, "base", base), in_rounds(tmp_path, "new", new)
    made = compare.compare(sides.read(base), sides.read(new))
    assert [pair.verdict for pair in made.pairs] == ["slower", "same"]
    assert made.pairs[0].change.ratio.value == pytest.approx(1.03)


def test_cases_of_one_implementation_speak_together(tmp_path: Path) -> None:
    """They are one number a round, which tells more than any of them."""
    random = np.random.default_rng(5)
    cases = {str(k): np.exp(random.normal(0, 0.04, 20)) for k in range(2, 14)}
    slower = {k: 1.03 * np.exp(random.normal(0, 0.04, 20)) for k in cases}
    base, new = (in_rounds(tmp_path, name, found) for name, found in (("base", cases), ("new", slower)))
    made = compare.compare(sides.read(base), sides.read(new))
    (group,) = made.groups
    assert (group.verdict, group.cases) == ("slower", 12)
    assert 1.015 < group.change.ratio.value < 1.045
    assert group.detectable < min(pair.detectable for pair in made.pairs)


def test_no_more_than_one_table_in_twenty_blames_anything(tmp_path: Path) -> None:
    """Cases and implementations share that chance, where an implementation is more than its one case."""
    random = np.random.default_rng(8)
    cases = {str(k): np.exp(random.normal(0, 0.04, 8)) for k in range(2, 4)}
    base, new = (in_rounds(tmp_path, name, found) for name, found in (("base", cases), ("new", cases)))
    both = [sides.read(path) for path in (base, new)]
    assert compare.compare(*both).families == 2
    alone = compare.compare(*(replace(side, cases=dict([*side.cases.items()][:1])) for side in both))
    assert alone.families == 1


def test_what_lies_within_the_band_is_never_called_another(tmp_path: Path) -> None:
    """1% slower in every round, of which two in three show it: a change beyond doubt, and of no interest."""
    cases = {"2": [1.0 + 0.1 * (at % 2) for at in range(24)]}
    slower = {"2": [value * (1.04 if at % 3 == 0 else 1.01) for at, value in enumerate(cases["2"])]}
    base, new = (sides.read(in_rounds(tmp_path, name, found)) for name, found in (("base", cases), ("new", slower)))
    for within, verdict in ((0.02, "undecided"), (0.005, "slower"), (0.05, "same")):
        (pair,) = compare.compare(base, new, within).pairs
        assert pair.p < 0.001 and pair.verdict == verdict


def test_one_run_a_side_decides_nothing_for_an_implementation(tmp_path: Path) -> None:
    made = compared(tmp_path, [timed(1, k=k) for k in range(2, 12)], [timed(1.2, k=k) for k in range(2, 12)])
    assert {pair.verdict for pair in made.pairs} == {"slower"}
    assert [(group.verdict, group.change) for group in made.groups] == [("undecided", None)]
    assert made.groups[0].ratio == pytest.approx(1.2)


def test_the_smallest_change_is_one_that_is_seen_four_times_of_five() -> None:
    random = np.random.default_rng(11)
    noise = 0.03
    told = np.median([logs_of(random.normal(0, noise, 20)).detectable(1) for _ in range(100)])
    seen = np.mean([logs_of(random.normal(math.log1p(told), noise, 20)).p < 0.05 for _ in range(400)])
    assert 0.7 < seen < 0.9
    assert logs_of(random.normal(0, noise, 20)).detectable(100) > told
    assert logs_of(random.normal(0, noise, 8)).detectable(100) is None, "2^-7 is not 0.05 / 100"


# ---- what is shown ------------------------------------------------------------------------------------------


def test_the_environment_comes_first(tmp_path: Path, capsys) -> None:
    base = side(tmp_path, "base", [timed(1, commit="a" * 12)])
    new = side(tmp_path, "new", [timed(1, commit="b" * 12)], {"cpu": {"model": "Another 1", "threads": 2}})
    assert main(["compare", str(base), str(new), "--markdown"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("| cpu.model | Made-up 9000 | Another 1 |") < shown.index("1 pair: ")
    assert f"| commit | {'a' * 12} | {'b' * 12} |" in shown
    assert "cpu.threads" not in shown and "Not the code's change alone: cpu.model differ" in shown


def test_the_same_bytes_twice(tmp_path: Path) -> None:
    base, new = (side(tmp_path, name, [timed(s), timed(s, k=9)]) for name, s in (("base", 1), ("new", 1.3)))
    for at in ("1", "2"):
        files = [f"--out={tmp_path / at}{ending}" for ending in (".md", ".csv", ".tex")]
        assert main(["compare", str(base), str(new), *files]) == 1
    for ending in (".md", ".csv", ".tex"):
        assert (tmp_path / f"1{ending}").read_bytes() == (tmp_path / f"2{ending}").read_bytes()
    assert (tmp_path / "1.csv").read_text().startswith("implementation,case,base,base_low,base_high,new,")
    assert "slower" in (tmp_path / "1.tex").read_text()


def test_a_ranking_is_over_what_all_have_solved(tmp_path: Path, capsys) -> None:
    def of(name: str, **times: float) -> list[dict]:
        return [timed(seconds, implementation=name, k=int(k[1:])) for k, seconds in times.items()]

    lines = of("cpu/a", k2=1, k3=4, k4=9) + of("cpu/b", k2=2, k3=2) + of("cpu/c", k5=1)
    lines += [timed(0.1, implementation="cpu/d", k=2, grade="coarse")]
    lines += [timed(1.5, implementation="cpu/b", k=2, packages=7), timed(9, implementation="cpu/a", k=2, packages=7)]
    found = rank.ranking(sides.read(side(tmp_path, "base", lines)).cases.values())
    assert found.problems == 2 and found.left_out == {"cpu/c": 1}
    places = {place.implementation: place for place in found.places}
    assert places.keys() == {"cpu/a", "cpu/b"}, "a coarse result takes no part"
    assert places["cpu/a"].mean == pytest.approx(math.sqrt(2), rel=0.01)
    assert places["cpu/b"].mean == pytest.approx(math.sqrt(1.5), rel=0.01), "the faster of its parameter values"
    assert [place.first for place in found.places] == [1, 1]
    assert main(["compare", "--rank", str(tmp_path / "base")]) == 0
    shown = capsys.readouterr().out
    assert shown.index("| 1 | cpu/b |") < shown.index("| 2 | cpu/a |") and "cpu/c (1 problem)" in shown


# ---- Google Benchmark's JSON --------------------------------------------------------------------------------


def google(times: dict[str, list[float]], **more) -> str:
    runs = [
        {"name": name, "run_name": name, "run_type": "iteration", "real_time": t, "cpu_time": t, "time_unit": "us"}
        for name, found in times.items()
        for t in found
    ]
    means = [{**run, "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1e9} for run in runs[:1]]
    return json.dumps({"context": {"host_name": "there"}, "benchmarks": [*runs, *means, *more.get("also", [])]})


def test_google_benchmarks_json_is_read(tmp_path: Path, capsys) -> None:
    failed = {"name": "BM_c", "run_type": "iteration", "error_occurred": True, "error_message": "too large"}
    base = google({"BM_a/8": samples(5), "BM_b": samples(7), "BM_c": samples(3)})
    new = google({"BM_a/8": samples(10), "BM_b": samples(7)}, also=[failed])
    for name, text in (("base.json", base), ("new.json", new)):
        (tmp_path / name).write_text(text)
    assert main(["compare", str(tmp_path / "base.json"), str(tmp_path / "new.json"), "--all"]) == 1
    shown = capsys.readouterr().out
    assert "3 pairs: 1 slower · 1 no time now · 1 same within 2%" in shown
    assert "| BM_a | 8 | 0.00499" in shown and "new: failed: too large" in shown
    assert sides.read(tmp_path / "base.json").cases["BM_b"].samples == pytest.approx([t * 1e-6 for t in samples(7)])


@pytest.mark.skipif(not BUILT.exists(), reason=f"no {BUILT}")
def test_an_export_pairs_with_its_lines(tmp_path: Path) -> None:
    base = side(
        tmp_path, "base", [timed(1, packages=3, sigma=0.5), line("demo/t", samples_s=samples(2), tolerance=1e-3)]
    )
    files = [str(path) for path in sorted(base.glob("*.jsonl"))]
    subprocess.run([BUILT, "export", *files, "--out", tmp_path / "new.json"], check=True)
    lines, exported = sides.read(base), sides.read(tmp_path / "new.json")
    assert lines.cases.keys() == exported.cases.keys() and len(lines.cases) == 2
    made = compare.compare(lines, exported)
    assert [pair.change.ratio.value for pair in made.pairs] == [1, 1]
    assert {case.implementation for case in exported.cases.values()} == {
        "cpu/lloyd/two_step",
        "demo/t/cpu/lloyd/two_step",
    }


# ---- the program, and bad input -----------------------------------------------------------------------------


@pytest.mark.skipif(not BUILT.exists(), reason=f"no {BUILT}")
def test_kmbench_compare_starts_it(tmp_path: Path) -> None:
    base, new = (side(tmp_path, name, [timed(s)]) for name, s in (("base", 1), ("new", 1.3)))

    def ran(*words: object, home: Path = ROOT) -> subprocess.CompletedProcess[str]:
        command = [BUILT, "compare", *map(str, words)]
        environment = {**os.environ, "KMBENCH_HOME": str(home)}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert (ran("base", "new", "--threshold", 40).returncode, ran("base", "new").returncode) == (0, 1)
    assert "1 pair: 1 slower" in ran(base, new).stdout
    assert "--threshold" in ran("--help").stdout
    for folder in ("datasets", "papers"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    nothing = ran("base", "new", home=tmp_path / "home")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert nothing.stderr.startswith("kmbench: compare is Python") and nothing.stderr.count("\n") == 1


GOOD, NONE = "good.jsonl", "none.jsonl"
BAD = {
    "one side": ([GOOD], "takes BASE and NEW"),
    "three sides": ([GOOD, GOOD, GOOD], "takes BASE and NEW"),
    "no such file": ([GOOD, NONE], "none.jsonl: no such file or folder"),
    "an empty folder": ([GOOD, "empty"], "empty: holds no .jsonl"),
    "an empty file": ([GOOD, "empty.jsonl"], "empty.jsonl: holds no case"),
    "broken lines": ([GOOD, "broken.jsonl"], r"broken.jsonl:1: not JSON"),
    "other JSON": ([GOOD, "other.json"], "no array of benchmarks"),
    "a benchmark without a time": ([GOOD, "timeless.json"], "real_time is null"),
    "a unit that is a list": ([GOOD, "listed.json"], 'time_unit is ["ns"]; accepted: ns, us, ms, s'),
    "an unknown unit": ([GOOD, "hours.json"], 'time_unit is "h"; accepted: ns, us, ms, s'),
    "only aggregates": ([GOOD, "means.json"], "only aggregates"),
    "machines in one folder": ([GOOD, "machines"], "folders of several machines"),
    "nothing shared": ([GOOD, "others.jsonl"], "share no case"),
    "a filter that is none": ([GOOD, GOOD, "--filter", "("], "not a regular expression"),
    "a filter that matches nothing": ([GOOD, GOOD, "--filter", "zzz"], "matches no case"),
    "a file of another kind": ([GOOD, GOOD, "--out", "x.html"], "--out x.html: the ending is none of"),
    "nothing to rank": (["--rank", "wrong.jsonl"], "nothing to rank"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line_and_code_2(what: str, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for name, id_ in (("a", "first"), ("b", "second")):
        side(tmp_path / "machines", name, [timed(1)], {"id": id_})
    texts = {
        GOOD: json.dumps(timed(1)) + "\n",
        "others.jsonl": json.dumps(timed(1, k=77)) + "\n",
        "wrong.jsonl": json.dumps(wrong("no")) + "\n",
        "empty.jsonl": "",
        "broken.jsonl": "{\n",
        "other.json": "[]",
        "timeless.json": json.dumps({"benchmarks": [{"name": "a"}]}),
        "listed.json": json.dumps({"benchmarks": [{"name": "a", "real_time": 1, "time_unit": ["ns"]}]}),
        "hours.json": json.dumps({"benchmarks": [{"name": "a", "real_time": 1, "time_unit": "h"}]}),
        "means.json": json.dumps({"benchmarks": [{"name": "a", "run_type": "aggregate"}]}),
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    arguments, said = BAD[what]
    assert main(["compare", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("plots: ") and err.count("\n") == 1
    assert said in err
    assert not Path("x.html").exists()


@pytest.mark.parametrize("value", ["abc", "-1", "nan", "1e9"])
def test_a_threshold_is_a_number_of_percent(value: str, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "a", "b", f"--threshold={value}"])
    assert ended.value.code == 2 and "percent" in capsys.readouterr().err
