"""The commands explain and artifact, and those beside them: replay and hardware."""

from __future__ import annotations

import argparse

from plots import machines, replaying
from plots.errors import UserError
from plots.machines import folders
from plots.read import exhibits, results


def add(commands: argparse._SubParsersAction) -> None:
    machines.add(commands)
    text = "what stands behind a cell: samples, command, commit, judge, the paper's own"
    sub = commands.add_parser("explain", help=text, description=text)
    sub.add_argument("exhibit", metavar="EXHIBIT", help="<paper>/<name>")
    sub.add_argument("row", metavar="ROW", help="its number in the table, from 1, or field=value,…")
    sub.add_argument("column", metavar="COLUMN", help="a metric, as in the exhibit's columns")
    folders(sub, None)
    sub.add_argument("--machine", metavar="NAME", help="needed where several have lines of it")
    sub.add_argument(
        "--profile", choices=results.PROFILES, help="default: the paper's lines where there are any, else quick"
    )
    replaying.add(commands)
    text = "one archive of lines, machine records, exhibits, claims, tables, checksums and an AD/AE appendix"
    sub = commands.add_parser("artifact", help=text, description=text)
    folders(sub, "report/artifact.tar.gz", "the archive, .tar.gz, .tar or .zip (report/artifact.tar.gz)")
    sub.add_argument("--machine", metavar="NAME", help="only this machine's results")
    sub.add_argument("--paper", action="append", metavar="KEY", help="only this paper; may be repeated")
    sub.add_argument("--exhibit", action="append", metavar="KEY", help="only this exhibit; may be repeated")


def run_explain(args: argparse.Namespace) -> None:
    (paper,) = exhibits.load(args.papers, None, [args.exhibit])
    (exhibit,) = paper.exhibits
    from plots.read.view import gather
    from plots.write.explain import explain

    if exhibit.kind == "machine" or (exhibit.figure and "x" not in exhibit.figure):
        raise UserError(f"{args.exhibit} is no table of cases: there is no cell to explain")
    machines = results.load(args.results, args.machine)
    views = [gather(exhibit, machine, args.profile) for machine in machines]
    ran = [view for view in views if view.lines]
    if len(ran) > 1:
        raise UserError(f"{args.exhibit} was run on {', '.join(v.machine.name for v in ran)}: --machine says which")
    print(explain((ran or views)[0], paper, args.row, args.column), end="")


def run_artifact(args: argparse.Namespace) -> None:
    from plots.write import artifact

    artifact.ending_of(args.out)
    papers, machines = exhibits.load(args.papers, args.paper, args.exhibit), results.load(args.results, args.machine)
    content = artifact.pack(papers, machines, args.out)
    print(f"{args.out}: {len(content)} files, {args.out.stat().st_size} bytes")


COMMANDS = {
    "hardware": machines.run_hardware,
    "explain": run_explain,
    "replay": replaying.run_replay,
    "artifact": run_artifact,
}
