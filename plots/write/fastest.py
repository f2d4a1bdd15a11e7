"""The fastest k-means: ours beside the libraries at a few workloads, with time and grade."""

from collections.abc import Sequence

from plots.draw.best_map import contender
from plots.read import words
from plots.read.exhibits import Paper
from plots.read.metrics import metric
from plots.read.results import Line, Machine, coarse, device
from plots.read.view import View, gather
from plots.write.machine import device as device_name
from plots.write.table_formats import md_table

EXHIBITS = ("ours/landscape", "ours/peers")
LIBRARIES = {
    "scikit-learn": "sklearn",
    "FAISS": "faiss",
    "PyTorch": "torch",
    "flash-kmeans": "flash_kmeans",
    "cuML": "cuml",
    "cuVS": "cuvs",
}
SHOWN = {"gpu": 4, "cpu": 2}  # workloads
Case = tuple[View, str, int, int, int]


def table(papers: Sequence[Paper], machines: Sequence[Machine]) -> str:
    """As Markdown: the largest of the workloads that most libraries solved."""
    exhibits = [e for paper in papers for e in paper.exhibits if e.key in EXHIBITS]
    cases: dict[Case, dict[str, Line]] = {}
    for view in (gather(exhibit, machine) for exhibit in exhibits for machine in machines):
        for line in view.lines:
            who, value = name(line), time(line)
            if who and value is not None and (coarse(line) or view.fair(line, "iteration")):
                own = cases.setdefault((view, device(line), line["n"], line["d"], line["k"]), {})
                own[who] = min((line, own.get(who, line)), key=time)
    chosen = []
    for where, count in SHOWN.items():
        here = [(case, own) for case, own in cases.items() if case[1] == where and "kmbench" in own]
        here.sort(key=lambda pair: (-len(pair[1]), -pair[0][2] * pair[0][3] * pair[0][4]))
        chosen += here[:count]
    shown = [who for who in ("kmbench", *LIBRARIES) if any(who in own for _, own in chosen)]
    rows = []
    for (view, where, n, d, k), own in chosen:
        on = device_name(view.machine) if where == "gpu" else view.machine.record.get("cpu", {}).get("model", "")
        times = [cell(view, own.get(who), own) for who in shown]
        rows.append((f"{words.field_value(n)} x {d}, {k}", on or view.machine.name, *times))
    heads = ("points x dimensions, clusters", "on", *shown)
    lost = ", ".join(who for who in LIBRARIES if who not in shown)
    told = f"\n\n<sub>No time recorded here: {lost}.</sub>" if lost else ""
    return "\n".join(md_table(heads, "ll" + "r" * len(shown), rows)) + told


def name(line: Line) -> str:
    """The library, or kmbench; empty for other libraries."""
    folder, _, own = line["implementation"].removesuffix("_gpu").removesuffix("ex").rpartition("/")
    return next((who for who, library in LIBRARIES.items() if own == library), "kmbench" * (folder != "library"))


def time(line: Line) -> float | None:
    """Milliseconds of an iteration."""
    found = metric("iteration").of(line, {})
    return found and found.value


def cell(view: View, line: Line | None, rivals: dict[str, Line]) -> str:
    """`**0.86 ms**, exact` with the name of ours; bold: the fastest that is not coarse."""
    if line is None:
        return words.MISSING
    fair = [time(rival) for rival in rivals.values() if not coarse(rival)]
    text = f"{words.number(time(line), 3)} ms"
    text = f"**{text}**" if fair and not coarse(line) and time(line) == min(fair) else text
    ours = f", `{contender(view, line).partition('/')[2]}`" if name(line) == "kmbench" else ""
    return f"{text}<br><sub>{line['grade'] or 'no grade'}{ours}</sub>"
