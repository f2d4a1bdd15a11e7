"""The program: python3 -m plots COMMAND. Bad input gives one line and exit code 2.

Modules that draw or compute are imported by the commands that need them, so that --help answers at once."""

import argparse
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from plots.errors import UserError
from plots.options import (
    COMMANDS,
    MACHINE,
    OUT,
    PROFILE,
    RESULTS,
    SELECTION,
    Parser,
    command,
    flag,
    option,
    path,
    several,
)
from plots.read import exhibits, results
from plots.write.files import save, write

README = Path("README.md")
BESIDE = option(
    "--beside",
    "recorded machines to show beside, none for none (results/, where --results is another folder)",
    metavar="DIR",
)


def parser() -> Parser:
    top = Parser(prog="kmbench", description="Tables, figures, claims and the report, from result lines.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, one in COMMANDS.items():
        epilog = f"example: kmbench {one.example}" if one.example else None
        sub = commands.add_parser(name, help=one.text, description=one.text, epilog=epilog)
        for given, settings in one.options:
            sub.add_argument(given, **settings)
    return top


def parsed(words: list[str]) -> argparse.Namespace:
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        raise UserError(f"unknown command {words[0]!r}{near(words[0], COMMANDS)} --help lists all")
    args, left = parser().parse_known_args(words)
    if left:
        flags = [name for name, _ in COMMANDS[args.command].options]
        raise UserError(f"{args.command} takes no {left[0]!r}{near(left[0], flags)} {args.command} --help lists all")
    return args


def near(word: str, known: Iterable[str]) -> str:
    """The hint in the midst of a refusal."""
    return "".join(f"; did you mean {name}?" for name in get_close_matches(word, known, 1)) or ";"


def main(argv: list[str] | None = None) -> int:
    try:
        args = parsed(sys.argv[1:] if argv is None else argv)
        command = COMMANDS[args.command]
        if OUT in command.options and any(p.exists() and not p.is_dir() for p in (args.out, *args.out.parents)):
            raise UserError(f"--out {args.out}: not a folder")
        code = command.run(args) or 0
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit) as e:  # the reader has seen enough; rich makes an exit of it
        if not isinstance(e.__context__ if isinstance(e, SystemExit) else e, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except UserError as e:
        print(f"plots: {e}", file=sys.stderr)
    except OSError as e:
        print(f"plots: {e.filename or 'a file'}: {e.strerror or e}", file=sys.stderr)
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] in ("plots", ""):
            raise
        needs = "jinja2, matplotlib, numpy, orjson, rich and scipy"
        print(f"plots: {sys.executable} lacks {e.name}; KMBENCH_PYTHON names a Python with {needs}", file=sys.stderr)
    return 2


def inputs(args: argparse.Namespace) -> tuple[list[exhibits.Paper], list[results.Machine]]:
    papers = exhibits.load(args.papers, args.paper, args.exhibit)
    return papers, results.load(args.results, args.machine, exhibits.read_by(papers))


def recorded(args: argparse.Namespace, papers: list, machines: list[results.Machine]) -> list[results.Machine]:
    """The machines of --beside, else of the repository, that have a line of these papers and are not `machines`."""
    if args.beside == "none":
        return []
    folder = Path(args.beside) if args.beside else results.RECORDED
    if folder.resolve() == args.results.resolve() or not (args.beside or folder.is_dir()):
        return []
    own = [(m.name, m.record) for m in machines]
    found = [m for m in results.load(folder, papers=exhibits.read_by(papers)) if (m.name, m.record) not in own]
    return [m for m in found if any(x["exhibit"] for x in m.lines)]


