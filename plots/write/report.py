"""A page with findings, tables, figures, claims and records of several machines, and one for each exhibit. They need no
network; report.js beside this file adds sorting and filters."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from plots.decide import findings, lookup
from plots.decide.claim_text import WIDTHS
from plots.decide.claims import Finding, judge
from plots.decide.sentences import CASE, by_sentence, once
from plots.decide.verdicts import INCOMPARABLE, REPRODUCED, STAND_IN, VERDICTS
from plots.draw import figures, svg
from plots.draw.best_map import best_of
from plots.read import words
from plots.read.exhibits import Exhibit, Paper
from plots.read.metrics import metric
from plots.read.results import Machine, device, reason
from plots.read.select import grouped
from plots.read.view import View, gather
from plots.read.words import DOUBTS
from plots.write import claim_sheet, coverage
from plots.write.beside import beside, together
from plots.write.html_rows import body, groups, kind, look, tint
from plots.write.machine import busy, days, flatten, hardware
from plots.write.parallel import each
from plots.write.places import Place, places, spoken
from plots.write.render import place, table_of
from plots.write.tables import WORDS, Table

HERE = Path(__file__).parent
TONE = dict(zip(VERDICTS, ("reproduced", "standin", "trend", "failed", "noise", "incomparable"), strict=True))
TONE |= {**dict(zip(findings.VERDICTS, TONE.values(), strict=False)), findings.NOT_RUN: TONE[INCOMPARABLE]}
LONG = 56  # characters of a measured value, in a cell of the claims
ONCE = "measured once"
HIGH, WIDE = 288, 540  # pixels of a figure on the page: as high, unless it is narrower then
FEW = 5  # columns of a table for which half of the page is enough
BROAD = 800  # pixels: figures that are wider at this height have a row of their own, narrower ones share it


@dataclass
class Shown:
    """One exhibit of one machine."""

    place: Place
    view: View
    table: Table | None
    findings: Sequence[Finding]
    figure: str = ""  # the attributes of its image, as `draw` sets them
    twin: str = ""  # the machine before it whose image is the same

    @property
    def ran(self) -> bool:
        """Whether it has a value."""
        if self.view.exhibit.kind == "machine":
            return bool(self.place.machine.record)
        return any(line["verdict"] == "" for line in self.view.lines)

    @property
    def size(self) -> str:
        view = self.view
        cases = f"{words.plural(len(view.lines), 'case')} at {', '.join(view.commits)}" if view.commits else ""
        size = view.size or (f"{view.profile} profile" if view.profile else "")  # a figure says it itself
        return " · ".join(filter(None, ("" if self.figure else size, cases)))

    @property
    def width(self) -> tuple[int, int]:
        """Pixels of its figure: on the page of all exhibits, on its own."""
        wide, high = (int(text) for text in self.figure.split('"', 4)[1:4:2] or (0, 1))
        return min(wide, max(WIDE, HIGH * wide // high)), wide


@cache
def templates() -> Environment:
    rules = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    made = Environment(loader=FileSystemLoader(HERE), **rules)
    made.globals.update(tone=TONE, sign=findings.SIGN, groups=groups, body=body, tint=tint, place=claim_sheet.place)
    made.globals.update(verdict_none=INCOMPARABLE, words=WORDS, undecided=findings.OPEN, short=short, kind=kind)
    made.globals.update(case=CASE, once=ONCE, long=LONG, BROAD=BROAD, doubts=DOUBTS)
    made.filters.update(look=look, breakable=lambda text: Markup("/<wbr>").join(text.split("/")))
    css, script = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    made.globals.update(css=css, script=script)
    return made


def rendered(template: str, **parts: Any) -> str:
    return templates().get_template(template).render(**parts)


def short(text: str) -> str:
    return text if len(text) <= LONG else text[: LONG - 1].rstrip() + "…"


def pages(
    papers: list[Paper],
    machines: list[Machine],
    profile: str | None = None,
    others: Sequence[Machine] = (),
    written: Path | None = None,
) -> dict[str, str]:
    """The report with `others` beside `machines`, and a page for each exhibit with a value, by their file names.
    `written`: a folder that holds the figures of `machines`."""
    shown_on = places(machines, others, profile)
    exhibits = [exhibit for paper in papers for exhibit in paper.exhibits]
    shown = {exhibit.key: [show(place, exhibit) for place in shown_on] for exhibit in exhibits}
    every = [one for sides in shown.values() for one in sides]
    draw(every, written)
    outcomes = [[f for sides in shown.values() for f in sides[place.at].findings] for place in shown_on]
    counts = Counter(f.verdict for found in outcomes for f in once(found))
    parts = [paper_part(paper, [shown[e.key] for e in paper.exhibits], shown_on) for paper in papers]
    own = {
        f"exhibits/{one['exhibit'].key}.html": rendered("exhibit.html.j2", paper=part["paper"], e=one)
        for part in parts
        for one in (*part["exhibits"], *part["others"])
    }
    front = rendered(
        "report.html.j2",
        places=shown_on,
        answering=[one for one in shown_on if one.here or any(part["tallies"][one.at] for part in parts)],
        machines=[machine_part(place, [sides[place.at] for sides in shown.values()]) for place in shown_on],
        coverage=coverage.table([coverage.covered(one.view, one.place.label) for one in every]),
        papers=parts,
        picture=picture_part(every),
        verdicts=[(verdict, counts[verdict]) for verdict in VERDICTS[:-1] if counts[verdict]],
    )
    return {"index.html": front, **own}


def claims_page(found: list[Finding], machines: Sequence[Machine], skipped: Sequence[str] = ()) -> str:
    """Every claim of every paper, in the rows of claims.md, to sort and to filter. Machines have the report's names."""
    called = {place.machine.name: place.label for place in places(machines, (), None)}
    rows = [(f, (*texts, called.get(where, where))) for f, (*texts, where) in claim_sheet.page_rows(found)]
    counts = Counter(finding.verdict for finding, _ in rows if not finding.text.startswith(CASE))
    return rendered(
        "claims.html.j2",
        heads=claim_sheet.PAGE_HEAD,
        widths=widths(found),
        skipped=skipped,
        machines=[(called[name], claim_sheet.reach(own)) for name, own in claim_sheet.by_machine(found).items()],
        rows=rows,
        verdicts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
    )


