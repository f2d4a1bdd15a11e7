"""Loads and checks exhibits, papers/<key>/<exhibit>.toml (docs/exhibits.md)."""

import itertools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from plots.errors import UserError, within
from plots.read.check import Line
from plots.read.expand import expand
from plots.read.select import same, value_of
from plots.read.validate import check_exhibit, check_paper

Table = dict[str, Any]


@dataclass(frozen=True)
class Printed:
    """One row of the paper: its fields mapped to our values, and its values as printed."""

    key: Table
    shown: Table  # the fields as the paper prints them
    values: dict[str, str]
    source: str
    note: str
    units: dict[str, str]
    stand_in: str = ""  # the data set that it stands beside, if that is not the paper's own

    def unit(self, metric: str) -> str:
        return self.units.get(metric, "")


def value_under(part: str, key: str, default: Any = None) -> Any:
    """A property of Exhibit: the value under this key of its `spec` or `record`."""
    return property(lambda self: getattr(self, part).get(key, default))


@dataclass(frozen=True, eq=False)  # hashed by identity, as View is
class Exhibit:
    paper: str
    name: str
    path: Path
    spec: Table
    record: Table = field(default_factory=dict)  # its paper.toml

    machine = value_under("record", "machine", "")
    stand_ins = value_under("record", "stand_ins", {})  # made-up data sets, each with the paper's that it imitates
    kind, title = value_under("spec", "kind"), value_under("spec", "title")
    number = value_under("spec", "number", "")  # `Table 3`, or empty
    table, figure = value_under("spec", "table", {}), value_under("spec", "figure", {})
    claims = value_under("spec", "claim", [])

    @property
    def substitutes(self) -> dict[str, str]:
        """The stand-ins, and data sets that hold some rows of the paper's."""
        return {**self.stand_ins, **self.record.get("parts", {})}

    @property
    def key(self) -> str:
        return f"{self.paper}/{self.name}"

    @property
    def heading(self) -> str:
        return " · ".join(filter(None, (self.number, self.title)))

    @property
    def headers(self) -> dict[str, str]:
        """The paper's words over fields and metrics."""
        return self.spec.get("labels", {}).get("column", {})

    def fields(self, *keys: str) -> list[str]:
        """The fields that the figure names under these keys."""
        named = [self.figure.get(key, []) for key in keys]
        return [field for one in named for field in ([one] if isinstance(one, str) else one)]

    @property
    def notes(self) -> list[str]:
        """Paragraphs, which empty lines separate in the file."""
        text = self.spec.get("notes", {}).get("text", "")
        return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]

    @property
    def sources(self) -> list[str]:
        """The exhibits whose lines this one reads: itself unless it reuses others."""
        reuse = self.spec.get("reuse", self.key)
        return [reuse] if isinstance(reuse, str) else list(reuse)

    @property
    def commands(self) -> list[str]:
        measured = self.sources if self.spec.get("sweep") or "reuse" in self.spec else []
        return [f"kmbench run papers/{source}.toml" for source in measured]

    def label(self, name: str, value: Any) -> str:
        """The exhibit's own word for a value of a field, else the value."""
        words = self.spec.get("labels", {}).get(name, {})
        return str(words.get(str(value), "–" if value is None else value))

    @cache  # noqa: B019  an exhibit lives as long as the program
    def listed(self, name: str) -> list[Any]:
        """The values of a field in the order of the sweeps, then of the quick profile."""
        values: list[Any] = []
        quick = self.spec.get("profile", {}).get("quick", {})
        for table in [*self.spec.get("sweep", []), *quick.get("sweep", []), quick]:
            value = {**table, **table.get("set", {}), **table.get("data", {})}.get(name, [])
            values += value if isinstance(value, list) else [value]
        return list(dict.fromkeys(v for v in values if not isinstance(v, (dict, list))))

    @cached_property
    def specs(self) -> list[Table]:
        """Its own content, and that of the exhibits that it reuses."""
        files = [self.path.parents[1] / f"{key}.toml" for key in self.sources if key and key != self.key]
        return [self.spec, *(read_exhibit(path) for path in files if path.exists())]

    @cached_property
    def implementations(self) -> list[str]:
        return list(dict.fromkeys(name for sweep in self.paper_sweeps for name in sweep.get("implementation", [])))

    @cached_property
    def swept(self) -> list[str]:
        """The settings of the data set's generator that the sweeps vary."""
        quick = [spec.get("profile", {}).get("quick", {}) for spec in self.specs]
        tables = [*quick, *(sweep for spec in [*self.specs, *quick] for sweep in spec.get("sweep", []))]
        return sorted({name for table in tables for name in table.get("data", {})})

    @property
    def where(self) -> dict[str, Any]:
        """What it selects of its lines."""
        return (self.table or self.figure).get("where", {})

    def beside(self, line: Line, profile: str) -> list[dict[str, Any]]:
        """Implementation and parameters of the cases that the profile's sweeps make of the line's problem. A sweep that
        leaves a setting of the generator at its default makes none beside a line of a sweep that gives it."""
        cases = []
        for sweep in self.sweeps(profile):
            problem = {name: v for name, v in sweep.items() if name in OF_LINE[1:] or name.startswith("data.")}
            if any(f"data.{name}" not in sweep and value_of(line, name) is not None for name in self.swept):
                continue
            named = [name for name in sweep if name == OF_LINE[0] or name.startswith("set.")]
            axes = {name.removeprefix("set."): sweep[name] for name in named}
            if of_sweep(line, problem) and of_run(line, sweep) and not any(map(ranges, axes.values())):
                cases += [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
        return cases

    @cache  # noqa: B019  an exhibit lives as long as the program
    def printed(self) -> list[Printed]:
        """Every row of every [[paper]] table, each followed by its rows for stand-ins."""
        rows = [row for block in self.spec.get("paper", []) for row in printed_rows(block)]
        return [shown for row in rows for shown in (row, *beside_stand_ins(row, self.stand_ins))]

    @property
    def their_threads(self) -> list[int]:
        """The thread counts of the paper's rows that stand for all threads here."""
        matches = [block.get("match", {}).get("threads", {}) for block in self.spec.get("paper", [])]
        return sorted({int(word) for match in matches for word, ours in match.items() if ours == 0 and word.isdigit()})

    @cached_property
    def quick(self) -> list[tuple[Table, list[str]]]:
        """The sweeps of the quick profile, flat, each with the keys of the problem that it changes."""
        return [found for spec in self.specs for found in quick_sweeps(spec)]

    @cached_property
    def paper_sweeps(self) -> list[Table]:
        return [flat(sweep) for spec in self.specs for sweep in spec.get("sweep", [])]

    def sweeps(self, profile: str) -> list[Table]:
        """The sweeps of a profile, flat."""
        return [sweep for sweep, _ in self.quick] if profile == "quick" else self.paper_sweeps

    def makes(self, line: Line) -> bool:
        """Whether a sweep may have made the line, whatever version of the exhibit did."""
        return any(of_sweep(line, sweep) and of_run(line, sweep) for sweep in self.sweeps(line["profile"]))

    def resized(self, lines: Sequence[Line]) -> list[str]:
        """The keys of the problem that the quick profile changes for these lines; none if they are as in the paper."""
        found: set[str] = set()
        everything = sorted({name for _, changed in self.quick for name in changed})  # of a line of no sweep
        for line in lines:
            own = [changed for sweep, changed in self.quick if of_sweep(line, sweep)]
            found.update(min(own or [everything], key=len))
        return sorted(found)


OF_LINE = ("implementation", "dataset", "n", "d", "k", "precision")


def quick_sweeps(spec: Table) -> list[tuple[Table, list[str]]]:
    """As kmbench: the quick profile's own sweeps, else the paper's, with its other keys replaced."""
    quick = dict(spec.get("profile", {}).get("quick", {}))
    papers = [flat(sweep) for sweep in spec.get("sweep", [])]
    sweeps = [flat(sweep) for sweep in quick.pop("sweep", [])] or papers
    replaced = flat(quick)
    made = [{**one, **{k: v for k, v in replaced.items() if "." not in k or k in one}} for one in sweeps]
    return [(one, min((changed(one, paper) for paper in papers), key=len, default=[])) for one in made]


def flat(sweep: Table) -> Table:
    """Every axis as a list of values; `set` and `data` by dotted names."""
    plain = {name: value for name, value in sweep.items() if name not in ("set", "data")}
    nested = {f"{part}.{name}": value for part in ("set", "data") for name, value in sweep.get(part, {}).items()}
    return {name: value if isinstance(value, list) else [value] for name, value in {**plain, **nested}.items()}


def changed(quick: Table, paper: Table) -> list[str]:
    """The keys whose values in the quick sweep are not in the paper's sweep."""
    names = (quick.keys() | paper.keys()) - {"repetitions", "warmup"}  # these leave the problem as it is
    other = [n for n in names if n not in quick or not all(same(v, paper.get(n, [])) for v in quick[n])]
    return sorted({n.partition(".")[0] for n in other})


USUAL_RUN = {"init": ["random"], "init_seed": [1], "tolerance": [None]}  # of a sweep that does not say


def of_run(line: Line, sweep: Table) -> bool:
    """Whether start and stop rule are the sweep's."""
    wanted = {**USUAL_RUN, "iterations": [line["max_iters"]], **sweep}
    known = {name: value_of(line, name) for name in USUAL_RUN} | {"iterations": line["max_iters"]}
    return all(ranges(wanted[name]) or same(value, wanted[name]) for name, value in known.items())


def ranges(values: Sequence[Any]) -> bool:
    """Whether some are written as a range: "64:1024:x2"."""
    return any(isinstance(value, str) and ":" in value for value in values)


def of_sweep(line: Line, sweep: Table) -> bool:
    """Whether the sweep may have made the line; a field that one of them lacks agrees."""
    names = {name.partition(".")[2] or name: v for name, v in sweep.items() if name in OF_LINE or "." in name}
    known = {name: v for name, v in names.items() if value_of(line, name) not in (None, 0) or name == "threads"}
    return all(value_of(line, n) is None or ranges(v) or same(value_of(line, n), v) for n, v in known.items())


def printed_rows(block: Table) -> list[Printed]:
    fields, metrics = block["fields"], block["metrics"]
    found = []
    for row in block["rows"]:
        shown = dict(zip(fields, row, strict=False))
        key = {name: block.get("match", {}).get(name, {}).get(str(value), value) for name, value in shown.items()}
        values = {m: str(v) for m, v in zip(metrics, row[len(fields) :], strict=True) if v != ""}
        notes = [block["notes"][str(v)] for v in shown.values() if str(v) in block.get("notes", {})]
        found.append(Printed(key, shown, values, block["source"], "; ".join(notes), block.get("units", {})))
    return found


def beside_stand_ins(row: Printed, stand_ins: dict[str, str]) -> list[Printed]:
    """The row beside each stand-in of its data set."""
    found = []
    for name in (name for name, real in stand_ins.items() if real == row.key.get("dataset")):
        note = f"printed of {stand_ins[name]}; {name} is made up in its shape, so only times are compared"
        notes = "; ".join(filter(None, [row.note, note]))
        found.append(replace(row, key={**row.key, "dataset": name}, note=notes, stand_in=name))
    return found


@dataclass(frozen=True)
class Paper:
    key: str
    record: Table
    exhibits: list[Exhibit] = field(default_factory=list)

    @property
    def title(self) -> str:
        return self.record.get("title", self.key)

    @property
    def citation(self) -> str:
        authors = self.record.get("authors", [])
        people = authors if isinstance(authors, str) else ", ".join(authors)
        parts = (people, self.record.get("venue", ""), str(self.record.get("year", "")))
        return ". ".join(part for part in parts if part) if people else ""


def load(papers: Path, only_papers: list[str] | None = None, only_exhibits: list[str] | None = None) -> list[Paper]:
    """Papers by key, their exhibits by number. Raises UserError on the first malformed file and on an unknown name."""
    if not papers.is_dir():
        raise UserError(f"{papers}: no such folder of exhibits")
    found = []
    for folder in sorted(p for p in papers.iterdir() if p.is_dir()):
        record = read_toml(folder / "paper.toml") if (folder / "paper.toml").exists() else {}
        with within(folder / "paper.toml"):
            check_paper(record)
        files = sorted(p for p in folder.glob("*.toml") if p.name != "paper.toml")
        wanted = [p for p in files if not only_exhibits or f"{folder.name}/{p.stem}" in only_exhibits]
        if not wanted or (only_papers and folder.name not in only_papers):
            continue
        exhibits = [load_one(p, record) for p in wanted]
        found.append(Paper(folder.name, record, sorted(exhibits, key=reading_order)))
    missing = set(only_papers or []) - {p.key for p in found}
    missing |= set(only_exhibits or []) - {e.key for p in found for e in p.exhibits}
    if missing:
        keys = sorted(f"{p.parent.name}/{p.stem}" for p in papers.glob("*/*.toml") if p.name != "paper.toml")
        near = [key for key in keys if key.split("/")[0] in {name.split("/")[0] for name in missing if "/" in name}]
        known = near or sorted({key.split("/")[0] for key in keys})
        if only_papers and only_exhibits and missing <= {*keys, *(key.split("/")[0] for key in keys)}:
            raise UserError(f"--paper and --exhibit exclude each other: {', '.join(sorted(missing))}")
        raise UserError(f"{papers}: nothing named {', '.join(sorted(missing))}; there are {', '.join(known)}")
    return found


def read_by(papers: Iterable[Paper]) -> set[str]:
    """The keys of the papers whose lines these read: their own, and those of exhibits that they reuse."""
    return {source.partition("/")[0] for paper in papers for exhibit in paper.exhibits for source in exhibit.sources}


def load_one(path: Path, paper: Table | None = None) -> Exhibit:
    spec = read_exhibit(path)
    if shared := (paper or {}).get("labels"):
        own = spec.get("labels", {})
        spec["labels"] = {**own, **{name: {**words, **own.get(name, {})} for name, words in shared.items()}}
    with within(path):
        check_exhibit(spec)
    return Exhibit(path.parent.name, path.stem, path, spec, paper or {})


@cache
def sibling(exhibit: Exhibit, name: str) -> Exhibit:
    return load_one(exhibit.path.with_name(f"{name}.toml"), exhibit.record)


def read_exhibit(path: Path) -> Table:
    """The file's exhibit, its short forms written out."""
    given = read_toml(path)
    with within(path):
        return expand(given)


def read_toml(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise UserError(f"{path}: nested too deep") from None
    except (ValueError, OSError) as e:  # TOML's, UTF-8's and Python's own limit on digits
        raise UserError(f"{path}: {str(e).splitlines()[0]}") from e


def reading_order(exhibit: Exhibit) -> tuple[Any, ...]:
    """Machine tables, then tables, then figures; by number within."""
    words = exhibit.spec.get("number", exhibit.name).split()
    number = next((int("".join(c for c in word if c.isdigit())) for word in words if any(map(str.isdigit, word))), 0)
    return (("machine", "table", "figure").index(exhibit.kind), number, exhibit.name)
