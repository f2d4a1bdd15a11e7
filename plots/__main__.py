"""The program: python3 -m plots COMMAND. Bad input: one line, exit 2.

What draws is imported once the input has been read: matplotlib takes longer to load than a mistake to be told."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from plots import comparing, reproducing, tracking, tuning
from plots.errors import UserError
from plots.machines import folders
from plots.read import exhibits, results
from plots.write import claim_sheet
from plots.write.files import write

RECORDED = Path(__file__).parents[1] / "results"
README = Path("README.md")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python3 -m plots", description="Tables, figures, claims and the report, from result lines."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    about = {
        "render": "tables (.md, .csv, .tex) and figures (.svg, .pdf, .png) of every exhibit",
        "claims": "the papers' claims with a verdict each, shown and written (claims.html, .md, .csv, .json)",
        "coverage": "how many printed numbers stand beside a line, by exhibit and machine (coverage.md, .csv)",
        "report": "one self-contained page, index.html",
        "all": "tables, figures (.svg alone), report and claims, from one reading",
        "readme": "fills the regions between <!-- begin:… --> and <!-- end --> of a Markdown file",
    }
    for name, text in about.items():
        sub = commands.add_parser(name, help=text, description=text)
        folders(sub)
        sub.add_argument("--machine", metavar="NAME", help="only this machine's results")
        sub.add_argument("--paper", action="append", metavar="KEY", help="only this paper; may be repeated")
        sub.add_argument(
            "--exhibit", action="append", metavar="KEY", help="only this exhibit, <paper>/<name>; may be repeated"
        )
        sub.add_argument(
            "--profile", choices=results.PROFILES, help="default: the paper's lines where there are any, else quick"
        )
        if name in ("report", "claims", "all"):
            sub.add_argument(
                "--beside",
                metavar="DIR",
                help="recorded machines to show beside, none for none (results/, where --results is another folder)",
            )
        if name == "claims":
            sub.add_argument("--list", action="store_true", help="list the decided claims")
            sub.add_argument("--all", action="store_true", help="list those that are not comparable, too")
        if name == "readme":
            sub.add_argument(
                "--file",
                type=Path,
                action="append",
                metavar="FILE.md",
                help=f"may be repeated ({README})",
            )
            sub.add_argument("--pictures", type=Path, help="folder for its figures (docs/pictures)")
    text = "lines of ad hoc runs, or of any file, as a table and a plot"
    sub = commands.add_parser("show", help=text, description=text)
    sub.add_argument("what", metavar="FILE|adhoc", help="a file of result lines, or adhoc: those of ad hoc runs")
    sub.add_argument("--results", type=Path, default=Path("results"), metavar="DIR", help="where adhoc looks (results)")
    sub.add_argument("--machine", metavar="NAME", help="only this machine's ad hoc lines")
    sub.add_argument("--profile", choices=results.PROFILES, help="default: the paper's lines where there are any")
    sub.add_argument("--out", type=Path, default=Path("report"), metavar="DIR", help="where to write (report)")
    sub = commands.add_parser("scatter", help="the picture of a clustering", description="the picture of a clustering")
    for part, shape in (("points", "n x d"), ("labels", "n"), ("centroids", "k x d")):
        sub.add_argument(f"--{part}", type=Path, required=True, metavar="FILE.npy", help=shape)
    sub.add_argument("--out", type=Path, required=True, metavar="FIG", help=".svg, .pdf or .png")
    sub.add_argument("--dims", default="0,1", metavar="i,j", help="the two dimensions shown (0,1)")
    sub.add_argument("--title", default="")
    comparing.add(commands)
    tracking.add(commands)
    reproducing.add(commands)
    tuning.add(commands)
    return top


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        return COMMANDS[args.command](args) or 0
    except UserError as e:
        print(f"plots: {e}", file=sys.stderr)
        return 2
    except OSError as e:
        print(f"plots: {e.filename or 'a file'}: {e.strerror or e}", file=sys.stderr)
        return 2


def inputs(args: argparse.Namespace) -> tuple[list[exhibits.Paper], list[results.Machine]]:
    return exhibits.load(args.papers, args.paper, args.exhibit), results.load(args.results, args.machine)


def recorded(args: argparse.Namespace, papers: list[exhibits.Paper]) -> list[results.Machine]:
    """The machines to be shown beside those of --results, of --beside, else of the repository: those with a line of
    these papers."""
    if args.beside == "none":
        return []
    folder = Path(args.beside) if args.beside else RECORDED
    if folder.resolve() == args.results.resolve() or not (args.beside or folder.is_dir()):
        return []
    shown = {key for paper in papers for exhibit in paper.exhibits for key in exhibit.sources}
    return [machine for machine in results.load(folder) if any(line["exhibit"] in shown for line in machine.lines)]


def run_render(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import render

    written = render.write_all(papers, machines, args.out, args.profile)
    print(f"{len(written)} files in {args.out}")


def run_claims(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    print(write_claims(args, papers, machines, recorded(args, papers)), end="")


def write_claims(args: argparse.Namespace, papers: list, machines: list, others: list) -> str:
    """Writes the claims in every format; what is to be shown of them."""
    from plots.write import claims_page, first_look

    findings = claim_sheet.sheet(papers, machines, args.profile)
    skipped = [sentence for machine in machines for sentence in machine.skipped]
    for name, text in claim_sheet.FORMATS.items():
        write(args.out / name, text(findings, skipped) if text is claim_sheet.page else text(findings))
    write(args.out / "claims.html", claims_page.page(findings, skipped))
    if getattr(args, "list", False) or getattr(args, "all", False):
        claim_sheet.show(findings, Console(), args.all)
        return ""
    return first_look.text(papers, machines, others, args.profile, args.out)


def run_all(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    others = recorded(args, papers)
    from plots.write import render, report

    render.write_all(papers, machines, args.out, args.profile, [".svg"])
    text = write_claims(args, papers, machines, others)
    write(args.out / "index.html", report.page(papers, machines, args.profile, others, args.out))
    print(text, end="")


def run_show(args: argparse.Namespace) -> None:
    from plots.write import show

    console = Console()
    for machine in show.read(args.what, args.results, args.machine):
        view = show.view_of(machine, args.what, args.what != show.AD_HOC, args.profile)
        for path in show.show(view, args.out, console):
            console.print(str(path), markup=False, highlight=False)


def run_report(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import report

    print(write(args.out / "index.html", report.page(papers, machines, args.profile, recorded(args, papers))))


def run_coverage(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import coverage, table_formats

    table = coverage.table(coverage.all_covered(papers, machines, args.profile))
    for ending, text in ((".md", table_formats.markdown), (".csv", table_formats.csv_text)):
        write(args.out / f"coverage{ending}", text(table))
    print(table_formats.markdown(table), end="")


def run_readme(args: argparse.Namespace) -> None:
    from plots.write import readme

    texts = {}
    for file in args.file or [README]:
        if not file.is_file():
            raise UserError(f"{file}: no such file")
        pictures = args.pictures or file.parent / "docs/pictures"
        texts[file] = readme.splice(file.read_text(encoding="utf-8"), file.parent, pictures, *inputs(args))
    for file, text in texts.items():
        if text != file.read_text(encoding="utf-8"):
            write(file, text)


def run_scatter(args: argparse.Namespace) -> None:
    from plots.draw import scatter, style

    try:
        dims = [int(j) for j in args.dims.split(",")]
    except ValueError:
        raise UserError(f"--dims {args.dims}: two numbers are needed, as in 0,1") from None
    if args.out.suffix not in style.METADATA:
        raise UserError(f"--out {args.out}: the ending is none of {', '.join(style.METADATA)}")
    points, labels, centroids = (scatter.read(getattr(args, part)) for part in scatter.PARTS)
    style.save(scatter.draw(points, labels, centroids, dims, args.title), args.out)


COMMANDS = {
    "render": run_render,
    "claims": run_claims,
    "coverage": run_coverage,
    "report": run_report,
    "all": run_all,
    "readme": run_readme,
    "show": run_show,
    "scatter": run_scatter,
    "compare": comparing.run_compare,
    "history": tracking.run_history,
    **reproducing.COMMANDS,
    **tuning.COMMANDS,
}

if __name__ == "__main__":
    sys.exit(main())
