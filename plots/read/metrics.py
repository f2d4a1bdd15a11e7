"""Every metric, defined once: its formula here, in times.py or in rates.py. Times are stored in s and shown in ms."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from plots.errors import UserError
from plots.read import rates, times
from plots.read.check import Line
from plots.read.intervals import Estimate, exact, over
from plots.read.json_text import inner
from plots.read.times import PHASES, TIMES, Formula, Record, milliseconds, phase, point_iteration

OF_PEAKS = ("floor_share", "bus_share", "nvlink_share", "memory_share", "arithmetic_share", "product_share")
TIMED_BESIDES = (*OF_PEAKS, "energy", "cost")
STEADY = 0.01  # the least relative change of the mean M between iterations that counts (wu2011, Section III)
OF_PREPARE = ("overall", "end_to_end", "end_to_end_iteration", "prepare")
OVER_BASELINE = {"speedup": "×", "efficiency": "%"}  # families that divide by an exhibit's baseline, and their units
TITLES = {"icd": "ICD", "rid": "RID", "rearrange": "hybridizing"}  # wu2011's words of Table I
WORD_COLUMNS = ("grade",)  # words of the line that a table may show beside metrics


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
        if family == "time_share":
            return {"prepare", "trace"}
        if family in ("ealt", "ealt_share", "phase_share"):
            return {"trace"}
        if family != "phase" and self.name not in PHASES:
            return set()
        return {"trace" if (member or self.name) in line["phases"] else "prepare"}

    @property
    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


def number(field: str, line: Line, _: Record, factor: float = 1.0) -> Estimate | None:
    return None if line.get(field) is None else exact(line[field] * factor)


def counter(name: str, line: Line, _: Record) -> Estimate | None:
    """The mean an iteration; exact."""
    series = inner(line, "counters", name)
    return exact(sum(series) / len(series)) if series else None


def cluster_size(rank: int, line: Line, _: Record) -> Estimate | None:
    sizes = sorted(line.get("cluster_sizes") or [], reverse=True)
    return exact(sizes[rank]) if rank < len(sizes) else None


def cluster_spread(line: Line, _: Record) -> Estimate | None:
    sizes = line.get("cluster_sizes")
    return exact(max(sizes) - min(sizes)) if sizes else None


def of_counter(
    formula: Callable[[list[float], Line], float | None], line: Line, _: Record, name: str = "mean_m"
) -> Estimate | None:
    """A number computed from a counter of every iteration of the traced run, by default the mean M."""
    series = inner(line, "counters", name)
    value = formula(series, line) if series and line["verdict"] == "" else None
    return None if value is None else exact(value)


def saved(series: list[float], line: Line) -> float:
    """Distances not computed, in percent of n k, over all iterations: the bound of Figure 3."""
    return 100 * (1 - over(sum(series) / len(series), line["k"]))


def saved_in_warps(series: list[float], line: Line) -> float | None:
    """The same if 32 points in a row take as long as the slowest: a point waits for M (1 + R), R of Equation 2."""
    waits = line["counters"].get("warp_imbalance")
    if not waits or len(waits) != len(series):
        return None
    return saved([m * (1 + r) for m, r in zip(series, waits, strict=True)], line)


def settled(series: list[float], _: Line) -> float | None:
    """The first iteration whose mean M differs from the one before by less than 1%."""
    steady = (i for i in range(1, len(series)) if abs(series[i] - series[i - 1]) < STEADY * series[i - 1])
    return next((i + 1.0 for i in steady), None)


def distances_saved(series: list[float], line: Line) -> float:
    """Distances that were not computed, in percent of n k an iteration; repeated ones count twice."""
    return 100 * (1 - over(sum(series), line["n"] * line["k"] * len(series)))


def wrong_share(line: Line, _: Record) -> Estimate | None:
    """Judged labels that differ from fp64's, in percent."""
    judged = line.get("judged_points")
    return exact(100 * line["wrong_labels"] / judged) if judged and line.get("wrong_labels") is not None else None


