"""scripts/record: runs the cases that plots/recording.py chooses, within a budget."""

import argparse
import contextlib
import fcntl
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from plots import recording
from plots.comparing import env
from plots.decide.forecast import Case, Forecast, planned, raw_lines
from plots.errors import UserError
from plots.options import Parser
from plots.read import exhibits, json_text, results
from plots.read.select import grouped
from plots.recording import Open

ROOT = Path(__file__).resolve().parents[1]
SLICE_S = 120.0  # after which the order is made anew from the measured times
STEADY_S = 10.0  # the weight of the forecast beside the first runs
UNITS = {"s": 1, "min": 60, "h": 3600}


def parser() -> argparse.ArgumentParser:
    made = Parser(
        prog="scripts/record", description="Records what a machine's results lack, what decides most a second first."
    )
    made.add_argument("machine", metavar="MACHINE", help="the folder below --results; a new name begins one")
    made.add_argument("--budget", required=True, type=seconds, metavar="TIME", help="90s, 25min or 2h")
    made.add_argument("--paper", action="append", metavar="KEY", help="only this paper; may be repeated")
    made.add_argument("--exhibit", action="append", metavar="KEY", help="only this exhibit; may be repeated")
    made.add_argument("--kmbench", default=str(ROOT / "build/kmbench"), metavar="PROGRAM", help="(build/kmbench)")
    made.add_argument("--results", type=Path, default=ROOT / "results", metavar="DIR", help="(results)")
    made.add_argument("--papers", type=Path, default=ROOT / "papers", metavar="DIR", help="(papers)")
    made.add_argument("--same-machine", action="store_true", help="as kmbench run has it")
    made.add_argument("--dry-run", action="store_true", help="print what is missing and what would run first")
    return made


def seconds(text: str) -> float:
    found = re.fullmatch(r"(\d{1,6})(s|min|h)", text)
    if not found or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r}; accepted: a number of s, min or h, as in 25min")
    return float(found[1]) * UNITS[found[2]]


