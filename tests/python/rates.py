"""Counts the false alarms and the finds of `compare`, on measured rounds or on tables drawn from noise.json.
scripts/compare_test measures rounds on this machine; test_rates.py uses the recorded noise.

    python3 tests/python/rates.py false BASE NEW             A/A: the share of cases and implementations called another
    python3 tests/python/rates.py found BASE NEW NAME ROUNDS  of tries of so many rounds, how many find NAME slower
    python3 tests/python/rates.py keep BASE NEW FILE.json     the noise of an A/A, for the tests"""

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from plots.decide.compare import FASTER, SLOWER, Comparison, compare  # noqa: E402
from plots.read import sides  # noqa: E402
from plots.read.sides import Case, Side  # noqa: E402

CHANGED = (FASTER, SLOWER)
# By "implementation|case": for each round, the samples of both sides over their median.
Noise = dict[str, list[list[list[float]]]]


def called_another(made: Comparison) -> tuple[int, int]:
    """How many cases and how many implementations are called faster or slower."""
    return sum(p.verdict in CHANGED for p in made.pairs), sum(g.verdict in CHANGED for g in made.groups)


def found(made: Comparison, name: str) -> tuple[bool, int]:
    """Whether this implementation is called slower, and how many other ones or their cases are called changed."""
    hit = any(group.implementation == name and group.verdict == SLOWER for group in made.groups)
    others = [group.verdict for group in made.groups if group.implementation != name]
    others += [pair.verdict for pair in made.pairs if pair.base.implementation != name]
    return hit, sum(verdict in CHANGED for verdict in others)


def of_rounds(side: Side, wanted: set[str]) -> Side:
    cases = {
        name: replace(case, rounds={r: samples for r, samples in case.rounds.items() if r in wanted})
        for name, case in side.cases.items()
    }
    return replace(side, cases=cases)


def tries(names: list[str], rounds: int) -> list[set[str]]:
    """Consecutive rounds; no two tries share one."""
    return [set(names[i : i + rounds]) for i in range(0, len(names) - rounds + 1, rounds)]


def drawn(names: list[str], rounds: int) -> list[set[str]]:
    """Forty random draws from all rounds; tries may share some."""
    return [set(random.Random(seed).sample(names, min(rounds, len(names)))) for seed in range(40)]


def noise_of(base: Side, new: Side) -> Noise:
    kept: Noise = {}
    for name, case in base.cases.items():
        other = new.cases[name]
        middle = median(case.samples + other.samples)
        pairs = [[case.rounds[r], other.rounds[r]] for r in sorted(case.rounds.keys() & other.rounds.keys())]
        kept[f"{case.implementation}|{name}"] = [
            [[round(s / middle, 4) for s in side] for side in pair] for pair in pairs
        ]
    return kept


def table(
    noise: Noise, cases: int, rounds: int, seed: int, slower: dict[str, float] | None = None
) -> tuple[Side, Side]:
    """Two sides of so many cases, with rounds drawn from the recorded ones, none twice. The sides are drawn too.
    Neighbours share a disturbance, so all recorded cases take the same rounds. `slower`: a factor by implementation."""
    draw = random.Random(seed)
    base: dict[str, Case] = {}
    new: dict[str, Case] = {}
    names = list(noise)
    recorded = len(noise[names[0]])
    while len(base) < cases:
        drawn = [(at, draw.random() < 0.5) for at in draw.sample(range(recorded), rounds)]
        for name in names[: cases - len(base)]:
            implementation = name.partition("|")[0]
            factor, own = (slower or {}).get(implementation, 1.0), noise[name]
            one, two = Case(implementation, {}), Case(implementation, {})
            for i, (at, turned) in enumerate(drawn):
                before, after = own[at][:: -1 if turned else 1]
                one.rounds[str(i)] = tuple(before)
                two.rounds[str(i)] = tuple(factor * sample for sample in after)
            base[f"{name}|{len(base)}"], new[f"{name}|{len(new)}"] = one, two
    return Side("base", base, {}), Side("new", new, {})


def main(what: str, base: str, new: str, *rest: str) -> int:
    before, after = sides.read(Path(base)), sides.read(Path(new))
    if what == "keep":
        Path(rest[0]).write_text(json.dumps(noise_of(before, after), separators=(",", ":")) + "\n")
        return 0
    if what == "false":
        made = compare(before, after)
        cases, groups = called_another(made)
        share = cases / len(made.pairs)
        print(f"A/A: {cases} of {len(made.pairs)} cases called faster or slower ({100 * share:.1f}%; at most 5%),")
        print(f"     {groups} of {len(made.groups)} implementations")
        return share > 0.05
    return told(before, after, rest[0], int(rest[1]))


def told(before: Side, after: Side, name: str, rounds: int) -> int:
    """The promise is tested on both kinds of tries together."""
    both: list[tuple[bool, int]] = []
    names = sorted({one for side in (before, after) for case in side.cases.values() for one in case.rounds})
    for what, parts in (("that share no round", tries), ("drawn from all rounds", drawn)):
        pairs = [(of_rounds(before, part), of_rounds(after, part)) for part in parts(names, rounds)]
        results = [found(compare(*pair), name) for pair in pairs]
        print(f"Slowed: {name} found in {counted(results)[0]} of {len(results)} tries of {rounds} rounds {what};")
        print(f"        another implementation, or a case of one, called another in {counted(results)[1]}")
        both += results
    hits, blamed = counted(both)
    print(f"Together: found in {100 * hits / len(both):.1f}% (at least 90%), another blamed in", end=" ")
    print(f"{100 * blamed / len(both):.1f}% (at most 5%)")
    return hits < 0.9 * len(both) or blamed > 0.05 * len(both)


def counted(results: Sequence[tuple[bool, int]]) -> tuple[int, int]:
    """In how many tries it was found, and in how many anything else was called changed."""
    return sum(hit for hit, _ in results), sum(others > 0 for _, others in results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
