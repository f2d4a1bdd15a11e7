"""Writes files and makes the folders."""

import os
import stat
from pathlib import Path

from plots.errors import UserError


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
        part.unlink(missing_ok=True)
        raise UserError(f"cannot write {path}: {e.strerror}") from None
    return path
