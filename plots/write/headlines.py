"""The first facts of a machine: its hardware, and when it was measured."""

from collections.abc import Iterable

from plots.read.results import Line, Machine


def hardware(machine: Machine) -> str:
    """`NVIDIA H200 (driver 580.159.04), Intel(R) Xeon(R) Processor with 16 threads, 126 GiB of memory`."""
    record = machine.record
    gpu, cpu, memory = record.get("gpu") or {}, record.get("cpu") or {}, record.get("memory_bytes")
    driver = f" (driver {gpu['driver_version']})" if gpu.get("driver_version") else ""
    parts = [f"{gpu['name']}{driver}"] if gpu.get("name") else []
    if cpu.get("model"):
        parts.append(str(cpu["model"]) + (f" with {machine.threads} threads" if machine.threads else ""))
    if isinstance(memory, (int, float)):
        parts.append(f"{memory / 2**30:.0f} GiB of memory")
    return ", ".join(parts) or "no machine record"


def device(machine: Machine) -> str:
    """The name of the GPU, else of the CPU."""
    return hardware(machine).split(", ")[0].split(" (driver")[0]


def days(lines: Iterable[Line]) -> str:
    """`2026-11-21 to 2026-11-22`: when these lines were measured; empty without lines."""
    found = sorted({line["date"][:10] for line in lines})
    return " to ".join(dict.fromkeys([found[0], found[-1]])) if found else ""
