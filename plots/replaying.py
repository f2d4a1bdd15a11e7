"""The command replay: runs the cases of a result file again on this machine, and compares."""

import argparse
import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from plots.errors import UserError
from plots.options import FILTER, command, flag, option, path
from plots.read import results
from plots.read.sides import Side


def whole(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1_000_000:
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
    lines = results.latest(results.read_lines(args.lines))
    from plots.write import comparison, replaying, table_formats

    texts = replaying.plans(lines, args.repetitions)
    if not texts:
        raise UserError(f"{args.lines}: holds no case that could be run again")
    told = env(args.kmbench)
    old = side(str(args.lines), lines, results.record(args.lines.with_name("machine.json")))
    show(table_formats.markdown(comparison.environment(old, Side("here", {}, as_lines_say(told)))))
    files = replaying.write_plans(texts, args.out / "plan")
    command = [args.kmbench, "run", *map(str, files), "--out", str(args.out / "results"), "--machine", "replay"]
    command += ["--filter", args.filter] if args.filter else []
    show(" ".join(command))
    ran = subprocess.run([*command, *(["--dry-run"] if args.dry_run else ["--redo"])], check=False)
    if args.dry_run or ran.returncode not in (0, 1):
        return ran.returncode
    from plots.decide import compare

    folder = results.load_machine(args.out / "results")
    made = compare.compare(old, side("replay", folder.lines, folder.record))
    if not made.pairs:
        raise UserError(f"{args.lines} and its replay share no case")
    for sentence in (comparison.summary(made), comparison.conclusion(made)):
        show(sentence)
    for table in (comparison.by_implementation(made), comparison.by_case(made, True)):
        show(table_formats.markdown(table))
    return ran.returncode


def show(text: str) -> None:
    from rich.console import Console

    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def env(program: str) -> dict[str, Any]:
    """The record of this machine and the build, from kmbench."""
    try:
        said = subprocess.run([program, "env", "--json"], capture_output=True, text=True, check=True)
        return json.loads(said.stdout)
    except (OSError, ValueError, subprocess.CalledProcessError) as e:
        why = str(getattr(e, "strerror", None) or e).splitlines()[0]
        raise UserError(f"{program} env --json: {why}; --kmbench names the program that measures") from None


def as_lines_say(told: dict[str, Any]) -> dict[str, Any]:
    """Adds the commit and the date, as result lines have them."""
    build = told.get("build") or {}
    said = {name: str(build[name]) for name in ("commit", "dirty") if name in build}
    return {**said, "date": datetime.now(UTC).date().isoformat(), **told}


def side(title: str, lines: Sequence[results.Line], record: dict[str, Any]) -> Side:
    """The lines as a side of a comparison; replayed ad hoc runs lose their made-up exhibit."""
    from plots.read import sides
    from plots.write.replaying import AD_HOC

    own = [{**line, "exhibit": None if line["exhibit"] == AD_HOC else line["exhibit"]} for line in lines]
    return sides.of_lines(title, {sides.ONE: own}, record)
