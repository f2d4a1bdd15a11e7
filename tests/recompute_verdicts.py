#!/usr/bin/env python3
"""Recomputes verdicts from raw result lines and exhibit files: tests/recompute_verdicts.py CLAIMS.json [--sample 100].

`python3 -m plots claims` writes CLAIMS.json. This script follows docs/exhibits.md and docs/method.md without code of
plots/. It draws verdicts on the paper's own profile, prints those that differ, then `100 of 100 verdicts agree`.
Exit code: 0; 1 if a verdict differs; 2 for bad input."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

from scipy import stats

ROOT = Path(__file__).resolve().parents[1]
OUT_OF_REACH = "not comparable"
LISTED = ("order", "equality", "difference")  # kinds over items
WHOLE = ("bound", "mean", "share")  # kinds over every matching case
MS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "min": 6e4}
PHASES = ("assign", "update", "transfer", "transpose", "init")
COUNTED = ("iterations", "centroid_error", "mean_error", "inertia", "wrong_labels", "tied_labels", "label_excess")
STORED = {name: (name, 1.0) for name in (*COUNTED, "mean_offset")}  # metric: field, factor
STORED |= {"peak": ("peak_bytes", 2**-20), "device_peak": ("device_peak_bytes", 2**-20)}
WITHIN = ("icd", "rid", "centroid_data", "new_centroids")  # phases within another
RATES = ("throughput", "bus_share", "bandwidth", "flop_rate")
OF_PREPARE = ("overall", "end_to_end", "end_to_end_iteration", "prepare")
OVER_BASELINE = ("speedup", "efficiency")
TIMED = (
    "iteration",
    "iteration_event",
    "point_iteration",
    "run",
    "run_event",
    *OF_PREPARE,
    "download",
    "ealt",
    *RATES,
    *PHASES,
)


class Incomparable(Exception):  # noqa: N818  a verdict, no error
    pass


# Values with an interval: (value, low, high); low and high are None for a single measurement.


def exact(x):
    return (x, x, x)


def once(x):
    return (x, None, None)


def ends(e):
    return (e[0], e[0]) if e[1] is None else (e[1], e[2])


def is_exact(e):
    return e[0] == e[1] == e[2]


def scaled(e, factor):
    return tuple(None if x is None else x * factor for x in e)


@cache
def quantile(freedom):
    """The 97.5% quantile of Student's t."""
    return stats.t.ppf(0.975, freedom)


@cache
def rank(m):
    """The lower rank of the narrowest symmetric pair of m order statistics that holds the median with 95%."""
    outside = [sum(math.comb(m, i) for i in range(r)) / 2**m for r in range(m)]
    return max(r for r in range(1, m) if outside[r] <= 0.025)


