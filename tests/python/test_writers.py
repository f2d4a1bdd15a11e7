"""All writers: a wrong case never shows a time, and the same lines give the same bytes."""

import csv
import errno
import io
import json
import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from conftest import RIVALS, SERIES, claim, figure, printed
from matplotlib.figure import Figure
from synthetic import line, write

from plots.__main__ import COMMANDS, main
from plots.decide.claims import Finding
from plots.errors import UserError
from plots.write import claim_sheet, files, parallel, table_formats
from plots.write.tables import Cell, Column, Table

TIMED = """
iteration run overall end_to_end prepare download assign phase:update transfer iteration_event bandwidth
flop_rate throughput floor_share memory_share cost energy speedup:iteration speedup:phase:update
"""
METRICS = ", ".join(f'"{name}"' for name in TIMED.split())
METRICS_OF = RIVALS.replace('["iteration", "assign"]', f'[{METRICS}]\nbaseline = {{ implementation = "cpu/right" }}')
FIGURE = figure("bar", "iteration energy", SERIES)
OTHERS = {f"demo/{style}": figure(style, "assign update", SERIES) for style in ("line", "stacked")}
BOTH = '{implementation="cpu/wrong"}', '{implementation="cpu/right"}'
CLAIMS = (
    claim(f'kind="bound"\nmetric="run"\nat_most=1e9\nwhere={BOTH[0]}', "run")
    + claim(f'kind="ratio"\nmetric="iteration"\nnumerator={BOTH[0]}\ndenominator={BOTH[1]}\nat_least=0.1', "iteration")
    + claim(f'kind="order"\nmetric="assign"\nitems=[{", ".join(BOTH)}]', "assign")
)
WRONG_PRINTED = printed('[["cpu/wrong", "1"]]', "implementation")
EXHIBITS = {"demo/table1": METRICS_OF + WRONG_PRINTED + CLAIMS, "demo/figure1": FIGURE, **OTHERS}
SECONDS = 0.731946825  # of the wrong one alone; 5 iterations
RECORD = {"price": {"cpu": 3.6}, "floor": {"cpu": {"bytes_per_s": 1e9, "flops_per_s": {"fp32": 1e9}}}}
ENERGY = {"joules": 3659.734125, "iterations": 5, "window_s": 2.0, "source": "NVML", "skipped": None}


def lines(exhibit: str, verdict: str) -> list[dict]:
    """A right case and one with times despite this verdict, as another program might write it."""
    phases = {"assign": [SECONDS / 5] * 5, "update": [SECONDS / 5] * 5}
    other = line(
        **{"exhibit": exhibit, "implementation": "cpu/wrong", "packages": 1, "verdict": verdict, "phases": phases},
        **{"samples_s": [SECONDS] * 7, "samples_event_s": [SECONDS] * 7, "prepare_s": SECONDS, "download_s": SECONDS},
        **{"prepare_phases": {"transfer": SECONDS}, "energy": ENERGY, "grade": "" if verdict else "exact"},
    )
    if verdict:
        other["grade"] = None
    return [line(exhibit=exhibit, implementation="cpu/right", packages=1, seconds=0.1), other]


def commands(bench, out: Path) -> list[list[str]]:
    """Every command that shows or writes lines, with its arguments."""
    folders = bench.folders
    file = str(bench.results / "one/demo.jsonl")
    cell = ["implementation=cpu/wrong", "iteration"]
    compared = [f"--out={out / 'compared'}{ending}" for ending in (".md", ".csv", ".tex")]
    return [
        ["claims", *folders, "--all", "--out", str(out)],
        ["coverage", *folders, "--out", str(out)],
        ["all", *folders, "--out", str(out)],
        ["render", *folders, "--out", str(out)],
        ["hardware", "demo/table1", *folders, "--all", "--out", str(out)],
        ["hardware", *folders, "--out", str(out)],
        ["explain", "demo/table1", *cell, *folders, "--machine", "one"],
        ["explain", "demo/table1", "implementation=cpu/wrong", "assign", *folders, "--machine", "one"],
        ["show", file, "--out", str(out)],
        ["compare", file, str(bench.results / "two/demo.jsonl"), "--all", *compared],
        ["compare", "--rank", file],
        ["history", "--results", str(committed(bench)), "--out", str(out)],
        ["tuning", str(tuned(bench)), "--out", str(out)],
        ["t4", str(tuned(bench)), "--out", str(out / "t4.json")],
        ["readme", "--file", str(out / "README.md"), *folders],
    ]


def tuned(bench) -> Path:
    """A file of kmbench tune: the same two cases as two values of a parameter of one implementation."""
    kept = map(json.loads, (bench.results / "one/demo.jsonl").read_text().splitlines())
    found = sorted(kept, key=lambda made: (made["exhibit"], made["implementation"]))  # the first is the default
    path = bench.results.with_name("tuning") / "cpu.jsonl"
    path.parent.mkdir(exist_ok=True)
    for made, packages in zip(found[:2], (1, 10), strict=True):
        made |= {"implementation": "cpu/one", "parameters": {"packages": packages}, "exhibit": None}
        made["prepare_s"] = None if made["verdict"] else made["prepare_s"]  # T4 keeps what preparing took
    path.write_text("".join(json.dumps(made) + "\n" for made in found[:2]))
    return path


def committed(bench) -> Path:
    """A results folder with every case at two commits."""
    text = (bench.results / "one/demo.jsonl").read_text()
    path = bench.results.with_name("history") / "one/demo.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + text.replace("0123456789abcdef", "fedcba9876543210").replace("2024-01-01", "2024-01-02"))
    return path.parents[1]