class Recorder:
    """`home`: the machine's folder. `apart`: its subfolder for lines that would hide others."""

    def __init__(self, args: argparse.Namespace) -> None:
        if not re.fullmatch(r"[\w.+-]+", args.machine) or args.machine.startswith("."):
            raise UserError(f"machine {args.machine!r}; accepted: letters, digits and . _ + -")
        self.args, self.end = args, time.monotonic() + args.budget
        self.home = args.results / args.machine
        self.apart = self.home / "staging"
        self.papers = exhibits.load(args.papers, args.paper, args.exhibit)
        self.commit = json_text.inner(env(args.kmbench), "build", "commit") or ""
        files = [str(one.path) for paper in self.papers for one in paper.exhibits if one.spec.get("sweep")]
        if not files:
            raise UserError("none of these exhibits has a sweep of its own: nothing to run")
        command = [args.kmbench, "run", *files, "--dry-run", "--benchmark_format=json"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise died(args.kmbench, ran.stderr, ran.returncode)
        self.plan = planned(ran.stdout)
        self.changed = recording.Kernels(ROOT).changed
        self.done: set[str] = set()
        self.failed = False

    def left(self) -> float:
        return self.end - time.monotonic()

    def state(self) -> Open:
        machine, staged = (results.load_machine(folder) for folder in (self.home, self.apart))
        return recording.missing(self.papers, self.plan, machine, staged, self.commit, self.changed)

    def record(self) -> None:
        known = self.add_complete()
        record = results.record(self.home / "machine.json")
        forecast = Forecast(raw_lines([self.home, self.apart]), record)
        print(f"missing: {told(known, forecast)}")
        guessed = spent = 0.0
        while chosen := recording.next_cases(known, self.done, forecast, self.left(), SLICE_S):
            if self.args.dry_run:
                for case in chosen:
                    print(f"{forecast.seconds([case]):8.1f} s  {known.why[case.id]}  {case.name}")
                return
            for is_apart in (False, True):
                cases = [case for case in chosen if (case.exhibit in known.apart) == is_apart]
                for pattern, batch in recording.batches(cases, forecast, SLICE_S):
                    self.done |= {case.id for case in batch}
                    if forecast.seconds(batch) > self.left():
                        continue
                    took = self.run(pattern, batch, self.apart if is_apart else self.home)
                    guessed, spent = guessed + forecast.seconds(batch) / forecast.factor, spent + took
                    forecast.factor = min(max((spent + STEADY_S) / (guessed + STEADY_S), 0.2), 10.0)
            if any(known.lacks(key) and known.lacks(key) <= self.done for key in known.apart):
                known = self.add_complete()
        known = self.add_complete()
        print(f"left: {told(known, forecast)}")
        for line in by_exhibit(known, forecast):
            print(line)
        for reason, count in Counter(case.skip for case in self.plan if case.skip).most_common():
            print(f"cannot run here: {count} cases: {reason}")

    def run(self, pattern: str, batch: Sequence[Case], out: Path) -> float:
        """Returns its seconds. At the end of the budget it is interrupted; an unfinished case leaves no line."""
        out.mkdir(parents=True, exist_ok=True)
        if out == self.apart and not (out / "machine.json").exists() and (self.home / "machine.json").exists():
            shutil.copy(self.home / "machine.json", out)  # so that kmbench refuses another machine there too
        flags = ["--filter", pattern, "--redo", "--out", str(out), "--machine", self.args.machine]
        flags += ["--same-machine"] * self.args.same_machine
        files = sorted({f"{self.args.papers}/{case.exhibit}.toml" for case in batch})
        start = time.monotonic()
        command = [self.args.kmbench, "run", *files, *flags]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stopped = False
        for patience, then in ((max(self.left(), 1.0), signal.SIGINT), (20, signal.SIGKILL), (None, None)):
            try:
                said = process.communicate(timeout=patience)[1]
                break
            except subprocess.TimeoutExpired:
                process.send_signal(then)
                stopped = True
        took = time.monotonic() - start
        if not stopped and process.returncode not in (0, 1):
            raise died(self.args.kmbench, said, process.returncode)
        self.failed |= process.returncode == 1
        names = ", ".join(sorted({case.exhibit for case in batch}))
        print(f"{len(batch)} cases of {names}: {took:.0f} s, {max(self.left(), 0):.0f} s left", flush=True)
        return took

    def add_complete(self) -> Open:
        """Adds the complete exhibits recorded apart; returns what is missing then. Lines are appended to the machine's
        first and then leave the folder apart, because a line that is there twice counts once."""
        known = self.state()
        if self.args.dry_run:
            return known
        versions = {case.exhibit: case.exhibit_hash for case in self.plan}
        added = False
        for path in sorted(self.apart.glob("*.jsonl")):
            lines = path.read_bytes().splitlines(keepends=True)
            for key in sorted(key for key in versions if f"{key.partition('/')[0]}.jsonl" == path.name):
                version = {"exhibit": key, "exhibit_hash": versions[key]}
                ours = [raw for raw in lines if version.items() <= json_text.table(raw).items()]
                if not ours or known.lacks(key):
                    continue
                with locked(self.home), (self.home / path.name).open("ab") as file:
                    file.write(b"".join(ours))
                lines = [raw for raw in lines if raw not in ours]
                written = path.with_suffix(".new")
                written.write_bytes(b"".join(lines))
                written.replace(path)
                print(f"{key}: {len(ours)} lines, recorded apart, are added")
                added = True
        return self.state() if added else known


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the lock of kmbench run, so that nobody else appends."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another kmbench is writing to {folder}; wait for it") from None
        yield


def told(known: Open, forecast: Forecast) -> str:
    reasons = Counter(known.why.values())
    parts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    total = forecast.seconds(known.cases[name] for name in known.why)
    return f"{len(known.why)} cases ({parts or 'nothing'}), about {total / 60:.0f} min"


def by_exhibit(known: Open, forecast: Forecast) -> list[str]:
    """A line an exhibit: its missing cases, their time, and the claims and numbers that wait for them."""
    lines = []
    for key, cases in sorted(grouped(map(known.cases.get, known.why), lambda case: case.exhibit).items()):
        ids = {case.id for case in cases}
        waiting = Counter(one.what.partition(" ")[0] for one in known.questions if one.cases & ids)
        told = ", ".join(f"{waiting[word]} {word}s" for word in ("claim", "number") if waiting[word])
        place = ", recorded apart until it is whole" if key in known.apart else ""
        place = ", cannot be whole here: cases that it shows cannot run" if known.stuck(key) else place
        lines.append(f"  {key}: {len(cases)} cases, {forecast.seconds(cases):.0f} s; {told or 'no claim'}{place}")
    return lines


def died(program: str, said: str, code: int) -> UserError:
    last = next((line for line in reversed(said.splitlines()) if line.strip()), f"exit code {code}")
    return UserError(f"{program} run: {last}")


def main(argv: list[str] | None = None) -> int:
    try:
        args = parser().parse_args(argv)
        recorder = Recorder(args)
        recorder.record()
    except KeyboardInterrupt:
        return 130
    except (UserError, OSError) as e:
        why = f"{e.filename or 'a file'}: {e.strerror or e}" if isinstance(e, OSError) else e
        print(f"record: {why}", file=sys.stderr)
        return 2
    return 1 if recorder.failed else 0
