"""A table never mixes versions of an exhibit, a data set or a start; it may mix commits."""

import pytest
from conftest import TABLE, cases
from synthetic import RATIO, line, of_schema, skipped

from plots.decide.verdicts import INCOMPARABLE
from plots.write import tables

OLD, NEWER = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"
SPEEDUP = TABLE.replace('["iteration", "assign"]', '["speedup:iteration"]\nbaseline = { packages = 1 }')


def shown(view):
    return {one["parameters"]["packages"] for one in view.lines}


ONE, TWO = {"source": "a" * 32, "hash": "1" * 32}, {"source": "b" * 32, "hash": "2" * 32}
DRAWN = {"method": "random", "source": None}
START = {"method": "start.npy", "seed": None}
CHANGES = {
    "another file under the same name": (ONE, TWO),
    "another file of other size": ({**ONE, "generator": None, "n": 500}, {**TWO, "generator": None}),
    "a catalogue entry's seed": ({"generator": {"seed": 1}, "n": 500}, {"generator": {"seed": 2}}),
    "the exhibit's sweeps": ({"exhibit_hash": "a" * 16, "init": {**DRAWN, "seed": 2}}, {"exhibit_hash": "b" * 16}),
    "the file of initial centroids": tuple({"init": {**START, "source": digit * 32}} for digit in "ab"),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("newest_first", [False, True])
def test_older_versions_are_left_out_and_counted(bench, what, newest_first):
    before, after = CHANGES[what]
    lines = [line(packages=1, date=OLD, **before), line(packages=10, date=OLD, **before)]
    lines += [line(packages=100, date=NEWER, **after)]
    view = bench.view(lines[::-1] if newest_first else lines)
    assert shown(view) == {100}
    assert any("Left out: 2 older lines" in remark for remark in tables.build(view).remarks)


def test_no_speedup_and_no_claim_across_two_files(bench):
    """A 27.76x speedup was once a ratio of cases of two files."""
    lines = [line(seconds=2.776, packages=1, date=OLD, **ONE), line(seconds=0.1, packages=10, date=NEWER, **TWO)]
    view = bench.view(lines, SPEEDUP)
    assert [view.value(one, "speedup:iteration") for one in view.lines] == [None]
    same = bench.view([{**one, "dataset": lines[0]["dataset"]} for one in lines], SPEEDUP)
    values = [same.value(one, "speedup:iteration") for one in same.lines]
    assert any(value.value == pytest.approx(27.76) for value in values if value)
    lines = [line(packages=1, hash="1" * 32, date=OLD), line(packages=10, hash="2" * 32, date=NEWER)]
    assert bench.judge(lines, **RATIO, at_least=0.5).verdict == INCOMPARABLE


def test_a_file_in_another_form_is_the_same_where_its_points_are(bench):
    """Packed, or with values of 64 bits: other bytes, the same points in fp32. What fp64 lines read is known by it."""
    before, after = ({**one, "hash": "1" * 32, "generator": None} for one in (ONE, TWO))
    lines = [line(packages=1, date=OLD, **before), line(packages=10, date=NEWER, **after)]
    double = line(packages=100, date=OLD, precision="fp64", **{**before, "hash": "3" * 32})
    assert shown(bench.view([*lines, double])) == {1, 10, 100}
    assert shown(bench.view([double, lines[1]])) == {10}, "nothing says that these are the same"
    again = line(packages=1, seconds=0.5, case="c" * 16, date=NEWER, **after)
    view = bench.view([again, *lines])
    assert [one["date"] for one in view.lines if one["parameters"]["packages"] == 1] == [NEWER]
    assert "Left out: 1 older line of cases that ran again on a newer file of the same points." in view.left_out


@cases(
    "older stays",
    ({"packages": 1}, True),
    ({"packages": 7}, False),  # today's sweep does not make it
    ({"packages": 1, "block": 64}, False),  # another parameter
    ({"packages": 1, "init": {**DRAWN, "seed": 2}}, False),
    ({"packages": 1, "tolerance": 0.1}, False),
    ({"packages": 1, "grade": None}, False),
    ({"packages": 10, "case": "c" * 16}, False),  # the newest has it under another id,
)
def test_an_exhibit_may_grow(bench, older, stays):
    """A right line of an older version stays if today's makes the case, and the newest lines lack it."""
    newest = line(packages=10, date=NEWER, exhibit_hash="b" * 16)
    view = bench.view([line(date=OLD, exhibit_hash="a" * 16, **older), newest])
    assert len(view.lines) == 1 + stays


def test_a_reason_to_skip_outlives_its_version_of_the_exhibit(bench):
    older = skipped("more than 8 dimensions", packages=1, date=OLD, exhibit_hash="a" * 16)
    newest = line(packages=10, date=NEWER, exhibit_hash="b" * 16)
    assert len(bench.view([older, newest]).lines) == 2
    assert shown(bench.view([older, newest, line(packages=1, date=NEWER, exhibit_hash="b" * 16)])) == {1, 10}


@cases(
    "newer stays",
    ({"packages": 1, "update": "exact"}, False),
    ({"packages": 10, "update": "exact"}, True),  # another value
    ({"packages": 1, "update": "exact", "k": 8}, True),  # another problem
    ({"packages": 1, "update": "exact", "exhibit": "demo/table2"}, True),
    ({"packages": 1, "update": "exact", "date": OLD}, True),  # not newer
    ({"block": 64}, True),
)
def test_a_parameter_that_an_implementation_gained_leaves_its_older_lines_out(bench, newer, stays):
    older = line(packages=1, date="2024-01-01T12:00:00Z")
    lines = [older, line(**{"date": NEWER, **newer})]
    reads = TABLE.replace("kind =", 'reuse = ["demo/table1", "demo/table2"]\nkind =', 1)
    assert (older["case"] in {one["case"] for one in bench.view(lines, reads).lines}) == stays


def test_of_one_second_the_later_line_decides(bench):
    one, two = line(packages=7, exhibit_hash="a" * 16), line(packages=8, exhibit_hash="b" * 16)
    assert shown(bench.view([one, two])) == {8}
    assert shown(bench.view([two, one])) == {7}


def test_a_line_before_hashes_gives_way_to_one_with(bench):
    view = bench.view([of_schema(1, line(packages=1)), line(packages=10, date=NEWER)])
    assert shown(view) == {10}
    assert shown(bench.view([of_schema(1, line(packages=p)) for p in (1, 10)])) == {1, 10}


def test_shape_precision_and_swept_settings_are_no_other_data_set(bench):
    swept = TABLE.replace("set.packages", "data.sigma2 = [0.1, 0.2]\nset.packages")
    lines = [
        line(packages=1, n=1000, hash="1" * 32, source="a" * 32),
        line(packages=1, n=2000, hash="2" * 32, source="b" * 32),
        line(packages=1, precision="fp64", hash="3" * 32, source="a" * 32),
        line(packages=10, n=1000, hash="4" * 32, source="c" * 32, generator={"seed": 1, "sigma2": 0.2}),
        skipped("not fetched", packages=100, hash=None, source=None, generator=None),
    ]
    view = bench.view(lines, swept)
    assert len(view.lines) == len(lines)
    assert not view.left_out


def test_another_commit_is_kept_and_said(bench):
    view = bench.view([line(packages=1, commit="a" * 12), line(packages=10, commit="b" * 12, dirty=True)])
    assert shown(view) == {1, 10}
    assert "Lines of 2 commits: aaaaaaaaaa, bbbbbbbbbb+." in tables.build(view).remarks


def test_a_time_that_no_replay_ties_to_its_start_is_named(bench):
    linked, cannot = {"links": 3, "sampled_points": 64, "skipped": None}, "fit makes two assigns at least"
    lines = [line(packages=1, replayed=linked), line(packages=10, replayed={**linked, "links": 0, "skipped": cannot})]
    remarks = tables.build(bench.view(lines)).remarks
    assert f"Not replayed: {lines[0]['implementation']} ({cannot})." in remarks
    assert not [said for said in tables.build(bench.view(lines[:1])).remarks if "Not replayed" in said]


def test_rows_with_more_threads_than_the_machine_has_are_said_to_be_of_another_host(bench):
    """Nothing runs more threads than there are: kmbench run skips such a case."""
    lines = [line(packages=1, threads=0), line(packages=10, threads=8), skipped("40 threads", packages=100, threads=40)]
    said = "Rows with 40 threads are of another host: this machine has 8."
    record = {"cpu": {"threads": 8}}
    assert said not in tables.build(bench.view(lines, record=record)).remarks
    assert said in tables.build(bench.view([*lines, line(packages=100, threads=40)], record=record)).remarks
