"""Every exhibit of papers/ loads, renders and is judged. Short forms expand to long ones; a mistake is one line."""

import tomllib

import jsonschema
import pytest
import synthetic
from conftest import ROOT, cases, machine, papers
from synthetic import line

from plots.decide.claims import judge
from plots.decide.verdicts import VERDICTS
from plots.errors import UserError
from plots.read import exhibits, results, validate
from plots.read.expand import expand
from plots.read.words import parse
from plots.write import render

EXHIBITS = {exhibit.key: exhibit for paper in papers() for exhibit in paper.exhibits}
SCHEMA = jsonschema.Draft202012Validator(validate.EXHIBIT)


def machine_of(exhibit, profile):
    lines = [made for source in exhibit.sources for made in synthetic.lines_of(EXHIBITS[source], profile)]
    return machine(lines, {"cpu": {"model": "Made-up 9000"}})


@pytest.fixture(scope="module", params=EXHIBITS)
def exhibit(request):
    """Of a module: all tests of one exhibit run together, on the same lines."""
    return EXHIBITS[request.param]


@pytest.fixture(scope="module")
def machines(exhibit):
    """A machine with a line for every case, by profile."""
    return {profile: machine_of(exhibit, profile) for profile in results.PROFILES}


@pytest.mark.parametrize("profile", results.PROFILES)
def test_every_claim_selects_something_and_is_judged(exhibit, machines, profile):
    """The sweeps make every line that a claim selects."""
    for finding in judge(exhibit, machines[profile]):
        assert finding.verdict in VERDICTS
        for complaint in ("no line", "matches", "was not measured", "was run"):
            assert complaint not in finding.why or profile == "quick", f"{finding.id}: {finding.why}"


def test_every_exhibit_renders_and_shows_every_printed_value(exhibit, machines, tmp_path):
    written = render.write_exhibit(exhibit, machines["paper"], tmp_path, formats=[".svg"])  # test_render.py has all
    written = {p.suffix: p for p in written}
    if exhibit.kind == "figure" and exhibit.figure["style"] in ("scatter", "roofline"):
        return
    assert {".md", ".csv", ".tex"} <= written.keys()
    if exhibit.kind == "figure":
        assert ".svg" in written
    text = written[".csv"].read_text()
    columns = set(exhibit.table.get("columns", exhibit.figure.get("y", ["value"])))
    for row in exhibit.printed():
        for name, value in row.values.items():
            assert value in text or name not in columns


def test_printed_values_are_numbers_or_words(exhibit):
    """`Segfault` stays a word. A value with a digit must parse as a number, or its ratio would be missing."""
    for row in exhibit.printed() if exhibit.kind != "machine" else ():
        for name, value in row.values.items():
            assert parse(value) is not None or not any(map(str.isdigit, value)), f"{name} = {value!r}"


def test_the_schema_holds(exhibit):
    """Any validator that reads schema/exhibit.json accepts our files."""
    spec = exhibit.spec
    assert [error.message for error in SCHEMA.iter_errors(spec)] == []
    assert len(list(SCHEMA.iter_errors({**spec, "colour": "red"}))) == 1


QUICK = """
kind = "table"
title = "t"
defaults.sweep = { implementation = "cpu/lloyd/two_step", n = 1000 }
[[sweep]]
dataset = "balls"
k = [4, 8]
set.packages = [1, 10]
[[sweep]]
dataset = "large"
n = 1000000
[profile.quick]
repetitions = 2
[[profile.quick.sweep]]
dataset = "balls"
k = 4
set.packages = [1, 10]
[[profile.quick.sweep]]
dataset = "large"
[table]
rows = ["packages"]
columns = ["iteration"]
"""


@cases("fields changed", ({}, []), ({"dataset": "large", "packages": 1}, ["n"]), ({"k": 99}, ["n"]))
def test_only_a_case_that_the_quick_profile_shrinks_is_another_problem(bench, fields, changed):
    """A sweep with values of the paper is the same problem; a case of no sweep counts as resized."""
    made = line(**{"profile": "quick", "packages": 1, **fields})
    assert bench.view([made], QUICK).resized([made]) == changed
    assert bench.view([{**made, "profile": "paper"}], QUICK).resized([made]) == []


