"""The fetcher against a local server with small made-up files. The real data in the repository."""

import gzip
import hashlib
import io
import lzma
import re
import threading
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from built import kmbench, needs_kmbench
from conftest import ROOT, cases

from datasets import fetch

TEXT = b"date;a;b\r\n1/1;1.5;2\r\n1/2;?;3\r\n1/3;4;5.25\r\n"
IN_THE_REPOSITORY = "household_part is not fetched: it belongs to the project's folder datasets/real"
POINTS = [[1.5, 2], [4, 5.25]]


class Handler(BaseHTTPRequestHandler):
    files: ClassVar[dict[str, bytes]] = {}
    ranges: ClassVar[list[str]] = []
    cut: ClassVar[dict[str, int]] = {}
    states: ClassVar[dict[str, str]] = {}  # the Content-Length to send, true or not
    moved: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        if self.path in self.moved:
            self.send_response(302)
            self.send_header("Location", self.moved[self.path])
            self.end_headers()
            return
        body = self.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        first = 0
        if asked := self.headers.get("Range"):
            self.ranges.append(asked)
            first = int(asked.removeprefix("bytes=").removesuffix("-"))
            if first >= len(body):
                self.send_error(416)
                return
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", self.states.get(self.path, str(len(body) - first)))
        self.end_headers()
        self.wfile.write(body[first : self.cut.pop(self.path, len(body))])

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Says nothing: a client that refuses a file hangs up, and only its own words are judged."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Handler.files, Handler.ranges, Handler.cut, Handler.states, Handler.moved = {}, [], {}, {}, {}
    monkeypatch.setattr(fetch, "SCHEMES", ("https", "http"))
    with Server(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return out.getvalue()


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """Asserts that fetching ends with code 1 and one line, and leaves no file."""

    def check(url: str, says: str, **more: object) -> None:
        assert run(tmp_path, [url], **more) == 1
        message = capsys.readouterr().err
        assert re.fullmatch(r"kmbench fetch: [^\n]+\n", message) and re.search(says, message), message
        assert left(tmp_path) == []

    return check


def run(tmp_path: Path, urls: list[str], member: str = "table", body: bytes = TEXT, rows: int = 3, n: int = 2) -> int:
    tables = tmp_path / "made_up.toml"
    tables.write_text(f"""
[tiny]
file = "tiny.npy"
n = {n}
d = 2
licence = "none"
[tiny.fetch]
urls = {urls}
member = "{member}"
sha256 = "{hashlib.sha256(body).hexdigest()}"
evidence = "this test"
rows = {rows}
separator = ";"
header = true
missing = "?"
drop = [0]
""")
    return fetch.main(["tiny", "--out", str(tmp_path / "out")], tables)


def left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "out").iterdir())


def test_zip_at_the_second_address(server, tmp_path):
    Handler.files["/b.zip"] = zipped(table=TEXT, other=b"x")
    assert run(tmp_path, [f"{server}/a.zip", f"{server}/b.zip"]) == 0
    points = np.load(tmp_path / "out/tiny.npy")
    assert points.dtype == np.float32
    assert points.tolist() == POINTS
    assert left(tmp_path) == ["tiny.npy"]


def test_gzip_member(server, tmp_path):
    packed = gzip.compress(TEXT)
    Handler.files["/t.gz"] = packed
    assert run(tmp_path, [f"{server}/t.gz"], member="table.csv.gz", body=packed) == 0
    assert np.load(tmp_path / "out/tiny.npy").tolist() == POINTS


def test_a_cut_download_goes_on(server, tmp_path, capsys):
    Handler.files["/t"] = TEXT
    Handler.cut["/t"] = 20
    assert run(tmp_path, [f"{server}/t"]) == 1
    assert "20" in capsys.readouterr().err
    assert run(tmp_path, [f"{server}/t"]) == 0
    assert Handler.ranges == ["bytes=20-"]
    assert left(tmp_path) == ["tiny.npy"]


def changed(archive: bytes, **places: int) -> bytes:
    """A zip of one member with bytes of its local and central headers replaced."""
    made = bytearray(archive)
    central = made.index(b"PK\x01\x02")
    for name, value in places.items():
        made[{"flags": 6, "central_flags": central + 8, "central_method": central + 10}[name]] = value
    return bytes(made)


