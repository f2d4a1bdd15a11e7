"""plots tuning and t4: the best right point, its regret, a map, the T4 format."""

import itertools
import json
from pathlib import Path

import pytest
from conftest import cases, figure
from synthetic import empty, line, skipped, wrong

from plots.__main__ import main
from plots.draw import figures, heat
from plots.read import check, tuning
from plots.write import tunings


def search() -> list[dict]:
    """Nine points of two parameters, the defaults first. One is wrong, and would be among the fastest."""
    times = {(x, y): 0.1 + 0.02 * abs(x - 2) + 0.01 * y for x, y in itertools.product((1, 2, 4), (1, 2, 3))}
    made = [line(None, s, block=x, grid=y) for (x, y), s in times.items()]
    return [*made[:4], wrong("point 3 has label 1", exhibit=None, block=2, grid=2), *made[5:]]


def write(folder: Path, lines: list[dict], name: str = "points") -> Path:
    path = folder / "card" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_the_best_is_right_and_regret_is_of_the_defaults(tmp_path):
    (one,) = tuning.load(write(tmp_path, search()))
    assert one.axes == ["block", "grid"]
    assert one.best["parameters"] == {"block": 2, "grid": 1}
    (cells,) = tunings.regret([one]).rows
    assert [cell.text for cell in cells[1:4]] == ["9", "1", "0"]
    assert cells[6].raw[0] == pytest.approx(100 * (0.13 / 0.11 - 1))
    assert cells[7].text == "block = 2"


def again(first: float, second: float) -> list[dict]:
    """The defaults and the best of the search, measured once more."""
    return [line(None, s, block=block, grid=1) for block, s in ((1, first), (2, second))]


@cases(
    "winners gain best",
    (again(0.2, 0.1), 100, "block = 2"),
    (again(0.1, 0.2), 0, "none"),  # a lucky best is not kept
    ([line(None, 0.001, block=1, grid=1, order=1, iterations=None)], 100 * (0.13 / 0.11 - 1), "block = 2"),
)
def test_the_second_measurement_decides_where_it_has_iterations(tmp_path, winners, gain, best):
    path = write(tmp_path, search())
    write(tmp_path, winners, "points.winners")
    (cells,) = tunings.regret(tuning.load(path)).rows
    assert (cells[6].raw[0], cells[7].text) == (pytest.approx(gain), best)


@pytest.mark.parametrize(("factor", "gain", "best"), [(0.5, 100, "block = 4"), (0.97, 0, "none"), (0.99, 0, "none")])
def test_rounds_decide_and_what_is_not_surely_faster_is_not_kept(tmp_path, factor, gain, best):
    """An interrupted batch of rounds, in which the setting looked much faster, comes before the whole one."""

    def rounds(count: int, factor: float) -> list[dict]:
        runs = [(at, block, f) for at in range(1, count + 1) for block, f in ((1, 1), (4, factor))]
        return [line(None, (0.1 + 0.001 * at) * f, block=block, grid=1, order=at) for at, block, f in runs]

    path = write(tmp_path, search())
    write(tmp_path, [*rounds(3, 0.1), *rounds(12, factor)], "points.winners")
    (cells,) = tunings.regret(tuning.load(path)).rows
    assert (cells[6].raw[0], cells[7].text) == (pytest.approx(gain, abs=0.1), best)
    assert best == "none" or cells[6].raw[1:] == pytest.approx((gain, gain), abs=0.1)
    assert cells[4].raw[0] == pytest.approx(1e3 * 0.1065 / line(None, 1)["iterations"], rel=0.05), "ms"


def test_lines_of_another_commit_are_another_tuning(tmp_path):
    old = [{**one, "commit": "old"} for one in search()]
    (one,) = tuning.load(write(tmp_path, [*old, *({**search()[at], "dirty": True} for at in (0, 3))]))
    assert len(one.lines) == 2


