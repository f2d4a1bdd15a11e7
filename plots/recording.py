"""The plan of scripts/record: the cases that a machine lacks, and their order.

A question is a claim without a verdict, a printed number without a line, or an outdated line. Its last missing case
answers it. Lines of a new version of an exhibit hide the older ones (plots/read/mixed.py). Such an exhibit is recorded
apart, and added once every case shown today has its new line."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plots.decide.claim_text import metrics_of, selectors
from plots.decide.claims import judge
from plots.decide.forecast import PROBLEM, Case, Forecast
from plots.decide.lookup import GRADE, OTHER, RUN
from plots.decide.verdicts import INCOMPARABLE, NOISE
from plots.read import results
from plots.read.changes import git
from plots.read.exhibits import Exhibit, Paper
from plots.read.metrics import over_baseline
from plots.read.mixed import consistent, same_parameters
from plots.read.results import Line, Machine
from plots.read.select import Selector, grouped, matches, same, select, value_of
from plots.read.view import View, gather
from plots.write.coverage import own_numbers, placed

# The worth of an answered question; AGAIN: an outdated line, POINT: a case that no question needs.
CLAIM, NUMBER, AGAIN, POINT = 1.0, 1.0, 0.2, 0.1
NO_LINE, OLD_JUDGE, OLD_KERNEL, FAILED, NOISY = "no line", "old judge", "changed kernel", "failed", "noise"
RIGHT = {"verdict": ""}
LONGEST_FILTER = 950  # bytes; kmbench takes 1000


class Kernels:
    """Tells implementations whose code has changed since a line's commit: their file and its includes below impl/."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def changed(self, line: Line) -> bool:
        """False if git does not know the commit."""
        name, commit = line["implementation"], line["commit"] or ""
        if not re.fullmatch(r"[0-9a-f]{7,40}", commit) or not self.text(commit, "CMakeLists.txt"):
            return False
        return self.code(name, "") != "" and self.code(name, commit) != self.code(name, "")

    @cache  # noqa: B019  one lives as long as the program
    def code(self, name: str, commit: str) -> str:
        files = [f"impl/{name}{ending}" for ending in (".cpp", ".cu")]
        found: dict[str, str] = {}
        while files:
            path = files.pop()
            if path not in found:
                found[path] = self.text(commit, path)
                files += re.findall(r'^#include "(impl/[^"]+)"', found[path], re.M)
        return "".join(bare(found[path]) for path in sorted(found))

    @cache  # noqa: B019
    def text(self, commit: str, path: str) -> str:
        if not commit:
            return (self.root / path).read_text() if (self.root / path).is_file() else ""
        return git(self.root, "show", f"{commit}:{path}")


def bare(code: str) -> str:
    """C++ without comments and white space. A literal with // may lose its end, alike on both sides."""
    return re.sub(r"//[^\n]*|/\*.*?\*/|\s", "", code, flags=re.S)


def why_again(line: Line | None, commit: str, changed: Callable[[Line], bool]) -> str:
    """Why a case has to run (again); empty if its line counts. Another build may correct a failure or error."""
    if line is None or line["skip"] or (line["verdict"] is None and not line["failure"]):
        return NO_LINE
    if line["verdict"] != "":
        return FAILED if line["commit"] != commit else ""
    return OLD_JUDGE if line["grade"] is None else OLD_KERNEL if changed(line) else ""


@dataclass(frozen=True)
class Question:
    """`cases`: the ids of the cases that must run first."""

    what: str
    worth: float
    cases: frozenset[str]


@dataclass
class Open:
    """The missing cases with their reasons, the exhibits that are recorded apart, and the questions."""

    cases: dict[str, Case]
    why: dict[str, str]
    apart: dict[str, frozenset[str]]  # by exhibit: the cases that it needs before it is added, those that ran included
    questions: list[Question]

    def lacks(self, exhibit: str) -> set[str]:
        """The cases that an exhibit recorded apart still needs."""
        needed = self.apart.get(exhibit, frozenset())
        return {name for name in needed if name in self.why or self.cases[name].skip}

    def stuck(self, exhibit: str) -> bool:
        """Whether one of them cannot run here, so that the exhibit is never added."""
        return any(self.cases[name].skip for name in self.lacks(exhibit))


