"""Synthetic result lines: the format of real ones, with values from a formula."""

import hashlib
import itertools
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from plots.read.check import FIELDS, LATEST
from plots.read.exhibits import Exhibit


def words(text: str) -> list[str]:
    return text.split()


AXES = words("implementation dataset n d k precision init init_seed iterations tolerance")
DEFAULTS = {"n": 1000, "d": 4, "k": 4, "precision": "fp32", "init": "random", "init_seed": 1}
DEFAULTS |= {"iterations": 5, "tolerance": None}
SHARDED = r"/ranks/|_ranks$|library/torch$|many/(nccl|screened)$"  # implementations that run on several ranks
CATALOGUE = tomllib.loads((Path(__file__).parents[2] / "datasets/synthetic.toml").read_text())
CASE = words("exhibit profile implementation parameters dataset n d k precision init max_iters tolerance")
MEASURED = [name for name, node in FIELDS.items() if node.get("known") != "before"]


def line(exhibit: str = "demo/table1", seconds: float = 0.1, samples: int = 7, **fields: Any) -> dict[str, Any]:
    """A valid line of a right run. `fields` replace its fields; unknown names become parameters."""
    made = right(exhibit, seconds, samples)
    for name, value in fields.items():
        if name == "dataset":
            made["dataset"] = {**made["dataset"], "name": value}
        elif name in ("hash", "source", "generator"):
            made["dataset"] = {**made["dataset"], name: value}
        elif name in made:
            made[name] = value
        else:
            made["parameters"] = {**made["parameters"], name: value}
    made["device"] = fields.get("device", made["implementation"].split("/")[0].replace("library", "cpu"))
    made["case"] = case_id(made)
    return made


def right(exhibit: str | None, seconds: float, samples: int) -> dict[str, Any]:
    return {
        **dict.fromkeys(FIELDS),
        "schema": LATEST,
        "case": "",
        "exhibit": exhibit,
        "exhibit_hash": "e" * 16,
        "profile": "paper",
        "order": 0,
        "implementation": "cpu/lloyd/two_step",
        "device": "cpu",
        "parameters": {},
        "dataset": {"name": "balls", "hash": "0" * 32, "seed": 1, "generator": {"seed": 1}, "source": "5" * 32},
        "n": 1000,
        "d": 4,
        "k": 4,
        "precision": "fp32",
        "init": {"method": "random", "seed": 1, "source": None},
        "max_iters": 5,
        "iterations": 5,
        "samples_s": [seconds * (1 + 0.01 * ((i * 7) % 5 - 2)) for i in range(samples)],
        "disturbed_verbs": [],
        "prepare_s": seconds / 10,
        "download_s": seconds / 50,
        "unforeseen_iteration_s": seconds / 5,
        "prepare_phases": {"transfer": seconds / 20, "transpose": seconds / 200},
        "phases": {"assign": [seconds * 0.1] * 4 + [seconds * 0.11], "update": [seconds * 0.05] * 4 + [seconds * 0.06]},
        "counters": {"distances": [16000.0] * 5, "mean_m": [4.0, 3.0, 2.0, 2.0, 2.0], "warp_imbalance": [0.1] * 5},
        "work": {"bytes": 20000, "flops": 64000},
        "inertia": 123.5,
        "centroid_error": 0.001,
        "mean_error": 1e-6,
        "wrong_labels": 0,
        "judged_points": 1000,
        "tied_labels": 0,
        "judge_s": 0.01,
        "judge_seed": 2718281828,
        "label_excess": 1e-12,
        "mean_offset": 1e-7,
        "grade": "rounded",
        "replayed": {"links": 2, "sampled_points": 500, "skipped": None},
        "cluster_sizes": [240, 260, 255, 245],
        "verdict": "",
        "peak_bytes": 1 << 24,
        "machine": "demo",
        "commit": "0123456789abcdef",
        "dirty": False,
        "argv": ["kmbench", "run"],
        "date": "2024-01-01T00:00:00Z",
    }


def of_schema(number: int, made: dict[str, Any]) -> dict[str, Any]:
    """The line as an earlier kmbench wrote it, with this schema number."""
    old = {name: value for name, value in made.items() if FIELDS[name].get("since", 1) <= number}
    for part in ("dataset", "init", "ranks"):
        inner = FIELDS[part]["properties"]
        if old.get(part):
            old[part] = {name: value for name, value in made[part].items() if inner[name].get("since", 1) <= number}
    return {**old, "schema": number}


def case_id(made: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([made[name] for name in CASE], sort_keys=True).encode()).hexdigest()[:16]


def skipped(reason: str, **fields: Any) -> dict[str, Any]:
    return line(**{**empty(), "skip": reason, **fields})


def wrong(reason: str, **fields: Any) -> dict[str, Any]:
    return line(**{**empty(), "verdict": reason, "wrong_labels": 12, **fields})


def empty() -> dict[str, Any]:
    return {**dict.fromkeys(MEASURED), "samples_s": [], "phases": {}, "prepare_phases": {}, "counters": {}}


def listed(value: Any) -> list[Any]:
    """The values of a number, a list or a range ("1e4:1e6:x10", "64:1024:+64")."""
    if isinstance(value, list):
        return [x for item in value for x in listed(item)]
    if not (isinstance(value, str) and value.count(":") == 2):
        return [value]
    low, high, step = value.split(":")
    found = [float(low)]
    while found[-1] < float(high):
        found.append(found[-1] * float(step[1:]) if step[0] == "x" else found[-1] + float(step[1:]))
    return [int(x) for x in found if x <= float(high)]