def median(samples):
    x = sorted(samples)
    m = len(x)
    if m == 0:
        return None
    middle = (x[(m - 1) // 2] + x[m // 2]) / 2
    if m == 1:
        return once(middle)
    if m >= 6:
        return (middle, x[rank(m) - 1], x[m - rank(m)])
    if x[0] <= 0:
        return (middle, x[0], x[-1])
    logs = [math.log(v) for v in x]
    mean = sum(logs) / m
    spread = math.sqrt(sum((v - mean) ** 2 for v in logs) / (m - 1) / m) * quantile(m - 1)
    return (middle, min(math.exp(mean - spread), middle), max(math.exp(mean + spread), middle))


def mean(series):
    m = len(series)
    if m == 0:
        return None
    centre = math.fsum(series) / m
    if m == 1:
        return once(centre)
    half = quantile(m - 1) * math.sqrt(math.fsum((v - centre) ** 2 for v in series) / (m - 1) / m)
    return (centre, max(centre - half, 0.0), centre + half)


def ratio(a, b):
    """MOVER on logarithms."""
    if b[0] <= 0 or a[0] < 0:
        return None
    value = a[0] / b[0]
    if is_exact(a) and is_exact(b):
        return exact(value)
    if a[1] is None or b[1] is None:
        return once(value)
    if value == 0:
        return exact(0.0)

    def gap(large, small):
        return math.log(large / small) if small > 0 else math.inf

    down = math.hypot(gap(a[0], a[1]), gap(b[2], b[0]))
    up = math.hypot(gap(a[2], a[0]), gap(b[0], b[1]))
    return (value, value * math.exp(-down), value * math.exp(up))


# Lines


def field(line, name):
    if name == "init":
        return line["init"]["method"]
    if name == "init_seed":
        return line["init"]["seed"]
    if name == "ranks":
        return (line.get("ranks") or {"count": 1})["count"]
    data = line["dataset"]
    if name in ("dataset", "data_seed", "hash"):
        return data.get({"dataset": "name", "data_seed": "seed"}.get(name, name))
    for table in (line, line["parameters"], data.get("generator") or {}):
        if name in table:
            return table[name]
    return None


def same(a, b):
    if isinstance(b, list):
        return any(same(a, one) for one in b)
    return a == b and isinstance(a, str) == isinstance(b, str)


def select(lines, selector):
    return [line for line in lines if all(same(field(line, name), wanted) for name, wanted in selector.items())]


def prefer(lines, selector):
    kept = [line for line in lines if not line.get("skip")] or lines
    for name, wanted in selector.items():
        if isinstance(wanted, list) and len(kept) > 1:
            ranked = ([line for line in kept if same(field(line, name), value)] for value in wanted)
            kept = next((group for group in ranked if group), kept)
    return kept


@cache
def machine(folder):
    """The last line of every case, with the runs that it continues, and the record."""
    last = {}
    for path in sorted(folder.glob("*.jsonl")):
        for text in path.read_text().splitlines():
            line = json.loads(text)
            key = (line["exhibit"], line["profile"], line["case"])
            before = last.pop(key, None)
            last[key] = continued(before, line) if before else line
    record = folder / "machine.json"
    return list(last.values()), json.loads(record.read_text()) if record.exists() else {}


def continued(before, line):
    names = ("commit", "device", "exhibit_hash", "grade", "iterations", "verdict", "dirty")
    alike = all(before.get(name) == line.get(name) for name in names) and line["verdict"] == "" and not line["dirty"]
    points = before["dataset"].get("hash") == line["dataset"].get("hash")
    if not (alike and points and line.get("continues") == len(before["samples_s"]) > 0):
        return line
    both = ("samples_s", "samples_event_s")
    series = {name: list(before.get(name) or []) + list(line.get(name) or []) for name in both}
    for name in ("run_delay_s", "involuntary_switches"):
        parts = [one.get(name) if one.get(name) is not None else [0] * len(one["samples_s"]) for one in (before, line)]
        known = before.get(name) is not None or line.get(name) is not None
        series[name] = parts[0] + parts[1] if known else None
    return {**line, **series}


def marks(line):
    """For each run, whether other programs disturbed it."""
    times, delays, switches = line["samples_s"], line.get("run_delay_s"), line.get("involuntary_switches")
    if delays is not None:
        return [delay > 0.05 * s for delay, s in zip(delays, times, strict=True)]
    return [n >= max(2, 50 * s) for n, s in zip(switches or [0] * len(times), times, strict=True)]


def disturbed(line):
    return 2 * sum(marks(line)) > len(line["samples_s"])


def times(line, name="samples_s"):
    series = line.get(name) or []
    if line["verdict"] != "" or not series:
        return None
    out = marks(line)
    whole = disturbed(line) or len(series) != len(out)
    return median(series if whole else [s for s, bad in zip(series, out, strict=True) if not bad])


# Metrics


def metric(line, name, record):
    """(value, low, high) in the metric's unit, or None."""
    family, _, member = name.partition(":")
    if family in OVER_BASELINE:
        return metric(line, member, record)
    if name == "point_iteration":
        whole = times(line)
        return whole and scaled(whole, 1e9 / (line["iterations"] * line["n"]))
    if name in ("iteration", "run", "overall", "end_to_end", "end_to_end_iteration"):
        verbs = {"overall": ("prepare_s",), "iteration": (), "run": ()}.get(name, ("prepare_s", "download_s"))
        whole = times(line)
        if whole is None or any(line.get(verb) is None for verb in verbs):
            return None
        more = sum(line[verb] for verb in verbs)
        whole = tuple(None if x is None else x + more for x in whole)
        return scaled(whole, 1e3 / (line["iterations"] if name in ("iteration", "end_to_end_iteration") else 1))
    if name in ("iteration_event", "run_event"):
        whole = times(line, "samples_event_s")
        return whole and scaled(whole, 1e3 / (line["iterations"] if name == "iteration_event" else 1))
    if name in ("prepare", "download"):
        seconds = line.get(f"{name}_s")
        return once(1e3 * seconds) if line["verdict"] == "" and seconds is not None else None
    if name in PHASES or family == "phase":
        return phase(line, member or name)
    if name in STORED:
        stored, factor = STORED[name]
        return None if line.get(stored) is None else exact(line[stored] * factor)
    if name == "wrong_share":
        judged = line.get("judged_points")
        return exact(100 * line["wrong_labels"] / judged) if judged and line.get("wrong_labels") is not None else None
    if name == "cluster_spread" or family == "cluster_size":
        sizes = sorted(line.get("cluster_sizes") or [], reverse=True)
        if name == "cluster_spread":
            return exact(sizes[0] - sizes[-1]) if sizes else None
        return exact(sizes[int(member)]) if int(member) < len(sizes) else None
    if name in RATES:
        return rate(line, name, record)
    if line["verdict"] != "":
        return None
    if family == "counter" or name in ("ari", "nmi"):
        series = line["counters"].get(member or name)
        return exact(sum(series) / len(series)) if series else None
    if name in ("saved", "saved_in_warps", "settled", "distances_saved"):
        return counted(line, name)
    sums = {part: sum(series) for part, series in line["phases"].items()}
    if family == "time_share":
        return time_share(line, member, sums)
    if family in ("ealt", "ealt_share"):
        return ealt(line, member, sums)
    raise NotImplementedError(name)


def time_share(line, name, sums):
    if not sums or line["prepare_s"] is None or line["download_s"] is None:
        return None
    inside = sum(seconds for part, seconds in sums.items() if part not in WITHIN)
    whole = inside + line["prepare_s"] + line["download_s"]
    assigns = line["phases"].get("assign") or [0]
    sums |= {"other": whole - inside, "first_assign": assigns[0], "later_assigns": sum(assigns[1:])}
    return once(100 * sums[name] / whole) if name in sums else None


def ealt(line, share, sums):
    """wu2011's time of an iteration without the update, in ms, or a phase's share of it."""
    if "update" not in sums:
        return None
    whole = sum(seconds for part, seconds in sums.items() if part not in ("update", *WITHIN))
    if not share:
        return once(1e3 * whole / line["iterations"])
    besides = [sums[part] for part in ("icd_rid", "rearrange") if line["phases"].get(part)]
    if share == "labeling":
        return once(100 * (whole - sum(besides)) / whole) if besides else None
    return once(100 * sums[share] / whole) if share in sums else None


def phase(line, name):
    if line["verdict"] != "":
        return None
    if line["phases"].get(name):
        return scaled(mean(line["phases"][name]), 1e3)
    seconds = (line.get("prepare_phases") or {}).get(name)
    return None if seconds is None else once(1e3 * seconds)


def rate(line, name, record):
    """10^9 a second, or a share of the bus."""
    one = metric(line, "run", record)
    size = line["n"] * line["d"] * (4 if line["precision"] == "fp32" else 8)
    amount = (line.get("work") or {}).get({"bandwidth": "bytes", "flop_rate": "flops"}.get(name, ""), size)
    most = ((record.get("ceilings") or {}).get("gpu") or {}).get("upload_gbs")
    if one is None or not amount or (name == "bus_share" and not most):
        return None
    factor = amount / 1e9 * line["iterations"] * 1e3 * (100 / most if name == "bus_share" else 1)
    return (factor / one[0], None if one[2] is None else factor / one[2], None if one[1] is None else factor / one[1])


def counted(line, name):
    """wu2011's and taylor2021's counts, from the traced run."""
    counters = line.get("counters") or {}
    if name == "distances_saved":
        made = counters.get("distances")
        return exact(100 * (1 - sum(made) / (line["n"] * line["k"] * len(made)))) if made else None
    series = counters.get("mean_m")
    if not series:
        return None
    if name == "settled":
        steady = (i + 1.0 for i in range(1, len(series)) if abs(series[i] - series[i - 1]) < 0.01 * series[i - 1])
        return next(map(exact, steady), None)
    if name == "saved_in_warps":
        waits = counters.get("warp_imbalance")
        if not waits or len(waits) != len(series):
            return None
        series = [m * (1 + r) for m, r in zip(series, waits, strict=True)]
    return exact(100 * (1 - sum(series) / len(series) / line["k"]))


def is_timed(name):
    return name in TIMED or name.partition(":")[0] in ("phase", *OVER_BASELINE)


def parts(line):
    """GPUs and ranks that shared a run."""
    ranks = (line.get("ranks") or {}).get("count") or 1
    asked, counted = (line.get("parameters") or {}).get("gpus"), (line.get("counters") or {}).get("gpus")
    return asked * ranks if asked else counted[0] if counted else ranks


def rests_on(line, name):
    family, _, member = name.partition(":")
    if family in OVER_BASELINE:
        return rests_on(line, member)
    if name in OF_PREPARE:
        return "prepare"
    if family in ("ealt", "ealt_share", "time_share"):
        return "trace"
    if name in PHASES or family == "phase":
        return "trace" if (member or name) in line["phases"] else "prepare"
    return ""


# Exhibits


@cache
def spec(path):
    return tomllib.loads(path.read_text())


def claims(exhibit):
    """The expanded claims by id."""
    given = exhibit.get("claim", {})
    given = [{"id": name, **one} for name, one in given.items()] if isinstance(given, dict) else given
    found = {}
    for one in given:
        template = {name: value for name, value in one.items() if name != "for"}
        for row in rows(one["for"]) if "for" in one else [{}]:
            keys = set(re.findall(r"\{(\w+)\}", json.dumps(template)))
            made = {**fill(template, row), **{name: value for name, value in row.items() if name not in keys}}
            both = ("along", "expect", "within", "at_least", "at_most", "metric")  # both words and keys
            made |= {name: row[name] for name in row if name in both}
            made = by_kind({**exhibit.get("defaults", {}).get("claim", {}), **made})
            found[made["id"]] = made
    return found


def rows(given):
    if isinstance(given, list):
        return given
    axes = [[one if isinstance(one, dict) else {name: one} for one in values] for name, values in given.items()]
    return [{k: v for part in combination for k, v in part.items()} for combination in itertools.product(*axes)]


def fill(value, row):
    if isinstance(value, dict):
        return {name: fill(one, row) for name, one in value.items()}
    if isinstance(value, list):
        return [fill(one, row) for one in value]
    if isinstance(value, str):
        whole = re.fullmatch(r"\{(\w+)\}", value)
        return row[whole[1]] if whole else re.sub(r"\{(\w+)\}", lambda at: str(row[at[1]]), value)
    return value


def by_kind(claim):
    """The claim with its kind, and `sides` (of a ratio), `items` or `where`."""
    kinds = ("ratio", *LISTED, "bound", "value", "mean", "trend", "location", "printed")
    short = next((name for name in kinds if name in claim), None)
    kind, selector = short or claim["kind"], claim[short] if short else claim.get("where", {})
    made = {**claim, "kind": kind}
    if kind == "ratio":
        shared, pair = claim.get("where", {}), [selector, selector] if isinstance(selector, dict) else selector
        names = claim["metric"] if isinstance(claim["metric"], list) else [claim["metric"]] * 2
        coarse = [claim.get(f"coarse_{side}", False) for side in ("numerator", "denominator")]
        return {**made, "sides": list(zip([{**shared, **one} for one in pair], names, coarse, strict=True))}
    if kind in LISTED:
        return {**made, "items": [{**claim.get("where", {}), **one} for one in selector]}
    return {**made, "where": selector}


class View:
    """The lines of an exhibit on a machine, in the paper's profile."""

    def __init__(self, results, papers, name, key):
        self.spec = spec(papers / f"{key}.toml")
        self.paper = spec(papers / key.partition("/")[0] / "paper.toml")
        self.all, self.record = machine(results / name)
        sources = self.spec.get("reuse", key)
        self.sources = [sources] if isinstance(sources, str) else sources
        self.shown = {**self.spec.get("table", {}), **self.spec.get("figure", {})}
        where = (self.spec.get("table") or self.spec.get("figure") or {}).get("where", {})
        specs = [self.spec, *(spec(papers / f"{one}.toml") for one in self.sources if one != key)]
        lines = [x for one in self.sources for x in self.all if x["exhibit"] == one and x["profile"] == "paper"]
        lines = newest(select(lines, where), {name for one in specs for name in swept(one)})
        lines.sort(key=lambda x: (self.sources.index(x["exhibit"]), x["case"]))
        if len(self.sources) > 1:
            lines = apart(lines)
        groups = {}
        for line in lines:
            groups.setdefault(json.dumps([field(line, name) for name in self.place]), []).append(line)
        self.lines = [line for group in groups.values() for line in prefer(group, where)]

    @property
    def place(self):
        if self.spec.get("table"):
            return self.spec["table"]["rows"]
        figure = self.spec.get("figure", {})
        names = [figure.get("panels"), *figure.get("down", []), *figure.get("series", [])]
        return [name for name in (*names, figure.get("x"), figure.get("sets")) if name]

    def base(self, line, name):
        baseline = self.shown.get("baseline", {})
        bases = select(self.lines, baseline)
        named = [f for f in self.place if f not in baseline and any(field(one, f) is not None for one in bases)]
        agree = {f: field(line, f) for f in named if field(line, f) is not None}
        found = [one for one in bases if all(field(one, f) == v for f, v in agree.items())]
        if len(found) > 1 and any(isinstance(value, list) for value in baseline.values()):
            timed = [(value[0], i) for i, one in enumerate(found) if (value := metric(one, name, self.record))]
            return found[min(timed)[1]] if timed else None
        return found[0] if len(found) == 1 else None

    def value(self, line, name):
        own = None if line["verdict"] else metric(line, name, self.record)
        family = name.partition(":")[0]
        if family not in OVER_BASELINE or own is None:
            return own
        base, unit = self.base(line, name), 100 / parts(line) if family == "efficiency" else 1
        if base is line:
            return exact(unit)
        theirs = metric(base, name, self.record) if base else None
        return theirs and scaled(ratio(theirs, own), unit)

    def doubt(self, line, name):
        """`disturbed`, `coarse` or ""."""
        base = self.base(line, name) if name.partition(":")[0] in OVER_BASELINE else None
        both = [one for one in (line, base) if one is not None]
        if any(rests_on(one, name) in (one.get("disturbed_verbs") or ()) for one in both):
            return "disturbed"
        if not is_timed(name):
            return ""
        words = ("disturbed" if disturbed(x) else "coarse" if x.get("grade") == "coarse" else "" for x in both)
        return next(filter(None, words), "")

    def measured(self, selector, name, all_of_them=False, may_be_coarse=False):
        lines = select(self.lines, selector)
        lines = lines if all_of_them else prefer(lines, selector)
        found = [(line, value) for line in lines if (value := self.value(line, name)) is not None]
        if not found:
            raise Incomparable
        coarse = (line.get("grade") == "coarse" or self.doubt(line, name) == "coarse" for line, _ in found)
        if not self.shown.get("rounding") and not may_be_coarse and any(coarse):
            raise Incomparable
        return found

    def one(self, selector, name, may_be_coarse=False):
        if len(prefer(select(self.lines, selector), selector)) > 1:
            raise Incomparable
        return self.measured(selector, name, False, may_be_coarse)[0][1]


def swept(exhibit):
    """The generator settings that the sweeps vary."""
    quick = exhibit.get("profile", {}).get("quick", {})
    tables = [exhibit.get("defaults", {}).get("sweep", {}), *exhibit.get("sweep", []), quick, *quick.get("sweep", [])]
    return [name for table in tables for name in table.get("data", {})]


def newest(lines, varied):
    """The lines that agree with the newest one in the version of the exhibit, the points and the start."""

    def settings(x):
        return x["dataset"].get("generator") or {}

    def own(x):
        return tuple(repr(settings(x).get(name)) for name in sorted(varied))

    def fixed(x):
        return repr(sorted(pair for pair in settings(x).items() if pair[0] not in varied))

    def ran(x):
        return x["dataset"].get("hash") is not None

    def name(x):
        return x["dataset"]["name"]

    rules = [
        (lambda x: x["exhibit"], lambda x: x.get("exhibit_hash") or ""),
        (lambda x: (name(x), x["d"], x["k"], own(x)), lambda x: fixed(x) if ran(x) else None),
        (
            lambda x: (name(x), x["n"], x["d"], x["k"], own(x)) if settings(x) else name(x),
            lambda x: x["dataset"].get("source") if ran(x) else None,
        ),
        (lambda x: (name(x), x["n"], x["d"], x["k"], x["precision"], own(x)), lambda x: x["dataset"].get("hash")),
        (lambda x: x["init"]["method"], lambda x: x["init"].get("source")),
    ]
    kept = sorted(lines, key=lambda x: x["date"])
    for by, what in rules:
        last = {by(x): what(x) for x in kept if what(x) is not None}
        kept = [x for x in kept if what(x) in (None, last.get(by(x)))]
    return kept


def apart(lines):
    """The lines without cases that an earlier source also has."""

    def case(x):
        names = ("implementation", "n", "d", "k", "precision", "max_iters", "tolerance", "parameters")
        data = [x["dataset"].get(name) for name in ("name", "seed", "generator")]
        return json.dumps([*(x[name] for name in names), data, x["init"]["method"], x["init"]["seed"]], sort_keys=True)

    first = {}
    for line in sorted(lines, key=lambda x: bool(x.get("skip"))):
        first.setdefault(case(line), line["exhibit"])
    return [line for line in lines if first[case(line)] == line["exhibit"]]


# Verdicts


def band(claim):
    low, high, side = -math.inf, math.inf, 0
    if "expect" in claim:
        within = claim.get("within", 1.0)
        low, high = claim["expect"] / within, claim["expect"] * within
        side = (claim["expect"] > 1) - (claim["expect"] < 1)
    else:
        side = (claim.get("at_least", 0) > 1) - (claim.get("at_most", 2) < 1)
    return max(low, claim.get("at_least", -math.inf)), min(high, claim.get("at_most", math.inf)), side


def inside(value, wanted):
    low, high = ends(value)
    if wanted[0] <= low and high <= wanted[1]:
        return "reproduced"
    return "not reproduced" if high < wanted[0] or low > wanted[1] else "undecided (noise)"


def sided(value, wanted):
    low, high = ends(value)
    verdict = inside(value, wanted)
    right = (wanted[2] > 0 and low > 1) or (wanted[2] < 0 and high < 1)
    return "trend only" if verdict == "not reproduced" and right else verdict


def step(a, b):
    if (is_exact(a) and is_exact(b)) or a[0] <= 0 or b[0] < 0:
        return (b[0] > a[0]) - (b[0] < a[0])
    low, high = ends(ratio(b, a) or exact(1.0))
    return 1 if low > 1 else -1 if high < 1 else 0


def equal(values, within):
    small, large = min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])
    if small[0] == large[0] and is_exact(small) and is_exact(large):
        return "reproduced"
    if small[0] <= 0:
        gap = abs(large[0] - small[0]) / max(abs(large[0]), abs(small[0]))
        return "reproduced" if gap <= within else "not reproduced"
    return inside(ratio(large, small), (-math.inf, 1 + within, 0))


