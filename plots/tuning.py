"""The commands tuning and t4, which read a tuning."""

import argparse
import json

from plots.errors import UserError
from plots.options import OUT, command, option, path
from plots.read import tuning
from plots.read.intervals import over
from plots.read.metrics import metric
from plots.read.results import read_lines
from plots.write.files import save_all, write

FILE = path("file", "tuning/<device>/<implementation>.jsonl", metavar="FILE")


@command(
    "what kmbench tune tried: regret of the defaults as a table, time over two parameters as a map",
    FILE,
    option("--x", "columns of the map (default: what matters most)", metavar="PARAMETER"),
    option("--y", "its rows (default: what matters next)", metavar="PARAMETER"),
    option("--metric", "a time: iteration, update, … (iteration)", default="iteration", metavar="NAME"),
    OUT,
    example="tuning tuning/h200/gpu-lloyd-two_step_streams.jsonl",
)
def run_tuning(args: argparse.Namespace) -> None:
    from rich.console import Console

    from plots.draw import heat
    from plots.write import show, table_formats, tunings

    if not metric(args.metric).timed:
        raise UserError(f"--metric {args.metric}: a time is needed, as iteration or update")
    found = tuning.load(args.file)
    axes = [chosen(one, args.x, args.y) for one in found]
    table = tunings.regret(found)
    stem = args.out / f"tuning-{args.file.stem}-{found[0].device}"
    show.print_table(table, Console())
    written = table_formats.write_table(table, stem)
    for at, (one, pair) in enumerate(zip(found, axes, strict=True), start=1):
        for ending in (".svg", ".png") if pair else ():
            figure = heat.heat_tuning(one, *pair, args.metric)  # anew: a second layout would move its parts
            written += save_all(figure, stem.with_name(f"{stem.name}-{at}"), [ending])
    for file in written:
        print(file)


def chosen(one: tuning.Tuning, x: str | None, y: str | None) -> tuple[str, str] | None:
    """The two parameters of the map: the named ones, else those whose worst value costs most; None if one varies."""
    for name in (x, y):
        if name and name not in one.axes:
            raise UserError(f"{name}: not varied in this tuning; varied: {', '.join(one.axes) or 'nothing'}")
    if x and x == y:
        raise UserError(f"--x and --y are both {x}")
    free = sorted((name for name in one.axes if name not in (x, y)), key=lambda name: (-cost(one, name), name))
    pair = [name or (free.pop(0) if free else None) for name in (x, y)]
    return (pair[0], pair[1]) if pair[0] and pair[1] else None


def cost(one: tuning.Tuning, name: str) -> float:
    """The best time at the worst value of a parameter, over the best time at its best value."""
    best: dict[object, float] = {}
    for line in one.right:
        value = line["parameters"][name]
        best[value] = min(best.get(value, float("inf")), tuning.time(line, "iteration").value)
    return over(max(best.values()), min(best.values())) if best else 1.0


@command(
    "what kmbench tune tried in the results format T4 of auto-tuners",
    FILE,
    path("--out", "default: standard output", metavar="FILE.json"),
    example="t4 tuning/h200/gpu-lloyd-two_step_streams.jsonl --out t4.json",
)
def run_t4(args: argparse.Namespace) -> None:
    if args.out and args.out.suffix != ".json":
        raise UserError(f"--out {args.out}: the ending is not .json")
    tuning.load(args.file)
    from plots.write import tunings

    text = json.dumps(tunings.t4(read_lines(args.file)), indent=1, ensure_ascii=False) + "\n"
    if args.out is None:
        print(text, end="")
    else:
        print(write(args.out, text))
