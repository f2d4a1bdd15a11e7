"""Every metric, defined once. Times are stored in seconds and shown in ms."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from plots.errors import UserError
from plots.read import phases
from plots.read.check import Line
from plots.read.disturbed import time_of
from plots.read.intervals import Estimate, exact, of_mean, once

MS = 1e3
TIMED_BESIDES = ("floor_share", "bus_share", "memory_share", "arithmetic_share", "product_share", "energy", "cost")
OF_PREPARE = ("overall", "end_to_end", "end_to_end_iteration", "prepare")
PHASES = ("assign", "update", "transfer", "transpose", "init")
OVER_BASELINE = {"speedup": "×", "efficiency": "%"}  # families that divide by an exhibit's baseline, and their units
TITLES = {"icd": "ICD", "rid": "RID", "rearrange": "hybridizing"}  # wu2011's words of Table I
WORD_COLUMNS = ("grade",)  # words of the line that a table may show beside metrics
Record = dict[str, Any]
Formula = Callable[[Line, Record], Estimate | None]


@dataclass(frozen=True)
class Metric:
    """`better` is lower, higher or empty."""

    name: str
    label: str
    unit: str
    better: str
    formula: Formula

    def of(self, line: Line, record: Record) -> Estimate | None:
        """None also if the value overflows."""
        found = self.formula(line, record)
        return found if found is not None and math.isfinite(found.value) else None

    @property
    def timed(self) -> bool:
        """Whether it contains a time."""
        by_unit = self.unit in ("ms", "ns", "GB/s", "GFLOP/s", "×")
        return by_unit or self.name in TIMED_BESIDES or over_baseline(self.name)

    def rests_on(self, line: Line) -> set[str]:
        """The single measurements in it: `prepare`, or the `trace` that phases come from."""
        family, _, member = self.name.partition(":")
        if family in OVER_BASELINE:
            return metric(member).rests_on(line)
        if self.name in OF_PREPARE:
            return {"prepare"}
        if family in ("ealt", "ealt_share", "time_share"):
            return {"trace"}
        if family != "phase" and self.name not in PHASES:
            return set()
        return {"trace" if (member or self.name) in line["phases"] else "prepare"}

    @property
    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


def run_s(line: Line, _: Record) -> Estimate | None:
    """Iterate, wall clock: the median of the timed runs. A wrong run has no time."""
    return time_of(line) if line["verdict"] == "" else None


def event_s(line: Line, _: Record) -> Estimate | None:
    return time_of(line, "samples_event_s") if line["verdict"] == "" else None


def per_iteration(of: Formula, line: Line, record: Record) -> Estimate | None:
    whole = of(line, record)
    return whole.scaled(1 / line["iterations"]) if whole and line.get("iterations") else None


def point_iteration(line: Line, record: Record) -> Estimate | None:
    """Nanoseconds of an iteration over the number of points."""
    whole = per_iteration(run_s, line, record)
    return whole and whole.scaled(1e9 / line["n"])


def with_verbs(fields: tuple[str, ...], line: Line, record: Record) -> Estimate | None:
    """Iterate plus other verbs, which were measured once: iterate's interval, shifted."""
    whole = run_s(line, record)
    parts = [line.get(field) for field in fields]
    return None if whole is None or None in parts else whole.shifted(sum(parts))


def verb(field: str, line: Line, _: Record) -> Estimate | None:
    return once(line[field]) if line["verdict"] == "" and line.get(field) is not None else None


def phase(name: str, line: Line, _: Record) -> Estimate | None:
    """The mean over the iterations of the traced run; a phase of prepare has one measurement."""
    if line["verdict"] != "":
        return None
    if line["phases"].get(name):
        return of_mean(line["phases"][name])
    seconds = (line.get("prepare_phases") or {}).get(name)
    return None if seconds is None else once(seconds)


def milliseconds(of: Formula, line: Line, record: Record) -> Estimate | None:
    seconds = of(line, record)
    return seconds and seconds.scaled(MS)


def number(field: str, line: Line, _: Record, factor: float = 1.0) -> Estimate | None:
    """An exact field."""
    return None if line.get(field) is None else exact(line[field] * factor)


