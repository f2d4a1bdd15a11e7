"""Bad exhibits, lines, records and commands: one line "plots: …", exit code 2, nothing written, no traceback."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, SERIES, TABLE, Bench, claim, figure, one_line, printed
from synthetic import FAULTS, line, side, timed, write, wrong

from plots.__main__ import main
from plots.errors import UserError
from plots.read import check, results

CLAIM = TABLE + claim("")
RATIO = CLAIM + 'kind = "ratio"\nmetric = "run"\nnumerator = {}\ndenominator = {}\n'
PAPER = TABLE + printed("ROWS", metrics="assign").replace("rows = ROWS\n", "")
FIGURE = figure("line", "run")
BOTH = 'worst = { implementation = "cpu/a" }\nbaseline = { implementation = "cpu/b" }\n'
WORST = TABLE.replace('"iteration", "assign"', '"run", "speedup:run"') + BOTH
COLUMNS, TITLE, SET, QUICK = '["iteration", "assign"]', '"made up"', "set.packages = [1, 10, 100]", "n = 10"
EDITS = {  # of a text: what takes the place of a part of it; "": what follows it
    TABLE: {
        COLUMNS: ["[]", "[1]", '["iteration", ["assign"]]', '["iteration", { a = 1 }]', '"iteration"'],
        'rows = ["packages"]': ["rows = []", 'rows = [""]'],
        TITLE: ["7", "[]", '""'],
        'kind = "table"': ['number = 3\nkind = "table"', 'kind = ["table"]', "kind = { a = 1 }"],
        'title = "made up"': [f'title = "t"\n{more}' for more in ('notes = "see above"', "reuse = 3")],
        "[[sweep]]": ["sweep = 3\n[labels]\nx = 1\n[y]"],
        'dataset = "balls"': ['datasets = "balls"'],
        '"balls"': ["{ a = 1 }", "1979-05-27"],
        SET: ["set = 3", "set.packages = [{ a = 1 }]"],
        "profile.quick": ["profile.slow"],
        "[profile.quick]\nn = 10": ["[profile]\nquick = 3", "[[profile.quick.sweep]]\nm = 3\n[profile.quick]\nn = 10"],
        QUICK: [f"n = {10**30}", f"n = {'9' * 5000}", "n = inf"],
        "": [
            *('where = "all"', "where = { a = { b = 1 } }", "baseline = []", 'rounding = "yes"', "labels = 3"),
            *("[labels.packages]\n1 = 2", "[notes]\ntexts = 'a'", "[figure]\nstyle = 'line'"),
            *("[paper]\nsource = 'printed'", "[claim]\nid = 'a'"),
            '[[claim]]\nid = "a"\nkind = "bound"\nmetric = "run"\nat_most = 1',
        ],
    },
    FIGURE: {
        'style = "line"\n': ["", 'style = ["line"]\n'],
        'x = "packages"\n': ["", 'x = ["packages"]\n'],
        '["run"]': ["[]", '"run"'],
        "": ["series = [1]", 'panels = ["d"]', 'logx = "yes"', 'xmax = "far"', "xlabel = 3"],
    },
    PAPER: {
        "": [
            *('rows = [[1, "abc"]]', 'rows = [[1, "3 or 4"]]', 'rows = "1, 2"', 'rows = ["12"]'),
            *("rows = [[1, { a = 1 }]]", "rows = []\nmatch = [1]", 'rows = []\nunits = { assign = "h" }'),
            'rows = []\nunits = { run = "s" }',
        ]
    },
    RATIO + "at_least = 1\n": {
        "numerator = {}": ['numerator = "fp32"', "numerator = { k = [] }"],
        "denominator = {}": ["denominator = []"],
        "at_least = 1": [
            *('at_least = "x"', "at_least = nan", "at_most = true", 'expect = "x"\nwithin = 2'),
            *("expect = [1]\nwithin = 2", "expect = 0\nwithin = 2", 'expect = 1\nwithin = "x"'),
        ],
    },
    CLAIM + 'kind = "bound"\nmetric = "run"\nat_most = 1\n': {
        'id = "a"': ["id = 1"],
        'kind = "bound"': ['kind = ["bound"]'],
        'metric = "run"': ['metric = ["run"]', 'numerator_metric = "run"\ndenominator_metric = "run"'],
    },
    CLAIM + 'metric = "run"\n': {
        "": [
            *(f'kind = "order"\nitems = {items}' for items in ("{ a = 1 }", '["a", "b"]')),
            *(f'kind = "equality"\nitems = {items}' for items in ("[]", "[{}]\nwithin = -1")),
            *(f'kind = "trend"\nalong = "n"\ndirection = {where}' for where in ('"sideways"', "{}")),
            'kind = "trend"\nalong = ["n"]\ndirection = "up"',
        ]
    },
}
EXHIBITS = {
    f"{part} -> {new}"[:80]: text.replace(part, new, 1) if part else f"{text}{new}\n"
    for text, edits in EDITS.items()
    for part, given in edits.items()
    for new in given
}
EXHIBITS |= {"too deep": "a = " + "[" * 100_000, "not UTF-8": b'kind = "\xff"', "empty": "", "a null byte": "kind = \0"}
SAID = {
    "unknown key": (TABLE.replace("columns", "colums"), "unknown key 'colums'"),
    "unknown metric": (TABLE.replace('"assign"', '"asign"'), "unknown metric 'asign'"),
    "no title": (TABLE.replace('title = "made up"', ""), "title missing"),
    "kind": (TABLE.replace('"table"', '"tabel"'), "kind = 'tabel'"),
    "not TOML": ("kind = ", "Invalid value"),
    "speedup": (TABLE.replace('"assign"', '"speedup:assign"'), "needs a baseline"),
    "short row": (PAPER + "rows = [[1]]", "row 1 has 1 values"),
    "source": (
        PAPER.replace('"printed"', '"hearsay"') + "rows = []",
        "source is 'hearsay', where printed, read off the plot, or derived from",
    ),
    "claim kind": (CLAIM + 'kind = "hope"\nmetric = "run"', "kind = 'hope'"),
    "claim side": (CLAIM + 'kind = "ratio"\nmetric = "run"\nnumerator = {}', "denominator missing"),
    "claim bound": (CLAIM + 'kind = "bound"\nmetric = "run"', "needs at_least or at_most"),
    "factor": (CLAIM + 'kind = "value"\nmetric = "run"\nexpect = 1\nwithin = 0.1', "a factor of at least 1 is needed"),
    "wrong type": (TABLE + "[[paper]]\nsource=3", "source is '3', where printed, read off the plot"),
    "no list": (TABLE.replace('rows = ["packages"]', "rows = 3"), "rows"),
    "worst": (WORST, "worst needs"),
    "sets of a line": (figure("line", "ealt", 'sets = "seed"'), "belongs to the styles sets and shares"),
    "no sets": (figure("sets", "ealt"), "belongs to the styles sets and shares"),
    "a phase along iterations": (figure("iterations", "ealt"), "along iterations"),
    "down of a line": (figure("line", "run", 'down = ["d"]'), "down belongs to a map"),
}
for style in ("map", "heat"):
    SAID[f"{style} without down"] = (figure(style, "run"), "down missing")
    SAID[f"{style} of two metrics"] = (figure(style, "run assign", SERIES + 'down = ["d"]'), "one metric")
for share in (0, 1.01):
    asked = f'kind = "share"\nmetric = "run"\nat_least = 1\nshare = {share}'
    SAID[f"share {share}"] = (CLAIM + asked, "a share, above 0 and at most 1 is needed")
LINES = {
    "a number": "5",
    "a list": "[]",
    "null": "null",
    "a case alone": '{"case":5}',
    "nothing in it": "{}",
    "not JSON": "{]",
    "two on one line": '{"case":5}{"case":6}',
    "1e999": json.dumps(line()).replace("123.5", "1e999"),
    "a 400-digit number": json.dumps(line()).replace("123.5", "9" * 400),
    "not UTF-8": json.dumps(line()).encode().replace(b"demo/table1", b"demo/\xff\xfe"),
    "half a character": json.dumps(line()).replace('"balls"', '"\\ud800"'),
    "nested too deep": "[" * 200_000,
}
LINES |= {str(fault): json.dumps({**line(), **fault}) for fault in FAULTS}
PRICES = ('{"price": 3}', '{"price": {"cpu": "dear"}}')
RECORDS = dict.fromkeys(("5", "[]", "{", "", b"\xff", '{"floor": 3}', '{"warnings": "none"}', '{"cpu": 3}'), "")
RECORDS |= {'{"floor": {"cpu": {"bytes_per_s": "fast"}}}': "", **dict.fromkeys(PRICES, "in dollars an hour")}
CAUSE = '[[cause]]\ntext = "t"\nclaims = ["table1/c"]\nexhibit = "table1"\ndenominator = {}\n'
PAPERS = ["title = 3", "authors = 3", 'year = "1990"', "doi = []", "titel = 'a'", "title = "]
PAPERS += ["[peak.tpu]\nsource='x'", "[peak.cpu]\nbandwidth_gbs=1", "[peak.cpu]\nsource='x'\nfp32_gflops=0"]
CAUSES = {'metric = "run"': "needs numerator or theirs", 'metric = "rum"\nnumerator = {}': "unknown metric 'rum'"}
SAID_OF_PAPERS = dict.fromkeys(PAPERS, "") | {CAUSE + more: said for more, said in CAUSES.items()}
FILES = {f"line: {name}": ("results/demo/other.jsonl", raw, "other.jsonl:1: ", "") for name, raw in LINES.items()}
for at, (raw, said) in enumerate(RECORDS.items()):
    FILES[f"record {at}"] = ("results/demo/machine.json", raw, "machine.json: ", said)
for at, (raw, said) in enumerate(SAID_OF_PAPERS.items()):
    FILES[f"paper {at}"] = ("papers/demo/paper.toml", raw, "paper.toml: ", said)
PAGES = ("render", "claims", "report")


def refused(bench, tmp_path, capsys, *says, command="report"):
    """Asserts that `command` prints one line with these words, ends with code 2 and writes nothing."""
    assert bench.main(command, "--out", tmp_path / "out") == 2
    one_line(capsys, *says)
    assert not (tmp_path / "out").exists()


def put(path, content):
    """A result line gets its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(raw + b"\n" * (path.suffix == ".jsonl"))


