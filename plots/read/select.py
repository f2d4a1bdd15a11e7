"""Fields of a result line, selectors over them, and the fields that tell lines apart."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plots.read.check import Line

Selector = dict[str, Any]
OF_DATA = {"dataset": "name", "data_seed": "seed", "hash": "hash"}  # the line's own word for a field
OF_START = {"init": "method", "init_seed": "seed"}
OF_TABLES = {"ranks", *OF_DATA, *OF_START}  # their values lie in a table of the line
PROBLEM = ("implementation", "dataset", "n", "d", "k", "precision")
RUN = ("ranks", "max_iters", "tolerance", "init", "init_seed", "data_seed", "case")
ALL_THREADS = 0  # the value of `threads` that means every hardware thread: the largest, not the smallest


def value_of(line: Line, name: str) -> Any:
    """The field `name`: top-level, else a parameter, else a setting of the data set's generator; None if absent.

    `dataset` is the data set's name, `init` the method, `init_seed` and `data_seed` the seeds, `ranks` their number."""
    if name in line and name not in OF_TABLES:
        return line[name]
    if name == "ranks":
        return (line.get(name) or {"count": 1})["count"]
    if name in OF_START:
        return (line.get("init") or {}).get(OF_START[name])
    if name in OF_DATA:
        return line["dataset"].get(OF_DATA[name])
    if name in line["parameters"]:
        return line["parameters"][name]
    return (line["dataset"].get("generator") or {}).get(name)


def same(a: Any, b: Any) -> bool:
    """Equality: 1 is 1.0, but not "1"; a list holds if any of its items does."""
    if isinstance(b, list):
        return any(same(a, item) for item in b)
    return a == b and isinstance(a, str) == isinstance(b, str)


def grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """The items by their key, in the order of first appearance."""
    found: dict[Any, list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def matches(line: Line, selector: Selector) -> bool:
    return all(same(value_of(line, name), wanted) for name, wanted in selector.items())


def select(lines: Iterable[Line], selector: Selector) -> list[Line]:
    return [line for line in lines if matches(line, selector)]


def prefer(lines: Sequence[Line], selector: Selector) -> list[Line]:
    """Of lines for one place, those with the first listed values of the selector: the real data set if it ran."""
    kept = [line for line in lines if not line["skip"]] or list(lines)
    for name, wanted in selector.items():
        for value in wanted if isinstance(wanted, list) and len(kept) > 1 else ():
            if first := [line for line in kept if same(value_of(line, name), value)]:
                kept = first
                break
    return kept


def identity(line: Line) -> dict[str, Any]:
    """Every field that identifies a case, in reading order."""
    settings = [*sorted(line["parameters"]), *sorted(line["dataset"].get("generator") or {})]
    return {name: value_of(line, name) for name in (*PROBLEM, *settings, *RUN)}


def differing(lines: Sequence[Line]) -> list[str]:
    """The fewest fields, taken in the order of `identity`, that tell these lines apart."""
    identities = [identity(line) for line in lines]
    names = list(dict.fromkeys(name for one in identities for name in one))
    chosen: list[str] = []
    groups = 1
    for name in names:
        split = len({tuple(repr(one.get(c)) for c in [*chosen, name]) for one in identities})
        if split > groups:
            chosen, groups = [*chosen, name], split
    return chosen


def separating(lines: Sequence[Line], names: Sequence[str]) -> list[str]:
    """The fields to add to `names` so that no two lines look alike."""
    added: list[str] = []
    while True:
        groups = grouped(lines, lambda line: tuple(repr(value_of(line, name)) for name in [*names, *added]))
        crowded = [group for group in groups.values() if len(group) > 1]
        more = [name for group in crowded for name in differing(group) if name not in added]
        if not more:
            return added
        added.append(more[0])


def sort_key(name: str, value: Any, listed: Sequence[Any] = ()) -> tuple[Any, ...]:
    """Numbers by size, words in the exhibit's order, then the rest by letters; None last."""
    if value is None:
        return (3,)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (0, float("inf") if name == "threads" and value == ALL_THREADS else value, "")
    known = next((i for i, item in enumerate(listed) if same(value, item)), None)
    return (1, known, "") if known is not None else (2, 0, str(value))