def widths(found: Sequence[Finding]) -> list[tuple[str, str, int]]:
    """The tolerances: how wide, why, and of how many claims."""
    counts = Counter(why for _, why in {(f.exhibit + f.id, f.tolerance) for f in found})
    return [(f"{most:g}" if most < math.inf else "", why, counts[why]) for most, why in WIDTHS if counts[why]]


def show(place: Place, exhibit: Exhibit) -> Shown:
    view = gather(exhibit, place.machine, place.profile)
    return Shown(place, view, table_of(view), judge(exhibit, place.machine, place.profile))


def picture_part(shown: Sequence[Shown]) -> dict[str, Any] | None:
    """The first screen's picture: the first map of winners, of the reader's own machine, else of one with a GPU."""
    maps = [one for one in shown if one.figure and one.view.exhibit.figure.get("style") == "map"]
    drawn = [one for one in maps if one.view.exhibit is maps[0].view.exhibit]
    gpu = {one.place.at: bool(one.place.machine.record.get("gpu")) for one in drawn}
    one = min(drawn, key=lambda one: (not one.place.here, not gpu[one.place.at], -len(one.view.lines)), default=None)
    return one and {"exhibit": one.view.exhibit, "side": one, "fastest": fastest(drawn)}


def fastest(sides: Sequence[Shown]) -> list[tuple[str, str, tuple[int, int, int], str, str]]:
    """Machine, device, shape, winner and its time, of every shape of a map."""
    found = []
    for one in sides:
        name = one.view.exhibit.figure["y"][0]
        problems = grouped(one.view.lines, lambda line: (device(line), (line["n"], line["d"], line["k"])))
        for at, lines in problems.items():
            if (best := best_of(one.view, lines, name)).winner:
                found.append((one.place.label, *at, best.winner, f"{words.point(best.value)} {metric(name).unit}"))
    return found


