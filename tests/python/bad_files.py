"""Bad files as name to bytes: .npy, .npy.xz, .csv, exhibits and tables of data sets."""

import lzma
import re


def spaced(text: str) -> list[str]:
    """The items of a text, separated by two spaces or a newline."""
    return re.split(r"\s{2,}", text.strip())


def table(text: str) -> dict[str, list[str]]:
    """The items of each line by its first one. Lines of one name add up."""
    found: dict[str, list[str]] = {}
    for row in text.strip().splitlines():
        name, *values = spaced(row)
        found.setdefault(name, []).extend(values)
    return found


TYPE, ORDER, SHAPE = "'descr': '<f4', ", "'fortran_order': False, ", "'shape': (3, 2), "
VALUES = bytes(24)  # 3 x 2 floats


def npy(
    header: str | bytes, values: bytes = VALUES, version: tuple[int, int] = (1, 0), size: int | None = None
) -> bytes:
    text = header.encode() if isinstance(header, str) else header
    length = len(text) if size is None else size
    return b"\x93NUMPY" + bytes(version) + length.to_bytes(2 if version[0] < 2 else 4, "little") + text + values


def with_type(descr: str) -> bytes:
    return npy(f"{{'descr': {descr}, {ORDER}{SHAPE}}}\n")


def with_shape(shape: str) -> bytes:
    return npy(f"{{{TYPE}{ORDER}'shape': {shape}, }}\n")


GOOD = npy(f"{{{TYPE}{ORDER}{SHAPE}}}\n")

TYPES = spaced("""
    xf4  =f4  >f4  >f8  >i2  <f2  |O  |O8  <U3  |S4  <c8  <c16  |b1  <m8[ns]  <M8[D]  |V8  f4  <f44  <f  <u4  <u8  <f16
    4<f  <F4  float32
""")
TYPES += ["", "<f4 "]
SHAPES = spaced("""
    (3,)  ()  (3, 2, 1)  (-3, 2)  (3, -2)  (-3, -2)  (3 2)  (3.0, 2)  (3L, 2L)  (three, 2)  (+3, 2)  (0x3, 2)  (3; 2)
    (,)  (3, , 2)  (1e2, 2)  (None, 2)  (3, (2))  (99999999999999999999, 2)  (3, 99999999999999999999)  (0, 2)  (3, 0)
    (0, 0)  (4294967296, 4294967296)  (9223372036854775807, 2)  (2305843009213693952, 8)  (3, 100001)  (3, 4294967298)
    (1, 2147483648)  (4, 2)  (1000000000, 100)  (3, 3)  (2, 2)  (3, 1)
""")
PARTS = {"type": TYPE, "order": ORDER, "shape": SHAPE}
HEADERS = spaced("""
    {}  {type shape}  {order shape}  {type order}  {type type order shape}  {type order shape shape}
    {type order order shape}  {type order shape 'more': 1}  type order shape  {type order shape  {type order shape} {}
    {'descr': <f4, order shape}  {descr: '<f4', order shape}  {type 'fortran_order': None, shape}
    {type 'fortran_order': 'True', shape}  {type 'fortran_order': true, shape}  {type 'fortran_order': 0, shape}
    {'descr': '<f4, order shape}  {type order 'shape': (3, 2}  [type order shape]  {'descr' '<f4', order shape}
    {"descr": "<f4", order shape}  {'descr': '<f4'; order shape}
""")
HEADERS = [re.sub(r"(?<!')\b(type|order|shape)\b ?", lambda part: PARTS[part[1]], header) for header in HEADERS]
HEADERS += [" ", "\n", "{" * 500, "(" * 60_000, "{" + TYPE + " " * 60_000 + ORDER + SHAPE + "}"]
HEADERS += [f"{{'descr': {many}{ORDER}{SHAPE}}}" for many in ("'" + "<" * 900 + "', ", "[" * 900)]


