"""The commands explain and artifact."""

import argparse

from plots.errors import UserError
from plots.options import EXHIBIT, MACHINE, PAPER, PAPERS, PROFILE, RESULTS, command, option, path
from plots.read import exhibits, results


@command(
    "what stands behind a cell: samples, command, commit, judge, the paper's own",
    option("exhibit", "<paper>/<name>", metavar="EXHIBIT"),
    option("row", "its number in the table, from 1, or field=value,…", metavar="ROW"),
    option("column", "a metric, as in the exhibit's columns", metavar="COLUMN"),
    RESULTS,
    PAPERS,
    option("--machine", "needed where several have lines of it", metavar="NAME"),
    PROFILE,
    example="explain he2021/table3 1 iteration --machine h200",
)
def run_explain(args: argparse.Namespace) -> None:
    (paper,) = exhibits.load(args.papers, None, [args.exhibit])
    (exhibit,) = paper.exhibits
    from plots.read.view import gather
    from plots.write.explain import explain

    if exhibit.kind == "machine" or (exhibit.figure and "x" not in exhibit.figure):
        raise UserError(f"{args.exhibit} is no table of cases: there is no cell to explain")
    machines = results.load(args.results, args.machine, exhibits.read_by([paper]))
    views = [gather(exhibit, machine, args.profile) for machine in machines]
    ran = [view for view in views if view.lines]
    if len(ran) > 1:
        raise UserError(f"{args.exhibit} was run on {', '.join(v.machine.name for v in ran)}: --machine says which")
    print(explain((ran or views)[0], paper, args.row, args.column), end="")


@command(
    "one archive of lines, machine records, exhibits, claims, tables, checksums and an AD/AE appendix",
    RESULTS,
    PAPERS,
    path("--out", "the archive, .tar.gz, .tar or .zip", "report/artifact.tar.gz", "FILE"),
    MACHINE,
    PAPER,
    EXHIBIT,
    example="artifact --paper he2021 --out artifact.tar.gz",
)
def run_artifact(args: argparse.Namespace) -> None:
    from plots.write import artifact

    artifact.ending_of(args.out)
    papers = exhibits.load(args.papers, args.paper, args.exhibit)
    machines = results.load(args.results, args.machine, exhibits.read_by(papers))
    content = artifact.pack(papers, machines, args.out)
    print(f"{args.out}: {len(content)} files, {args.out.stat().st_size} bytes")