def packed(method: int, damage: int = 0, content: bytes = TEXT * 9) -> bytes:
    """A zip packed by `method`, with one byte of the member inverted."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("table", content)
    made = bytearray(out.getvalue())
    if damage:
        made[30 + len("table") + damage] ^= 0xFF
    return bytes(made)


WORDS = TEXT.replace(b"4", b"four")
BROKEN = {  # a file, what is said of it, and what the table of data sets says of it
    "other bytes": (TEXT.replace(b"4", b"6"), "refused .*second-hand.* this test", {}),
    "encrypted": (changed(zipped(table=TEXT), flags=1, central_flags=1), "encrypted", {}),
    "damaged": (packed(zipfile.ZIP_DEFLATED, 3), "tiny: http", {}),
    "damaged lzma": (packed(zipfile.ZIP_LZMA, 12), "tiny: http", {}),
    "an unknown method": (changed(zipped(table=TEXT), central_method=99), "not supported", {}),
    "another member": (zipped(other=TEXT), "holds no table", {}),
    "cut in its middle": (packed(zipfile.ZIP_STORED)[:200], "refused", {}),
    "a bomb": (packed(zipfile.ZIP_DEFLATED, content=bytes(8 << 20)), "unpacks to more than", {}),
    "too long": (bytes((1 << 20) + 500), "refused: more than", {}),
    "a word for a number": (WORDS, "four", {"body": WORDS}),
    "too few rows": (TEXT, "rows", {"rows": 4, "n": 2}),
    "too many points": (TEXT, "rows", {"rows": 3, "n": 1}),
    "too few points": (TEXT, "rows", {"rows": 3, "n": 3}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file(server, refused, name):
    Handler.files["/t"], says, more = BROKEN[name]
    refused(f"{server}/t", says, **more)


LENGTHS = dict.fromkeys(["abc", "-5", "1e3", "9" * 30, "\u0663"], "Content-Length")


@pytest.mark.parametrize(("size", "says"), {**LENGTHS, str(1 << 40): "refused: more than"}.items())
def test_a_length_that_is_no_number_or_too_large(server, refused, size, says):
    Handler.files["/t"] = TEXT
    Handler.states["/t"] = size.encode().decode("latin-1")
    refused(f"{server}/t", says)


def test_the_limit_lets_the_tables_pass():
    """HIGGS is the longest file: 25 bytes a value and its separator."""
    tables = tomllib.loads(fetch.TABLES.read_text())
    assert fetch.most_bytes(tables["higgs"]) > 11_000_000 * 29 * 25
    urls = [url for table in tables.values() for url in table.get("fetch", {}).get("urls", [])]
    for url in urls:
        fetch.check_url(url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://example.org/t", "ftp://example.org/t", "t", "https://["])
def test_other_addresses_than_https(refused, url):
    refused(url, "is no https address|not an address")


def test_a_redirection_to_another_kind_of_address(server, refused):
    Handler.moved["/t"] = "ftp://127.0.0.1/t"
    refused(f"{server}/t", "ftp://127.0.0.1/t is no https address")


@needs_kmbench
def test_the_command_runs_from_any_folder(tmp_path):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/__init__.py").write_text("raise ImportError('a package of the same name')")
    ran = kmbench("fetch", "nothing", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert ran.returncode == 2
    assert "unknown data set nothing; accepted: household, census1990" in ran.stderr


@cases(
    "words said",
    (["nope"], "unknown data set nope"),
    (["household_part"], IN_THE_REPOSITORY),
    (["household", "--out", "/dev/full"], "--out /dev/full: not a folder"),
)
def test_what_cannot_be_fetched(capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        fetch.main(words)
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1) and said in error


FOLDER = ROOT / "datasets/real"
TABLES = tomllib.loads((ROOT / "datasets/real.toml").read_text())
FILES = sorted(FOLDER.glob("*.npy.xz"))


def test_two_sets_travel_along():
    assert [file.name for file in FILES] == ["household_part.npy.xz", "kdd99_part.npy.xz"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_what_its_table_says_and_is_attributed(file):
    table, text = TABLES[file.name.removesuffix(".npy.xz")], (FOLDER / "ATTRIBUTION.md").read_text()
    with lzma.open(file) as packed:
        head = io.BytesIO(packed.read(4096))
    np.lib.format.read_magic(head)
    shape, _, kind = np.lib.format.read_array_header_1_0(head)
    assert (shape, kind, table["file"]) == ((table["n"], table["d"]), np.float32, file.name)
    assert f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" in text
    assert table["licence"] == "CC BY 4.0" and "Creative Commons Attribution 4.0" in text