def counter(name: str, line: Line, _: Record) -> Estimate | None:
    """The mean an iteration; exact."""
    series = (line.get("counters") or {}).get(name)
    return exact(sum(series) / len(series)) if series else None


def cluster_size(rank: int, line: Line, _: Record) -> Estimate | None:
    sizes = sorted(line.get("cluster_sizes") or [], reverse=True)
    return exact(sizes[rank]) if rank < len(sizes) else None


def cluster_spread(line: Line, _: Record) -> Estimate | None:
    sizes = line.get("cluster_sizes")
    return exact(max(sizes) - min(sizes)) if sizes else None


def rate(work: str, line: Line, record: Record) -> Estimate | None:
    """The least work of an iteration over its time, in 10^9 a second."""
    return per_time(((line.get("work") or {}).get(work) or 0) / 1e9, line, record)


def per_time(amount: float, line: Line, record: Record) -> Estimate | None:
    """An amount of an iteration over its time; None if either is missing or 0."""
    one = per_iteration(run_s, line, record)
    return one.inverse_of(amount) if one and one.value > 0 and amount else None


def throughput(line: Line, record: Record) -> Estimate | None:
    """The bytes of the points over the time of an iteration, in GB/s, as lutz2018 counts (without labels)."""
    return per_time(line["n"] * line["d"] * (4 if line["precision"] == "fp32" else 8) / 1e9, line, record)


def product_rate(line: Line, record: Record) -> Estimate | None:
    """2 n d k operations, one matrix product, over the time of an iteration, in 10^9 a second."""
    return per_time(2 * line["n"] * line["d"] * line["k"] / 1e9, line, record)


def product_share(line: Line, record: Record) -> Estimate | None:
    """`product_rate` over the fastest arithmetic that `kmbench ceilings` measured on the device, in percent: tensor
    cores if the GPU has them, else multiply-adds of the precision."""
    ceilings = (record.get("ceilings") or {}).get(device(line)) or {}
    names = (f"fma_{line['precision']}_gflops", "tensor_tf32_gflops", "tensor_bf16_gflops")
    rates, made = [ceilings[name] for name in names if ceilings.get(name)], product_rate(line, record)
    return made.scaled(100 / max(rates)) if made and rates else None


def bus_share(line: Line, record: Record) -> Estimate | None:
    """Throughput over the machine's own pinned upload bandwidth (`ceilings.gpu.upload_gbs`), in percent."""
    most = ((record.get("ceilings") or {}).get("gpu") or {}).get("upload_gbs")
    rate_here = throughput(line, record)
    return rate_here.scaled(100 / most) if rate_here and most else None


def device(line: Line) -> str:
    """`cpu` or `gpu`; in lines of schema 1 by the folder of the implementation."""
    return line["device"] or ("gpu" if line["implementation"].startswith("gpu/") else "cpu")


def wrong_share(line: Line, _: Record) -> Estimate | None:
    """Judged labels that differ from fp64's, in percent."""
    judged = line.get("judged_points")
    return exact(100 * line["wrong_labels"] / judged) if judged and line.get("wrong_labels") is not None else None


def speeds(line: Line, record: Record) -> dict[str, float | None]:
    """Bytes and operations a second of the line's device and precision, from the record's `floor`; of all GPUs that
    shared the run."""
    floor = (record.get("floor") or {}).get(device(line)) or {}
    one = {"bytes": floor.get("bytes_per_s"), "flops": (floor.get("flops_per_s") or {}).get(line["precision"])}
    shared = parts(line) if device(line) == "gpu" else 1
    return {what: speed and speed * shared for what, speed in one.items()}


def floor_share(line: Line, record: Record) -> Estimate | None:
    """The least time of an iteration on this machine over its own, in percent. The least time is the larger of bytes
    over memory bandwidth and flops over arithmetic rate, both from the record's `floor`."""
    work = line.get("work") or {}
    least = [work[what] / speed for what, speed in speeds(line, record).items() if speed and work.get(what)]
    return per_time(100 * max(least, default=0), line, record)


