"""The command history: medians by commit over the recorded lines, and changes of their level."""

import argparse

from plots.comparing import ENDINGS, keep, pattern_of, say
from plots.errors import UserError
from plots.options import FILTER, MACHINE, OUT, RESULTS, command
from plots.read import history


@command(
    "medians by commit over the recorded lines of a machine, and where their level changed",
    RESULTS,
    MACHINE,
    FILTER,
    OUT,
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
    from plots.draw import history as drawing
    from plots.draw import style
    from plots.write import history as text

    for machine, own in found.items():
        if not own:
            continue
        levels = text.levels_of(own)
        table = text.table(own, levels, machine)
        say([table], False)
        keep([table], table, [args.out / f"history-{machine}{ending}" for ending in ENDINGS])
        style.save_all(drawing.draw(own, levels, commits[machine]), args.out / f"history-{machine}", style.METADATA)