def machine_part(place: Place, shown: Sequence[Shown]) -> dict[str, Any]:
    outcomes = [finding for one in shown for finding in one.findings]
    record = {name: value for name, value in flatten(place.machine.record).items() if not name.startswith("warnings")}
    own = [one for one in shown if "reuse" not in one.view.exhibit.spec]
    counts = Counter((why, one.view.exhibit.key) for one in own for line in one.view.lines if (why := reason(line)))
    return {
        "place": place,
        "hardware": hardware(place.machine),
        "days": days(line for one in shown for line in one.view.lines),
        "commits": sorted({commit for one in shown for commit in one.view.commits}),
        "busy": busy(place.machine) if place.here else "",
        "reach": claim_sheet.reach(outcomes) if outcomes else "",
        "record": record,
        "warnings": [*(place.machine.record.get("warnings") or []), *place.machine.skipped],
        "troubles": [(why, key, count) for (why, key), count in sorted(counts.items())],
    }


def paper_part(paper: Paper, exhibits: Sequence[Sequence[Shown]], where: Sequence[Place]) -> dict[str, Any]:
    outcomes = [[f for sides in exhibits for f in sides[at].findings] for at in range(len(exhibits[0]))]
    sentences = findings.findings(paper, outcomes)
    told = sorted(sentences[1:], key=lambda one: findings.FAILS not in [mark.verdict for mark in one.marks])
    parts = [exhibit_part(sides) for sides in exhibits if any(one.ran for one in sides)]
    return {
        "paper": paper,
        "findings": [vars(one) | {"anchor": f"{paper.key}/{one.claims[0].partition('/')[0]}"} for one in sentences],
        "tallies": [tally([one.marks[at] for one in sentences]) for at in range(len(outcomes))],
        "told": [(one.text, spoken(one, where)) for one in [*sentences[:1], *told[:1]]],
        "exhibits": [part for part in parts if part["claims"]["decided"]],
        "others": [part for part in parts if not part["claims"]["decided"]],
        "idle": [idle_part(sides) for sides in exhibits if not any(one.ran for one in sides)],
    }


def tally(marks: Sequence[findings.Mark]) -> str:
    """`4 of 6 hold, 1 more on stand-ins`; empty if none was decided."""
    decided = [mark for mark in marks if mark.verdict not in findings.OPEN]
    holds, stand_ins = (sum(mark.verdict == v for mark in decided) for v in (findings.HOLDS, findings.ON_STAND_INS))
    if not decided:
        return ""
    if stand_ins and not holds:
        return f"{stand_ins} of {len(decided)} hold on stand-ins"
    return f"{holds} of {len(decided)} hold{f', {stand_ins} more on stand-ins' * bool(stand_ins)}"


def exhibit_part(sides: Sequence[Shown]) -> dict[str, Any]:
    """An exhibit with a value on some machine: the machines side by side, the reader's own first."""
    ran, exhibit = [one for one in sides if one.ran], sides[0].view.exhibit
    figured = any(one.figure for one in ran)
    first = min(ran, key=lambda one: (not one.place.here, figured or -len(one.view.lines)))
    others = [one for one in ran if one is not first]
    table = first.table if figured else None
    if exhibit.kind == "machine":
        table = together([(one.place, one.table) for one in ran if one.table])
    elif first.table and not figured:
        table = beside(first, others)
    return {
        "exhibit": exhibit,
        "sides": [first, *others],
        "figured": figured,
        "half": len(groups(first.table)) <= FEW if table and not figured else all(one.width[0] <= BROAD for one in ran),
        "table": table,
        "whole": exhibit.kind != "machine",
        "claims": claims_part(sides),
    }


