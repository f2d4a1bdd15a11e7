"""Fetches the real data sets of datasets/real.toml: download, check, convert to .npy. Run by kmbench fetch."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import http.client
import io
import lzma
import struct
import sys
import tomllib
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

TABLES = Path(__file__).with_name("real.toml")
CHUNK = 1 << 20
LINES = 50_000  # converted at a time
SCHEMES = ("https",)
VALUE_BYTES = 32  # most bytes of a value and its separator, as text
SPARE_BYTES = 1 << 20  # for a header line and the archive's own records


class FetchError(Exception):
    """One line for the user."""


# Errors of the connection, and of the decoders for an encrypted or damaged archive.
BROKEN = (
    *(http.client.HTTPException, OSError, RuntimeError, ValueError, EOFError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)


def check_url(url: str) -> None:
    try:
        scheme = urllib.parse.urlsplit(url).scheme
    except ValueError as error:
        raise FetchError(f"not an address: {error}") from error
    if scheme not in SCHEMES:
        raise FetchError(f"refused: {url} is no https address")


class Redirects(urllib.request.HTTPRedirectHandler):
    """Refuses a redirection to an address that is no https address."""

    def redirect_request(self, *args: Any) -> urllib.request.Request | None:
        check_url(args[-1])
        return super().redirect_request(*args)


def most_bytes(table: dict[str, Any]) -> int:
    """Upper bound of the bytes of this table's file, packed or unpacked."""
    recipe = table["fetch"]
    return recipe["rows"] * (table["d"] + len(recipe["drop"])) * VALUE_BYTES + SPARE_BYTES


def stated_size(answer: http.client.HTTPResponse) -> int:
    """Content-Length, or 0 where the server states none."""
    text = answer.headers.get("Content-Length") or "0"
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise FetchError(f"the server states a Content-Length of {text[:40]!r}, not a number of bytes")
    return int(text)