def price(line: Line, record: Record) -> Estimate | None:
    """Dollars an hour of the line's device, from the record's `price`."""
    dollars = (record.get("price") or {}).get(device(line))
    return exact(dollars) if dollars else None


def peak(what: str, line: Line, record: Record) -> Estimate | None:
    """A peak of the line's device from the record's `floor`, in 10^9 a second."""
    speed = speeds(line, record)[what]
    return exact(speed / 1e9) if speed else None


def per_price(what: str, line: Line, record: Record) -> Estimate | None:
    """A peak for a dollar an hour (lutz2018, Section 6.2.8)."""
    value, dollars = peak(what, line, record), price(line, record)
    return value.scaled(1 / dollars.value) if value and dollars else None


def ceiling_share(work: str, line: Line, record: Record) -> Estimate | None:
    """The least work of an iteration over its time, in percent of the machine's measured ceiling."""
    made, most = rate(work, line, record), peak(work, line, record)
    return made.scaled(100 / most.value) if made and most else None


def energy(line: Line, _: Record) -> Estimate | None:
    """Joules an iteration of the whole device, measured once in runs of their own (`kmbench run --energy`)."""
    found = line.get("energy") or {}
    right = line["verdict"] == "" and found.get("joules") is not None and found.get("iterations")
    return once(found["joules"] / found["iterations"]) if right else None


def cost(line: Line, record: Record) -> Estimate | None:
    """Dollars of rent for a million iterations."""
    one, dollars = per_iteration(run_s, line, record), price(line, record)
    return one.scaled(1e6 * dollars.value / 3600) if one and dollars else None


