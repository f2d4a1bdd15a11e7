"""A new field of a result line is one edit, its entry in schema/line.json, and the statement that sets it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from plots.read.check import DOCUMENT, LATEST

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
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of schema/ with the entry."""
    folder = tmp_path_factory.mktemp("new") / "schema"
    shutil.copytree(ROOT / "schema", folder)
    fields = {**DOCUMENT["properties"], "room_c": ENTRY}
    (folder / "line.json").write_text(json.dumps({**DOCUMENT, "properties": fields}), encoding="utf-8")
    return folder


def test_python_checks_makes_and_lists_it(schema: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", READS, str(schema)],
        check=True,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/tests/python"},
    )


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("c++")), reason="no CMake or compiler")
def test_cpp_has_a_member_and_writes_it(schema: Path) -> None:
    here = schema.parent
    made = [f"-DPROJECT_SOURCE_DIR={here}", f"-DPROJECT_BINARY_DIR={here / 'build'}"]
    subprocess.run(["cmake", *made, "-P", ROOT / "cmake/schemas.cmake"], check=True)
    (here / "sets.cpp").write_text(SETS)
    sources = [here / "sets.cpp", here / "build/schemas.cpp", ROOT / "bench/run/fields.cpp"]
    seen = [f"-I{ROOT}", f"-I{here / 'build/schema'}"]
    subprocess.run(["c++", "-std=c++20", *seen, *sources, "-o", here / "sets"], check=True)
    said = subprocess.run([here / "sets"], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == [f"{LATEST + 1} 21.5", f"{LATEST + 1} null"], "only a right run has it"