def npy_files() -> dict[str, bytes]:
    files = {f"type {at}": with_type(f"'{descr}'") for at, descr in enumerate(TYPES)}
    files |= {f"shape {at}": with_shape(shape) for at, shape in enumerate(SHAPES)}
    files |= {f"header {at}": npy(header) for at, header in enumerate(HEADERS)}
    files |= {
        f"version {major}.{minor}": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=(major, minor))
        for major, minor in [(0, 0), (4, 0), (9, 0), (255, 255), (1, 1), (2, 9)]
    }
    files |= {f"cut after {size}": GOOD[:size] for size in (0, 1, 5, 6, 8, 10, 11, 12, 40, 69, -25, -24, -1)}
    files |= {
        "structured": with_type("[('x', '<f4'), ('y', '<f4')]"),
        "nested type": with_type("('<f4', (2,))"),
        "type without quotes": with_type("float"),
        "long header of version 2": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=(2, 0), size=0xFFFFFFFF),
        "header past the end": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", size=500),
        "header shorter than it is": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", size=20),
        "header of no bytes": npy("", size=0),
        "more values": GOOD + b"\0",
        "two arrays": GOOD + GOOD,
        "another magic": b"\x93NUMPX" + GOOD[6:],
        "text": b"1,2\n3,4\n",
        "a zip": b"PK\x03\x04" + GOOD,
        "NUL in the header": npy(f"{{{TYPE}\0{ORDER}{SHAPE}}}"),
        "no UTF-8 in the header": npy(b"{'descr': '\xff\xfe', 'fortran_order': False, 'shape': (3, 2), }"),
        "a line break in the type": with_type("'<f\n4'"),
        "nan": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", bytes(20) + b"\0\0\xc0\x7f"),
        "inf": npy(f"{{{TYPE}{ORDER}{SHAPE}}}", bytes(20) + b"\0\0\x80\x7f"),
        "infinite in fp32": npy(
            "{'descr': '<f8', " + ORDER + "'shape': (3, 1), }", b"\x9c\x75\x00\x88\x3c\xe4\x37\x7e" * 3
        ),
    }
    return {f"{name}.npy": content for name, content in files.items()}


def xz_files() -> dict[str, bytes]:
    packed = lzma.compress(GOOD)
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 1
    zeros = lzma.LZMACompressor()
    bomb = zeros.compress(GOOD) + b"".join(zeros.compress(bytes(1 << 20)) for _ in range(300)) + zeros.flush()
    dictionary = lzma.compress(GOOD, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    files = {
        "longer than its header": lzma.compress(GOOD + b"\0"),
        "of 300 MiB": bomb,
        "shorter than its header": lzma.compress(GOOD[:-1]),
        "header only": lzma.compress(GOOD[:60]),
        "nothing packed": lzma.compress(b""),
        "cut short": packed[:-10],
        "cut in its header": packed[:8],
        "damaged": bytes(damaged),
        "not packed": GOOD,
        "garbage after it": packed + b"garbage",
        "two arrays": packed + packed,
        "with a dictionary of 1 GiB": dictionary,
        "lzma alone": lzma.compress(GOOD, format=lzma.FORMAT_ALONE),
        "of 8 TB": lzma.compress(with_shape("(1000000000000, 2)")),
        "of 2 EB": lzma.compress(with_shape("(1000000000000000000, 2)")),
        "of another version": lzma.compress(npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=(9, 0))),
        "of a long header": lzma.compress(npy("(" * 60_000)),
        "text": lzma.compress(b"1,2\n3,4\n"),
    }
    return {f"{name}.npy.xz": content for name, content in files.items()}


CELLS = spaced("""
    +-1  ++1  -+1  --1  0x10  1e  1e+  e5  1_000  1 000  1'000  1.2.3  .  -  +  "  ""  "1  1"  "1"2  "1,5"  "1 2"  NaN
    nan(1)  inf  -Infinity  1e999  -1e999  1e400  one  ?  NA  null  None  #N/A  1f  1.0f  0b1  1e5x  １  ٣  ½  1−2  true
    =1+1  $1  1%  (1)  1/2  2026-01-01  12:30
""")
CELLS += ["", "\x01", "1\x00", "\x1b[31m1", "1\xa0", "\u2028"]
FIRST_ROWS = spaced("""
    nan,nan  NA,n/a  ?,?  +-1,+-2  inf,inf  null,None  0x1,0x2  -,-  1e999,1e999  1;2,3  1,5;2,5  ,  "1,5","2,5"  １,２
""")


