"""Random result lines, drawn from the schema or mutated from recorded ones, and every command of `plots` on them."""

import contextlib
import copy
import io
import json
import math
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from conftest import ROOT, claim
from hypothesis import strategies as st
from synthetic import words

from plots import comparing
from plots.__main__ import main
from plots.read.check import DOCUMENT, FIELDS, LATEST
from plots.read.schema import kinds_of
from plots.write import render

MANY = 100  # above so many lines, figures are .svg alone, which halves the time
SHORT = 12_000  # bytes: longer recorded lines hold nothing new
TEXTS = ("", " ", "a\nb", "a\tb", "\x00", "\x1b[31m", "\x7f", "\u2028", "\u202e", "½ ×", "漢字", "𝔸", "$a$", "$\\x$")
TEXTS += ("x" * 300, "{{ x }}", *words("<b> & %_#{}\\ | ` [red] [/] ../.. a/b =1+1 \" ' nan"))
WHOLE = (0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, 10**400)
REAL = (0.0, -0.0, 5e-324, 1e-300, 1e-150, 1e150, 1e300, 1.7e308, -1.0, float("nan"), float("inf"))
COLUMNS = words("""
    iteration overall assign phase:update ealt ealt_share:icd saved saved_in_warps settled bandwidth flop_rate
    floor_share throughput bus_share memory_share cost energy wrong_share distances_saved time_share:assign
    time_share:other counter:distances cluster_spread cluster_size:0 peak centroid_error inertia speedup:iteration
    grade flops_per_price label_excess tied_labels
""")
TABLE = f"""[table]
rows = ["implementation", "dataset", "n"]
columns = {json.dumps(COLUMNS)}
baseline = {{ precision = ["fp32", "fp64"] }}
[[paper]]
source = "printed"
fields = ["precision"]
metrics = ["iteration", "centroid_error", "throughput"]
rows = [["fp32", "1.5", "1e-3", "3"], ["fp64", "0.000001", "N/A", ""]]
"""
FIGURES = {  # name: style, x, y, other keys
    "line": ("line", "n", "iteration inertia", 'series = ["implementation"]\npanels = "d"\nlogx = true\nlogy = true'),
    "plain": ("line", "k", "run", 'series = ["dataset"]'),
    "bar": ("bar", "dataset", "iteration", 'series = ["implementation"]'),
    "stacked": ("stacked", "implementation", "assign update download", ""),
    "map": ("map", "k", "iteration", 'down = ["d"]\nseries = ["implementation"]'),
    "heat": ("heat", "k", "iteration", 'down = ["n"]'),
    "sets": ("sets", "k", "centroid_error", 'series = ["implementation"]\nsets = "data_seed"'),
    "shares": ("shares", "k", "speedup:run", 'sets = "data_seed"\nbaseline = { precision = "fp32" }'),
    "iterations": ("iterations", "iteration", "iteration", ""),
    "counted": ("iterations", "iteration", "counter:distances", "logy = true\nlogx = true"),
}
NAMES = ("table", *FIGURES)
BOTH = 'items = [{ precision = "fp32" }, { precision = "fp64" }]'
CLAIMS = {
    "ratio": 'numerator = { precision = ["fp32", "fp64"] }\ndenominator = { device = ["gpu", "cpu"] }\nat_least = 1',
    "trend": 'along = "precision"\ndirection = "DIRECTION"',
    "location": 'along = "k"\nextreme = "min"\nexpect = 4',
    "bound": "at_most = 1e-3",
    "equality": 'items = [{ precision = ["fp32", "fp64"] }, { k = 4 }]\nwithin = 0.1',
    "difference": f"{BOTH}\nat_least = 0.1",
    "mean": "expect = 2.0\nwithin = 2",
    "share": "share = 1\nat_least = 1e-6",
    "order": BOTH,
    "value": 'where = { precision = ["fp32"] }\nexpect = 2.0\nwithin = 2',
}
SWEEP = '[[sweep]]\nimplementation = "cpu/lloyd/two_step"\ndataset = "balls"\ndata.sigma = [1, 2]\n'
CLAIMED = {"iteration": "up", "centroid_error": "flat", "speedup:iteration": "down", "counter:distances": "flat"}
RECORD = {
    "id": "any",
    "cpu": {"threads": 2},
    "floor": {d: {"bytes_per_s": 1e11, "flops_per_s": {"fp32": 1e12}} for d in ("cpu", "gpu")},
    "price": {"cpu": 0.5, "gpu": 2.5},
    "ceilings": {"gpu": {"upload_gbs": 50.0}},
}
PAPER = 'title = "t"\nyear = 2020\n[peak.cpu]\nbandwidth_gbs = 100\nfp32_gflops = 1000\nsource = "s"\n'
REGIONS = "".join(f"<!-- begin:{what} machine=one -->\n<!-- end -->\n" for what in ("claims", "any/table", "any/line"))


