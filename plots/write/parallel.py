"""Maps a function over items, in as many processes as there are processors, and counts on a terminal those done."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

FEW = 4  # items for which starting processes does not pay
_work: tuple[Callable[[Any], Any], Sequence[Any]] | None = None


def each(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """The results, in order. Items reach the processes by fork: a view holds a whole machine, too much to pickle."""
    global _work
    if len(items) < FEW:
        return [function(item) for item in items]
    _work = (function, items)
    ignore = (signal.SIGINT, signal.SIG_IGN)  # the parent alone answers Ctrl-C
    with multiprocessing.get_context("fork").Pool(initializer=signal.signal, initargs=ignore) as pool:
        found = []
        for made in pool.imap(_one, range(len(items))):
            found.append(made)
            if sys.stderr.isatty():
                told = f"{len(found)} of {len(items)}" * (len(found) < len(items))
                print(f"\r\033[K{told}", end="", file=sys.stderr, flush=True)
    return found


def _one(at: int) -> Any:
    function, items = _work
    return function(items[at])