def download(url: str, part: Path, most: int) -> None:
    """Downloads `url` to `part`. Continues an earlier attempt if the server allows it."""
    check_url(url)
    done = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        answer = urllib.request.build_opener(Redirects).open(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is left to send; the hash decides
            return
        raise
    with answer:
        size, got, held = stated_size(answer), 0, done if answer.status == 206 else 0
        with part.open("ab" if held else "wb") as out:
            while held + max(got, size) <= most and (block := answer.read(CHUNK)):
                out.write(block)
                got += len(block)
    if held + max(got, size) > most:
        part.unlink()
        raise FetchError(f"refused: more than {most} bytes, which is more than this table can take")
    if got < size:
        raise FetchError(f"the connection ended after {got} of {size} bytes; run again to go on from there")


@contextmanager
def open_member(archive: Path, member: str) -> Iterator[BinaryIO]:
    """The member of a zip, or the download itself if it is no zip."""
    if not zipfile.is_zipfile(archive):
        with archive.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(archive) as zipped:
        found = [name for name in zipped.namelist() if Path(name).name == member]
        if not found:
            raise FetchError(f"the archive holds no {member}")
        with zipped.open(found[0]) as file:
            yield file


def check_hash(archive: Path, recipe: dict[str, Any], most: int) -> None:
    digest, size = hashlib.sha256(), 0
    with open_member(archive, recipe["member"]) as file:
        while block := file.read(CHUNK):
            digest.update(block)
            size += len(block)
            if size > most:
                raise FetchError(f"refused: {recipe['member']} unpacks to more than {most} bytes")
    if digest.hexdigest() != recipe["sha256"]:
        raise FetchError(
            f"{recipe['member']} has SHA-256 {digest.hexdigest()}, expected {recipe['sha256']}: refused "
            f"(the expected value is second-hand, recorded by {recipe['evidence']})"
        )


def convert(archive: Path, table: dict[str, Any], out: Path) -> None:
    """Writes the member's lines as an n x d float32 .npy, through a temporary file."""
    recipe, n, d = table["fetch"], table["n"], table["d"]
    part = out.with_name(out.name + ".part")
    missing, raw_rows, filled = recipe.get("missing"), 0, 0
    try:
        points = np.lib.format.open_memmap(part, mode="w+", dtype="<f4", shape=(n, d))
        with open_member(archive, recipe["member"]) as file:
            plain = gzip.GzipFile(fileobj=file) if recipe["member"].endswith(".gz") else file
            text = io.TextIOWrapper(plain, encoding="ascii")  # type: ignore[arg-type]
            if recipe.get("header"):
                next(text, "")
            while lines := list(islice(text, LINES)):
                lines = [line for line in lines if line.strip()]
                raw_rows += len(lines)
                if missing is not None:
                    lines = [line for line in lines if missing not in line]
                rows = parse(lines, recipe["separator"], recipe["drop"], d)
                if filled + len(rows) > n:
                    raise FetchError(f"more than the expected {n} rows")
                points[filled : filled + len(rows)] = rows
                filled += len(rows)
        if raw_rows != recipe["rows"] or filled != n:
            raise FetchError(f"{raw_rows} rows, {filled} of them complete; expected {recipe['rows']} and {n}")
        points.flush()
        del points
        part.rename(out)
    finally:
        part.unlink(missing_ok=True)


def parse(lines: list[str], separator: str, drop: list[int], d: int) -> np.ndarray:
    """Lines of numbers without the dropped columns, len(lines) x d."""
    if not lines:
        return np.empty((0, d), np.float32)
    columns = lines[0].count(separator) + 1
    if columns != d + len(drop):
        raise FetchError(f"{columns} columns, expected {d + len(drop)}")
    keep = [c for c in range(columns) if c not in drop]
    try:
        return np.loadtxt(lines, delimiter=separator, usecols=keep, dtype=np.float32, ndmin=2)
    except ValueError as error:
        raise FetchError(f"not a table of numbers: {error}") from error


def sample_image(name: str, out: Path) -> None:
    try:
        from sklearn.datasets import load_sample_image
    except ImportError as error:
        raise FetchError("scikit-learn, which bundles the picture, is not installed") from error
    pixels = load_sample_image(name).reshape(-1, 3)
    part = out.with_name(out.name + ".part")
    with part.open("wb") as file:
        np.save(file, pixels)
    part.rename(out)


def fetch(name: str, table: dict[str, Any], folder: Path) -> Path:
    """Returns the path of `name` in `folder`, fetched if missing. Throws FetchError with every address's error."""
    out, recipe = folder / table["file"], table["fetch"]
    if out.exists():
        return out
    folder.mkdir(parents=True, exist_ok=True)
    if "sample_image" in recipe:
        sample_image(recipe["sample_image"], out)
        return out
    complaints, most = [], most_bytes(table)
    for url in recipe["urls"]:
        part = folder / f"{name}.{hashlib.sha256(url.encode()).hexdigest()[:8]}.download.part"
        print(f"{name}: {url}", flush=True)
        try:
            download(url, part, most)
            try:
                check_hash(part, recipe, most)
                convert(part, table, out)
                return out
            finally:
                part.unlink(missing_ok=True)  # the part of an interrupted download stays
        except (FetchError, *BROKEN) as error:
            complaints.append(f"{url}: {error}")
    raise FetchError(" ".join(f"{name}: {'; '.join(complaints)}".split()))


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: list[str] | None = None, tables: Path = TABLES) -> int:
    every = tomllib.loads(tables.read_text())
    known = {name: table for name, table in every.items() if "fetch" in table}
    parser = Parser(prog="kmbench fetch", description="Fetch real data sets as .npy files.")
    parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(known))
    parser.add_argument("--out", type=Path, default=TABLES.parent.parent / "data", help="folder (default: data/)")
    options = parser.parse_args(arguments)
    if here := [name for name in options.names if name in every and name not in known]:
        parser.error(f"{here[0]} is not fetched: {every[here[0]]['advice']}")
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"unknown data set {unknown[0]}; accepted: {', '.join(known)}")
    if any(folder.exists() and not folder.is_dir() for folder in (options.out, *options.out.parents)):
        parser.error(f"--out {options.out}: not a folder")
    failed = 0
    for name in options.names:
        table = known[name]
        try:
            out = fetch(name, table, options.out)
            print(f"{name}: {out} ({table['n']} x {table['d']}); licence: {table['licence']}")
        except (FetchError, OSError) as error:
            print(f"kmbench fetch: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
