"""Plans from result lines: exhibits with exactly the cases of a file, under their keys; and a replay as a side."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from plots.errors import UserError
from plots.read import sides
from plots.read.results import Line, Machine
from plots.read.select import grouped
from plots.write.files import write

AD_HOC = "replay/adhoc"  # the exhibit of lines that had none


def plans(lines: Iterable[Line], repetitions: int | None = None) -> dict[str, str]:
    """By exhibit key the text of its file, a sweep a case; without lines of unknown size."""
    sized = (line for line in lines if line["n"] and line["d"] and line["k"])
    found = grouped(sized, lambda line: line["exhibit"] or AD_HOC)
    return {key: plan(key, of_one, repetitions) for key, of_one in sorted(found.items())}


def plan(key: str, lines: Sequence[Line], repetitions: int | None) -> str:
    head = f'kind = "table"\ntitle = "{key}, replayed"\n\n[table]\nrows = ["implementation"]\ncolumns = ["iteration"]\n'
    return "\n".join([head, *(sweep(line, repetitions) for line in lines)])


def sweep(line: Line, repetitions: int | None) -> str:
    dataset, init = line["dataset"], line["init"]
    values: dict[str, Any] = {
        "implementation": line["implementation"],
        "dataset": dataset["name"],
        **{name: line[name] for name in ("n", "d", "k", "precision")},
        "init": init["method"],
        "init_seed": init["seed"],
        "iterations": line["max_iters"],
        "tolerance": line["tolerance"],
        "repetitions": repetitions or max(len(line["samples_s"]), 1),
        "judge_seed": line["judge_seed"],
        **{f"set.{name}": value for name, value in sorted(line["parameters"].items())},
        **{f"data.{name}": value for name, value in sorted((dataset.get("generator") or {}).items())},
    }
    return "[[sweep]]\n" + "".join(f"{name} = {toml(value)}\n" for name, value in values.items() if value is not None)


def toml(value: Any) -> str:
    """A number or a word in TOML, which writes them as JSON."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def write_plans(texts: dict[str, str], folder: Path) -> list[Path]:
    """<folder>/<paper>/<exhibit>.toml, from which kmbench reads the same key."""
    for key in texts:
        if any(part in ("", ".", "..") or "/" in part for part in key.split("/", 1)):
            raise UserError(f"exhibit {key!r} is no <paper>/<exhibit>")
    return [write(folder / f"{key}.toml", text) for key, text in texts.items()]


def side(title: str, machine: Machine) -> sides.Side:
    """The lines as a side of a comparison; replayed ad hoc runs lose their made-up exhibit."""
    own = [{**line, "exhibit": None if line["exhibit"] == AD_HOC else line["exhibit"]} for line in machine.lines]
    return sides.of_lines(title, {sides.ONE: own}, machine.record)