def missing(
    papers: Sequence[Paper],
    plan: Sequence[Case],
    machine: Machine,
    staged: Machine,
    commit: str,
    changed: Callable[[Line], bool],
) -> Open:
    """`staged`: the lines of the folder apart."""
    exhibits = [exhibit for paper in papers for exhibit in paper.exhibits]
    by_exhibit = grouped(plan, lambda case: case.exhibit)
    recorded = {(line["exhibit"], line["case"]): line for line in machine.lines if line["profile"] == "paper"}
    waiting = {(line["exhibit"], line["case"]): line for line in staged.lines}
    apart = {}
    for exhibit in (exhibit for exhibit in exhibits if exhibit.key in by_exhibit):
        own, lines = by_exhibit[exhibit.key], results.of_exhibit(machine, exhibit.key)
        shown = consistent(lines, exhibit.swept, exhibit.makes)[0]
        if hides(own, shown, exhibit.makes):
            replacing = (case.id for case in own if any(stands_for(case, line) for line in select(shown, RIGHT)))
            apart[exhibit.key] = frozenset(replacing)
    why = {}
    for case in (case for case in plan if not case.skip):
        line = (waiting if case.exhibit in apart else recorded).get((case.exhibit, case.id))
        if reason := why_again(line, commit, changed):
            why[case.id] = reason
    found = Open({case.id: case for case in plan}, why, apart, [])
    for exhibit in exhibits:
        sources = (source for source in exhibit.sources if not found.stuck(source))
        own = [case for source in sources for case in by_exhibit.get(source, []) if not case.skip]
        found.questions += of_exhibit(found, exhibit, gather(exhibit, machine, "paper"), own, recorded, commit)
    for key, cases in apart.items():
        if (open_ones := cases.intersection(why)) and not found.stuck(key):
            found.questions.append(Question(f"{key}, recorded anew", AGAIN * len(cases), open_ones))
    asked = {name for question in found.questions for name in question.cases}
    asked |= {name for name in why if found.stuck(found.cases[name].exhibit)}
    for name in sorted(why.keys() - asked):
        again = why[name] not in (NO_LINE, FAILED)
        question = Question(f"{found.cases[name].exhibit}: {why[name]}", AGAIN if again else POINT, frozenset([name]))
        found.questions.append(question)
    return found


def hides(own: Sequence[Case], shown: Sequence[Line], makes: Callable[[Line], bool]) -> bool:
    """Whether new lines of these cases would hide lines that are shown today: other version, points or profile. makes:
    whether today's exhibit makes a line of another version."""

    def agrees(line: Line) -> bool:
        beside = (case.line["dataset"].get("source") for case in own if of_points(case, line))
        sources = {source for source in beside if source}
        same_points = not sources or line["dataset"].get("source") in (None, *sources)
        stays = same_parameters(line, (case.line for case in own)) and makes(line)
        same_version = line["exhibit_hash"] == own[0].exhibit_hash or stays
        return line["profile"] == "paper" and same_version and same_points

    return not all(map(agrees, select(shown, RIGHT)))


def stands_for(case: Case, line: Line) -> bool:
    """Whether the line measured the case, perhaps in another size or with other parameters."""
    if case.line["implementation"] != line["implementation"]:
        return False
    if line["profile"] != "paper":
        return case.line["dataset"]["name"] == line["dataset"]["name"]
    return case.line["precision"] == line["precision"] and of_points(case, line)


def of_points(case: Case, line: Line) -> bool:
    """Whether both name the same points. A case that cannot run may lack n and d."""
    wanted = {name: value_of(case.line, name) for name in ("dataset", "n", "d", "k")}
    wanted |= case.line["dataset"]["generator"]
    return all(same(value_of(line, name), value) for name, value in wanted.items() if value != 0 or name not in "nd")


