"""The user's view: terminal width, colours, plain logs, --version, completion, an installed program."""

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios

import pytest
from built import BUILD, ENVIRONMENT, FAULTY, KMBENCH, ROOT, flags, kmbench, lines_of, needed, refused, succeeded

needed(KMBENCH, FAULTY)

HOME = {**ENVIRONMENT, "NO_COLOR": ""}
RUN = ["run", *flags(dataset="blobs", n=300, k=3, iterations=3, repetitions=3)]
TWO = flags(implementation="^faults/(twin_left|wrong_label)$", precision="fp32")


def on_terminal(columns: int, *args: object, env: dict[str, str] = HOME) -> str:
    """The program's output on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([FAULTY, *map(str, args)], stdout=subprocess.DEVNULL, stderr=theirs, env=env)
    os.close(theirs)
    read = bytearray()
    try:
        while block := os.read(ours, 65536):
            read += block
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.wait()
    return read.decode()


def shown(text: str) -> list[str]:
    """The successive lines of the screen, without colours."""
    bare = re.sub(r"\x1b\[\d+m", "", text)
    return [part for part in re.split(r"\r\x1b\[K|\r?\n", bare) if part.strip()]


def test_a_terminal_shows_one_line_and_wrong_results_above_it(tmp_path):
    text = on_terminal(70, *RUN, *TWO, "--out", tmp_path)
    assert all(len(line) <= 70 for line in shown(text))
    first, second = [line for line in shown(text) if line.startswith("[")]
    assert first.startswith("[0/2] ") and re.match(r"\[1/2, \d+ s left\] ", second)
    screen = re.sub(r"\x1b\[\d+m", "", text).replace("\r\n", "\n").split("\n")
    stays = [line.rsplit("\r\x1b[K", 1)[-1] for line in screen]
    wrong = [line for line in stays if line and not line.startswith("warning: ")]
    assert len(wrong) == 1 and re.match(r"faults/\S+…\S+: wrong: .*…$", wrong[0]), stays
    assert "\x1b[31m" in text, "wrong results are red"


def test_check_shows_the_line_of_run():
    lines = shown(on_terminal(70, "check", "--filter", "^cpu/lloyd/naive/fp64/d = [27]$"))
    said = r"\[\d+/\d+(, \d+ s left)?\] cpu/lloyd/naive/fp64/d = "
    assert lines and all(re.match(said, line) for line in lines), lines


def test_no_color_is_honoured(tmp_path):
    text = on_terminal(70, *RUN, *TWO, "--out", tmp_path, env={**HOME, "NO_COLOR": "1"})
    assert re.findall(r"\x1b\[\d+m", text) == []
    assert "wrong: " in text


def test_a_log_is_plain_and_short(tmp_path):
    ran = kmbench(*RUN, *TWO, "--out", tmp_path, program=FAULTY)
    assert "\x1b" not in ran.stdout + ran.stderr and "\r" not in ran.stderr
    wrong, end = [line for line in ran.stderr.splitlines() if not line.startswith("warning: ")]
    assert re.match(r"faults/wrong_label/blobs/n:300/\S+: wrong: ", wrong) and end == "[2/2]"


def test_version():
    ran = succeeded("--version")
    number = re.search(r"project\(kmbench VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    commit = r"([0-9a-f]{12}|unknown)( with uncommitted changes)?"
    assert re.fullmatch(rf"kmbench {re.escape(number)}, commit {commit}, \S+ [\d.]+, CUDA (none|[\d.]+)\n", ran.stdout)


def completions(*words: str, script: str) -> list[str]:
    """Bash's completions of the last word."""
    quoted = " ".join(f"'{word}'" for word in ("kmbench", *words))
    ask = f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _kmbench; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout.split()


COMPLETED = {
    "c": ["check", "ceilings", "compare", "claims", "coverage", "completion", "calibrate"],
    "run --prec": ["--precision"],
    "check --hu": ["--huge"],
    "run he2021/table3": ["he2021/table3"],
    "spectral --weights ": ["none", "sizes"],
    "run --implementation cpu/lloyd/naive": ["cpu/lloyd/naive", "cpu/lloyd/naive_soa"],
    "run --paper ": sorted(path.parent.name for path in (ROOT / "papers").glob("*/paper.toml")),
}


@pytest.mark.parametrize("args", ["--help", "--version", "list --json", "man", "env"])
def test_what_cannot_be_printed_is_told_and_a_reader_may_stop(args):
    command = shlex.join([str(KMBENCH), *args.split()])
    for into, told in [("> /dev/full", "kmbench: standard output: No space left on device\n2"), ("| true", "0")]:
        shell = ["bash", "-c", f"{command} {into}; echo ${{PIPESTATUS[0]}} >&2"]
        said = subprocess.run(shell, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=HOME).stderr
        assert said == told + "\n"


def test_completion_knows_commands_flags_and_names():
    script = kmbench("completion", "bash").stdout
    offered = {words: completions(*words.split(" "), script=script) for words in COMPLETED}
    assert offered == COMPLETED
    assert "household_part" in completions("run", "--dataset", "hou", script=script)
    assert completions("list", "", script=script)[:3] == ["implementations", "datasets", "exhibits"]


def test_completion_names_its_shells():
    assert kmbench("completion", "zsh").stdout.startswith("autoload -U +X compinit bashcompinit")
    fish = kmbench("completion", "fish")
    for accepted in ("bash", "zsh"):
        refused(fish, accepted)


def test_an_installed_program_finds_its_data(tmp_path):
    cmake = shutil.which("cmake")
    subprocess.run([cmake, "--install", BUILD, "--prefix", tmp_path / "usr"], check=True, capture_output=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {key: value for key, value in HOME.items() if key != "KMBENCH_HOME"}
    environment |= {"KMBENCH_PYTHON": sys.executable}
    installed = tmp_path / "usr/bin/kmbench"

    def run(*args: str) -> str:
        ran = subprocess.run([installed, *args], cwd=elsewhere, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert "he2021/table3" in run("list", "exhibits")
    one = flags(implementation="cpu/lloyd/naive", repetitions=1, iterations=2, out="lines")
    run("run", *flags(dataset="household_part", n=500, k=3), *one)
    (line,) = lines_of(elsewhere / "lines/adhoc.jsonl")
    assert line["skip"] is None and len(line["samples_s"]) == 1, "not skipped for want of data"
    assert "he2021" in run("claims", "--paper", "he2021", "--machine", "h200", "--out", "report")
    assert run("env", "--home") == f"{tmp_path}/usr/share/kmbench\n"
    assert ".SS kmbench fit" in (tmp_path / "usr/share/man/man1/kmbench.1").read_text()
    example = [cmake, "-S", ROOT / "examples/cmake", "-B", "example", f"-DCMAKE_PREFIX_PATH={tmp_path / 'usr'}"]
    for command in (example, [cmake, "--build", "example"]):
        subprocess.run(command, cwd=elsewhere, check=True, capture_output=True)
    clustered = subprocess.run(["example/cluster"], cwd=elsewhere, capture_output=True, text=True, env=environment)
    assert clustered.stdout in ("0 0 0 1 1 1 \n", "1 1 1 0 0 0 \n"), clustered.stderr
    checks = ["--plugin", "example/libmine.so", "--filter", "plugin/mine/fp64/(ties|k = n)"]
    assert "2 right, 0 wrong" in run("check", *checks)