def csv_files() -> dict[str, bytes]:
    files = {f"cell {at}": f"1,2\n3,{cell}\n5,6\n".encode() for at, cell in enumerate(CELLS)}
    files |= {f"first row {at}": f"{row}\n1,2\n3,4\n".encode() for at, row in enumerate(FIRST_ROWS)}
    files |= {
        "empty": b"",
        "blank": b" \n\n \r\n",
        "a header only": b"x,y\n",
        "a mark only": b"\xef\xbb\xbf",
        "UTF-16 little": "1,2\n3,4\n".encode("utf-16"),
        "UTF-16 big": b"\xfe\xff" + "1,2\n".encode("utf-16-be"),
        "UTF-32": "1,2\n3,4\n".encode("utf-32-le"),
        "no UTF-8": b"1,2\n3,\xff\xfe\n",
        "a row too short": b"1,2\n3\n",
        "a row too long": b"1,2\n3,4,5\n",
        "a comma at the end": b"1,2,\n3,4,\n",
        "old line breaks": b"1,2\r3,4\r",
        "two headers": b"x,y\na,b\n1,2\n",
        "a comment after numbers": b"1,2 # two\n3,4\n",
        "two separators": b"1,2\n3;4\n",
        "empty cells between tabs": b"1\t\t2\n3\t\t4\n",
        "100001 columns": b"1," * 100_000 + b"1\n",
        "a line of 5 MB": b"1" * 5_000_000,
        "NULs": bytes(1000),
        "infinite in fp32": b"1,2\n3,1e39\n",
        "an image": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "columns of words": b"name,colour\nrose,red\n",
        "a quote over two lines": b'1,"2\n3",4\n',
        "a mark in the middle": b"1,2\n\xef\xbb\xbf3,4\n",
    }
    return {f"{name}.csv": content for name, content in files.items()}


SWEEP = """kind = "table"
[[sweep]]
implementation = "cpu/lloyd/naive"
dataset = "blobs"
n = 100
k = 3
"""
KIND = 'kind = "table"\n'
AXES = table(r"""
    implementation  "cpu/lloyd/none"  ""  3  []  "cpu/lloyd/.*"  "../impl/cpu/lloyd/naive"  ["cpu/lloyd/naive", "x"]  {}
    implementation  "a\nb"
    dataset  "none"  ""  3  true  "none.npy"  "/etc/passwd"  "../blobs"  "blobs\u0000"
    n  0  -1  1.5  1e30  nan  inf  "many"  true  []  [1, [2]]  "1:2"  "1:1e9:+1"  "0:0:x2"  "10:1:x10"  1979-05-27
    n  { a = 1 }  9223372036854775807
    d  0  -2  1_000_000  4294967298  100_001  2.5  "two"
    k  0  -1  101  4294967299  3.5  "three"  [3, 0]  "1:3:*2"  "1:200:+1"
    precision  "fp16"  32  ""  ["fp32", "half"]
    init  "best"  ""  1  "none.npy"  "/dev/null"  "/dev/zero.npy"
    init_seed  -1  1.5  "one"  1e300
    iterations  0  -1  1.5  1e10  "ten"
    tolerance  -0.1  1.5  nan  "none"
    repetitions  0  1e7  2.5  "five"
    warmup  -1  1e7  "one"
    judge_seed  -1  1.5  "one"  1e300
    set.packages  1
    set  3  "packages=1"
    data.sigma2  "wide"  -1  nan
    data.nothing  1
    data.groups  -1  1.5  1e12
    data.seed  -1  0.5  1e300
    data  []
    packages  3
    sweep  3
""")
LINES = spaced("""
    number = 3  title = [1]  profile = 3  profile.paper.n = 3  profile.quick = 3  labels = []  table = 3  figure = "bar"
    paper = 3  claim = 3  notes = "text"  machine = 1  reuse = 3  reuse = []  reuse = [1]  reuse = [["a/b"]]
    reuse = "none"  reuse = "he2021/none"  reuse = "he2021/figure4"  reuse = "../papers/he2021/table3"
    reuse = "bad/one"  sweep = 3  sweep = [1, 2]  defaults = 3
    profile.quick.sweep = 3  [sweep]  [tabel]  kind = 3  x  = 3  x = "  x = 1e  x = 0x  [[sweep]
    x = [1,, 2]  x = {a = 1, a = 2}  x = 99999999999999999999  [[table]]
""")
LINES += ['title = "a\\nb"', "x = ", "x = 1\nx = 2", 'x = """', "[a\n", "\x00", "x = \x01", "\\"]


