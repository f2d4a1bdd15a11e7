"""Rates of an iteration, their shares of the machine's own, and what they cost."""

from plots.read.check import Line
from plots.read.intervals import Estimate, exact, once
from plots.read.json_text import inner
from plots.read.results import device
from plots.read.times import Record, per_iteration, run_s

# NVIDIA's figures for all links of P100, V100, A100, H100 and B200, one direction, by compute capability.
NVLINK_GBS = {"6.0": 80, "7.0": 150, "8.0": 300, "9.0": 450, "10.0": 900}


def parts(line: Line) -> float:
    """Equal parts of a machine that shared a run: ranks of MPI times each one's GPUs. Where the parameter `gpus` is 0:
    the GPUs that all ranks counted."""
    counted, each = inner(line, "counters", "gpus"), inner(line, "parameters", "gpus")
    ranks = inner(line, "ranks", "count") or 1
    return each * ranks if each else counted[0] if counted else ranks


def amount(what: str, line: Line) -> float:
    """Of an iteration: its least `bytes` or `flops`; `points`: the bytes of the points, as lutz2018 counts (without
    labels); `product`: the 2 n d k operations of one matrix product. 0 if unknown."""
    if what == "points":
        return line["n"] * line["d"] * (4 if line["precision"] == "fp32" else 8)
    if what == "product":
        return 2 * line["n"] * line["d"] * line["k"]
    return inner(line, "work", what) or 0


def per_time(work: float, line: Line, record: Record) -> Estimate | None:
    """An amount of an iteration over its time; None if either is missing or 0."""
    one = per_iteration(run_s, line, record)
    return one.inverse_of(work) if one and one.value > 0 and work else None


def rate(what: str, line: Line, record: Record) -> Estimate | None:
    """An amount over the time of an iteration, in 10^9 a second."""
    return per_time(amount(what, line) / 1e9, line, record)


def speeds(line: Line, record: Record) -> dict[str, float | None]:
    """Bytes and operations a second of the line's device and precision, from the record's `floor`; of all GPUs that
    shared the run."""
    floor, shared = inner(record, "floor", device(line)), parts(line) if device(line) == "gpu" else 1
    one = {"bytes": inner(floor, "bytes_per_s"), "flops": inner(floor, "flops_per_s", line["precision"])}
    return {what: speed and speed * shared for what, speed in one.items()}


def peak(what: str, line: Line, record: Record) -> Estimate | None:
    """The machine's own rate in 10^9 a second. `bytes`, `flops`: of the record's `floor`. `points`: its pinned upload
    bandwidth. `nvlink`: that of the GPU's generation, projected as in lutz2018, Section 6.2.7. `product`: the fastest
    arithmetic that `kmbench ceilings` measured on the device, tensor cores if the GPU has them, else multiply-adds of
    the precision."""
    if what == "points":
        most = inner(record, "ceilings", "gpu", "upload_gbs")
    elif what == "nvlink":
        most = NVLINK_GBS.get(inner(record, "gpu", "compute_capability"))
    elif what == "product":
        names = (f"fma_{line['precision']}_gflops", "tensor_tf32_gflops", "tensor_bf16_gflops")
        most = max(inner(record, "ceilings", device(line), name) or 0 for name in names)
    else:
        most = (speeds(line, record)[what] or 0) / 1e9
    return exact(most) if most else None


def share(what: str, line: Line, record: Record, of: str = "") -> Estimate | None:
    """A rate over the machine's own, or over its peak `of`, in percent."""
    made, most = rate(what, line, record), peak(of or what, line, record)
    return made.scaled(100 / most.value) if made and most else None


def floor_share(line: Line, record: Record) -> Estimate | None:
    """The least time of an iteration on this machine over its own, in percent. The least time is the larger of bytes
    over memory bandwidth and flops over arithmetic rate, both from the record's `floor`."""
    least = [amount(what, line) / speed for what, speed in speeds(line, record).items() if speed]
    return per_time(100 * max(least, default=0), line, record)


def price(line: Line, record: Record) -> Estimate | None:
    """Dollars an hour of the line's device, from the record's `price`."""
    dollars = inner(record, "price", device(line))
    return exact(dollars) if dollars else None


def per_price(what: str, line: Line, record: Record) -> Estimate | None:
    """A peak for a dollar an hour (lutz2018, Section 6.2.8)."""
    value, dollars = peak(what, line, record), price(line, record)
    return value.scaled(1 / dollars.value) if value and dollars else None


def energy(line: Line, _: Record) -> Estimate | None:
    """Joules an iteration of the whole device, measured once in runs of their own (`kmbench run --energy`)."""
    found = line.get("energy") or {}
    right = line["verdict"] == "" and found.get("joules") is not None and found.get("iterations")
    return once(found["joules"] / found["iterations"]) if right else None


def cost(line: Line, record: Record) -> Estimate | None:
    """Dollars of rent for a million iterations."""
    one, dollars = per_iteration(run_s, line, record), price(line, record)
    return one.scaled(1e6 * dollars.value / 3600) if one and dollars else None