def test_searches_with_other_fixed_values_are_other_tunings(tmp_path):
    """The last search fixes what the first one varied, and does not repeat what that one has measured."""

    def made(seconds: float, block: int, grid: int, packages: int, *given: str, **fields) -> dict:
        argv = ["kmbench", "tune", "--data-set", "block=9", *given]
        return line(None, seconds, block=block, grid=grid, packages=packages, argv=argv, **fields)

    small, narrow = ("--set", "packages=10"), ("--set=grid=2", "block=1,2,4")
    wide = [made(0.2, 1, 1, 100), made(0.3, 1, 2, 100), made(0.1, 4, 2, 100)]
    others = [made(0.02, 1, 1, 10, *small), made(0.01, 4, 1, 10, *small), made(0.4, 2, 2, 100, *narrow)]
    path = write(tmp_path, wide + others)
    write(tmp_path, [made(0.1 * block, block, 1, 10, *small, order=1) for block in (1, 4)], "points.winners")
    found = tuning.load(path)
    assert [[one["parameters"]["block"] for one in each.lines] for each in found] == [[1, 1, 4], [1, 4], [1, 4, 2]]
    assert [each.axes for each in found] == [["block", "grid"], ["block"], ["block"]]
    assert [len(each.again) for each in found] == [0, 2, 0]
    assert [each.title.partition("fp32")[2] for each in found] == ["", " · packages = 10", " · grid = 2"]


HEAT = figure("heat", "iteration", 'down = ["grid"]\n').replace('x = "packages"', 'x = "block"')


def test_a_wrong_point_has_a_cross_and_no_time_in_the_map_of_a_tuning_and_of_an_exhibit(bench, tmp_path):
    (one,) = tuning.load(write(tmp_path, search()))
    lines = [{**made, "exhibit": "demo/table1", "exhibit_hash": None} for made in search()]
    for drawn in (heat.heat_tuning(one, "block", "grid", "iteration"), figures.draw(bench.view(lines, HEAT))):
        (ax,) = drawn.axes
        texts = {tuple(text.get_position()): text.get_text() for text in ax.texts}
        assert (len(texts), texts[1, 1]) == (9, "×")
        assert texts[1, 0] == "22.0", "0.11 s for five iterations, in ms"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4"]


def test_the_commands_write_table_map_and_t4(tmp_path, capsys, output):
    path = write(tmp_path, search())
    assert main(["tuning", str(path), "--out", str(tmp_path / "report")]) == 0
    names = {file.name for file in (tmp_path / "report").iterdir()}
    stem = "tuning-points-card"
    assert names == {f"{stem}.md", f"{stem}.csv", f"{stem}-1.svg", f"{stem}-1.png"}
    capsys.readouterr()
    assert len(json.loads(output("t4", path))["results"]) == 9
    assert main(["t4", str(path), "--out", str(tmp_path / "t4.json")]) == 0
    assert json.loads((tmp_path / "t4.json").read_text())["schema_version"] == "1.0.0"


def failed(reason: str) -> dict:
    return line(**{**empty(), "failure": reason})


@cases(
    "made word",
    (line(None), "correct"),
    (wrong("point 3 has label 1"), "correctness"),
    (failed("the worker process died of signal 11"), "runtime"),
    (failed("no end after 60 s; --timeout allows more"), "timeout"),
    (skipped("k exceeds 4"), "constraints"),
)
def test_every_end_of_a_point_has_its_word_in_t4(made, word):
    (one,) = tunings.t4([check.line(made, "made up", {})])["results"]
    assert {"configuration", "times", "invalidity", "correctness"} <= one.keys()
    assert (one["invalidity"], one["correctness"]) == (word, int(word == "correct"))
    assert (one["times"]["runtimes"] != []) == (word == "correct")
    assert any(m["name"] == one["objectives"][0] for m in one["measurements"]) == (word == "correct")


def test_t4_is_in_milliseconds():
    (one,) = tunings.t4([check.line(line(None, 0.5, samples=1), "made up", {})])["results"]
    assert one["measurements"][0] == {"name": "time", "value": pytest.approx(100 * 0.98), "unit": "ms"}
    assert one["times"]["runtimes"] == [pytest.approx(500 * 0.98)]