@command(
    "tables (.md, .csv, .tex) and figures (.svg, .pdf, .png) of every exhibit",
    *SELECTION,
    example="render --exhibit he2021/table3 --machine h200 --out tables",
)
def run_render(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import render

    written = render.write_all(papers, machines, args.out, args.profile)
    print(f"{len(written)} files in {args.out}")


@command(
    "the papers' claims with a verdict each, shown and written (claims.html, .md, .csv, .json)",
    *SELECTION,
    BESIDE,
    flag("--list", "list the decided claims"),
    flag("--all", "list those that are not comparable, too"),
    example="claims --paper he2021 --machine h200",
)
def run_claims(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    print(write_claims(args, papers, machines, recorded(args, papers, machines)), end="")


def write_claims(args: argparse.Namespace, papers: list, machines: list, others: list) -> str:
    """Writes the claims in every format; returns the text for the terminal."""
    from plots.write import claim_sheet, first_look, report

    findings = claim_sheet.sheet(papers, machines, args.profile)
    skipped = [sentence for machine in machines for sentence in machine.skipped]
    for name, text in claim_sheet.FORMATS.items():
        write(args.out / name, text(findings, skipped) if text is claim_sheet.page else text(findings))
    write(args.out / "claims.html", report.claims_page(findings, machines, skipped))
    if vars(args).get("list") or vars(args).get("all"):
        from rich.console import Console

        claim_sheet.show(findings, Console(), args.all)
        return ""
    return first_look.text(papers, machines, others, args.profile, args.out)


@command(
    "tables, figures (.svg alone), report and claims, from one reading",
    *SELECTION,
    BESIDE,
    example="all --paper he2021 --out report",
)
def run_all(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    others = recorded(args, papers, machines)
    from plots.write import render, report

    text = write_claims(args, papers, machines, others)  # first: rendering forks, and shares the caches
    render.write_all(papers, machines, args.out, args.profile, [".svg"])
    write_report(args.out, report.pages(papers, machines, args.profile, others, args.out))
    print(text, end="")


@command(
    "lines of ad hoc runs, or of any file, as a table and a plot",
    option("what", "a file of result lines, or adhoc: those of ad hoc runs", metavar="FILE|adhoc"),
    RESULTS,
    MACHINE,
    PROFILE,
    OUT,
    example="show /tmp/try/adhoc.jsonl",
)
def run_show(args: argparse.Namespace) -> None:
    from rich.console import Console

    from plots.write import show

    console = Console()
    for machine in show.read(args.what, args.results, args.machine):
        view = show.view_of(machine, args.what, args.what != show.AD_HOC, args.profile)
        for file in show.show(view, args.out, console):
            console.print(str(file), markup=False, highlight=False)


@command(
    "the report: index.html, and a page for each exhibit; none needs a network",
    *SELECTION,
    BESIDE,
    example="report --exhibit he2021/table3 --out report",
)
def run_report(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import report

    print(write_report(args.out, report.pages(papers, machines, args.profile, recorded(args, papers, machines))))


def write_report(out: Path, pages: dict[str, str]) -> Path:
    """Returns the path of the first page."""
    first, *_ = [write(out / name, text) for name, text in pages.items()]
    return first


@command(
    "how many printed numbers stand beside a line, by exhibit and machine (coverage.md, .csv)",
    *SELECTION,
    example="coverage --paper he2021",
)
def run_coverage(args: argparse.Namespace) -> None:
    papers, machines = inputs(args)
    from plots.write import coverage, table_formats

    table = coverage.table(coverage.all_covered(papers, machines, args.profile))
    table_formats.write_table(table, args.out / "coverage")
    print(table_formats.markdown(table), end="")


@command(
    "fills the regions between <!-- begin:… --> and <!-- end --> of a Markdown file",
    *SELECTION,
    several("--file", f"default: {README}", type=Path, metavar="FILE.md"),
    path("--pictures", "folder for its figures (docs/pictures)"),
)
def run_readme(args: argparse.Namespace) -> None:
    from plots.write import readme

    files, texts = args.file or [README], {}
    if missing := [file for file in files if not file.is_file()]:
        raise UserError(f"{missing[0]}: no such file")
    needed = any(readme.reads_lines(file.read_text(encoding="utf-8")) for file in files)
    papers, machines = inputs(args) if needed else ([], [])
    for file in files:
        pictures = args.pictures or file.parent / ("pictures" if file.parent.name == "docs" else "docs/pictures")
        texts[file] = readme.splice(file.read_text(encoding="utf-8"), file.parent, pictures, papers, machines)
    for file, text in texts.items():
        if text != file.read_text(encoding="utf-8"):
            write(file, text)


@command(
    "the picture of a clustering",
    path("--points", "n x d: .npy, .csv, .tsv or .txt", metavar="FILE", required=True),
    path("--clusters", "what kmbench fit wrote: labels.npy and centroids.npy"),
    path("--labels", "n, in place of the folder's", metavar="FILE.npy"),
    path("--centroids", "k x d, in place of the folder's", metavar="FILE.npy"),
    path("--out", ".svg, .pdf or .png", metavar="FIG", required=True),
    option("--dims", "the two dimensions shown (0,1)", default="0,1", metavar="i,j"),
    option("--title", "above it", default=""),
    example="scatter --points points.csv --clusters clusters --out clusters.svg",
)
def run_scatter(args: argparse.Namespace) -> None:
    from plots.draw import scatter, style

    try:
        dims = [int(j) for j in args.dims.split(",")]
    except ValueError:
        raise UserError(f"--dims {args.dims}: two numbers are needed, as in 0,1") from None
    if args.out.suffix not in style.METADATA:
        raise UserError(f"--out {args.out}: the ending is none of {', '.join(style.METADATA)}")
    files = [args.points]
    for part in ("labels", "centroids"):
        if not (given := getattr(args, part) or (args.clusters and args.clusters / f"{part}.npy")):
            raise UserError(f"--{part} is missing; accepted: a .npy file, or --clusters with a folder of kmbench fit")
        files.append(given)
    points, labels, centroids = (scatter.read(file) for file in files)
    save(scatter.draw(points, labels, centroids, dims, args.title), args.out)


for part in ("comparing", "reproducing", "tuning"):
    import_module(f"plots.{part}")  # its commands register

if __name__ == "__main__":
    sys.exit(main())