@pytest.mark.parametrize("name", [*EXHIBITS, *SAID])
def test_exhibit(bench, tmp_path, capsys, name):
    bench.run([line(packages=1)])
    text, says = SAID.get(name) or (EXHIBITS[name], "")
    put(bench.papers / "demo" / "table1.toml", text)
    refused(bench, tmp_path, capsys, "table1.toml: ", says)


@pytest.mark.parametrize("name", FILES)
def test_line_record_and_paper(bench, tmp_path, capsys, name):
    bench.exhibit()
    bench.run([line(packages=1)])
    file, content, *says = FILES[name]
    put(tmp_path / file, content)
    refused(bench, tmp_path, capsys, *says)


@pytest.mark.parametrize("field", check.FIELDS)
def test_a_field_of_the_wrong_type(field, tmp_path):
    """A value of a wrong type is refused with the name of the field; other values are accepted."""
    file = tmp_path / "demo.jsonl"
    for value in (3.5, -1, True, "word", [1], [None], ["a"], {}, {"a": None}, {"a": ["b"]}):
        put(file, json.dumps({**line(packages=1), field: value}))
        try:
            assert list(results.read_lines(file))
        except UserError as e:
            assert re.search(rf"demo.jsonl:1: ({field} is |schema \d+ is)", str(e)), value


