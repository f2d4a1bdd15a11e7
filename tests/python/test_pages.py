"""The pages of docs/ and the README: links lead somewhere, lines are short, and so are all pages together.

docs/design.md draws the layers of bench/ and plots/; an implementation sees the three lowest."""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = sorted([*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")])
WRITTEN = [page for page in PAGES if page.parent.name == "docs" and page.name != "reference.md"]


def prose(page: Path) -> list[str]:
    """The lines outside of code blocks."""
    lines, code = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        code ^= line.startswith("```")
        if not code and not line.startswith(("```", "    ")):
            lines.append(line)
    return lines


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of the headings."""
    titles = [line.lstrip("#").strip().lower() for line in prose(page) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join(prose(page))):
        if target.startswith(("http:", "https:")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


@pytest.mark.parametrize("schema", sorted((ROOT / "schema").glob("*.json")), ids=lambda path: path.name)
def test_a_schema_points_to_existing_pages(schema: Path) -> None:
    for path, anchor in re.findall(r"(docs/\w+\.md)(?:#([\w-]+))?", schema.read_text(encoding="utf-8")):
        assert not anchor or anchor in anchors(ROOT / path), f"{path}#{anchor}"
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_lines_are_short(page: Path) -> None:
    assert not [line for line in prose(page) if len(line) > 160 and not line.startswith(("|", "<!-- begin:"))]


def test_all_pages_together_are_read_in_an_hour() -> None:
    lines = [line for page in WRITTEN for line in prose(page)]
    assert len([line for line in lines if line.strip()]) <= 1000


def test_no_page_has_two_headings_of_one_name() -> None:
    for page in PAGES:
        titles = sorted(line for line in prose(page) if line.startswith("#"))
        assert page.name == "CHANGELOG.md" or not [a for a, b in pairwise(titles) if a == b], page.name


DESIGN = ROOT / "docs/design.md"
ROW = re.compile(r"^\| (\w+) \| ([\w, ]*) \|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
IMPORT = re.compile(r"^ *from plots\.(\w+)[. ]", re.M)
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu"}
TOP = {"bench": "", "plots": "commands"}  # the layer of files without a folder of their own


def layer_of(path: str) -> str:
    """The layer of a file: its inner folder, else that of TOP."""
    first, *inner = path.split("/")
    return inner[0] if len(inner) > 1 else TOP[first]


def sources(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


def known(folder: str) -> dict[str, set[str]]:
    """For each layer, the other layers that its files include or import."""
    found: dict[str, set[str]] = {}
    folders = {path.name for path in (ROOT / "plots").iterdir() if path.is_dir()}
    for path in sources("bench") if folder == "bench" else (ROOT / "plots").rglob("*.py"):
        layer = layer_of(str(path.relative_to(ROOT)))
        if folder == "bench":
            others = (layer_of(included) for included in includes(path) if included.startswith("bench/"))
        else:
            others = (name for name in IMPORT.findall(path.read_text()) if name in folders)
        found.setdefault(layer, set()).update({*others} - {layer})
    return found


def table_of(folder: str) -> re.Match[str]:
    """The rows of its table in the page, from the highest layer down."""
    return re.search(rf"layer of {folder}/ .*\n.*---.*\n((?:.+\n)+)", DESIGN.read_text())


def drawn(folder: str) -> list[str]:
    return [name for name, _ in ROW.findall(table_of(folder)[1])]


@pytest.mark.parametrize("folder", TOP)
def test_the_page_draws_the_includes_and_imports(folder: str) -> None:
    text, found, layers, rows = DESIGN.read_text(), known(folder), drawn(folder), table_of(folder)
    assert set(layers) == set(found)
    for at, name in enumerate(layers):
        assert found[name] <= set(layers[at + 1 :]), f"{name} knows a layer above it"

    def row(match: re.Match[str]) -> str:
        return f"| {match[1]} | {', '.join(name for name in layers if name in found[match[1]])} |"

    now = text[: rows.start(1)] + ROW.sub(row, rows[1]) + text[rows.end(1) :]
    if os.environ.get("KMBENCH_UPDATE") == "1":
        DESIGN.write_text(now)
    assert DESIGN.read_text() == now, "KMBENCH_UPDATE=1 writes it anew"


def test_draw_and_decide_do_not_know_each_other() -> None:
    found = known("plots")
    assert found["draw"] == found["decide"] == {"read"}


def test_an_include_is_a_path_from_the_root() -> None:
    for path in sources("bench"):
        for included in includes(path):
            assert included.startswith(("bench/", "include/")), f"{path} includes {included}"
            assert (ROOT / included).is_file(), f"{path} includes {included}"


def test_an_implementation_sees_device_and_below() -> None:
    layers = drawn("bench")
    allowed = layers[layers.index("device") :]
    for path in sources("impl"):
        for included in includes(path):
            seen = included.startswith("impl/") or layer_of(included) in allowed
            assert seen, f"{path.relative_to(ROOT)} includes {included}"
