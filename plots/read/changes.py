"""The files that differ between the commits of two sides, by `git diff --numstat` in this checkout."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from plots.read.sides import Side

ROOT = Path(__file__).parents[2]
COMMIT = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True)
class Changed:
    """Lines added and removed; None in a file of bytes."""

    file: str
    added: int | None
    removed: int | None


def changed(base: Side, new: Side, root: Path = ROOT) -> list[Changed]:
    """Empty unless both sides are of one commit each, and this checkout has both. Uncommitted changes of the new side
    are those of now."""
    commits = [str(side.environment.get("commit", "")) for side in (base, new)]
    if not all(COMMIT.fullmatch(commit) for commit in commits):
        return []
    dirty = "True" in str(new.environment.get("dirty", "")) and git(root, "rev-parse", "HEAD").startswith(commits[1])
    text = git(root, "diff", "--numstat", "-z", "--no-renames", commits[0], *([] if dirty else [commits[1]]), "--")
    found = (line.split("\t") for line in text.split("\0") if line.count("\t") == 2)
    return [Changed(file, *(int(n) if n.isdigit() else None for n in counts)) for *counts, file in found]


def git(root: Path, *words: str) -> str:
    """What git says; nothing if it is not there, or refuses."""
    try:
        ran = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, errors="replace")
    except OSError:
        return ""
    return ran.stdout if ran.returncode == 0 else ""
