"""The rooms of plots/ and the storeys of bench/: every arrow points down; an implementation sees the two lowest."""

import re
from pathlib import Path

import pytest
from conftest import ROOT

BELOW = {"read": {"read"}, "decide": {"read", "decide"}, "draw": {"read", "draw"}}
BELOW["write"] = {"read", "decide", "draw", "write"}
STOREYS = ["contract", "device", "machine", "data", "plan", "judge", "run", "tune", "program"]  # docs/design.md
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu"}


@pytest.mark.parametrize("room", BELOW)
def test_a_room_knows_only_those_below(room):
    for path in (ROOT / "plots" / room).glob("*.py"):
        known = set(re.findall(r"^from plots\.(\w+)[. ]", path.read_text(), re.M)) - {"errors"}
        assert known <= BELOW[room], path.name


def storey_of(path: str) -> str:
    """Of a file below bench/: its folder, or the contract."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "contract"


def includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.M)


def sources(folder: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]


def test_the_storeys_are_those_that_there_are():
    assert {storey_of(str(path.relative_to(ROOT))) for path in sources("bench")} == set(STOREYS)
    text = (ROOT / "docs/design.md").read_text().split("## Rooms")[1].split("##")[0]
    drawn = re.findall(r"^    (\w+)  +\S", text, re.M)
    assert drawn == STOREYS[::-1]


@pytest.mark.parametrize("storey", STOREYS)
def test_a_storey_includes_only_itself_and_those_below(storey):
    allowed = STOREYS[: STOREYS.index(storey) + 1]
    for path in sources("bench"):
        name = str(path.relative_to(ROOT))
        if storey_of(name) != storey:
            continue
        for included in includes(path):
            assert (ROOT / included).is_file(), f"{name} includes {included}: an include is a path from the root"
            assert included.startswith("bench/") and storey_of(included) in allowed, f"{name} includes {included}"


def test_an_implementation_sees_contract_and_device():
    for path in sources("impl"):
        for included in includes(path):
            seen = included.startswith("impl/") or storey_of(included) in ("contract", "device")
            assert seen, f"{path.relative_to(ROOT)} includes {included}"
