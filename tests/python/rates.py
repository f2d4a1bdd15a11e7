"""How often `compare` is wrong, and how often it finds what is there: counted on measured rounds, or on tables drawn
from recorded ones (noise.json). scripts/compare_test runs it on this machine; test_rates.py on the recorded noise.

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
Noise = dict[
    str, list[list[list[float]]]
]  # by implementation and case, by round, of both sides: samples over their median


def called_another(made: Comparison) -> tuple[int, int]:
    """How many cases, and how many implementations, are said to be faster or slower."""
    return sum(p.verdict in CHANGED for p in made.pairs), sum(g.verdict in CHANGED for g in made.groups)


def found(made: Comparison, name: str) -> tuple[bool, int]:
    """Whether this implementation is said to be slower, and how many others, or cases of others, are called another."""
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


def tries(base: Side, new: Side, rounds: int) -> list[tuple[Side, Side]]:
    """Every `rounds` rounds in the order in which they were measured: tries that share none."""
    names = sorted({name for side in (base, new) for case in side.cases.values() for name in case.rounds})
    parts = [set(names[i : i + rounds]) for i in range(0, len(names) - rounds + 1, rounds)]
    return [(of_rounds(base, part), of_rounds(new, part)) for part in parts]


def drawn(base: Side, new: Side, rounds: int, count: int = 40) -> list[tuple[Side, Side]]:
    """Tries of rounds drawn from all of them: more tries than there are apart, of which any two share some."""
    names = sorted({name for side in (base, new) for case in side.cases.values() for name in case.rounds})
    parts = [set(random.Random(seed).sample(names, min(rounds, len(names)))) for seed in range(count)]
    return [(of_rounds(base, part), of_rounds(new, part)) for part in parts]


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
    """Two sides of so many cases: rounds drawn from the recorded, none twice, for all recorded cases alike, since what
    disturbs one disturbs its neighbours; which side is which is drawn as well. `slower`: a factor by implementation."""
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
    """Few tries share no round, and many tries share some: the promise is held to all of them together."""
    both: list[tuple[bool, int]] = []
    for what, parts in (("that share no round", tries), ("drawn from all rounds", drawn)):
        results = [found(compare(*sides), name) for sides in parts(before, after, rounds)]
        print(f"Slowed: {name} found in {counted(results)[0]} of {len(results)} tries of {rounds} rounds {what};")
        print(f"        another implementation, or a case of one, called another in {counted(results)[1]}")
        both += results
    hits, blamed = counted(both)
    print(f"Together: found in {100 * hits / len(both):.1f}% (at least 90%), another blamed in", end=" ")
    print(f"{100 * blamed / len(both):.1f}% (at most 5%)")
    return hits < 0.9 * len(both) or blamed > 0.05 * len(both)


def counted(results: Sequence[tuple[bool, int]]) -> tuple[int, int]:
    """In how many tries it was found, and in how many anything else was called another."""
    return sum(hit for hit, _ in results), sum(others > 0 for _, others in results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