def trend(values, claim):
    if claim["direction"] == "flat":
        return equal(values, claim.get("within", 1.1) - 1)
    sign = 1 if claim["direction"] == "up" else -1
    steps = [sign * step(a, b) for a, b in itertools.pairwise(values)]
    whole = sign * step(values[0], values[-1])
    if min(steps) < 0:
        return "trend only" if whole > 0 else "not reproduced"
    if whole == 0:
        return "not reproduced" if is_exact(values[0]) and is_exact(values[-1]) else "undecided (noise)"
    return "reproduced" if whole > 0 else "not reproduced"


def order(values):
    steps = [step(a, b) for a, b in itertools.pairwise(values)]
    tied = any(is_exact(a) and is_exact(b) and a[0] == b[0] for a, b in itertools.pairwise(values))
    if min(steps) > 0:
        return "reproduced"
    if min(steps) >= 0 and not tied:
        return "undecided (noise)"
    return "trend only" if step(values[0], values[-1]) > 0 else "not reproduced"


def location(values, expected, extreme):
    sign = -1 if extreme == "min" else 1
    best = max(range(len(values)), key=lambda i: (sign * values[i][0], i in expected))
    rivals = [i for i, v in enumerate(values) if i != best and sign * step(v, values[best]) <= 0]
    if best in expected:
        open_ones = [i for i in rivals if i not in expected and not (is_exact(values[i]) and is_exact(values[best]))]
        return "undecided (noise)" if open_ones else "reproduced"
    if set(rivals) & set(expected):
        return "undecided (noise)"
    return "trend only" if any(abs(best - i) == 1 for i in expected) else "not reproduced"


