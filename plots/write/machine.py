"""The machine record as a table."""

from typing import Any

from plots.read import words
from plots.read.exhibits import Exhibit
from plots.read.results import Machine
from plots.write.tables import Column, Table, word


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
    if name.endswith("_bytes") and str(value).isdigit() and int(value) >= 2**30:
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
