"""Writes files and makes the folders."""

import io
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plots.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write(path: Path, content: str | bytes) -> Path:
    """Replaces the file completely or not at all. A link stays one; into a device or pipe the text goes directly."""
    target = path.resolve()
    data = content.encode() if isinstance(content, str) else content
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
            return path
        part.write_bytes(data)
        part.replace(target)
    except OSError as e:
        with suppress(OSError):
            part.unlink()
        raise UserError(f"cannot write {path}: {e.strerror}") from None
    return path


def save(figure: "Figure", path: Path) -> Path:
    from plots.draw import style  # not above: it loads Matplotlib

    picture = io.BytesIO()
    style.write(figure, picture, path.suffix)
    return write(path, picture.getvalue())


def save_all(figure: "Figure | None", stem: Path, endings: Iterable[str]) -> list[Path]:
    return [save(figure, stem.with_name(stem.name + ending)) for ending in endings] if figure else []
