"""Strict JSON: no NaN, no number past 64 bits or a double, no lone surrogates, bounded nesting."""

import json
import math
import re
from pathlib import Path
from typing import Any

from plots.errors import UserError

# Only a text with such a part can hold a number past the limits. Calls for each number are slow.
LARGE = re.compile(rb"[eE]\+?\d{3}|\d{200}")
LONG = re.compile(rb"\d{19}")


def parse(raw: bytes) -> Any:
    """The value of one text. Raises ValueError with a short reason."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as e:
        raise ValueError(f"not UTF-8 at byte {e.start}") from None
    try:
        floats, ints = finite if LARGE.search(raw) else None, whole if LONG.search(raw) else None
        value = json.loads(text, parse_constant=no_constant, parse_float=floats, parse_int=ints)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # Python reads lone surrogates, but cannot write them
            raise ValueError("half a character (a lone surrogate)") from None
    return value


def read(path: Path) -> Any:
    try:
        return parse(path.read_bytes())
    except (ValueError, OSError) as e:
        raise UserError(f"{path}: not JSON: {e}") from e


def inner(table: Any, *path: str) -> Any:
    """The value at the end of these keys; None if one is missing or null."""
    for name in path:
        table = (table or {}).get(name)
    return table


def no_constant(name: str) -> None:
    raise ValueError(f"{name} where a missing value is null")


def finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is past the range of a number")
    return value


def whole(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**64:
        raise ValueError(f"{text[:20]}… is past 64 bits")
    return int(text)
