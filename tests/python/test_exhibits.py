"""Exhibits: every one in papers/ loads, renders and is judged; every mistake is one line with its place."""

from __future__ import annotations

import hashlib
import json
import os
import re

import jsonschema
import pytest
import synthetic
from conftest import ROOT, TABLE, machine
from synthetic import line

from plots.__main__ import main
from plots.decide.claims import judge
from plots.decide.verdicts import VERDICTS
from plots.read import exhibit_schema, exhibits, results
from plots.read.words import parse
from plots.write.render import write_exhibit

PAPERS = exhibits.load(ROOT / "papers")
EXHIBITS = {exhibit.key: exhibit for paper in PAPERS for exhibit in paper.exhibits}


def machine_of(exhibit, profile="paper", folder=ROOT):
    lines = [made for source in exhibit.sources for made in synthetic.lines_of(EXHIBITS[source], profile)]
    return machine(lines, {"cpu": {"model": "Made-up 9000"}}, folder)


@pytest.mark.parametrize("key", EXHIBITS)
@pytest.mark.parametrize("profile", results.PROFILES)
def test_every_claim_selects_something_and_is_judged(key, profile):
    """Selectors name lines that the sweep makes: from a full set of lines no claim lacks one."""
    for finding in judge(EXHIBITS[key], machine_of(EXHIBITS[key], profile)):
        assert finding.verdict in VERDICTS
        for complaint in ("no line", "matches", "was not measured", "was run"):
            assert complaint not in finding.why or profile == "quick", f"{finding.id}: {finding.why}"


@pytest.mark.parametrize("key", EXHIBITS)
def test_every_exhibit_renders_and_shows_every_printed_value(key, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "plots.write.render.FIGURE_FORMATS", (".svg",)
    )  # test_render.py has a figure of each style in all
    exhibit = EXHIBITS[key]
    written = {p.suffix: p for p in write_exhibit(exhibit, machine_of(exhibit), tmp_path)}
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


@pytest.mark.parametrize("key", EXHIBITS)
def test_printed_values_are_numbers_or_words(key):
    """`Segfault` stands as it is; what has a digit has to be a number, or its ratio would be missing."""
    for row in EXHIBITS[key].printed() if EXHIBITS[key].kind != "machine" else ():
        for name, value in row.values.items():
            assert parse(value) is not None or not any(map(str.isdigit, value)), f"{name} = {value!r}"


def fingerprint(exhibit) -> str:
    """Of what the exhibit means: its short forms written out, claims by id."""
    meant = {**exhibit.spec, "claim": sorted(exhibit.claims, key=lambda claim: claim["id"])}
    return hashlib.sha256(json.dumps(meant, sort_keys=True).encode()).hexdigest()[:16]


def test_no_exhibit_changed_its_meaning_unseen():
    """An edit of a file's form keeps every line of tests/exhibits.txt; KMBENCH_UPDATE=1 writes it anew."""
    golden = ROOT / "tests/exhibits.txt"
    now = ""
    for key, one in sorted(EXHIBITS.items()):
        sizes = f"{len(one.spec.get('sweep', []))} sweeps, {len(one.printed())} printed rows, {len(one.claims)} claims"
        now += f"{fingerprint(one)} {key}: {sizes}\n"
    if os.environ.get("KMBENCH_UPDATE") == "1":
        golden.write_text(now)
    assert golden.read_text() == now, "KMBENCH_UPDATE=1 writes it anew"


@pytest.mark.parametrize("key", EXHIBITS)
def test_the_schema_is_json_schema_and_holds(key):
    """Any other program that reads schema/exhibit.json says the same of our files."""
    validator = jsonschema.Draft202012Validator(exhibit_schema.EXHIBIT)
    assert [error.message for error in validator.iter_errors(EXHIBITS[key].spec)] == []
    broken = {**EXHIBITS[key].spec, "colour": "red"}
    assert len(list(validator.iter_errors(broken))) == 1


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(exhibit_schema.EXHIBIT)


PARTS = {"": "An exhibit", "sweep": "[[sweep]]", "table": "[table]", "figure": "[figure]", "paper": "[[paper]]"}
PARTS |= {"claim": "[claim.<id>]", "record": "paper.toml", "finding": "[[finding]]", "cause": "[[cause]]"}
PARTS |= {"peak": "[peak.<device>]"}


def key_table(name: str) -> str:
    node = exhibit_schema.part(name) if name else exhibit_schema.EXHIBIT
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, given in node["properties"].items():
        inner = exhibit_schema.resolved(given)
        words = ", ".join(f"`{one}`" for one in inner["enum"]) if "enum" in inner else inner.get("title", "")
        needed = " (needed)" if key in node.get("required", []) else ""
        rows.append(f"| `{key}`{needed} | {words.replace('<', '&lt;')} | {given.get('description', '')} |")
    return "\n".join(rows)


