"""The lines that an exhibit shows of a machine, and the values in them."""

import itertools
import json
import tomllib
from functools import cache

from recompute.lines import disturbed, field, machine, parts, prefer, preferred, select
from recompute.metrics import OVER_BASELINE, is_timed, metric, rests_on
from recompute.values import exact, ratio, scaled


class Incomparable(Exception):  # noqa: N818  a verdict, no error
    pass


@cache
def spec(path):
    return tomllib.loads(path.read_text())


class View:
    """The lines of an exhibit on a machine, in the paper's profile."""

    def __init__(self, results, papers, name, key):
        self.spec = spec(papers / f"{key}.toml")
        self.paper = spec(papers / key.partition("/")[0] / "paper.toml")
        every, self.record = machine(results / name)
        sources = self.spec.get("reuse", key)
        sources = [sources] if isinstance(sources, str) else sources
        self.shown = {**self.spec.get("table", {}), **self.spec.get("figure", {})}
        where = (self.spec.get("table") or self.spec.get("figure") or {}).get("where", {})
        specs = [self.spec, *(spec(papers / f"{one}.toml") for one in sources if one != key)]
        lines = [x for one in sources for x in every if x["exhibit"] == one and x["profile"] == "paper"]
        self.sweeps = [sweep for one in specs for sweep in sweeps_of(one)]
        lines = newest(grown(of_today(select(lines, where), specs)), {name for one in specs for name in swept(one)})
        lines.sort(key=lambda x: (sources.index(x["exhibit"]), x["case"]))
        self.lines = preferred(apart(lines) if len(sources) > 1 else lines, self.place, where)

    @property
    def place(self):
        if self.spec.get("table"):
            return self.spec["table"]["rows"]
        figure = self.spec.get("figure", {})
        names = [figure.get("panels"), *figure.get("down", []), *figure.get("series", [])]
        return [name for name in (*names, figure.get("x"), figure.get("sets")) if name]

    def base(self, line, name):
        """The line that a speedup or an efficiency is over."""
        if name.partition(":")[0] not in OVER_BASELINE:
            return None
        baseline = self.shown.get("baseline", {})
        bases = select(self.lines, baseline)
        named = [f for f in self.place if f not in baseline and any(field(one, f) is not None for one in bases)]
        agree = {f: field(line, f) for f in named if field(line, f) is not None}
        found = [one for one in bases if all(field(one, f) == v for f, v in agree.items())]
        if any(isinstance(value, list) for value in baseline.values()):
            if found and self.waits(found, baseline, agree):
                return None
            timed = [(value[0], i) for i, one in enumerate(found) if (value := metric(one, name, self.record))]
            return found[min(timed)[1]] if timed else None
        return found[0] if len(found) == 1 else None

    def waits(self, found, baseline, agree):
        """Whether a sweep makes a baseline of this problem and device that has no line."""
        device = {one["implementation"]: one["device"] for one in self.lines}
        planned = []
        for sweep in self.sweeps:
            names = sweep["implementation"] if isinstance(sweep["implementation"], list) else [sweep["implementation"]]
            sets = {name: v if isinstance(v, list) else [v] for name, v in sweep.get("set", {}).items()}
            given = [name for one in self.sweeps for name in one["data"] if field(found[0], name) is not None]
            made = made_by({**found[0], "implementation": names[0], "parameters": {}}, sweep)
            if not made or any(name not in sweep["data"] for name in given):
                continue
            for values in itertools.product(names, *sets.values()):
                one = {**dict(zip(("implementation", *sets), values, strict=True)), "parameters": {}, "dataset": {}}
                if device.get(one["implementation"], one["implementation"][:3]) == found[0]["device"]:
                    planned.append(one)
        known = {**self.shown.get("where", {}), **baseline, **agree, "dataset": None}
        planned = [one for one in planned if select([one], {n: v for n, v in known.items() if n in one})]
        named = [{n: v for n, v in one.items() if n not in ("parameters", "dataset")} for one in planned]
        return any(all(any(field(x, n) not in (None, v) for n, v in one.items()) for x in found) for one in named)

    def value(self, line, name):
        own, family = metric(line, name, self.record), name.partition(":")[0]
        if family not in OVER_BASELINE or own is None:
            return own
        base, unit = self.base(line, name), 100 / parts(line) if family == "efficiency" else 1
        if base is line:
            return exact(unit)
        theirs = metric(base, name, self.record) if base else None
        return theirs and scaled(ratio(theirs, own), unit)

    def doubt(self, line, name):
        """`disturbed`, `coarse` or ""."""
        both = [one for one in (line, self.base(line, name)) if one is not None]
        if any(rests_on(one, name) in (one.get("disturbed_verbs") or ()) for one in both):
            return "disturbed"
        words = ("disturbed" if disturbed(x) else "coarse" if x.get("grade") == "coarse" else "" for x in both)
        return next(filter(None, words), "") if is_timed(name) else ""

    def measured(self, selector, name, all_of_them=False, may_be_coarse=False):
        lines = select(self.lines, selector)
        lines = lines if all_of_them else prefer(lines, selector)
        found = [(line, value) for line in lines if (value := self.value(line, name)) is not None]
        coarse = (line.get("grade") == "coarse" or self.doubt(line, name) == "coarse" for line, _ in found)
        if not found or (not self.shown.get("rounding") and not may_be_coarse and any(coarse)):
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


