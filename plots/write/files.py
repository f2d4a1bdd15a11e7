"""Writes text and makes the folders."""

import os
import stat
from pathlib import Path

from plots.errors import UserError


def write(path: Path, text: str) -> Path:
    """Replaces the file completely or not at all. A link stays one; into a device or pipe the text goes directly."""
    target = path.resolve()
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_text(text, encoding="utf-8")
            return path
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise UserError(f"cannot write {path}: {e.strerror}") from None
    return path