def test_the_page_lists_every_key():
    """docs/reference.md, "Keys of an exhibit", comes from the schema; KMBENCH_UPDATE=1 writes it anew."""
    page = ROOT / "docs/reference.md"
    heading = "## Keys of an exhibit\n"
    head, tail = page.read_text().split(heading)
    rest = "\n## " + tail.partition("\n## ")[2]
    tables = "\n\n".join(f"{title}:\n\n{key_table(name)}" for name, title in PARTS.items())
    source = "From [schema/exhibit.json](../schema/exhibit.json). [exhibits.md](exhibits.md) explains the format."
    now = f"{head}{heading}\n{source}\n\n{tables}\n{rest}"
    if os.environ.get("KMBENCH_UPDATE") == "1":
        page.write_text(now)
    assert page.read_text() == now, "KMBENCH_UPDATE=1 writes it anew"


def test_the_page_lists_every_kind_of_claim():
    section = (ROOT / "docs/reference.md").read_text().split("\n## Kinds of claim\n")[1].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == exhibit_schema.part("claim")["properties"]["kind"]["enum"]


FAULTS = {
    "unknown key": (TABLE.replace("columns", "colums"), "unknown key 'colums'"),
    "unknown metric": (TABLE.replace('"assign"', '"asign"'), "unknown metric 'asign'"),
    "no title": (TABLE.replace('title = "made up"', ""), "title missing"),
    "kind": (TABLE.replace('"table"', '"tabel"'), "kind = 'tabel'"),
    "not TOML": ("kind = ", "Invalid value"),
    "speedup": (TABLE.replace('"assign"', '"speedup:assign"'), "needs a baseline"),
    "short row": (
        TABLE + '[[paper]]\nsource="printed"\nfields=["packages"]\nmetrics=["assign"]\nrows=[[1]]',
        "row 1 has 1 values",
    ),
    "source": (
        TABLE + '[[paper]]\nsource="hearsay"\nfields=[]\nmetrics=["assign"]\nrows=[]',
        "source is 'hearsay', where printed, read off the plot, or derived from",
    ),
    "claim kind": (TABLE + '[[claim]]\nid="a"\ntext="t"\nkind="hope"\nmetric="run"', "kind = 'hope'"),
    "claim side": (
        TABLE + '[[claim]]\nid="a"\ntext="t"\nkind="ratio"\nmetric="run"\nnumerator={}',
        "denominator missing",
    ),
    "claim bound": (TABLE + '[[claim]]\nid="a"\ntext="t"\nkind="bound"\nmetric="run"', "needs at_least or at_most"),
    "factor": (
        TABLE + '[[claim]]\nid="a"\ntext="t"\nkind="value"\nmetric="run"\nexpect=1\nwithin=0.1',
        "a factor of at least 1 is needed",
    ),
    "wrong type": (TABLE + "[[paper]]\nsource=3", "source is '3', where printed, read off the plot"),
    "no list": (TABLE.replace('rows = ["packages"]', "rows = 3"), "rows"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_malformed_exhibit_is_one_line_and_exit_2(name, bench, capsys):
    text, complaint = FAULTS[name]
    path = bench.papers / "demo" / "table1.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    bench.run([synthetic.line()])
    assert (
        main(["render", "--papers", str(bench.papers), "--results", str(bench.results), "--out", str(bench.results)])
        == 2
    )
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "table1.toml: " in error
    assert complaint in error


QUICK = """
kind = "table"
title = "t"
[[sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "balls"
n = 1000
k = [4, 8]
set.packages = [1, 10]
[[sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "large"
n = 1000000
[profile.quick]
repetitions = 2
[[profile.quick.sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "balls"
n = 1000
k = 4
set.packages = [1, 10]
[[profile.quick.sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "large"
n = 1000
[table]
rows = ["packages"]
columns = ["iteration"]
"""


@pytest.mark.parametrize(
    ("fields", "changed"), [({}, []), ({"dataset": "large", "packages": 1}, ["n"]), ({"k": 99}, ["n"])]
)
def test_only_what_the_quick_profile_shrinks_is_another_problem(bench, fields, changed):
    """By sweep: some of the paper's values are the same problem; what no sweep has is as far off as any."""
    made = line(**{"profile": "quick", "packages": 1, **fields})
    assert bench.view([made], QUICK).resized([made]) == changed
    assert bench.view([{**made, "profile": "paper"}], QUICK).resized([made]) == []


def test_an_exhibit_that_reuses_another_has_its_quick_sizes(bench):
    bench.exhibit(QUICK, "demo/source")
    text = 'kind = "table"\ntitle = "t"\nreuse = "demo/source"\n[table]\nrows = ["packages"]\ncolumns = ["iteration"]\n'
    made = line(profile="quick", dataset="large", exhibit="demo/source")
    assert bench.view([made], text).resized([made]) == ["n"]
