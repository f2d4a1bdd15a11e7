"""The metrics that claims are about."""

import itertools

from recompute.lines import time
from recompute.values import exact, mean, once, scaled

PHASES = ("assign", "update", "transfer", "transpose", "init")
WITHIN = ("icd", "rid", "centroid_data", "new_centroids")  # phases within another
VERBS = dict.fromkeys(("run", "iteration", "point_iteration"), ()) | {"overall": ("prepare_s",)}  # besides iterate
VERBS |= dict.fromkeys(("end_to_end", "end_to_end_iteration"), ("prepare_s", "download_s"))
RATES = ("throughput", "bus_share", "nvlink_share")
NVLINK = {"6.0": 80, "7.0": 150, "8.0": 300, "9.0": 450, "10.0": 900}  # 10^9 bytes a second by compute capability
OVER_BASELINE = ("speedup", "efficiency")
COUNTS = ("iterations", "centroid_error", "mean_error", "inertia", "wrong_labels", "tied_labels", "label_excess")
TRACED = {"saved", "saved_in_warps", "settled"}  # counts of the traced run


def metric(line, name, record):
    """(value, low, high) in the metric's unit, or None; a wrong run has none."""
    family, _, member = name.partition(":")
    if family in OVER_BASELINE:
        return metric(line, member, record)
    if line["verdict"] != "":
        return None
    if name in VERBS:
        return with_verbs(line, name)
    if name in RATES:
        return rate(line, name, record)
    if name in PHASES or family == "phase":
        return phase(line, member or name)
    if family in ("time_share", "ealt", "ealt_share"):
        sums = {part: sum(series) for part, series in line["phases"].items()}
        return time_share(line, member, sums) if family == "time_share" else ealt(line, member, sums)
    value = count(line, family, member)
    return None if value is None else exact(value)


def with_verbs(line, name):
    whole, verbs = time(line), [line.get(verb) for verb in VERBS[name]]
    if whole is None or None in verbs:
        return None
    whole = tuple(None if x is None else x + sum(verbs) for x in whole)
    if name == "point_iteration":
        return scaled(whole, 1e9 / (line["iterations"] * line["n"]))
    return scaled(whole, 1e3 / (line["iterations"] if name.endswith("iteration") else 1))


def rate(line, name, record):
    """10^9 bytes of the points a second, or their share of the bus or of NVLink."""
    one, most = time(line), 100
    if name == "bus_share":
        most = ((record.get("ceilings") or {}).get("gpu") or {}).get("upload_gbs")
    if name == "nvlink_share":
        most = NVLINK.get((record.get("gpu") or {}).get("compute_capability"))
    if one is None or not most:
        return None
    size = line["n"] * line["d"] * (4 if line["precision"] == "fp32" else 8)
    work = size / 1e9 * line["iterations"] * 100 / most
    value, low, high = one
    return tuple(None if x is None else work / x for x in (value, high, low))


def phase(line, name):
    if line["phases"].get(name):
        return scaled(mean(line["phases"][name]), 1e3)
    seconds = (line.get("prepare_phases") or {}).get(name)
    return None if seconds is None else once(1e3 * seconds)


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


def count(line, family, member):
    """An exact number of the line, or None."""
    counters = line.get("counters") or {}
    if family in COUNTS:
        return line.get(family)
    if family == "wrong_share":
        judged, wrong = line.get("judged_points"), line.get("wrong_labels")
        return 100 * wrong / judged if judged and wrong is not None else None
    if family == "cluster_size":
        sizes = sorted(line.get("cluster_sizes") or [], reverse=True)
        return sizes[int(member)] if int(member) < len(sizes) else None
    if family in ("counter", "ari", "nmi"):
        series = counters.get(member or family)
        return sum(series) / len(series) if series else None
    if family in TRACED:
        return of_mean_m(line, family, counters)
    raise NotImplementedError(family)


def of_mean_m(line, name, counters):
    """wu2011's counts."""
    series, waits = counters.get("mean_m"), counters.get("warp_imbalance")
    if not series:
        return None
    if name == "settled":
        steps = enumerate(itertools.pairwise(series), start=2)
        return next((float(i) for i, (a, b) in steps if abs(b - a) < 0.01 * a), None)
    if name == "saved_in_warps":
        if not waits or len(waits) != len(series):
            return None
        series = [m * (1 + r) for m, r in zip(series, waits, strict=True)]
    return 100 * (1 - sum(series) / len(series) / line["k"])


def is_timed(name):
    family = name.partition(":")[0]
    return name in (*VERBS, *RATES, *PHASES, "ealt") or family in ("phase", *OVER_BASELINE)


def rests_on(line, name):
    """`prepare` or `trace`, which are measured once; else empty."""
    family, _, member = name.partition(":")
    if family in OVER_BASELINE:
        return rests_on(line, member)
    if "prepare_s" in VERBS.get(name, ()):
        return "prepare"
    if family in ("ealt", "ealt_share", "time_share"):
        return "trace"
    if name in PHASES or family == "phase":
        return "trace" if (member or name) in line["phases"] else "prepare"
    return ""