def of_exhibit(
    found: Open, exhibit: Exhibit, view: View, own: Sequence[Case], recorded: dict[tuple[str, str], Line], commit: str
) -> list[Question]:
    """The undecided claims and missing numbers of an exhibit that its cases can answer."""
    own = [case for case in own if matches(case.line, exhibit.where)]
    asked: list[tuple[str, float, set[str]]] = []
    for claim, verdict in zip(exhibit.claims, judge(exhibit, view.machine, "paper"), strict=True):
        open_one = verdict.verdict == INCOMPARABLE and verdict.need in (RUN, GRADE, OTHER)
        if open_one or verdict.verdict == NOISE:
            speedup = any(map(over_baseline, metrics_of(claim)))
            cases = needed(own, selectors(claim), view.baseline if speedup else {})
            if verdict.verdict == NOISE:  # once with each build
                for case in cases:
                    line = recorded.get((case.exhibit, case.id))
                    if line is not None and line["commit"] != commit and case.exhibit not in found.apart:
                        found.why.setdefault(case.id, NOISY)
            asked.append((f"claim {exhibit.key}/{claim['id']}", CLAIM, {case.id for case in cases}))
    numbers = own_numbers(exhibit)
    beside = placed(view) if numbers and view.lines else {}
    for (shown, name), row in numbers.items():
        if (shown, name) not in beside and "machine" not in row.key:
            fitting = needed(own, [row.key], view.baseline if over_baseline(name) else {})
            asked.append((f"number {exhibit.key}", NUMBER, {case.id for case in fitting}))
    questions = []
    for what, worth, ids in asked:
        exhibits = {found.cases[name].exhibit for name in ids}
        whole = ids.union(*(found.apart.get(key, frozenset()) for key in exhibits))
        if ids & found.why.keys():
            questions.append(Question(what, worth, frozenset(whole & found.why.keys())))
    return questions


def needed(own: Sequence[Case], wanted: Sequence[Selector], baseline: Selector) -> list[Case]:
    """The selected cases, and the baselines of their speedups."""
    chosen = [case for case in own if any(matches(case.line, selector) for selector in wanted)]
    if not baseline:
        return chosen
    names = [name for name in PROBLEM if name not in baseline]

    def problem(case: Case) -> str:
        return repr([case.line["dataset"]["generator"], *(value_of(case.line, name) for name in names)])

    problems = {problem(case) for case in chosen}
    bases = [case for case in own if matches(case.line, baseline) and problem(case) in problems]
    return [*chosen, *(case for case in bases if case not in chosen)]


def next_cases(known: Open, done: set[str], forecast: Forecast, left_s: float, slice_s: float) -> list[Case]:
    """The next slice of cases: questions that fit into the time left, most worth a second first. If no question fits,
    the best single case."""
    share: Counter[str] = Counter()  # by case, in the worth of its questions
    for question in known.questions:
        share.update(dict.fromkeys(question.cases, question.worth / len(question.cases)))

    @cache
    def rated(names: frozenset[str]) -> tuple[float, float]:
        """Worth a second, and seconds."""
        seconds = forecast.seconds(known.cases[name] for name in sorted(names))
        return sum(share[name] for name in sorted(names)) / max(seconds, 1e-9), seconds

    def best(asked: Iterable[frozenset[str]], left: float) -> frozenset[str]:
        """The most worth a second that fits; empty if nothing does."""
        fitting = (names for names in asked if names and rated(names)[1] <= left)
        return max(fitting, key=lambda names: rated(names)[0], default=frozenset())

    chosen: list[str] = []
    rest, used = [question.cases - done for question in known.questions], 0.0
    while used < slice_s and (names := best(rest, left_s - used)):
        used += rated(names)[1]
        chosen += sorted(names)
        rest = [one if one.isdisjoint(names) else one - names for one in rest]
    singles = (frozenset([name]) for name in sorted(share.keys() - done))
    return [known.cases[name] for name in chosen or best(singles, left_s)]


def batches(cases: Sequence[Case], forecast: Forecast, most_s: float) -> list[tuple[str, list[Case]]]:
    """Filters of kmbench run with their cases, at most so many seconds each. Cases on the same points stay together."""
    found: list[tuple[str, list[Case]]] = []
    for case in sorted(cases, key=lambda case: (case.points, case.name)):
        grown = [*found[-1][1], case] if found else [case]
        if found and len(pattern(grown).encode()) <= LONGEST_FILTER and forecast.seconds(grown) <= most_s:
            found[-1] = (pattern(grown), grown)
        else:
            found.append((pattern([case]), [case]))
    return found


def pattern(cases: Sequence[Case]) -> str:
    """A pattern for these names alone; their common beginning stands once."""
    names = sorted(case.name for case in cases)
    shared = os.path.commonprefix(names)  # noqa: RUF071  letters are meant
    rests = "|".join(escaped(name.removeprefix(shared)) for name in names)
    return f"^{escaped(shared)}({rests})$"


def escaped(name: str) -> str:
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", name)
