"""The pages of docs/ and the README: links lead somewhere, lines are short, and so are all pages together."""

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
