"""A machine: its record as a table, its hardware, when it was measured, and whether it was busy then."""

from collections.abc import Iterable
from typing import Any

from plots.read import words
from plots.read.disturbed import disturbed
from plots.read.exhibits import Exhibit
from plots.read.results import Line, Machine
from plots.write.tables import Column, Table, word

FEW = 0.05  # of the cases: as many make no busy machine, and have their own mark


def flatten(record: Any, prefix: str = "") -> dict[str, str]:
    """Dotted names and values as text; a list of plain values on one line."""
    if isinstance(record, list) and not any(isinstance(item, (dict, list)) for item in record):
        return {prefix: ", ".join(words.field_value(item) for item in record) or words.MISSING}
    if not isinstance(record, (dict, list)):
        return {prefix: spoken(prefix, record)}
    pairs = record.items() if isinstance(record, dict) else enumerate(record)
    return {k: v for name, value in pairs for k, v in flatten(value, f"{prefix}.{name}".lstrip(".")).items()}


def spoken(name: str, value: Any) -> str:
    """A value of the record as text: memory in GiB, a version not as a count."""
    if name.endswith("_bytes") and str(value).isdecimal() and int(value) >= 2**30:
        return f"{int(value) / 2**30:.1f} GiB"
    return f"OpenMP {value}" if name == "openmp.version" and value else words.field_value(value)


def table(exhibit: Exhibit, machine: Machine) -> Table:
    """A row for each entry of the exhibit's `[machine]` (the paper's word: our dotted name), or of the whole record."""
    record = flatten(machine.record)
    printed = {str(row.key["entry"]): row.values.get("value", "") for row in exhibit.printed()}
    names = exhibit.spec.get("machine") or {name: name for name in record}
    names = {**names, **{entry: "" for entry in printed if entry not in names}}
    columns = [Column("machine", "field", ""), Column("here", "field", machine.name)]
    columns += [Column("theirs", "field", "the paper's machine")] if printed else []
    cells = []
    for entry, path in names.items():
        values = [entry, record.get(path, words.MISSING), *([printed.get(entry) or words.MISSING] if printed else [])]
        cells.append([word(value) for value in values])
    remarks = [] if record else [f"{machine.name} has no machine.json."]
    return Table(exhibit.key, exhibit.heading, columns, cells, [], remarks)


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


def busy(machine: Machine) -> str:
    """A sentence; empty if the machine was quiet."""
    told = [text for text in machine.record.get("warnings") or [] if "not quiet" in text]
    timed = [line for line in machine.lines if line["samples_s"]]
    count = sum(map(disturbed, timed))
    told += [f"{count} of {len(timed)} cases were disturbed by other programs"] if count > FEW * len(timed) else []
    return "; ".join(told)