def worst(verdicts):
    return next((v for v in ("not reproduced", "undecided (noise)") if v in verdicts), "reproduced")


def printed(view, claim):
    """The printed rows with the metric, as (selector, number)."""
    name, found = claim["metric"], []
    for block in view.spec.get("paper", []):
        for row in block["rows"] if name in block["metrics"] else []:
            key = dict(zip(block["fields"], row, strict=False))
            key = {f: block.get("match", {}).get(f, {}).get(str(value), value) for f, value in key.items()}
            text = str(row[len(block["fields"]) + block["metrics"].index(name)])
            number = re.fullmatch(r"[~≈<>]?\s*(-?[\d.,]+(?:e-?\d+)?)\s*[x×%]?", text)
            if number and all(same(key.get(f), wanted) for f, wanted in claim["where"].items()):
                factor = MS[block["units"][name]] if name in block.get("units", {}) else 1.0
                found.append((key, float(number[1].replace(",", "")) * factor))
    return found


def decide(view, claim):
    """The verdict before the rules on data and threads, and whether the direction is the opposite."""
    kind, name = claim["kind"], claim.get("metric")
    if kind == "ratio":
        value = ratio(*(view.one(selector, of, coarse) for selector, of, coarse in claim["sides"]))
        if value is None:
            raise Incomparable
        wanted = band(claim)
        low, high = ends(value)
        return sided(value, wanted), (wanted[0] >= 1 and high < 1) or (wanted[1] <= 1 and low > 1)
    if kind == "order":
        values = [view.one(item, name) for item in claim["items"]]
        return order(values), step(values[0], values[-1]) < 0
    if kind == "difference":
        values = [view.one(item, name) for item in claim["items"]]
        small, large = min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])
        if small[0] <= 0:
            return ("reproduced" if large[0] > small[0] else "not reproduced"), False
        return sided(ratio(large, small), (1 + claim["at_least"], math.inf, 1)), False
    if kind == "equality":
        found = [pair for item in claim["items"] for pair in view.measured(item, name)]
        if name == "iterations" and all(line["iterations"] == line["max_iters"] for line, _ in found):
            raise Incomparable
        return equal([value for _, value in found], claim.get("within", 0.0)), False
    if kind == "value":
        return inside(view.one(claim["where"], name), band(claim)), False
    if kind in WHOLE:
        values = [value for _, value in view.measured(claim["where"], name, True)]
        if kind == "mean":
            return inside(mean([value[0] for value in values]), band(claim)), False
        verdicts = [inside(value, band(claim)) for value in values]
        if kind == "bound":
            return worst(verdicts), False
        needed = claim["share"] * len(values)
        if verdicts.count("reproduced") >= needed:
            return "reproduced", False
        lost = len(values) - verdicts.count("not reproduced") < needed
        return ("not reproduced" if lost else "undecided (noise)"), False
    if kind == "printed":
        ratios = []
        for key, theirs in printed(view, claim):
            try:
                own = [value for _, value in view.measured(key, name)]
            except Incomparable:
                continue
            ratios.append(scaled(own[0] if len(own) == 1 else mean([value[0] for value in own]), 1 / theirs))
        if not ratios:
            raise Incomparable
        return worst([inside(x, (1 / claim["within"], claim["within"], 0)) for x in ratios]), False
    along = claim["along"]
    lines = [line for line, _ in view.measured(claim["where"], name, True) if field(line, along) is not None]
    at = sorted({field(line, along) for line in lines}, key=lambda x: math.inf if along == "threads" and x == 0 else x)
    values = [view.one({**claim["where"], along: x}, name) for x in at]
    if kind == "trend":
        sign = {"up": 1, "down": -1, "flat": 0}[claim["direction"]]
        if len(values) < 2:
            raise Incomparable
        return trend(values, claim), sign * step(values[0], values[-1]) < 0
    expected = [i for i, x in enumerate(at) if same(x, claim["expect"])]
    return location(values, expected, claim["extreme"]), False


