"""Runs programs one after the other and reports how each ended: JSON list in, JSON list out.

This is a small process of its own, because the peak memory of a child starts at its parent's."""

import json
import os
import sys
import threading
from pathlib import Path
from tempfile import TemporaryFile


def run(args: list[str], env: dict[str, str], folder: str, limit_s: float) -> dict[str, object]:
    """The exit code (negative: the signal; -9 after the limit), both outputs and the peak memory."""
    with TemporaryFile() as out, TemporaryFile() as err:
        os.chdir(folder)
        files = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
        pid = os.posix_spawn(args[0], args, {**os.environ, **env}, file_actions=files)
        late = threading.Timer(limit_s, os.kill, (pid, 9))
        late.start()
        _, status, usage = os.wait4(pid, 0)
        late.cancel()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(100_000).decode(errors="backslashreplace"))
    return {"code": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1], "kilobytes": usage.ru_maxrss}


if __name__ == "__main__":
    batch = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps([run(**one) for one in batch]))
