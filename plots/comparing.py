"""The commands compare (two states of code, or implementations in order), history (medians by commit), replay (same
cases here) and hardware (machines side by side)."""

import argparse
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.options import FILTER, MACHINE, OUT, PAPERS, RESULTS, command, flag, option, path, several
from plots.read import changes, exhibits, history, results, sides
from plots.read.sides import Side
from plots.write import latex, table_formats
from plots.write.files import save_all, write
from plots.write.tables import Table

Parts = Sequence[str | Table]
ENDINGS = (".md", ".csv", ".tex")
MOST_CASES = 20  # of a history on the terminal


def share(text: str) -> float:
    """2 or 2% as 0.02."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = -1
    if not 0 <= value <= 10:
        raise argparse.ArgumentTypeError(f"{text!r}: a number of percent from 0 to 1000 is needed")
    return value


SIDES = "result lines (.jsonl), a folder of them or of rounds, or Google Benchmark's JSON"
PERCENT = {"type": share, "metavar": "PERCENT"}


@command(
    "two states of the code, case by case: faster, slower, same; code 1: a regression, 3: too few runs to decide",
    path("sides", SIDES, nargs="+", metavar="BASE NEW"),
    option("--within", "what lies within so many percent is the same (2)", default=0.02, **PERCENT),
    option("--threshold", "slower by so many percent is a regression, code 1 (5)", default=0.05, **PERCENT),
    FILTER,
    flag("--all", "every case, not only those that changed"),
    flag("--markdown", "Markdown for a pull request, also on a terminal"),
    flag("--json", "JSON with every case instead of tables"),
    flag("--annotations", "also the regressions as annotations of GitHub Actions"),
    several("--out", "also write .md, .tex or, with every case, .csv, .json", type=Path, default=[], metavar="FILE"),
    flag("--rank", "instead: implementations by the geometric mean over shared cases, of one side or more"),
    example="compare results/h100/ours.jsonl results/h200/ours.jsonl",
)
def run_compare(args: argparse.Namespace) -> int:
    endings = ENDINGS if args.rank else (*ENDINGS, ".json")
    for file in args.out:
        if file.suffix not in endings:
            raise UserError(f"--out {file}: the ending is none of {', '.join(endings)}")
    if args.json and (args.annotations or args.markdown or args.rank):
        raise UserError(
            "--json prints JSON alone: without --annotations, --markdown and --rank; --out x.json also writes it"
        )
    if not args.rank and (given := len(args.sides)) != 2:
        raise UserError(f"compare takes BASE and NEW, two files or folders, not {given}; one or more with --rank")
    chosen = [matching(sides.read(side), args.filter) for side in args.sides]
    from plots.decide import compare
    from plots.write import comparison, gate

    if args.rank:
        found = compare.rankings(case for side in chosen for case in side.cases.values())
        if not found:
            raise UserError(f"{', '.join(map(str, args.sides))}: no case with a time without doubt, nothing to rank")
        tables = [comparison.ranks(one, [side.title for side in chosen]) for one in found]
        say(tables, args.markdown)
        keep(tables, tables[0], args.out)
        return 0
    made = compare.compare(*chosen, args.within, args.threshold)
    if not made.pairs:
        counts = f"{len(made.only_base)} and {len(made.only_new)} cases"
        raise UserError(f"{args.sides[0]} and {args.sides[1]} share no case: {counts}")
    files = changes.changed(*chosen)
    parts, document = comparison.parts(made, files, args.all), gate.document(made, files) + "\n"
    if args.json:
        print(document, end="")
    else:
        say(parts, args.markdown)
    if args.annotations:
        print(gate.annotations(made, changes.ROOT), end="")
    keep(parts, comparison.by_case(made, True), args.out, document)
    return made.code


def say(parts: Parts, as_markdown: bool) -> None:
    """Prints tables on a terminal; Markdown elsewhere or if asked for."""
    from rich.console import Console

    console = Console()
    if as_markdown or not console.is_terminal:
        console.print(markdown(parts), end="", soft_wrap=True, markup=False, highlight=False)
        return
    from plots.write.show import print_table

    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, highlight=False)
        else:
            print_table(part, console)
        console.print()


def show(text: str) -> None:
    from rich.console import Console

    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def keep(parts: Parts, cases: Table, files: Sequence[Path], document: str = "") -> None:
    """Markdown and LaTeX hold the tables as shown; CSV holds every case with raw numbers."""
    texts = {
        ".md": lambda: markdown(parts),
        ".tex": lambda: "\n".join(latex.latex(part) for part in parts if isinstance(part, Table)),
        ".csv": lambda: table_formats.csv_text(cases),
        ".json": lambda: document,
    }
    for file in files:
        write(file, texts[file.suffix]())


def markdown(parts: Parts) -> str:
    return "\n".join(
        f"{table_formats.escape_md(part)}\n" if isinstance(part, str) else table_formats.markdown(part)
        for part in parts
    )


def pattern_of(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as e:
        raise UserError(f"--filter {text!r}: not a regular expression: {e}") from None


def matching(side: Side, pattern: str) -> Side:
    wanted = pattern_of(pattern)
    cases = {name: case for name, case in side.cases.items() if wanted.search(name)}
    if not cases:
        raise UserError(f"--filter {pattern!r} matches no case of {side.title}")
    return replace(side, cases=cases)


@command(
    "medians by commit over the recorded lines of a machine, and where their level changed",
    RESULTS,
    MACHINE,
    FILTER,
    flag("--all", "every case, not only those that changed most"),
    OUT,
    example="history --machine h200",
)
def run_history(args: argparse.Namespace) -> None:
    wanted = pattern_of(args.filter)
    if not args.results.is_dir():
        raise UserError(f"{args.results}: no such folder of results")
    folders = sorted({path.parent for path in args.results.glob("*/*.jsonl")})
    folders = [folder for folder in folders if args.machine in (None, folder.name)]
    if not folders:
        raise UserError(f"{args.results}: no lines of {'machine ' + args.machine if args.machine else 'any machine'}")
    found, commits = {}, {}
    for folder in folders:
        lines = history.read(folder)
        several = [one for one in history.series(lines) if len(one.medians) > 1]
        found[folder.name] = [one for one in several if wanted.search(one.name)]
        commits[folder.name] = [c for c in history.by_commit(lines) if any(c in one.medians for one in several)]
    if not any(found.values()):
        raise UserError(f"{args.results}: no case{' that matches' * bool(args.filter)} was measured at two commits")
    from plots.decide.levels import change_points
    from plots.draw import history as drawing
    from plots.draw import style
    from plots.write import history as text

    for machine, own in found.items():
        if not own:
            continue
        stem = args.out / f"history-{machine}"
        levels = {one.name: change_points(one.values) for one in own}
        figures = save_all(drawing.draw(own, levels, commits[machine]), stem, style.METADATA)
        shown = text.picture(own, commits[machine], machine)
        say([shown, f"Figure: {figures[0]}", text.table(own, levels, machine, None if args.all else MOST_CASES)], False)
        table = text.table(own, levels, machine)
        keep([shown, table], table, [stem.with_name(f"{stem.name}{ending}") for ending in ENDINGS])


def whole(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1 to 1,000,000 is needed")
    return int(text)


@command(
    "the cases of a result file again: what differs here, runs, compares",
    path("lines", "result lines; machine.json beside them is their machine's record", metavar="RESULTS.jsonl"),
    option("--kmbench", "what measures (build/kmbench)", default="build/kmbench", metavar="PROGRAM"),
    FILTER,
    option("--repetitions", "timed runs of each case (as many as it had)", type=whole, metavar="N"),
    flag("--dry-run", "write the plan, show what differs, run nothing"),
    path("--out", "for the plan and the new lines", "report/replay"),
    example="replay results/h200/he2021.jsonl --dry-run",
)
def run_replay(args: argparse.Namespace) -> int:
    if not args.lines.is_file():
        raise UserError(f"{args.lines}: no such file; replay takes a .jsonl file of result lines")
    recorded = results.load_file(args.lines)
    from plots.write import comparison, replaying

    texts = replaying.plans(recorded.lines, args.repetitions)
    if not texts:
        raise UserError(f"{args.lines}: holds no case that could be run again")
    record = env(args.kmbench)
    build = record.get("build") or {}
    here = {name: str(build[name]) for name in ("commit", "dirty") if name in build}  # as result lines have them
    here |= {"date": datetime.now(UTC).date().isoformat(), **record}
    old = replaying.side(str(args.lines), recorded)
    show(table_formats.markdown(comparison.environment(old, Side("here", {}, here))))
    files = replaying.write_plans(texts, args.out / "plan")
    command = [args.kmbench, "run", *map(str, files), "--out", str(args.out / "results"), "--machine", "replay"]
    command += ["--filter", args.filter] if args.filter else []
    show(" ".join(command))
    ran = subprocess.run([*command, *(["--dry-run"] if args.dry_run else ["--redo"])], check=False)
    if args.dry_run or ran.returncode not in (0, 1):
        return ran.returncode
    from plots.decide import compare

    made = compare.compare(old, replaying.side("replay", results.load_machine(args.out / "results")))
    if not made.pairs:
        raise UserError(f"{args.lines} and its replay share no case")
    tables = (comparison.by_implementation(made), comparison.by_case(made, True))
    for text in (comparison.summary(made), comparison.conclusion(made), *map(table_formats.markdown, tables)):
        show(text)
    return ran.returncode


def env(program: str) -> dict[str, Any]:
    """The record of this machine and the build, from kmbench."""
    try:
        said = subprocess.run([program, "env", "--json"], capture_output=True, text=True, check=True)
        return json.loads(said.stdout)
    except (OSError, ValueError, subprocess.CalledProcessError) as e:
        why = str(getattr(e, "strerror", None) or e).splitlines()[0]
        raise UserError(f"{program} env --json: {why}; --kmbench names the program that measures") from None


@command(
    "machines side by side: three sentences and a picture; time, share of their ceilings, portability, energy, claims",
    option("exhibits", "shown on standard output; without any, all are written", nargs="*", metavar="EXHIBIT"),
    RESULTS,
    PAPERS,
    OUT,
    several("--machine", "only this machine, the first is the base", metavar="NAME"),
    option("--profile", "default: the one that most machines have", choices=results.PROFILES),
    flag("--all", "also the claims that no machine decides"),
    example="hardware ours/peers",
)
def run_hardware(args: argparse.Namespace) -> None:
    papers = exhibits.load(args.papers, None, args.exhibits or None)
    named = dict.fromkeys(args.machine or [None])  # in the order of the command line
    machines = [machine for name in named for machine in results.load(args.results, name, exhibits.read_by(papers))]
    from plots.decide import side_by_side
    from plots.write import claim_sheet, hardware
    from plots.write.parallel import each

    compared = [(p, side_by_side.sides(e, machines, args.profile)) for p in papers for e in p.exhibits]
    told, written = hardware.write_all([both for _, both in compared], [m.name for m in machines], args.out)
    show(told)
    shown = [(both, paper, args.out) for paper, both in compared if both.pairs]
    files = len(written) + sum(map(len, each(lambda one: hardware.write_exhibit(*one), shown)))
    for paper, both in compared if args.exhibits else ():
        show(hardware.page(hardware.tables(both, paper)) if both.pairs else f"Nothing of {both.exhibit.key} was run.\n")
    findings = claim_sheet.sheet(papers, machines, args.profile)
    if findings:
        table = claim_sheet.across_machines(findings, args.all)
        show(table_formats.markdown(table) if args.exhibits else "\n".join(table.remarks))
        files += len(table_formats.write_table(table, args.out / "hardware/claims"))
    show(f"{files} files in {args.out / 'hardware'}")