def sweeps_of(exhibit):
    """Its sweeps with their defaults; of zipped lists, one for each place."""
    given = exhibit.get("defaults", {}).get("sweep", {})
    for own in exhibit.get("sweep", []):
        parts = {part: {**given.get(part, {}), **own.get(part, {})} for part in ("set", "data")}
        sweep = {**given, **own, **parts}
        names = [name.rpartition(".") for name in sweep.get("zip", [])]
        lists = [(sweep[part] if part else sweep)[name] for part, _, name in names]
        for values in zip(*lists, strict=True) if names else [()]:
            one = {**sweep, "set": {**sweep["set"]}, "data": {**sweep["data"]}}
            for (part, _, name), value in zip(names, values, strict=True):
                (one[part] if part else one)[name] = value
            yield one


def made_by(line, sweep):
    """Whether a sweep may make the line's case."""
    asked = {**sweep, "max_iters": sweep.get("iterations", line["max_iters"])}
    sets, data = asked.pop("set", {}), asked.pop("data", {})
    asked = {name: value for name, value in asked.items() if name not in ("iterations", "repetitions", "warmup", "zip")}
    asked |= {name: value for name, value in sets.items() if name in line["parameters"]}
    asked |= {name: value for name, value in data.items() if name in (line["dataset"].get("generator") or {})}
    return bool(select([line], asked))


def case(line):
    """What identifies a case, whatever exhibit made it."""
    names = ("implementation", "n", "d", "k", "precision", "max_iters", "tolerance", "parameters")
    data = [line["dataset"].get(name) for name in ("name", "seed", "generator")]
    of_ranks = [field(line, "ranks"), line["init"]["method"], line["init"]["seed"]]
    return json.dumps([*(line[name] for name in names), data, of_ranks], sort_keys=True)


def of_today(lines, exhibits):
    """The lines of each exhibit's newest version, right ones of others if today's makes the case and has none."""
    lines = sorted(lines, key=lambda x: x["date"])
    version = {x["exhibit"]: x.get("exhibit_hash") for x in lines}
    new = [x for x in lines if x.get("exhibit_hash") == version[x["exhibit"]]]
    repeated = {(x["exhibit"], case(x)) for x in new}
    sweeps = [sweep for one in exhibits for sweep in sweeps_of(one)]

    def stays(x):
        alike = [one["parameters"] for one in new if one["implementation"] == x["implementation"]]
        same_names = all(set(one) == set(x["parameters"]) for one in alike)
        return (
            (x.get("grade") or x.get("skip"))
            and same_names
            and (x["exhibit"], case(x)) not in repeated
            and any(made_by(x, sweep) for sweep in sweeps)
        )

    return [x for x in lines if x.get("exhibit_hash") == version[x["exhibit"]] or stays(x)]


def grown(lines):
    """Without lines that a later one repeats with the same parameters and more of them."""
    later, kept = {}, []
    for x in reversed(lines):
        wider = later.setdefault((x["exhibit"], case({**x, "parameters": None})), [])
        if not any(x["parameters"].items() < one.items() for one in wider):
            kept.append(x)
        if not x.get("skip"):
            wider.append(x["parameters"])
    return kept[::-1]


def newest(lines, varied):
    """The lines that agree with the newest one in the points and the start."""

    def settings(x, some):
        return repr(sorted(pair for pair in (x["dataset"].get("generator") or {}).items() if some(pair[0])))

    def points(x, *sizes):
        return (x["dataset"]["name"], *(x[name] for name in sizes), settings(x, lambda name: name in varied))

    def if_ran(x, what):
        return what if x["dataset"].get("hash") is not None else None

    kept = sorted(lines, key=lambda x: x["date"])
    of_files = [
        x["dataset"] for x in kept if x["dataset"].get("hash") is not None and not x["dataset"].get("generator")
    ]
    last_with = {one["hash"]: one.get("source") for one in of_files}  # files with the same points hold the same
    now = {one.get("source"): last_with[one["hash"]] for one in of_files if last_with[one["hash"]] != one.get("source")}

    def run(x):  # the same for a case on several files of the same points
        own = x["dataset"].get("source")
        return x["exhibit"], case(x), now.get(own, own)

    last_of_run = {run(x): x["dataset"].get("source") for x in kept}
    kept = [x for x in kept if x["dataset"].get("source") == last_of_run[run(x)]]
    rules = [  # what lines may share, and what they then must share
        (lambda x: points(x, "d", "k"), lambda x: if_ran(x, settings(x, lambda name: name not in varied))),
        (
            lambda x: points(x, "n", "d", "k") if x["dataset"].get("generator") else x["dataset"]["name"],
            lambda x: if_ran(x, now.get(x["dataset"].get("source"), x["dataset"].get("source"))),
        ),
        (lambda x: points(x, "n", "d", "k", "precision"), lambda x: x["dataset"].get("hash")),
        (lambda x: x["init"]["method"], lambda x: x["init"].get("source")),
    ]
    for by, what in rules:
        last = {by(x): what(x) for x in kept if what(x) is not None}
        kept = [x for x in kept if what(x) in (None, last.get(by(x)))]
    return kept


def apart(lines):
    """The lines without cases that an earlier source also has."""

    first = {}
    for line in sorted(lines, key=lambda x: bool(x.get("skip"))):
        first.setdefault(case(line), line["exhibit"])
    return [line for line in lines if first[case(line)] == line["exhibit"]]
