"""The fetcher against a server of our own that holds small made-up files."""

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from datasets import fetch

TEXT = b"date;a;b\r\n1/1;1.5;2\r\n1/2;?;3\r\n1/3;4;5.25\r\n"
POINTS = [[1.5, 2], [4, 5.25]]


class Handler(BaseHTTPRequestHandler):
    files: ClassVar[dict[str, bytes]] = {}
    ranges: ClassVar[list[str]] = []
    cut: ClassVar[dict[str, int]] = {}
    states: ClassVar[dict[str, str]] = {}  # a Content-Length that need not be true
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


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Handler.files, Handler.ranges, Handler.cut, Handler.states, Handler.moved = {}, [], {}, {}, {}
    monkeypatch.setattr(fetch, "SCHEMES", ("https", "http"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return out.getvalue()


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


def test_zip_at_the_second_address(server: str, tmp_path: Path) -> None:
    Handler.files["/b.zip"] = zipped(table=TEXT, other=b"x")
    assert run(tmp_path, [f"{server}/a.zip", f"{server}/b.zip"]) == 0
    points = np.load(tmp_path / "out/tiny.npy")
    assert points.dtype == np.float32
    assert points.tolist() == POINTS
    assert left(tmp_path) == ["tiny.npy"]


def test_gzip_member(server: str, tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    Handler.files["/t.gz"] = packed
    assert run(tmp_path, [f"{server}/t.gz"], member="table.csv.gz", body=packed) == 0
    assert np.load(tmp_path / "out/tiny.npy").tolist() == POINTS


def test_goes_on_where_it_was_cut(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Handler.files["/t"] = TEXT
    Handler.cut["/t"] = 20
    assert run(tmp_path, [f"{server}/t"]) == 1
    assert "20" in capsys.readouterr().err
    assert run(tmp_path, [f"{server}/t"]) == 0
    assert Handler.ranges == ["bytes=20-"]
    assert left(tmp_path) == ["tiny.npy"]


def test_wrong_bytes_are_refused(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Handler.files["/t"] = TEXT.replace(b"4", b"6")
    assert run(tmp_path, [f"{server}/t"]) == 1
    message = capsys.readouterr().err
    assert "refused" in message and "second-hand" in message and "this test" in message
    assert left(tmp_path) == []


@pytest.mark.parametrize(("rows", "n"), [(4, 2), (3, 1), (3, 3)])
def test_wrong_row_counts_are_refused(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: int, n: int
) -> None:
    Handler.files["/t"] = TEXT
    assert run(tmp_path, [f"{server}/t"], rows=rows, n=n) == 1
    assert "rows" in capsys.readouterr().err
    assert left(tmp_path) == []


def test_text_that_is_no_number(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = TEXT.replace(b"4", b"four")
    Handler.files["/t"] = body
    assert run(tmp_path, [f"{server}/t"], body=body) == 1
    assert "four" in capsys.readouterr().err
    assert left(tmp_path) == []


def encrypted() -> bytes:
    """A zip that says of its member that it is encrypted."""
    made = bytearray(zipped(table=TEXT))
    made[6] |= 1
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def packed(method: int, damage: int = 0) -> bytes:
    """A zip packed by `method`, with a byte of the member turned round."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("table", TEXT * 9)
    made = bytearray(out.getvalue())
    if damage:
        made[30 + len("table") + damage] ^= 0xFF
    return bytes(made)


def unknown_method() -> bytes:
    made = bytearray(zipped(table=TEXT))
    made[made.index(b"PK\x01\x02") + 10] = 99
    return bytes(made)


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table", bytes(8 << 20))
    return out.getvalue()


BROKEN = {
    "encrypted": (encrypted(), "encrypted"),
    "damaged": (packed(zipfile.ZIP_DEFLATED, 3), "tiny: http"),
    "damaged lzma": (packed(zipfile.ZIP_LZMA, 12), "tiny: http"),
    "an unknown method": (unknown_method(), "not supported"),
    "another member": (zipped(other=TEXT), "holds no table"),
    "cut in its middle": (packed(zipfile.ZIP_STORED)[:200], "refused"),
    "a bomb": (bomb(), "unpacks to more than"),
    "too long": (bytes((1 << 20) + 500), "refused: more than"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_archive(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    Handler.files["/t"], says = BROKEN[name]
    assert run(tmp_path, [f"{server}/t"]) == 1
    refused(tmp_path, capsys, says)


@pytest.mark.parametrize("size", ["abc", "-5", "1e3", "9" * 30, "\u0663"])
def test_a_length_that_is_none(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], size: str) -> None:
    Handler.files["/t"] = TEXT
    Handler.states["/t"] = size.encode().decode("latin-1")
    assert run(tmp_path, [f"{server}/t"]) == 1
    refused(tmp_path, capsys, "Content-Length")


def test_a_stated_length_past_the_limit_is_not_fetched(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Handler.files["/t"] = TEXT
    Handler.states["/t"] = str(1 << 40)
    assert run(tmp_path, [f"{server}/t"]) == 1
    refused(tmp_path, capsys, "refused: more than")


def test_the_limit_lets_the_tables_pass() -> None:
    """HIGGS is the longest file: 25 bytes a value and its separator."""
    tables = tomllib.loads(fetch.TABLES.read_text())
    assert fetch.most_bytes(tables["higgs"]) > 11_000_000 * 29 * 25
    urls = [url for table in tables.values() for url in table.get("fetch", {}).get("urls", [])]
    for url in urls:
        fetch.check_url(url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://example.org/t", "ftp://example.org/t", "t", "https://["])
def test_other_addresses_than_https(tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert run(tmp_path, [url]) == 1
    refused(tmp_path, capsys, "is no https address|not an address")


def test_a_redirection_to_another_kind_of_address(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Handler.moved["/t"] = "ftp://127.0.0.1/t"
    assert run(tmp_path, [f"{server}/t"]) == 1
    refused(tmp_path, capsys, "ftp://127.0.0.1/t is no https address")


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], says: str) -> None:
    """One line, and nothing is left."""
    message = capsys.readouterr().err
    assert re.fullmatch(r"fetch_datasets: [^\n]+\n", message) and re.search(says, message), message
    assert left(tmp_path) == []


def test_unknown_name() -> None:
    with pytest.raises(SystemExit):
        fetch.main(["nope"])


def test_the_script_runs_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/__init__.py").write_text("raise ImportError('a package of the same name')")
    ran = subprocess.run(
        [sys.executable, fetch.TABLES.parents[1] / "scripts/fetch_datasets", "nothing"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 2
    assert "unknown data set nothing; accepted: household, census1990" in ran.stderr


def test_what_travels_along_is_not_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fetch.main(["household_part"])
    assert "household_part is not fetched: it belongs to the project's folder datasets/real" in capsys.readouterr().err
