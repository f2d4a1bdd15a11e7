"""Machines in few numbers, over many exhibits: one's speed over another's by what binds the problem, and every
problem's best time on every device."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from plots.decide.expected import floor
from plots.decide.side_by_side import Sides
from plots.read.across import BOUNDS, LAUNCHES, Comparison, Device
from plots.read.intervals import Estimate, geometric_mean, over
from plots.read.json_text import inner
from plots.read.rates import speeds
from plots.read.results import Line, Machine, device
from plots.read.select import ALL_THREADS, value_of
from plots.read.view import View

ITERATION, WHOLE = "iteration", "end_to_end"  # the metrics of a device: one iteration; a clustering with its copies
FARTHEST = 1e9  # times as fast
LEAST = 3  # problems, below which a mean of a GPU against a CPU says nothing

Best = dict[Device, tuple[View, Line, Estimate]]


@dataclass(frozen=True)
class Problem:
    dataset: str
    n: int
    d: int
    k: int
    precision: str
    max_iters: int
    tolerance: float | None
    settings: str  # of the generator


def problem(line: Line) -> Problem:
    named = [value_of(line, name) for name in ("dataset", "n", "d", "k", "precision", "max_iters", "tolerance")]
    return Problem(*named, repr(line["dataset"].get("generator")))


def bound(work: dict | None, line: Line, machine: Machine) -> str:
    """The slowest of three: bytes, operations, or a launch with its end on a GPU. Empty if a ceiling is unknown."""
    least = floor(work, *speeds(line, machine.record).values())
    launch = inner(machine.record, "ceilings", device(line), "launch_sync_s")
    if not least or not least.seconds:
        return ""
    return LAUNCHES if launch and least.seconds < launch else least.resource


SCALING = {"ranks", "gpus"}  # rows of an exhibit of one device beside several, on a host of its own


def lines_of(exhibits: Iterable[Sides]) -> Iterator[tuple[View, Line]]:
    """Every right line that used the whole device, once, though several exhibits may show it."""
    seen = set()
    for view in (view for both in exhibits for view in both.views.values()):
        for line in view.lines if SCALING.isdisjoint(view.place) else ():
            place = view.machine.name, line["exhibit"], line["case"]
            if place not in seen and line["verdict"] == "" and all_threads(line, view.machine):
                seen.add(place)
                yield view, line


def all_threads(line: Line, machine: Machine) -> bool:
    """Not one of a sequential implementation, nor of a part of the threads; auto chooses their number."""
    threads = value_of(line, "threads")
    if threads is None:
        name = line["implementation"]
        return device(line) == "gpu" or name.startswith("library/") or name.endswith("/auto")
    return threads in (ALL_THREADS, machine.threads)


def timed(view: View, line: Line, name: str = ITERATION) -> Estimate | None:
    """The metric of a line without a doubt."""
    value = view.value(line, name)
    return value if value and value.value > 0 and not view.doubt(line, name) else None


def machines(exhibits: Sequence[Sides], order: Sequence[str]) -> list[Comparison]:
    """Each two machines in this order, by what binds a problem on the first. Cases of one problem count as one."""
    works = {problem(line): line["work"] for _, line in lines_of(exhibits) if line["work"]}
    cases: dict[tuple[Problem, str], dict[str, tuple[View, Line, Estimate]]] = {}
    for view, line in lines_of(exhibits):
        if value := timed(view, line):
            case = problem(line), f"{line['implementation']} {sorted(line['parameters'].items())}"
            cases.setdefault(case, {}).setdefault(view.machine.name, (view, line, value))
    found: dict[tuple[Device, Device, str], dict[Problem, list[float]]] = {}
    for (task, _), on in cases.items():
        for a, b in combinations(sorted(on, key=order.index), 2):
            (view, line, old), (_, _, new) = on[a], on[b]
            what, faster = bound(works.get(task), line, view.machine), over(old.value, new.value)
            if what and sane(faster):
                sides = (a, device(line)), (b, device(line)), what
                found.setdefault(sides, {}).setdefault(task, []).append(faster)
    made = [compared(sides, by.values()) for sides, by in found.items()]
    return sorted(made, key=lambda one: (one.base[1] == "cpu", one.base, one.new, BOUNDS.index(one.what)))


def sane(faster: float) -> bool:
    """Whether a mean and an axis have room for it."""
    return 1 / FARTHEST < faster < FARTHEST


def compared(sides: tuple[Device, Device, str], ratios: Iterable[Sequence[float]]) -> Comparison:
    each = tuple(geometric_mean(own).value for own in ratios)
    return Comparison(*sides, geometric_mean(each), each)


def best(exhibits: Sequence[Sides], name: str) -> dict[Problem, Best]:
    """The fastest line of every problem on every device, where several devices solved it."""
    found: dict[Problem, Best] = {}
    for view, line in lines_of(exhibits):
        if value := timed(view, line, name):
            own, at = found.setdefault(problem(line), {}), (view.machine.name, device(line))
            own[at] = min(own.get(at, (view, line, value)), (view, line, value), key=lambda one: one[2].value)
    shared = [(task, own) for task, own in found.items() if len(own) > 1]
    return dict(sorted(shared, key=lambda pair: (pair[0].n * pair[0].d * pair[0].k, repr(pair[0]))))


def gpus_over_cpus(exhibits: Sequence[Sides], name: str) -> list[Comparison]:
    """Each GPU against each CPU, by the best of both."""
    found: dict[tuple[Device, Device, str], list[list[float]]] = {}
    for own in best(exhibits, name).values():
        for base, new in ((a, b) for a in own for b in own if (a[1], b[1]) == ("cpu", "gpu")):
            faster = over(own[base][2].value, own[new][2].value)
            if sane(faster):
                found.setdefault((base, new, name), []).append([faster])
    return [compared(sides, ratios) for sides, ratios in sorted(found.items()) if len(ratios) >= LEAST]
