#!/usr/bin/env python3
"""Recomputes verdicts from raw result lines and exhibit files: tests/recompute_verdicts.py CLAIMS.json [--sample 100].

`python3 -m plots claims` writes CLAIMS.json. This script and recompute/ follow docs/exhibits.md and docs/method.md
without code of plots/. It draws verdicts on the paper's own profile, prints those that differ, then `100 of 100
verdicts agree`. Exit code: 0; 1 if a verdict differs; 2 for bad input."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import re
import sys
from functools import cache
from pathlib import Path

from recompute.claims import WHOLE, claims
from recompute.lines import field, prefer, preferred, same, select
from recompute.metrics import is_timed
from recompute.values import ends, exact, is_exact, mean, ratio, scaled
from recompute.view import Incomparable, View

ROOT = Path(__file__).resolve().parents[1]
REPRODUCED, TREND, FAILED = "reproduced", "trend only", "not reproduced"
NOISE, OUT_OF_REACH = "undecided (noise)", "not comparable"
MS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "min": 6e4}


def band(claim):
    """The least and the largest value, and the side of 1 on which they are expected."""
    least, most = claim.get("at_least", -math.inf), claim.get("at_most", math.inf)
    if "expect" not in claim:
        return least, most, (least >= 1) - (most <= 1)
    expect, within = claim["expect"], claim.get("within", 1.0)
    return max(expect / within, least), min(expect * within, most), (expect > 1) - (expect < 1)


def inside(value, wanted):
    low, high = ends(value)
    if wanted[0] <= low and high <= wanted[1]:
        return REPRODUCED
    return FAILED if high < wanted[0] or low > wanted[1] else NOISE


def sided(value, wanted):
    low, high = ends(value)
    right = (wanted[2] > 0 and low > 1) or (wanted[2] < 0 and high < 1)
    verdict = inside(value, wanted)
    return TREND if verdict == FAILED and right else verdict


def step(a, b):
    if (is_exact(a) and is_exact(b)) or a[0] <= 0 or b[0] < 0:
        return (b[0] > a[0]) - (b[0] < a[0])
    low, high = ends(ratio(b, a) or exact(1.0))
    return 1 if low > 1 else -1 if high < 1 else 0


def extremes(values):
    return min(values, key=lambda v: v[0]), max(values, key=lambda v: v[0])


def equal(values, within):
    small, large = extremes(values)
    if small[0] == large[0] and is_exact(small) and is_exact(large):
        return REPRODUCED
    if small[0] <= 0:
        gap = abs(large[0] - small[0]) / max(abs(large[0]), abs(small[0]))
        return REPRODUCED if gap <= within else FAILED
    return inside(ratio(large, small), (-math.inf, 1 + within, 0))


def difference(values, at_least):
    small, large = extremes(values)
    if small[0] <= 0:
        return REPRODUCED if large[0] > small[0] else FAILED
    return sided(ratio(large, small), (1 + at_least, math.inf, 1))


def trend(values, sign):
    steps = [sign * step(a, b) for a, b in itertools.pairwise(values)]
    whole = sign * step(values[0], values[-1])
    if min(steps) < 0:
        return TREND if whole > 0 else FAILED
    if whole == 0:
        return FAILED if is_exact(values[0]) and is_exact(values[-1]) else NOISE
    return REPRODUCED if whole > 0 else FAILED


def order(values):
    steps = [step(a, b) for a, b in itertools.pairwise(values)]
    tied = any(is_exact(a) and is_exact(b) and a[0] == b[0] for a, b in itertools.pairwise(values))
    if min(steps) > 0:
        return REPRODUCED
    if min(steps) >= 0 and not tied:
        return NOISE
    return TREND if step(values[0], values[-1]) > 0 else FAILED


def location(values, expected, extreme):
    sign = -1 if extreme == "min" else 1
    best = max(range(len(values)), key=lambda i: (sign * values[i][0], i in expected))
    rivals = [i for i, v in enumerate(values) if i != best and sign * step(v, values[best]) <= 0]
    if best in expected:
        open_ones = [i for i in rivals if i not in expected and not (is_exact(values[i]) and is_exact(values[best]))]
        return NOISE if open_ones else REPRODUCED
    if set(rivals) & set(expected):
        return NOISE
    return TREND if any(abs(best - i) == 1 for i in expected) else FAILED


def worst(verdicts):
    return next((v for v in (FAILED, NOISE) if v in verdicts), REPRODUCED)


def share(verdicts, least):
    """Whether at least that share of the values is inside."""
    if verdicts.count(REPRODUCED) >= least * len(verdicts):
        return REPRODUCED
    return FAILED if len(verdicts) - verdicts.count(FAILED) < least * len(verdicts) else NOISE


def printed(view, claim):
    """The printed rows with the metric, as (selector, number)."""
    name, found = claim["metric"], []
    for block in view.spec.get("paper", []):
        for row in block["rows"] if name in block["metrics"] else []:
            key = dict(zip(block["fields"], row, strict=False))
            key = {f: block.get("match", {}).get(f, {}).get(str(value), value) for f, value in key.items()}
            text = str(row[len(block["fields"]) + block["metrics"].index(name)])
            number = re.fullmatch(r"[~≈<>]?\s*(-?[\d.,]+(?:e-?\d+)?)\s*[x×%]?", text)
            if number and all(same(key.get(f), wanted) for f, wanted in claim["where"].items()):
                factor = MS[block["units"][name]] if name in block.get("units", {}) else 1.0
                found.append((key, float(number[1].replace(",", "")) * factor))
    return found


def decide(view, claim):
    """The verdict before the rules on data and threads, and whether the direction is the opposite."""
    kind = claim["kind"]
    if kind in ("trend", "location"):
        return along(view, claim)
    if kind == "printed":
        return beside_printed(view, claim), False
    if kind == "equality":
        return equality(view, claim), False
    if kind == "value":
        return inside(view.one(claim["where"], claim["metric"]), band(claim)), False
    if kind in WHOLE:
        values = [value for _, value in view.measured(claim["where"], claim["metric"], True)]
        if kind == "mean":
            return inside(mean([value[0] for value in values]), band(claim)), False
        verdicts = [inside(value, band(claim)) for value in values]
        return worst(verdicts) if kind == "bound" else share(verdicts, claim["share"]), False
    values = [view.one(*side) for side in claim["compared"]]
    if kind == "order":
        return order(values), step(values[0], values[-1]) < 0
    if kind == "difference":
        return difference(values, claim["at_least"]), False
    value, wanted = ratio(*values), band(claim)
    if value is None:
        raise Incomparable
    low, high = ends(value)
    return sided(value, wanted), (wanted[0] >= 1 and high < 1) or (wanted[1] <= 1 and low > 1)


def equality(view, claim):
    found = [pair for item, name, _ in claim["compared"] for pair in view.measured(item, name)]
    if claim["metric"] == "iterations" and all(line["iterations"] == line["max_iters"] for line, _ in found):
        raise Incomparable
    return equal([value for _, value in found], claim.get("within", 0.0))


def beside_printed(view, claim):
    ratios = []
    for key, theirs in printed(view, claim):
        try:
            own = [value for _, value in view.measured(key, claim["metric"])]
        except Incomparable:
            continue
        ratios.append(scaled(own[0] if len(own) == 1 else mean([value[0] for value in own]), 1 / theirs))
    if not ratios:
        raise Incomparable
    return worst([inside(x, (1 / claim["within"], claim["within"], 0)) for x in ratios])


def along(view, claim):
    """A trend, or the place of an extreme."""
    where, name, axis = claim["where"], claim["metric"], claim["along"]
    lines = [line for line, _ in view.measured(where, name, True) if field(line, axis) is not None]
    at = sorted({field(line, axis) for line in lines}, key=lambda x: math.inf if axis == "threads" and x == 0 else x)
    values = [view.one({**where, axis: x}, name) for x in at]
    if claim["kind"] == "location":
        expected = [i for i, x in enumerate(at) if same(x, claim["expect"])]
        return location(values, expected, claim["extreme"]), False
    if len(values) < 2:
        raise Incomparable
    if claim["direction"] == "flat":
        return equal(values, claim.get("within", 1.1) - 1), False
    sign = 1 if claim["direction"] == "up" else -1
    return trend(values, sign), sign * step(values[0], values[-1]) < 0


def used(view, claim):
    """The lines under the verdict, each with the metric."""
    kind, where, name = claim["kind"], claim["where"], claim["metric"]
    if kind in WHOLE:
        return [(line, name) for line in select(view.lines, where)]
    if kind in ("value", "trend", "location"):
        lines = preferred(select(view.lines, where), [claim.get("along", "")], where)
        return [(line, name) for line in lines]
    chosen = [(key, name) for key, _ in printed(view, claim)] if kind == "printed" else claim["compared"]
    return [(line, of) for key, of, *_ in chosen for line in prefer(select(view.lines, key), key)]


def other_threads(view, claim):
    """Whether a time with all threads stands beside printed rows with another number of threads."""
    blocks = [block.get("match", {}).get("threads", {}) for block in view.spec.get("paper", [])]
    theirs = {int(word) for block in blocks for word, ours in block.items() if ours == 0 and word.isdigit()}
    ours = (view.record.get("cpu") or {}).get("threads")
    asked = claim["compared"] or [(claim["where"], claim["metric"])]
    everything = any(field(line, "threads") == 0 for key, *_ in asked for line in select(view.lines, key))
    return bool(theirs and ours and ours not in theirs and everything and any(is_timed(name) for _, name, *_ in asked))


def verdict(view, claim):
    try:
        card = (view.record.get("gpu") or {}).get("name") or ""
        if claim.get("gpu", "") not in card:
            raise Incomparable
        found, opposite = decide(view, claim)
    except Incomparable:
        return OUT_OF_REACH
    valued = [(line, of) for line, of in used(view, claim) if view.value(line, of) is not None]
    if any(view.doubt(line, of) == "disturbed" for line, of in valued):
        found, opposite = NOISE, False
    if other_threads(view, claim):
        right = found in (REPRODUCED, TREND) and claim["kind"] not in ("value", "mean", "printed")
        found = FAILED if opposite else TREND if right else OUT_OF_REACH
    made_up = {**view.paper.get("stand_ins", {}), **view.paper.get("parts", {})}
    names = {line["dataset"]["name"] for line, _ in valued}
    return f"{REPRODUCED} (stand-in)" if found == REPRODUCED and names & made_up.keys() else found


def main(argv=None):
    parser = argparse.ArgumentParser(description="Verdicts from raw lines, beside those that plots claims wrote.")
    parser.add_argument("claims", type=Path, metavar="CLAIMS.json")
    parser.add_argument("--results", type=Path, default=ROOT / "results", metavar="DIR")
    parser.add_argument("--papers", type=Path, default=ROOT / "papers", metavar="DIR")
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="how many (100); 0: all")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (1)")
    args = parser.parse_args(argv)
    try:
        rows = json.loads(args.claims.read_text())
        decided = [row for row in rows if row["verdict"] != OUT_OF_REACH and row["profile"] == "paper"]
    except (OSError, ValueError, TypeError, KeyError) as e:
        print(f"recompute_verdicts: {args.claims}: not what plots claims writes: {e}", file=sys.stderr)
        return 2
    drawn = random.Random(args.seed).sample(decided, min(args.sample or len(decided), len(decided)))
    views = cache(lambda name, key: View(args.results, args.papers, name, key))
    wrong = []
    for row in drawn:
        view = views(row["machine"], row["exhibit"])
        own = verdict(view, claims(view.spec)[row["id"]])
        if own != row["verdict"]:
            wrong.append(f"{row['machine']}: {row['exhibit']}/{row['id']}: {row['verdict']}; recomputed: {own}")
    print("\n".join([*wrong, f"{len(drawn) - len(wrong)} of {len(drawn)} verdicts agree"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