@pytest.mark.parametrize("command", PAGES)
def test_every_command_refuses(bench, tmp_path, capsys, command):
    bench.exhibit()
    put(bench.results / "demo" / "demo.jsonl", "5")
    refused(bench, tmp_path, capsys, "demo.jsonl:1: ", command=command)


BENCHMARK = '{"benchmarks": [{"name": "a"%s}]}'
PLACE = {  # the files in the folder of the commands below
    "good.jsonl": json.dumps(timed(1)) + "\n",
    "others.jsonl": json.dumps(timed(1, k=77)) + "\n",
    "wrong.jsonl": json.dumps(wrong("no")) + "\n",
    "empty.jsonl": "",
    "broken.jsonl": "{\n",
    "other.json": "[]",
    "timeless.json": BENCHMARK % "",
    "listed.json": BENCHMARK % ', "real_time": 1, "time_unit": ["ns"]',
    "hours.json": BENCHMARK % ', "real_time": 1, "time_unit": "h"',
    "means.json": BENCHMARK % ', "run_type": "aggregate"',
    "card/points.jsonl": "".join(json.dumps(line(None, block=b, grid=g)) + "\n" for b in (1, 2) for g in (1, 2)),
    "regions/nothing.md": "<!-- begin:demo/nothing -->\n<!-- end -->\n",
    "regions/open.md": "<!-- begin:demo/table1 -->\n",
    "words.npy": "no array",
    "words.csv": "a,b\n1,2\n3,four\n",
}
TUNING = "tuning card/points.jsonl --out out"
SCATTER = "scatter --points points.npy --labels labels.npy --centroids centroids.npy"
EXPLAIN = "explain --papers papers --results results --machine demo demo/table1"
COMMANDS = {
    "compare good.jsonl": "takes BASE and NEW",
    "compare good.jsonl good.jsonl good.jsonl": "takes BASE and NEW",
    "compare good.jsonl none.jsonl": "none.jsonl: no such file or folder",
    "compare good.jsonl empty": "empty: holds no .jsonl",
    "compare good.jsonl empty.jsonl": "empty.jsonl: holds no case",
    "compare good.jsonl broken.jsonl": "broken.jsonl:1: not JSON",
    "compare good.jsonl other.json": "no array of benchmarks",
    "compare good.jsonl timeless.json": "real_time is null",
    "compare good.jsonl listed.json": 'time_unit is ["ns"]; accepted: ns, us, ms, s',
    "compare good.jsonl hours.json": 'time_unit is "h"; accepted: ns, us, ms, s',
    "compare good.jsonl means.json": "only aggregates",
    "compare good.jsonl results": "folders of several machines",
    "compare good.jsonl others.jsonl": "share no case",
    "compare good.jsonl good.jsonl --filter (": "not a regular expression",
    "compare good.jsonl good.jsonl --filter zzz": "matches no case",
    "compare good.jsonl good.jsonl --out x.html": "--out x.html: the ending is none of",
    "compare good.jsonl good.jsonl --json --markdown": "--json prints JSON alone",
    "compare --rank wrong.jsonl": "nothing to rank",
    **{f"compare a b --threshold={percent}": "percent" for percent in ("abc", "-1", "nan", "1e9")},
    "history --results nowhere": "nowhere: no such folder",
    "history --results empty": "no lines of any machine",
    "history --results results --machine moon": "no lines of machine moon",
    "history --results results --filter [": "not a regular expression",
    "history --results results --filter zzz": "no case that matches was measured at two commits",
    "render --papers papers --results nowhere": "no such folder of results",
    "render --papers papers --results empty": "no results of any machine",
    "render --papers papers --results folders": "x.jsonl: Is a directory",
    "render --papers papers --results results --machine three": "three",
    "readme --papers papers --results results --file regions/nothing.md": "nothing",
    "readme --papers papers --results results --file regions/open.md": "0 of them end with <!-- end -->",
    "hardware --papers papers --results results demo/nothing": "nothing named demo/nothing",
    "hardware --papers papers --results results --machine nowhere": "nowhere",
    "hardware --papers papers --results nowhere": "nowhere: no such folder",
    "show adhoc --results empty": "",
    "show nowhere.jsonl": "nowhere.jsonl",
    "tuning none.jsonl": "none.jsonl: no such file",
    "tuning empty.jsonl": "empty.jsonl: no problem with two settings",
    "tuning good.jsonl": "good.jsonl: no problem with two settings",
    "tuning card/points.jsonl --out words.npy": "--out words.npy: not a folder",
    f"{TUNING} --x speed": "speed: not varied in this tuning; varied: block, grid",
    f"{TUNING} --x grid --y grid": "--x and --y are both grid",
    f"{TUNING} --metric inertia": "--metric inertia: a time is needed",
    f"{TUNING} --metric speed": "speed",
    "t4 none.jsonl": "none.jsonl: no such file",
    "t4 broken.jsonl": "not JSON",
    "t4 good.jsonl": "good.jsonl: no problem with two settings",
    "t4 card/points.jsonl --out x.txt": "--out x.txt: the ending is not .json",
    f"{SCATTER} --out a.gif": "a.gif",
    f"{SCATTER} --out a.png --dims 0,3": "dimensions [0, 3] are not two of the 3",
    f"{SCATTER} --out a.png --labels high.npy": "labels reach from 1 to 4",
    f"{SCATTER} --out a.png --labels halves.npy": "labels are float64",
    f"{SCATTER} --out a.png --points words.npy": "words.npy: not a .npy file of numbers",
    f"{SCATTER} --out a.png --points none.npy": "none.npy: No such file",
    f"{SCATTER} --out a.png --points words.csv": "words.csv: not a table of numbers",
    "scatter --points points.npy --centroids centroids.npy --out a.png": "--labels is missing",
    "scatter --points points.npy --clusters empty --out a.png": "empty/labels.npy: No such file",
    "replay nowhere.jsonl --out out": "nowhere.jsonl",
    "replay empty.jsonl --out out": "empty.jsonl",
    "replay good.jsonl --out out --kmbench /nonexistent/kmbench": "/nonexistent/kmbench",
    f"{EXPLAIN.replace('table1', 'nothing')} 1 iteration": "nothing named",
    f"{EXPLAIN} 0 iteration": "rows 1 to 2",
    f"{EXPLAIN} 3 iteration": "rows 1 to 2",
    f"{EXPLAIN} packages=7 iteration": "no row of 2",
    f"{EXPLAIN} threads=1 iteration": "fields: packages",
    f"{EXPLAIN} 1 speed": "this table has iteration, assign",
    f"{EXPLAIN.replace('--machine demo', '')} 1 iteration": "--machine says which",
    "artifact --papers papers --results results --out a.rar": "a.rar",
    "artifact --papers papers --results others --out a.zip": "nothing to pack",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with what the commands name, good and bad."""
    folder = tmp_path_factory.mktemp("place")
    Bench(folder).exhibit()
    for name, text in PLACE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    labels = np.arange(20) % 4
    arrays = {"points": np.eye(20, 3), "centroids": np.eye(4, 3), "labels": labels}
    for name, array in (arrays | {"high": labels + 1, "halves": labels + 0.5}).items():
        np.save(folder / f"{name}.npy", array)
    for name, lines in (("demo", [line(packages=p) for p in (1, 10)]), ("second", [line(packages=1)])):
        side(folder / "results", name, lines, {"id": name})
    write(folder / "others", "demo", [line(exhibit="demo/other")])
    for name in ("empty", "folders/demo/x.jsonl"):
        (folder / name).mkdir(parents=True)
    return folder


@pytest.mark.parametrize(("command", "says"), COMMANDS.items())
def test_command(place, monkeypatch, capsys, command, says):
    monkeypatch.chdir(place)
    before = sorted(place.rglob("*"))
    assert main(shlex.split(command)) == 2
    one_line(capsys, says)
    assert sorted(place.rglob("*")) == before, "nothing is written"


@pytest.mark.parametrize("command", [["coverage"], ["claims", "--list"]])  # with print, and with rich
def test_a_reader_that_has_seen_enough_ends_a_command_silently(bench, command):
    bench.exhibit()
    bench.run([line(packages=1)])
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "plots", *command, *bench.folders, "--out", bench.results / "out"]
    ran = subprocess.run(words, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_out_is_a_file(bench, tmp_path, capsys):
    bench.exhibit()
    bench.run([line(packages=1)])
    put(tmp_path / "file", "kept")
    for command in (*PAGES, "all", "coverage", "hardware"):
        for out in (tmp_path / "file", tmp_path / "file/below"):
            assert bench.main(command, "--out", out) == 2
            one_line(capsys, f"--out {out}: not a folder")
    assert (tmp_path / "file").read_text() == "kept"