def used(view, claim):
    """The lines under the verdict, each with the metric."""
    kind, name = claim["kind"], claim.get("metric")
    chosen = [(selector, of) for selector, of, _ in claim.get("sides", [])]
    chosen += [(item, name) for item in claim.get("items", [])]
    if kind == "printed":
        chosen = [(key, name) for key, _ in printed(view, claim)]
    if kind in WHOLE:
        return [(line, name) for line in select(view.lines, claim["where"])]
    if kind in ("value", "trend", "location"):
        values = {repr(field(line, claim.get("along", ""))) for line in select(view.lines, claim["where"])}
        groups = (
            [line for line in select(view.lines, claim["where"]) if repr(field(line, claim.get("along", ""))) == value]
            for value in values
        )
        return [(line, name) for group in groups for line in prefer(group, claim["where"])]
    return [(line, of) for selector, of in chosen for line in prefer(select(view.lines, selector), selector)]


def other_threads(view, claim):
    """Whether a time with all threads stands beside printed rows with another number of threads."""
    blocks = [block.get("match", {}).get("threads", {}) for block in view.spec.get("paper", [])]
    theirs = {int(word) for block in blocks for word, ours in block.items() if ours == 0 and word.isdigit()}
    ours = (view.record.get("cpu") or {}).get("threads")
    names = [of for _, of, _ in claim.get("sides", [])] or [claim["metric"]]
    selectors = [one for one, _, _ in claim.get("sides", [])] or claim.get("items") or [claim.get("where", {})]
    lines = [line for selector in selectors for line in select(view.lines, selector)]
    everything = any(field(line, "threads") == 0 for line in lines)
    return bool(theirs and ours and ours not in theirs and everything and any(map(is_timed, names)))