def claims_part(sides: Sequence[Shown]) -> dict[str, Any]:
    """The claims that some machine decides, a row each and a row a case beneath; needs and texts of the rest."""
    rows, rest, held, counts = [], [], 0, {one.place.at: Counter() for one in sides}
    for own in zip(*(by_sentence(one.findings) for one in sides), strict=True):
        claim, cases = [sentence for sentence, _ in own], zip(*(cases for _, cases in own), strict=True)
        if all(f.verdict == INCOMPARABLE for f in claim):
            rest.append(claim[0])
            continue
        rows += [{"finding": cells[0], "cells": cells} for cells in (claim, *cases)]
        held += all(f.verdict in (REPRODUCED, STAND_IN, INCOMPARABLE) for f in claim)
        for one, f in zip(sides, claim, strict=True):
            counts[one.place.at][f.verdict] += 1
    shown = [one.place for one in sides if any(f.verdict != INCOMPARABLE for f in one.findings)]
    decided = sum(not row["finding"].text.startswith(CASE) for row in rows)
    return {
        "rows": rows,
        "held": held,
        "decided": decided,
        "all": decided + len(rest),
        "places": shown,
        "rest": rest,
        "needs": claim_sheet.needs(rest),
        "tally": [(place, [(v, counts[place.at][v]) for v in VERDICTS[:-1] if counts[place.at][v]]) for place in shown],
    }


def idle_part(sides: Sequence[Shown]) -> dict[str, Any]:
    """An exhibit without a value on any machine: why, and how to measure it."""
    at = next((one for one in sides if one.view.lines), sides[0])
    return {"exhibit": at.view.exhibit, "why": why_idle(at.view), "claims": len(once(sides[0].findings))}


def why_idle(view: View) -> str:
    """`9 cases need a GPU, 2 data: kmbench fetch susy`."""
    counts = Counter(lookup.need_of(view, [line]) for line in view.lines)
    texts = {lookup.GPU: "need a GPU", lookup.THREADS: "need more threads"}
    texts[lookup.OTHER] = "were skipped, failed or were wrong"
    told = []
    for need, count in counts.most_common():
        what = texts.get(need) or f"need data: kmbench fetch {need.partition(' ')[2]}"
        told.append(f"{count} case{'s' * (count != 1)} {what.replace('need', 'needs') if count == 1 else what}")
    return ", ".join(told) or "not run on any of these machines"


def draw(shown: Sequence[Shown], written: Path | None) -> None:
    """Sets the figures with a value as data addresses; several processes draw."""
    wanted = [one for one in shown if one.ran and one.view.exhibit.kind == "figure"]
    made = each(lambda one: picture(one.view, written if one.place.here else None), wanted)
    first: dict[str, str] = {}
    for one, figure in zip(wanted, made, strict=True):
        label = one.place.label
        one.figure, alike = figure, first.setdefault(one.view.exhibit.key + figure, label)
        one.twin = alike if alike != label else ""


def picture(view: View, written: Path | None) -> Markup:
    """The attributes of the image, its SVG as data address; empty if there is nothing to draw."""
    file = place(written, view.machine.name, view.exhibit).with_suffix(".svg") if written else None
    text = file.read_text(encoding="utf-8") if file and file.is_file() else svg.text(figures.draw(view))
    if not text:
        return Markup("")
    wide, high = (round(float(re.search(f'{side}="([\\d.]+)pt"', text)[1]) / 0.75) for side in ("width", "height"))
    address = svg.small(text).replace("%", "%25").replace("#", "%23").replace("&", "&amp;")
    return Markup(f'width="{wide}" height="{high}" src="data:image/svg+xml,{address}"')
