"""Strict JSON: UTF-8 without NaN, numbers past a double, lone surrogates or more than 1,024 levels."""

from pathlib import Path
from typing import Any

from plots.errors import UserError


def parse(raw: bytes | str) -> Any:
    """The value of one text; a whole number past 64 bits is a double. Raises ValueError with a short reason."""
    import orjson  # not above: a Python without packages gets one line from plots/__main__.py

    return orjson.loads(raw)


def table(raw: bytes) -> dict[str, Any]:
    """The object of one text; {} if it holds none, as a line that was cut off."""
    try:
        found = parse(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


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
