"""The storeys of bench/ and plots/, as docs/design.md draws them; an implementation sees the three lowest."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = ROOT / "docs/design.md"
ROW = re.compile(r"^\| (\w+) \| ([\w, ]*) \|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
IMPORT = re.compile(r"^ *from plots\.(\w+)[. ]", re.M)
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu"}
TOP = {"bench": "", "plots": "commands"}  # the storey of files that lie in no folder of their own


def storey_of(path: str) -> str:
    """Of a file from the root: its folder, or that of the files above the folders."""
    first, *inner = path.split("/")
    return inner[0] if len(inner) > 1 else TOP[first]


def sources(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


def known(folder: str) -> dict[str, set[str]]:
    """By storey, the others that its files include or import."""
    found: dict[str, set[str]] = {}
    rooms = {path.name for path in (ROOT / "plots").iterdir() if path.is_dir()}
    for path in sources("bench") if folder == "bench" else (ROOT / "plots").rglob("*.py"):
        storey = storey_of(str(path.relative_to(ROOT)))
        if folder == "bench":
            others = map(storey_of, includes(path))
        else:
            others = (name for name in IMPORT.findall(path.read_text()) if name in rooms)
        found.setdefault(storey, set()).update({*others} - {storey})
    return found


@pytest.mark.parametrize("folder", TOP)
def test_the_page_draws_what_is_included_and_imported(folder: str) -> None:
    text, found = PAGE.read_text(), known(folder)
    table = re.search(rf"storey of {folder}/ .*\n.*---.*\n((?:.+\n)+)", text)
    drawn = [name for name, _ in ROW.findall(table[1])]
    assert set(drawn) == set(found)
    for at, name in enumerate(drawn):
        assert found[name] <= set(drawn[at + 1 :]), f"{name} knows a storey above it"

    def row(match: re.Match[str]) -> str:
        return f"| {match[1]} | {', '.join(name for name in drawn if name in found[match[1]])} |"

    now = text[: table.start(1)] + ROW.sub(row, table[1]) + text[table.end(1) :]
    if os.environ.get("KMBENCH_UPDATE") == "1":
        PAGE.write_text(now)
    assert PAGE.read_text() == now, "KMBENCH_UPDATE=1 writes it anew"


def test_draw_and_decide_do_not_know_each_other() -> None:
    found = known("plots")
    assert found["draw"] == found["decide"] == {"read"}


def test_an_include_is_a_path_from_the_root() -> None:
    for path in sources("bench"):
        for included in includes(path):
            assert included.startswith("bench/") and (ROOT / included).is_file(), f"{path} includes {included}"


def test_an_implementation_sees_the_three_lowest() -> None:
    for path in sources("impl"):
        for included in includes(path):
            seen = included.startswith("impl/") or storey_of(included) in ("base", "contract", "device")
            assert seen, f"{path.relative_to(ROOT)} includes {included}"
