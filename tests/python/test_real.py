"""The real data in the repository: it matches its description and is attributed."""

import hashlib
import io
import lzma
import tomllib

import numpy as np
import pytest
from conftest import ROOT

FOLDER = ROOT / "datasets/real"
TABLES = tomllib.loads((ROOT / "datasets/real.toml").read_text())
FILES = sorted(FOLDER.glob("*.npy.xz"))


def test_two_sets_travel_along():
    assert [file.name for file in FILES] == ["household_part.npy.xz", "kdd99_part.npy.xz"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_what_its_table_says_and_is_attributed(file):
    table, text = TABLES[file.name.removesuffix(".npy.xz")], (FOLDER / "ATTRIBUTION.md").read_text()
    with lzma.open(file) as packed:
        head = io.BytesIO(packed.read(4096))
    np.lib.format.read_magic(head)
    shape, _, kind = np.lib.format.read_array_header_1_0(head)
    assert (shape, kind, table["file"]) == ((table["n"], table["d"]), np.float32, file.name)
    assert f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" in text
    assert table["licence"] == "CC BY 4.0" and "Creative Commons Attribution 4.0" in text