def test_an_exhibit_that_reuses_another_has_its_quick_sizes(bench):
    bench.exhibit(QUICK, "demo/source")
    text = 'kind = "table"\ntitle = "t"\nreuse = "demo/source"\n[table]\nrows = ["packages"]\ncolumns = ["iteration"]\n'
    made = line(profile="quick", dataset="large", exhibit="demo/source")
    assert bench.view([made], text).resized([made]) == ["n"]


EXAMPLES = tomllib.loads((ROOT / "tests/expansion.toml").read_text())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_short_form_stands_for_the_long_one_and_stays_as_it_is(name):
    short, long = (tomllib.loads(EXAMPLES[name][form]) for form in ("short", "long"))
    before = repr(short)
    assert expand(short) == expand(long) == long
    assert repr(short) == before


CLAIM = '[claim.a]\ntext = "t"\nat_most = 1\n'
ACROSS = '[[paper]]\nfields = ["k"]\nmetrics = ["run"]\n'
UNLIKE = "[[paper]]: across must be a list of tables of the same fields, beside fields, metrics and rows"
FAULTS = {
    "unlike": (ACROSS + "rows = []\nacross = [{ d = 1 }, { n = 1 }]", UNLIKE),
    "none across": (ACROSS + "rows = []\nacross = []", UNLIKE),
    "short row": (
        ACROSS + 'rows = [[4, "1"]]\nacross = [{ d = 1 }, { d = 2 }]',
        "[[paper]] row 1: 3 values are needed, its fields and 1 for each of across",
    ),
    "another default": ("defaults.table = {}", "[defaults]: unknown key 'table'; known: sweep, claim"),
    "no table": ("defaults.sweep = 3", "[defaults]: a table of tables is needed"),
    "lengths": (
        'sweep = [{ n = [1, 2], d = [3], zip = ["n", "d"] }]',
        "[[sweep]]: the lists of zip must be of one length; n has 2, d has 1",
    ),
    "no list": ('sweep = [{ n = 1, zip = ["d"] }]', "[[sweep]]: zip names 'd', which is no list of the sweep"),
    "no range": (
        'sweep = [{ n = "1:9", zip = ["n"] }]',
        "[[sweep]]: '1:9' is not a range; write 1e4:1e6:x10 or 64:1024:+64",
    ),
    "zip": ('sweep = [{ n = 1, zip = "n" }]', "[[sweep]]: zip must be a list of keys"),
}
MANY = f"{{ k = {[*range(200)]}, d = {[*range(200)]} }}"
CLAIMS = {  # what is said of a claim, after its keys
    "no row": ("for = 3", "for must be a list of tables or a table of lists"),
    "empty": ("for = { k = [] }", "for must be a list of tables or a table of lists"),
    "missing": ('for = { k = [1] }\nbound = { d = "{d}" }', "{d} is not in its for; there are k"),
    "idle": ("for = { kk = [1] }", "for gives 'kk', which is no key of a claim and stands nowhere as {kk}"),
    "many": (f"for = {MANY}", "for makes 40000 claims; accepted: up to 10000"),
    "two kinds": ("bound = {}\nvalue = {}", "of two kinds, bound and value"),
    "kind twice": ('kind = "trend"\nbound = {}', "of two kinds, bound and trend"),
    "one side": ("ratio = [{}]", "ratio must be two tables, of the numerator and of the denominator, or one for both"),
    "no sides": ("order = 3", "order must be a list of tables of fields"),
    "metrics": ('ratio = {}\nmetric = ["run"]', "metric must be a name, or the numerator's and the denominator's"),
}
FAULTS |= {name: (CLAIM + keys, f"claim 'a': {said}") for name, (keys, said) in CLAIMS.items()}


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_is_one_line(name):
    text, complaint = FAULTS[name]
    with pytest.raises(UserError) as caught:
        expand(tomllib.loads(text))
    assert str(caught.value) == complaint


def test_a_paper_and_an_exhibit_of_another_exclude_each_other(bench):
    for key in ("demo/table1", "two/table1"):
        bench.exhibit(key=key)
    assert exhibits.load(bench.papers, ["two"], ["two/table1"])[0].key == "two"
    with pytest.raises(UserError, match="--paper and --exhibit exclude each other: demo/table1, two"):
        exhibits.load(bench.papers, ["two"], ["demo/table1"])