def verdict(view, claim):
    try:
        if "by_construction" in claim:
            raise Incomparable
        found, opposite = decide(view, claim)
        rested = used(view, claim)
        if any(view.doubt(line, of) == "disturbed" and view.value(line, of) is not None for line, of in rested):
            found, opposite = "undecided (noise)", False
    except Incomparable:
        return OUT_OF_REACH
    if other_threads(view, claim):
        right = found in ("reproduced", "trend only") and claim["kind"] not in ("value", "mean", "printed")
        found = "not reproduced" if opposite else "trend only" if right else OUT_OF_REACH
    made_up = {**view.paper.get("stand_ins", {}), **view.paper.get("parts", {})}
    names = {line["dataset"]["name"] for line, of in rested if view.value(line, of) is not None}
    return "reproduced (stand-in)" if found == "reproduced" and names & made_up.keys() else found


def main(argv=None):
    parser = argparse.ArgumentParser(description="Verdicts from raw lines, beside those that plots claims wrote.")
    parser.add_argument("claims", type=Path, metavar="CLAIMS.json")
    parser.add_argument("--results", type=Path, default=ROOT / "results", metavar="DIR")
    parser.add_argument("--papers", type=Path, default=ROOT / "papers", metavar="DIR")
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="how many (100); 0: all")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (1)")
    args = parser.parse_args(argv)
    try:
        rows = json.loads(args.claims.read_text())
        decided = [row for row in rows if row["verdict"] != OUT_OF_REACH and row["profile"] == "paper"]
    except (OSError, ValueError, TypeError, KeyError) as e:
        print(f"recompute_verdicts: {args.claims}: not what plots claims writes: {e}", file=sys.stderr)
        return 2
    drawn = random.Random(args.seed).sample(decided, min(args.sample or len(decided), len(decided)))
    views = cache(lambda name, key: View(args.results, args.papers, name, key))
    wrong = []
    for row in drawn:
        view = views(row["machine"], row["exhibit"])
        own = verdict(view, claims(view.spec)[row["id"]])
        if own != row["verdict"]:
            wrong.append(f"{row['machine']}: {row['exhibit']}/{row['id']}: {row['verdict']}; recomputed: {own}")
    print("\n".join([*wrong, f"{len(drawn) - len(wrong)} of {len(drawn)} verdicts agree"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