END_TO_END = partial(with_verbs, ("prepare_s", "download_s"))
TIMES = {  # name: label, formula in seconds
    "iteration": ("iteration", partial(per_iteration, run_s)),
    "iteration_event": ("iteration, GPU events", partial(per_iteration, event_s)),
    "overall": ("prepare + iterate", partial(with_verbs, ("prepare_s",))),
    "run": ("iterate", run_s),
    "run_event": ("iterate, GPU events", event_s),
    "end_to_end": ("prepare + iterate + download", END_TO_END),
    "end_to_end_iteration": ("end to end / iterations", partial(per_iteration, END_TO_END)),
    "prepare": ("prepare", partial(verb, "prepare_s")),
    "download": ("download", partial(verb, "download_s")),
    **{name: (name.replace("_", " "), partial(phase, name)) for name in PHASES},
}
ROWS = [  # name, label, unit, better, formula
    *((name, label, "ms", "lower", partial(milliseconds, of)) for name, (label, of) in TIMES.items()),
    ("point_iteration", "iteration of a point", "ns", "lower", point_iteration),
    ("ealt", "EALT", "ms", "lower", phases.ealt),
    ("saved", "distances saved", "%", "higher", partial(phases.of_m, phases.saved)),
    ("saved_in_warps", "saved, waits counted", "%", "higher", partial(phases.of_m, phases.saved_in_warps)),
    ("settled", "iterations until M settles", "", "lower", partial(phases.of_m, phases.settled)),
    ("iterations", "iterations", "", "", partial(number, "iterations")),
    ("distances_saved", "distances saved", "%", "higher", phases.distances_saved),
    ("centroid_error", "centroid error", "", "lower", partial(number, "centroid_error")),
    ("mean_error", "error of the means", "", "lower", partial(number, "mean_error")),
    ("inertia", "inertia", "", "lower", partial(number, "inertia")),
    ("wrong_labels", "wrong labels", "", "lower", partial(number, "wrong_labels")),
    ("wrong_share", "share of wrong labels", "%", "lower", wrong_share),
    ("tied_labels", "ties not to the lowest index", "", "lower", partial(number, "tied_labels")),
    ("label_excess", "excess of the distances", "", "lower", partial(number, "label_excess")),
    ("mean_offset", "means off, in deviations", "", "lower", partial(number, "mean_offset")),
    ("ari", "adjusted Rand index", "", "higher", partial(counter, "ari")),
    ("nmi", "mutual information, normalized", "", "higher", partial(counter, "nmi")),
    ("cluster_spread", "largest − smallest cluster", "points", "", cluster_spread),
    ("bandwidth", "bandwidth", "GB/s", "higher", partial(rate, "bytes")),
    ("flop_rate", "arithmetic", "GFLOP/s", "higher", partial(rate, "flops")),
    ("floor_share", "share of the floor", "%", "higher", floor_share),
    ("throughput", "throughput of the points", "GB/s", "higher", throughput),
    ("bus_share", "share of the upload bandwidth", "%", "higher", bus_share),
    ("price", "price", "USD/h", "lower", price),
    ("cost", "price of 10⁶ iterations", "USD", "lower", cost),
    ("energy", "energy of an iteration", "J", "lower", energy),
    ("memory_share", "share of the memory bandwidth", "%", "higher", partial(ceiling_share, "bytes")),
    ("arithmetic_share", "share of the arithmetic", "%", "higher", partial(ceiling_share, "flops")),
    ("product_rate", "matrix product", "GFLOP/s", "higher", product_rate),
    ("product_share", "share of the fastest arithmetic", "%", "higher", product_share),
    ("peak_flops", "peak arithmetic", "GFLOPS", "higher", partial(peak, "flops")),
    ("peak_bandwidth", "peak bandwidth", "10⁹ B/s", "higher", partial(peak, "bytes")),
    ("flops_per_price", "arithmetic for the price", "GFLOPS/(USD/h)", "higher", partial(per_price, "flops")),
    ("bandwidth_per_price", "bandwidth for the price", "10⁹ B/s/(USD/h)", "higher", partial(per_price, "bytes")),
    ("peak", "peak memory", "MiB", "lower", partial(number, "peak_bytes", factor=2**-20)),
    ("device_peak", "peak GPU memory", "MiB", "lower", partial(number, "device_peak_bytes", factor=2**-20)),
]
FAMILIES = {  # of <family>:<member>: from the member its label, unit, better and formula
    "phase": lambda name: (name.replace("_", " "), "ms", "lower", partial(milliseconds, partial(phase, name))),
    "ealt_share": lambda name: (f"{TITLES.get(name, name)}, share of EALT", "%", "", partial(phases.ealt_share, name)),
    "time_share": lambda name: (f"{name}, share of the time", "%", "", partial(phases.time_share, name)),
    "counter": lambda name: (f"{name} an iteration", "", "lower", partial(counter, name)),
}
METRICS = {row[0]: Metric(*row) for row in ROWS}


def over_baseline(name: str) -> bool:
    return name.partition(":")[0] in OVER_BASELINE


def parts(line: Line) -> float:
    """Equal parts of a machine that shared a run: ranks of MPI times each one's GPUs; where the parameter `gpus` is 0,
    the GPUs that all ranks counted."""
    counted, ranks = (line["counters"] or {}).get("gpus"), (line.get("ranks") or {}).get("count") or 1
    each = (line["parameters"] or {}).get("gpus")
    return each * ranks if each else counted[0] if counted else ranks


def metric(name: str) -> Metric:
    """The metric of that name, families such as `phase:` included. Raises UserError for an unknown name.

    The formula of `speedup:<metric>` and `efficiency:<metric>` is the metric's own; the view divides, because it knows
    the baseline."""
    if name in METRICS:
        return METRICS[name]
    family, _, member = name.partition(":")
    if family in FAMILIES and member:
        return Metric(name, *FAMILIES[family](member))
    if family == "cluster_size" and member.isdigit():
        label = "largest cluster" if member == "0" else f"cluster {int(member) + 1} by size"
        return Metric(name, label, "points", "", partial(cluster_size, int(member)))
    if family in OVER_BASELINE and (member in METRICS or member.startswith("phase:")):
        inner = metric(member)
        return Metric(name, f"{family}, {inner.label}", OVER_BASELINE[family], "higher", inner.formula)
    raise UserError(
        f"unknown metric {name!r}; known: {', '.join(METRICS)}, phase:…, counter:…, time_share:…, cluster_size:…, "
        "speedup:…, efficiency:…"
    )
