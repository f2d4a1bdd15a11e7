"""The rooms of plots/: every arrow points down, read ← decide, draw ← write."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

BELOW = {"read": {"read"}, "decide": {"read", "decide"}, "draw": {"read", "draw"}}
BELOW["write"] = {"read", "decide", "draw", "write"}


@pytest.mark.parametrize("room", BELOW)
def test_a_room_knows_only_those_below(room):
    for path in (ROOT / "plots" / room).glob("*.py"):
        known = set(re.findall(r"^from plots\.(\w+)[. ]", path.read_text(), re.M)) - {"errors"}
        assert known <= BELOW[room], path.name