def exhibits() -> dict[str, bytes]:
    dotted = ".".join(["a"] * 100_000)
    files = {f"axis {name} {at}": axis(name, value) for name, values in AXES.items() for at, value in enumerate(values)}
    files |= {f"line {at}": (KIND + line + "\n").encode() for at, line in enumerate(LINES)}
    numbers = ", ".join(map(str, range(1, 1001)))
    files |= {
        "no sweep": KIND.encode(),
        "empty": b"",
        "no kind": SWEEP.replace(KIND, "").encode(),
        "another kind": SWEEP.replace("table", "drawing").encode(),
        "no implementation": SWEEP.replace("implementation", "n#").encode(),
        "no data set": SWEEP.replace("dataset", "d = 2 #").encode(),
        "no k": SWEEP.replace("k = 3", "").encode(),
        "a dotted key of 100000 parts": (KIND + dotted + " = 1\n").encode(),
        "a table of 100000 parts": (KIND + f"[{dotted}]\n").encode(),
        "a list of tables of 17 parts": (KIND + "[[" + ".".join("abcdefghijklmnopq") + "]]\n").encode(),
        "100000 open brackets": (KIND + "x = " + "[" * 100_000).encode(),
        "100000 open braces": (KIND + "x = " + "{a=" * 100_000).encode(),
        "17 brackets": (KIND + "x = " + "[" * 17 + "]" * 17).encode(),
        "100000 sweeps": (KIND + "[[sweep]]\n" * 100_000).encode(),
        "1001 sweeps": (KIND + SWEEP.replace(KIND, "") * 1001).encode(),
        "a million cases": axis("init_seed", f"[{numbers}]", f"iterations = [{numbers}]\n"),
        "a billion cases": axis("init_seed", f"[{numbers}]", f"iterations = [{numbers}]\nrepetitions = [{numbers}]\n"),
        "100001 cases in two sweeps": axis("init_seed", f"[{numbers}]", f"iterations = [{numbers[:390]}]\n")
        + SWEEP.replace(KIND, "").encode(),
        "no UTF-8": (KIND + "title = ").encode() + b'"\xff\xfe"\n',
        "UTF-16": SWEEP.encode("utf-16"),
        "2 MB": (KIND + "#" * 2_000_000).encode(),
        "NULs": bytes(100),
        "a binary": b"\x7fELF\x02\x01\x01" + bytes(64),
        "a name of 60 kB": axis("implementation", '"' + "x" * 60_000 + '"'),
        "a range of 60 kB": axis("n", '"' + ":" * 60_000 + '"'),
        "a key of 60 kB": (KIND + "x" * 60_000 + " = 1\n").encode(),
    }
    return {f"{name}.toml": content for name, content in files.items()}


def axis(name: str, value: str, more: str = "") -> bytes:
    kept = "".join(line + "\n" for line in SWEEP.splitlines() if not line.startswith(f"{name} ="))
    return f"{kept}{more}{name} = {value}\n".encode()


MADE = '[made]\ngenerator = "balls"\nn = 10\nd = 2\nk = 2\n'
FIELDS = spaced("""
    n = -1  n = 0  n = 1.5  n = "ten"  n = true  n = nan  n = 9223372036854775807  d = 0  d = 4294967298  d = 1_000_000
    k = 0  k = [2]  k = 4294967298  seed = -1  seed = "x"  seed = 9223372036854775807  summary = 3  licence = []
    source = {}  settings = 3  settings = []  settings = { radius = "one" }  settings = { radius = inf }
    settings = { sigma = 1 }  sigma2 = 3  advice = 1  file = 3
""")
FIELDS += ['summary = "a\\nb"']
CENTROIDS = spaced("""
    [1, 2, 3, 4]  [[1, 2], [3]]  [[1, 2]]  [[1, 2], [3, "four"]]  ["one", "two"]  [[1, 2], [3, nan]]  3  "none"  []
    [[], []]  [[1, 2], [3, 4], [5, 6]]  [[1, 2, 3], [4, 5, 6]]  { a = 1 }  [[true, false], [true, false]]  [[1, 2], 3]
""")


def tables() -> dict[str, bytes]:
    """Tables of data sets, each for a folder of its own."""
    files = {f"field {at}": f'[made]\ngenerator = "balls"\n{line}\n' for at, line in enumerate(FIELDS)}
    files |= {f"centroids {at}": MADE + f"centroids = {rows}\n" for at, rows in enumerate(CENTROIDS)}
    files |= {
        "unknown generator": '[made]\ngenerator = "cubes"\n',
        "generator of a wrong type": "[made]\ngenerator = 3\n",
        "neither generator nor file": '[made]\nsummary = "nothing"\n',
        "file with a folder": '[made]\nfile = "../made.npy"\n',
        "file of another kind": '[made]\nfile = "made.txt"\n',
        "no table": "made = 3\n",
        "a list of tables": "[[made]]\nn = 3\n",
        "a name with a slash": '["a/b"]\ngenerator = "balls"\n',
        "a name of two lines": '["a\\nb"]\ngenerator = "balls"\n',
        "an empty name": '[""]\ngenerator = "balls"\n',
        "a key twice": "[made]\nn = 1\nn = 2\n",
        "a table twice": MADE + MADE,
        "deep": "[" + ".".join(["a"] * 100_000) + "]\n",
        "brackets": MADE + "centroids = " + "[" * 100_000,
        "malformed": "[made\n",
        "long": "#" * 2_000_000,
    }
    return {name: text.encode() for name, text in files.items()}
