"""docs/reference.md lists the content of the schemas, and no exhibit changes its meaning unseen. A new field of a
result line is one edit, its entry in schema/line.json, and the statement that sets it.

KMBENCH_UPDATE=1 rewrites the generated parts."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, papers

from plots.read import check, schema, validate
from plots.read.check import DOCUMENT, LATEST
from plots.read.metrics import METRICS, metric

PAGE = ROOT / "docs/reference.md"
PARTS = {"": "An exhibit", "sweep": "[[sweep]]", "table": "[table]", "figure": "[figure]", "paper": "[[paper]]"}
PARTS |= {"claim": "[claim.<id>]", "record": "paper.toml", "finding": "[[finding]]", "cause": "[[cause]]"}
PARTS |= {"peak": "[peak.<device>]"}


def held(path: Path, now: str) -> None:
    if os.environ.get("KMBENCH_UPDATE"):
        path.write_text(now, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == now, "KMBENCH_UPDATE=1 writes it anew"


def field_rows() -> str:
    rows = ["| field | type | since | meaning |", "|---|---|--:|---|"]
    for name, node in check.FIELDS.items():
        kind = schema.words(schema.Compiler(check.DOCUMENT), node)
        rows.append(f"| `{name}` | {kind} | {node.get('since', '')} | {node['description']} |")
    return "\n".join(rows) + "\n"


def test_the_page_lists_every_field_of_a_line():
    head, rest = PAGE.read_text().split("| field | type |", 1)
    held(PAGE, head + field_rows() + rest[rest.index("\n\n") + 1 :])


def key_table(name: str) -> str:
    node = validate.part(name) if name else validate.EXHIBIT
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, given in node["properties"].items():
        inner = validate.CHECKS.resolved(given)
        words = ", ".join(f"`{one}`" for one in inner["enum"]) if "enum" in inner else inner.get("title", "")
        needed = " (needed)" if key in node.get("required", []) else ""
        rows.append(f"| `{key}`{needed} | {words.replace('<', '&lt;')} | {given.get('description', '')} |")
    return "\n".join(rows)


def test_the_page_lists_every_key():
    heading = "## Keys of an exhibit\n"
    head, tail = PAGE.read_text().split(heading)
    rest = "\n## " + tail.partition("\n## ")[2]
    tables = "\n\n".join(f"{title}:\n\n{key_table(name)}" for name, title in PARTS.items())
    source = "From [schema/exhibit.json](../schema/exhibit.json). [exhibits.md](exhibits.md) explains the format."
    held(PAGE, f"{head}{heading}\n{source}\n\n{tables}\n{rest}")


def test_the_page_lists_every_kind_of_claim():
    section = (ROOT / "docs/exhibits.md").read_text().split("\n## How a claim is decided\n")[1].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == validate.part("claim")["properties"]["kind"]["enum"]


def test_the_page_lists_every_metric_with_its_unit():
    section = PAGE.read_text().split("\n## Metrics\n")[1].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| ([^|]*)\|", section, re.MULTILINE)
    listed = {name: unit.strip() for names, unit in rows for name in re.findall(r"`([^`]+)`", names)}
    families = {name for name in listed if ":" in name}
    assert {name: unit for name, unit in listed.items() if name not in families} == {
        metric.name: metric.unit for metric in METRICS.values()
    }
    assert all(metric(name.replace("<rank>", "0").replace("<metric>", "run")).unit == listed[name] for name in families)


def fingerprint(exhibit) -> str:
    """A hash of the exhibit with its short forms expanded and its claims sorted by id."""
    meant = {**exhibit.spec, "claim": sorted(exhibit.claims, key=lambda claim: claim["id"])}
    return hashlib.sha256(json.dumps(meant, sort_keys=True).encode()).hexdigest()[:16]


def test_no_exhibit_changed_its_meaning_unseen():
    """An edit of the form alone keeps every line of tests/exhibits.txt."""
    now = ""
    exhibits = {one.key: one for paper in papers() for one in paper.exhibits}
    for key, one in sorted(exhibits.items()):
        sizes = f"{len(one.spec.get('sweep', []))} sweeps, {len(one.printed())} printed rows, {len(one.claims)} claims"
        now += f"{fingerprint(one)} {key}: {sizes}\n"
    held(ROOT / "tests/exhibits.txt", now)


ENTRY = {"since": LATEST + 1, "$ref": "#/$defs/optional_number", "description": "degrees in the room"}
SETS = """
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/run/fields.hpp"

int main() {
  km::LineFields values;
  values.room_c = 21.5;
  for (const bool right : {true, false}) {
    km::Json line;
    for (const km::Field& field : km::line_fields()) line[field.name] = field.empty();
    km::write_fields(line, values, right);
    std::cout << km::line_version() << ' ' << line["room_c"] << '\\n';
  }
}
"""
READS = """
import sys
from pathlib import Path
from plots.read import schema
schema.FOLDER = Path(sys.argv[1])
from plots.read import check
from synthetic import line, of_schema, skipped
from test_reference import field_rows
made = line(room_c=21.5)
assert check.line(made, "", {})["room_c"] == 21.5
assert check.line(line(), "", {})["room_c"] is check.line(skipped("no card"), "", {})["room_c"] is None
assert check.line(of_schema(check.LATEST - 1, made), "", {})["room_c"] is None
for wrong in ({**made, "room_c": "hot"}, {name: made[name] for name in made if name != "room_c"}):
    try:
        check.line(wrong, "", {})
        raise AssertionError("accepted")
    except check.UserError as error:
        assert "room_c" in str(error)
assert f"| `room_c` | number or null | {check.LATEST} | degrees in the room |" in field_rows()
"""


@pytest.fixture(scope="module")
def new_schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of schema/ with the entry."""
    folder = tmp_path_factory.mktemp("new") / "schema"
    shutil.copytree(ROOT / "schema", folder)
    fields = {**DOCUMENT["properties"], "room_c": ENTRY}
    (folder / "line.json").write_text(json.dumps({**DOCUMENT, "properties": fields}), encoding="utf-8")
    return folder


def test_python_checks_makes_and_lists_it(new_schema: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", READS, str(new_schema)],
        check=True,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/tests/python"},
    )


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("c++")), reason="no CMake or compiler")
def test_cpp_has_a_member_and_writes_it(new_schema: Path) -> None:
    here = new_schema.parent
    made = [f"-DPROJECT_SOURCE_DIR={here}", f"-DPROJECT_BINARY_DIR={here / 'build'}"]
    subprocess.run(["cmake", *made, "-P", ROOT / "cmake/schemas.cmake"], check=True)
    (here / "sets.cpp").write_text(SETS)
    sources = [here / "sets.cpp", here / "build/schemas.cpp", ROOT / "bench/run/fields.cpp"]
    seen = [f"-I{ROOT}", f"-I{here / 'build/schema'}"]
    subprocess.run(["c++", "-std=c++20", *seen, *sources, "-o", here / "sets"], check=True)
    said = subprocess.run([here / "sets"], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == [f"{LATEST + 1} 21.5", f"{LATEST + 1} null"], "only a right run has it"