ROWS = [  # name, label, unit, better, formula
    *((name, label, "ms", "lower", partial(milliseconds, of)) for name, (label, of) in TIMES.items()),
    ("point_iteration", "iteration of a point", "ns", "lower", point_iteration),
    ("imbalance", "slowest rank over the mean", "×", "lower", times.imbalance),
    ("ealt", "EALT", "ms", "lower", times.ealt),
    ("saved", "distances saved", "%", "higher", partial(of_counter, saved)),
    ("saved_in_warps", "saved, waits counted", "%", "higher", partial(of_counter, saved_in_warps)),
    ("settled", "iterations until M settles", "", "lower", partial(of_counter, settled)),
    ("iterations", "iterations", "", "", partial(number, "iterations")),
    ("distances_saved", "distances saved", "%", "higher", partial(of_counter, distances_saved, name="distances")),
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
    ("bandwidth", "bandwidth", "GB/s", "higher", partial(rates.rate, "bytes")),
    ("flop_rate", "arithmetic", "GFLOP/s", "higher", partial(rates.rate, "flops")),
    ("floor_share", "share of the floor", "%", "higher", rates.floor_share),
    ("throughput", "throughput of the points", "GB/s", "higher", partial(rates.rate, "points")),
    ("bus_share", "share of the upload bandwidth", "%", "higher", partial(rates.share, "points")),
    ("nvlink_share", "share of a projected NVLink", "%", "higher", partial(rates.share, "points", of="nvlink")),
    ("price", "price", "USD/h", "lower", rates.price),
    ("cost", "price of 10⁶ iterations", "USD", "lower", rates.cost),
    ("energy", "energy of an iteration", "J", "lower", rates.energy),
    ("memory_share", "share of the memory bandwidth", "%", "higher", partial(rates.share, "bytes")),
    ("arithmetic_share", "share of the arithmetic", "%", "higher", partial(rates.share, "flops")),
    ("product_rate", "matrix product", "GFLOP/s", "higher", partial(rates.rate, "product")),
    ("product_share", "share of the fastest arithmetic", "%", "higher", partial(rates.share, "product")),
    ("peak_flops", "peak arithmetic", "GFLOPS", "higher", partial(rates.peak, "flops")),
    ("peak_bandwidth", "peak bandwidth", "10⁹ B/s", "higher", partial(rates.peak, "bytes")),
    ("flops_per_price", "arithmetic for the price", "GFLOPS/(USD/h)", "higher", partial(rates.per_price, "flops")),
    ("bandwidth_per_price", "bandwidth for the price", "10⁹ B/s/(USD/h)", "higher", partial(rates.per_price, "bytes")),
    ("peak", "peak memory", "MiB", "lower", partial(number, "peak_bytes", factor=2**-20)),
    ("device_peak", "peak GPU memory", "MiB", "lower", partial(number, "device_peak_bytes", factor=2**-20)),
]
FAMILIES = {  # of <family>:<member>: from the member its label, unit, better and formula
    "phase": lambda name: (name.replace("_", " "), "ms", "lower", partial(milliseconds, partial(phase, name))),
    "ealt_share": lambda name: (f"{TITLES.get(name, name)}, share of EALT", "%", "", partial(times.ealt_share, name)),
    "phase_share": lambda name: (f"{name}, share of the iteration", "%", "", partial(times.phase_share, name)),
    "time_share": lambda name: (f"{name}, share of the time", "%", "", partial(times.time_share, name)),
    "counter": lambda name: (f"{name} an iteration", "", "lower", partial(counter, name)),
}
METRICS = {row[0]: Metric(*row) for row in ROWS}


def over_baseline(name: str) -> bool:
    return name.partition(":")[0] in OVER_BASELINE


def metric(name: str) -> Metric:
    """The metric of that name, families such as `phase:` included. Raises UserError for an unknown name.

    The formula of `speedup:<metric>` and `efficiency:<metric>` is the metric's own; the view divides, because it knows
    the baseline."""
    if name in METRICS:
        return METRICS[name]
    family, _, member = name.partition(":")
    if family in FAMILIES and member:
        return Metric(name, *FAMILIES[family](member))
    if family == "cluster_size" and member.isdecimal():
        label = "largest cluster" if member == "0" else f"cluster {int(member) + 1} by size"
        return Metric(name, label, "points", "", partial(cluster_size, int(member)))
    if family in OVER_BASELINE and (member in METRICS or member.startswith("phase:")):
        own = metric(member)
        return Metric(name, f"{family}, {own.label}", OVER_BASELINE[family], "higher", own.formula)
    raise UserError(
        f"unknown metric {name!r}; known: {', '.join(METRICS)}, phase:…, phase_share:…, counter:…, time_share:…, "
        "cluster_size:…, speedup:…, efficiency:…"
    )
