"""The register of commands, and the options that several of them share."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from plots.errors import UserError
from plots.read.check import PROFILES

Option = tuple[str, dict[str, Any]]
Run = Callable[[argparse.Namespace], int | None]


class Parser(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message: str) -> NoReturn:
        raise UserError(message)


class Command(NamedTuple):
    text: str
    options: tuple[Option, ...]
    run: Run
    example: str = ""  # after kmbench


COMMANDS: dict[str, Command] = {}  # by name


def command(text: str, *options: Option, example: str = "") -> Callable[[Run], Run]:
    """Registers run_compare as the command compare."""

    def register(run: Run) -> Run:
        COMMANDS[run.__name__.removeprefix("run_")] = Command(text, options, run, example)
        return run

    return register


def option(name: str, help: str, **settings: Any) -> Option:
    return name, {"help": help, **settings}


def flag(name: str, help: str) -> Option:
    return option(name, help, action="store_true")


def path(name: str, help: str, default: str | None = None, metavar: str = "DIR", **settings: Any) -> Option:
    given = {} if default is None else {"default": Path(default)}
    return option(name, help + f" ({default})" * (default is not None), type=Path, metavar=metavar, **given, **settings)


def several(name: str, help: str, **settings: Any) -> Option:
    return option(name, f"{help}; may be repeated", action="append", **settings)


RESULTS = path("--results", "holds <machine>/<paper>.jsonl", "results")
PAPERS = path("--papers", "holds <paper>/<exhibit>.toml", "papers")
OUT = path("--out", "where to write", "report")
MACHINE = option("--machine", "only this machine's results", metavar="NAME")
PAPER = several("--paper", "only this paper", metavar="KEY")
EXHIBIT = several("--exhibit", "only this exhibit, <paper>/<name>", metavar="KEY")
PROFILE = option("--profile", "default: the paper's lines where there are any, else quick", choices=PROFILES)
FILTER = option("--filter", "only cases whose name matches", default="", metavar="REGEX")
SELECTION = (RESULTS, PAPERS, OUT, MACHINE, PAPER, EXHIBIT, PROFILE)