def test_every_command_is_held_to_it(bench):
    """scatter draws points; artifact copies whole files and replay runs them again; all is report too."""
    bench.run([line(), line(packages=1)], "one")
    held = {command[0] for command in commands(bench, Path())}
    assert set(COMMANDS) - held == {"scatter", "artifact", "replay", "report"}


def run_all(bench, out: Path, verdict: str, order: int = 1) -> None:
    """Runs every command on the lines in this order."""
    for key, text in EXHIBITS.items():
        bench.exhibit(text, key)
    for name in ("one", "two"):
        (bench.results / name / "demo.jsonl").unlink(missing_ok=True)
        write(bench.results, name, [made for key in EXHIBITS for made in lines(key, verdict)][::order], RECORD)
    out.mkdir()
    regions = "".join(f"<!-- begin:{what} machine=one -->\n<!-- end -->\n" for what in (*EXHIBITS, "claims"))
    (out / "README.md").write_text(f"{regions}<!-- begin:summary -->\n<!-- end -->\n")
    for command in commands(bench, out):
        assert main(command) in (0, 1), command


def everything(bench, out: Path, verdict: str, capsys, order: int = 1) -> str:
    """All text that the commands print and write."""
    run_all(bench, out, verdict, order)
    written = [p.read_text() for p in sorted(out.rglob("*")) if p.suffix in (".md", ".csv", ".tex", ".html", ".json")]
    return capsys.readouterr().out + "\n".join(re.sub(r'(href|src)="data:[^"]*"', "", text) for text in written)


# 146.389… ms an iteration, 731.946… a run, 805 and 878 with prepare and download, energy; rates and ratios of these.
TIMES = re.compile(r"146\.[34]|731\.9|0\.73194|0\.14638|805\.|1463|2195|7\.319|0\.1366|0\.437|6\.83|1\.366|3659")


def test_a_wrong_case_shows_no_time_in_any_writer(bench, tmp_path, capsys):
    text = everything(bench, tmp_path / "out", "label 3 is wrong", capsys)
    assert [text[found.start() - 300 : found.end() + 100] for found in TIMES.finditer(text)] == []
    assert text.count("label 3 is wrong") > 10


def test_a_figure_of_a_wrong_case_has_no_bar_for_it(bench, tmp_path, capsys):
    """The picture does not depend on the time of the wrong case."""
    drawn = []
    for name, seconds in (("a", 1.0), ("b", 50.0)):
        bench.exhibit(FIGURE, "demo/figure1")
        made = lines("demo/figure1", "label 3 is wrong")
        made[1]["samples_s"] = [seconds] * 7
        (bench.results / "one/demo.jsonl").unlink(missing_ok=True)
        write(bench.results, "one", made)
        assert bench.main("render", "--out", tmp_path / name) == 0
        drawn.append((tmp_path / name / "one/demo/figure1.svg").read_bytes())
    assert drawn[0] == drawn[1]


def test_the_same_lines_give_the_same_bytes_with_all_times(bench, tmp_path, capsys):
    """The lines come in another order. test_reproduce.py has the archive."""
    written = []
    for out, order in ((tmp_path / "a", 1), (tmp_path / "b", -1)):
        text = everything(bench, out, "", capsys, order)
        assert len(TIMES.findall(text)) > 50, "the times that a wrong case must not show"
        written.append({p.relative_to(out): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()})
    assert Path("two/demo/table1.md") in written[0], "a folder for each machine"
    figures = {path.suffix for path in written[0] if path.with_suffix("") == Path("one/demo/line")}
    assert figures == {".csv", ".md", ".pdf", ".png", ".svg", ".tex"}
    assert written[0] == written[1]


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-x", "@sum(a1)", "\t=1", '=hyperlink("x")', "-", "+1 2"])
def test_a_spreadsheet_computes_no_words(text):
    findings = [Finding(**{field.name: text for field in fields(Finding)})]
    column = Column("what", "word", "what")
    table = Table("t", "t", [column], [[Cell(text, raw=(text,))]])
    written = (claim_sheet.csv_text(findings), table_formats.csv_text(table))
    for csv_text in written:
        (row,) = list(csv.reader(io.StringIO(csv_text, newline="")))[1:]
        assert {cell for cell in row if cell} == {"'" + text}


@pytest.mark.parametrize("number", [-1.5, 3, "-3", "+2.5e3", "-12,345", "+3.1%", "1", "–", "", None])
def test_numbers_stay_numbers(number):
    assert table_formats.csv_cell(number) == number


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path, monkeypatch):
    kept, link = tmp_path / "kept.svg", tmp_path / "link.svg"
    kept.write_text("before")
    link.symlink_to(kept)

    def full(self, data):
        self.open("wb").write(data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as on_a_full_disk:
        on_a_full_disk.setattr(Path, "write_bytes", full)
        for write_one in (lambda: files.write(link, "after"), lambda: files.save(Figure(), link)):
            with pytest.raises(UserError, match=r"cannot write .*link\.svg: No space left"):
                write_one()
    assert kept.read_text() == "before" and len(list(tmp_path.iterdir())) == 2
    files.write(link, "after")
    assert kept.read_text() == "after" and link.is_symlink()


def test_a_terminal_gets_a_count_of_what_is_done(monkeypatch, capsys):
    for terminal, said in ((False, ""), (True, "".join(f"\r\033[K{i} of 5" for i in range(1, 5)) + "\r\033[K")):
        monkeypatch.setattr(sys.stderr, "isatty", lambda answer=terminal: answer)
        assert parallel.each(abs, range(-5, 0)) == [5, 4, 3, 2, 1]
        assert capsys.readouterr().err == said


def test_a_folder_below_a_file_is_refused_by_the_name_given(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write .*/file/a\.md: "):
        files.write(tmp_path / "file/a.md", "text")