def lines_of(exhibit: Exhibit, profile: str = "paper") -> list[dict[str, Any]]:
    """A line for every case of the exhibit's sweeps, of two seeds at most. Times come from a hash of the case."""
    quick = exhibit.spec.get("profile", {}).get("quick", {}) if profile == "quick" else {}
    made = []
    for sweep in quick.get("sweep", exhibit.spec.get("sweep", [])):
        flat = {**DEFAULTS, **flatten(sweep)}
        flat |= {name: value for name, value in flatten(quick).items() if name in flat}
        names = [name for name in flat if name in AXES or "." in name]
        for combination in itertools.product(*(listed(flat[name])[: 2 if "seed" in name else None] for name in names)):
            made.append(case(exhibit.key, profile, dict(zip(names, combination, strict=True))))
    if "ranks" not in exhibit.spec.get("table", {}).get("rows", []):
        return made
    sharded = [one for one in made if re.search(SHARDED, one["implementation"])]
    return made + [on_ranks(count, one) for count in (2, 4) for one in sharded]


def on_ranks(count: int | None, one: dict[str, Any]) -> dict[str, Any]:
    """The line as several ranks would have made it; None: as a launch that failed."""
    ranks = {**dict.fromkeys(FIELDS["ranks"]["properties"]), "launch": f"mpirun -n {count}", "count": count}
    return one | {"ranks": ranks, "case": hashlib.sha256(f"{one['case']} {count}".encode()).hexdigest()[:16]}


def flatten(table: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in table.items() if not isinstance(value, dict) and name != "sweep"}
    return plain | {f"{part}.{name}": value for part in ("set", "data") for name, value in table.get(part, {}).items()}


def case(exhibit: str, profile: str, values: dict[str, Any]) -> dict[str, Any]:
    seconds = 0.02 + int(hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:6], 16) / 2**24
    made = line(
        exhibit,
        seconds,
        profile=profile,
        dataset=values["dataset"],
        max_iters=values["iterations"],
        init={"method": values["init"], "seed": values["init_seed"], "source": None},
        centroid_error=seconds / 100,
        **{name: values[name] for name in ("implementation", "n", "d", "k", "precision", "tolerance")},
    )
    if "spectral" in values["implementation"]:
        stages = ("representatives", "similarity", "eigenvectors", "clusters", "labels")
        made |= {"iterations": 1, "phases": {stage: [seconds / 5] for stage in stages}}
        eigenvalues = {f"eigenvalue_{at}": [at * at / 100] for at in range(1, 11)}
        made["counters"] = {"ari": [1 - seconds / 100], "nmi": [1 - seconds / 100], **eigenvalues}
    made["parameters"] = {name[4:]: value for name, value in values.items() if name.startswith("set.")}
    made["dataset"]["generator"] |= CATALOGUE.get(values["dataset"], {}).get("settings", {})
    made["dataset"]["generator"] |= {name[5:]: value for name, value in values.items() if name.startswith("data.")}
    made["case"] = case_id(made)
    return made


def write(results: Path, machine: str, lines: list[dict[str, Any]], record: dict[str, Any] | None = None) -> Path:
    """Appends to results/<machine>/<paper>.jsonl and writes machine.json."""
    folder = results / machine
    folder.mkdir(parents=True, exist_ok=True)
    known = {"id": machine, "cpu": {"model": "Made-up 9000"}} if record is None else record
    (folder / "machine.json").write_text(json.dumps(known))
    for made in lines:
        with (folder / f"{(made['exhibit'] or 'adhoc').split('/')[0]}.jsonl").open("a") as file:
            file.write(json.dumps(made) + "\n")
    return results


def ladder(*times, **fields):
    """Lines for 1, 10, 100, … packages; a time of None gives a skipped case."""
    return [
        line(seconds=t, packages=10**i, **fields) if t else skipped("too large", packages=10**i, **fields)
        for i, t in enumerate(times)
    ]


RATIO = {"kind": "ratio", "numerator": {"packages": 1}, "denominator": {"packages": 10}}


def samples(middle: float, count: int = 12, spread: float = 0.01) -> list[float]:
    """Distinct times around the middle."""
    return [middle * (1 + spread * (((i * 7) % count) / count - 0.5)) for i in range(count)]


def timed(seconds: float, count: int = 12, **fields) -> dict:
    """A line without an exhibit, for comparisons."""
    return line(None, samples_s=samples(seconds, count), **fields)


def side(folder: Path, name: str, lines: list[dict], record: dict | None = None) -> Path:
    """Writes the folder of one machine, a side of a comparison."""
    known = {"id": "demo", "cpu": {"model": "Made-up 9000", "threads": 2}}
    return write(folder, name, lines, {**known, **(record or {})}) / name


ENERGY = {"joules": 3.5, "iterations": 70, "window_s": 1.1, "source": "NVML", "skipped": None}
FAULTS = [  # values of fields that neither the schema nor our check takes
    *({"schema": value} for value in (0, LATEST + 1, None, "2", True)),
    *({"run_delay_s": value} for value in ([-1.0], 0.5)),
    *({"library": value} for value in ("FAISS", {"name": "FAISS"})),
    *({"energy": value} for value in (3.5, {**ENERGY, "joules": -1})),
    *({"n": "many"}, {"continues": 0}, {"involuntary_switches": [0.5]}, {"wait_policy": True}, {"tuned": "best"}),
    *({"grade": "good"}, {"device": "tpu"}, {"precision": "fp16"}, {"date": "today"}, {"phases": {"assign": 0.1}}),
    *({"exhibit": "table3"}, {"exhibit_hash": "none"}, {"samples_s": [-1.0]}, {"profile": "slow"}),
    *({"dataset": {"hash": None}}, {"work": {"bytes": "many", "flops": 1}}, {"parameters": {"packages": [1]}}),
]