@cache
def recorded() -> list[str]:
    """Every tenth recorded line of results/ and tuning/, without the long ones."""
    files = sorted([*(ROOT / "results").glob("*/*.jsonl"), *(ROOT / "tuning").glob("*/*.jsonl")])
    texts = [text for file in files for text in file.read_text(encoding="utf-8").splitlines()[::10]]
    return [text for text in texts if text.startswith("{") and len(text) < SHORT]


def numbers() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from(REAL[:8]), st.floats(0, 1e308), st.floats(1e-6, 10))


def of_node(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that this node of the schema allows, with few exceptions."""
    if "$ref" in node:
        return of_node(DOCUMENT["$defs"][node["$ref"].rpartition("/")[2]])
    if "anyOf" in node:
        return st.one_of(*map(of_node, node["anyOf"]))
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if "pattern" in node:
        return st.from_regex(node["pattern"], fullmatch=True, alphabet=st.characters(max_codepoint=0x2FF))
    return st.one_of(*(of_kind(kind, node) for kind in kinds_of(node)))


def of_kind(kind: type, node: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind is dict and "properties" in node:
        return st.fixed_dictionaries({name: of_node(one) for name, one in node["properties"].items()})
    if kind is dict:
        names = st.sampled_from(words("assign update distances mean_m warp_imbalance icd sigma threads"))
        return st.dictionaries(names, of_node(node.get("additionalProperties", {"type": "number"})), max_size=3)
    if kind is list:
        most = min(node.get("maxItems", 8), 8)
        return st.lists(of_node(node["items"]), min_size=node.get("minItems", 0), max_size=most)
    if kind is str:
        return st.sampled_from(TEXTS[node.get("minLength", 0) :])
    return {int: st.integers(1, 9), float: numbers(), bool: st.booleans()}.get(kind, st.none())


def drawn() -> st.SearchStrategy[dict[str, Any]]:
    """Lines from the schema alone; half of them are of right runs."""
    fields = {name: of_node(node) for name, node in FIELDS.items()}
    right = {"verdict": st.just(""), "skip": st.none(), "failure": st.none()}
    right["samples_s"] = st.lists(st.floats(0, 1e308), min_size=1, max_size=8)
    return st.fixed_dictionaries({**fields, "schema": st.integers(1, LATEST)}).flatmap(
        lambda made: st.one_of(st.just(made), st.fixed_dictionaries(right).map(lambda own: {**made, **own}))
    )


OPERATORS = ("scale", "scale one", "real", "whole", "text", "null", "empty", "single", "longer", "drop")


def mutated() -> st.SearchStrategy[dict[str, Any]]:
    change = st.tuples(st.sampled_from(OPERATORS), st.integers(0, 2**31), st.integers(-300, 300))
    return st.builds(
        lambda at, changes: changed(json.loads(recorded()[at % len(recorded())]), changes),
        st.integers(0, 2**31),
        st.lists(change, max_size=4),
    )


def changed(line: dict[str, Any], changes: list[tuple[str, int, int]]) -> dict[str, Any]:
    for operator, where, power in changes:
        places = [place for place in walk(line) if fits(operator, place[0][place[1]])]
        if places:
            holder, key = places[where % len(places)]
            apply(operator, holder, key, where // 7, power)
    return line


def walk(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value as (holder, key or index); of an array the first four."""
    keys = list(value) if isinstance(value, dict) else range(min(len(value), 4)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((value, key), *walk(value[key]))]


def fits(operator: str, value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if operator in ("scale", "real", "whole"):
        return number or (operator == "scale" and isinstance(value, list) and bool(value))
    if operator in ("scale one", "single", "longer", "empty"):
        return isinstance(value, list)
    return isinstance(value, str) if operator == "text" else True


def apply(operator: str, holder: Any, key: Any, where: int, power: int) -> None:
    value = holder[key]
    if operator == "scale":
        holder[key] = [scaled(v, power) for v in value] if isinstance(value, list) else scaled(value, power)
    elif operator == "scale one" and value:
        value[where % len(value)] = scaled(value[where % len(value)], power)
    elif operator in ("real", "whole", "text"):
        choices = {"real": REAL, "whole": WHOLE, "text": TEXTS}[operator]
        holder[key] = choices[where % len(choices)]
    elif operator in ("null", "empty"):
        holder[key] = None if operator == "null" else []
    elif operator in ("single", "longer"):
        holder[key] = value[:1] if operator == "single" else value + value[:1]
    elif operator == "drop" and isinstance(holder, dict):
        del holder[key]


def scaled(value: Any, power: int) -> Any:
    return value * 10.0**power if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def placed(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Spreads the lines over the exhibits and none. Most become cases of their own; some get delays of schema 6."""
    keys = [*(f"any/{name}" for name in NAMES), None]
    made = []
    for i, line in enumerate(map(copy.deepcopy, lines)):
        if "exhibit" in line:
            line["exhibit"] = keys[i % len(keys)]
        if "exhibit_hash" in line:
            line["exhibit_hash"] = None
        if i % 5 and isinstance(line.get("case"), str):
            line["case"] = f"{i:016x}"
        if i % 3 == 0 and line.get("schema") == 5 and isinstance(line.get("samples_s"), list):
            delays = [j % 3 * 0.5 * s if isinstance(s, float) else 0 for j, s in enumerate(line["samples_s"])]
            line |= {"schema": 6, "run_delay_s": delays if i % 2 else None, "wait_policy": None}
            line["involuntary_switches"] = None if i % 2 else [j * 100 for j in range(len(delays))]
        made.append(line)
    return made


def stricter(value: Any) -> bool:
    """Whether it holds a value that JSON Schema accepts and we refuse: 1.0 for 1, a number past 64 bits, NaN."""
    if isinstance(value, (dict, list)):
        return any(map(stricter, value.values() if isinstance(value, dict) else value))
    if isinstance(value, float):
        return not math.isfinite(value) or value.is_integer()
    return isinstance(value, int) and abs(value) >= 2**63


def write_papers(folder: Path) -> Path:
    """An exhibit of each style; the table has every kind of claim on every metric."""
    (folder / "any").mkdir(parents=True)
    (folder / "any/paper.toml").write_text(PAPER)
    claims = ""
    for metric, direction in CLAIMED.items():
        for kind, text in CLAIMS.items():
            claims += claim(f'kind = "{kind}"\nmetric = "{metric}"\n{text}', f"{kind}-{metric}")
        claims = claims.replace("DIRECTION", direction)
    (folder / "any/table.toml").write_text(f'kind = "table"\ntitle = "table"\n{SWEEP}{TABLE}{claims}')
    for name, (style, x, y, more) in FIGURES.items():
        shown = f'[figure]\nstyle = "{style}"\nx = "{x}"\ny = {json.dumps(words(y))}\n{more}\n'
        (folder / f"any/{name}.toml").write_text(f'kind = "figure"\ntitle = "{name}"\n{SWEEP}{shown}')
    return folder


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (path.parent / "machine.json").write_text(json.dumps(RECORD))
    return path


def commands(lines: list[dict[str, Any]], papers: Path, folder: Path) -> list[list[str]]:
    """Every command, with the lines as two machines and as a tuning."""
    own, results = placed(lines), folder / "results"
    one = write_lines(results / "one/any.jsonl", own)
    other = write_lines(results / "two/any.jsonl", own[::-1][: len(own) // 2 + 1])
    tuned = write_lines(folder / "tuning/cpu/tuned.jsonl", tuning_of(own))
    write_lines(folder / "tuning/cpu/tuned.winners.jsonl", tuning_of(own)[:3])
    readme = folder / "README.md"
    readme.write_text(REGIONS)
    out = folder / "out"
    both = [f"--papers={papers}", f"--results={results}"]
    cells = [(row, column) for row in ("1", "2") for column in ("iteration", "assign", "speedup:iteration", "inertia")]
    return [
        ["render", *both, f"--out={out}", "--machine=one"],
        ["claims", *both, f"--out={out}", "--all"],
        ["report", *both, f"--out={out}", "--exhibit=any/table", "--exhibit=any/plain", "--exhibit=any/heat"],
        ["readme", *both, f"--file={readme}", f"--pictures={folder / 'pictures'}"],
        ["show", "adhoc", f"--results={results}", f"--out={out}"],
        ["show", str(other), f"--out={out}"],
        ["compare", str(one), str(other), "--all", *(f"--out={out / 'compare'}.{end}" for end in ("md", "csv", "tex"))],
        ["compare", "--rank", str(one), str(other)],
        ["history", f"--results={results}", f"--out={out}"],
        ["hardware", *both, f"--out={out}", "--all"],
        *(["explain", "any/table", *cell, *both, "--machine=one"] for cell in cells),
        ["artifact", *both, f"--out={out / 'artifact.tar'}"],
        ["tuning", str(tuned), f"--out={out}"],
        ["t4", str(tuned)],
        ["replay", str(one), "--dry-run", f"--out={out}"],
    ]


def tuning_of(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines as points of one problem."""
    first = next((line for line in lines if {"parameters", "dataset", "init"} <= line.keys()), {})
    same = {name: first[name] for name in words("implementation dataset n d k commit dirty") if name in first}
    made = []
    for i, line in enumerate(lines):
        values = {"block": 64 << (i % 4), "tile": i % 3}
        made.append({**line, **same, "parameters": values, "case": f"{i:016x}"})
    return made


def run(lines: list[dict[str, Any]], papers: Path, folder: Path, monkeypatch: Any) -> None:
    """Asserts that every command ends with code 0, 1 or 2, and that code 2 prints one line."""
    env = {"machine": "one", "build": {"commit": "0"}}
    monkeypatch.setattr(comparing, "env", lambda _: env)
    if len(lines) > MANY:
        monkeypatch.setattr(render, "FIGURE_FORMATS", (".svg",))
    monkeypatch.setattr(comparing.subprocess, "run", lambda *_, **__: CompletedProcess([], 0, "", ""))
    for command in commands(lines, papers, folder):
        said, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
            code = main(command)
        last = "".join(errors.getvalue().splitlines()[-1:])
        assert code in (0, 1, 3) or (code == 2 and last.startswith("plots: ")), (command, code, errors.getvalue())
