"""Bad files and what is said of them: .npy, .npy.xz, .csv, exhibits and tables of data sets."""

import lzma
import re
from collections.abc import Callable

Files = dict[str, tuple[bytes, str]]  # by name: the content, and a pattern for what is said of it


def spaced(text: str) -> list[str]:
    """The items of a text, separated by two spaces or a newline."""
    return re.split(r"\s{2,}", text.strip())


def table(text: str) -> dict[str, list[str]]:
    """The items of each line by its first one. Lines of one name add up; an indented line continues the one above."""
    found: dict[str, list[str]] = {}
    name = ""
    for row in text.strip("\n").splitlines():
        items = spaced(row)
        if not row.startswith(" " * 8):
            name = items.pop(0)
        found.setdefault(name, []).extend(items)
    return found


def numbered(kind: str, groups: dict[str, list[str]], made: Callable[[str], bytes]) -> Files:
    """A file for each item."""
    return {f"{kind} {at}": (made(item), said) for at, (item, said) in enumerate(pairs(groups))}


def pairs(groups: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Each item with what is said of it, in which ITEM stands for the item, `NAME = VALUE` or --NAME=VALUE."""
    return [(item, with_names(said, item)) for said, items in groups.items() for item in items]


def with_names(said: str, item: str) -> str:
    name, _, value = item.lstrip("-").replace(" = ", "=", 1).partition("=")
    for word, text in (("ITEM", item), ("NAME", name), ("VALUE", value)):
        said = said.replace(word, re.escape(text))
    return said


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

TYPES = table("""
    values of type 'ITEM' .* f4, f8  xf4  =f4  >f4  >f8  >i2  |O  |O8  <U3  |S4  <c8  <c16  |b1  <m8[ns]  <M8[D]  |V8
        f4  <f44  <f  <u4  <u8  <f16  4<f  <F4  float32
    goes on after  <f2
""")
TYPES["values of type 'ITEM' .* f4, f8"] += ["", "<f4 ", "<" * 900]
SHAPES = table(r"""
    neither rows, rows x columns nor an image of h x w x 3 or 4  (3 ,,)  ()  (3, 2, 1)  (-3, 2)  (3, -2)  (-3, -2)
        (3 2)  (3.0, 2)  (3L, 2L)  (three, 2)  (+3, 2)  (0x3, 2)  (3; 2)  (,)  (3, , 2)  (1e2, 2)  (None, 2)  (3, (2))
        (99999999999999999999, 2)  (3, 99999999999999999999)  (1, 1, 2, 3)
    ITEM holds no points  (0, 2)  (3, 0)  (0, 0)  (0, 2, 3)
    ITEM is out of range  (4294967296, 4294967296)  (9223372036854775807, 2)  (2305843009213693952, 8)  (3, 100001)
        (3, 4294967298)  (1, 2147483648)  (4611686018427387904, 4611686018427387904, 3)
    cut short, \d+ bytes where header and values take  (4, 2)  (1000000000, 100)  (3, 3)
    goes on after the \d+ bytes  (2, 2)  (3, 1)  (3,)
""")
PARTS = {"type": TYPE, "order": ORDER, "shape": SHAPE}
HEADERS = spaced("""
    {}  {type shape}  {order shape}  {type order}  {type type order shape}  {type order shape shape}
    {type order order shape}  {type order shape 'more': 1}  type order shape  {type order shape  {type order shape} {}
    {'descr': <f4, order shape}  {descr: '<f4', order shape}  {type 'fortran_order': None, shape}
    {type 'fortran_order': 'True', shape}  {type 'fortran_order': true, shape}  {type 'fortran_order': 0, shape}
    {type order 'shape': (3, 2}  [type order shape]  {'descr' '<f4', order shape}
    {"descr": "<f4", order shape}  {'descr': '<f4'; order shape}
""")
HEADERS = [re.sub(r"(?<!')\b(type|order|shape)\b ?", lambda part: PARTS[part[1]], header) for header in HEADERS]
HEADERS += [" ", "\n", "{" * 500]
FORM = r"the header is not of the form \{'descr': '<f4', 'fortran_order': False, 'shape': \(rows, columns\)\}"
STRUCTURED = "structured values are not read"
SPOILT = {
    FORM: HEADERS,
    "values of type '<f4, ' are not read": [f"{{'descr': '<f4, {ORDER}{SHAPE}}}"],
    r"a header of 600\d\d bytes; accepted: up to 1024": ["(" * 60_000, "{" + TYPE + " " * 60_000 + ORDER + SHAPE + "}"],
    STRUCTURED: [f"{{'descr': {'[' * 900}{ORDER}{SHAPE}}}"],
}


def npy_files() -> Files:
    cuts = {"empty file": [0], "not a .npy file": [1, 5, 6, 8, 10, 11], "the header is cut short": [12, 40, 69, -25]}
    cuts["cut short, .. bytes where header and values take 94"] = [-24, -1]
    files = numbered("type", TYPES, lambda descr: with_type(f"'{descr}'")) | numbered("shape", SHAPES, with_shape)
    files |= numbered("header", SPOILT, npy)
    files |= {f"cut after {size}": (GOOD[:size], said) for said, sizes in cuts.items() for size in sizes}
    for version in [(0, 0), (4, 0), (9, 0), (255, 255), (1, 1), (2, 9)]:
        name = "version {}.{}".format(*version)
        files[name] = (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=version), rf"{name} .*1\.0, 2\.0, 3\.0")
    files |= {
        "structured": (with_type("[('x', '<f4'), ('y', '<f4')]"), STRUCTURED),
        "an image in another order": (npy(f"{{{TYPE}'fortran_order': True, 'shape': (1, 2, 3)}}"), "Fortran"),
        "packed by gzip": (b"\x1f\x8b\x08\x00 packed", "gzip-compressed; unpack it first"),
        "nested type": (with_type("('<f4', (2,))"), FORM),
        "type without quotes": (with_type("float"), FORM),
        "long header of version 2": (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=(2, 0), size=0xFFFFFFFF), "up to 1024"),
        "header past the end": (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", size=500), "the header is cut short"),
        "header shorter than it is": (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", size=20), FORM),
        "header of no bytes": (npy("", size=0), FORM),
        "more values": (GOOD + b"\0", "goes on after the 94 bytes"),
        "two arrays": (GOOD + GOOD, "goes on after the 94 bytes"),
        "another magic": (b"\x93NUMPX" + GOOD[6:], "not a .npy file"),
        "text": (b"1,2\n3,4\n", "not a .npy file"),
        "a zip": (b"PK\x03\x04" + GOOD, "not a .npy file"),
        "NUL in the header": (npy(f"{{{TYPE}\0{ORDER}{SHAPE}}}"), FORM),
        "no UTF-8 in the header": (
            npy(b"{'descr': '\xff\xfe', 'fortran_order': False, 'shape': (3, 2), }"),
            r"values of type '\?\?'",
        ),
        "a line break in the type": (with_type("'<f\n4'"), r"values of type '<f\?4'"),
        "nan": (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", bytes(20) + b"\0\0\xc0\x7f"), "row 3, column 2: nan is not a finite"),
        "inf": (npy(f"{{{TYPE}{ORDER}{SHAPE}}}", bytes(20) + b"\0\0\x80\x7f"), "row 3, column 2: inf is not a finite"),
        "infinite in fp32": (
            npy("{'descr': '<f8', " + ORDER + "'shape': (3, 1), }", b"\x9c\x75\x00\x88\x3c\xe4\x37\x7e" * 3),
            r"row 1, column 1: 1e\+300 is not a finite fp32 number",
        ),
    }
    return {f"{name}.npy": file for name, file in files.items()}


def xz_files() -> Files:
    packed = lzma.compress(GOOD)
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 1
    zeros = lzma.LZMACompressor()
    bomb = zeros.compress(GOOD) + b"".join(zeros.compress(bytes(1 << 20)) for _ in range(300)) + zeros.flush()
    dictionary = lzma.compress(GOOD, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    files = {
        "longer than its header": (lzma.compress(GOOD + b"\0"), "goes on after the 94 bytes"),
        "of 300 MiB": (bomb, "goes on after the 94 bytes"),
        "shorter than its header": (lzma.compress(GOOD[:-1]), "cut short, 93 bytes"),
        "header only": (lzma.compress(GOOD[:60]), "the header is cut short"),
        "nothing packed": (lzma.compress(b""), "not a .npy file"),
        "cut short": (packed[:-10], "cut short, the packed content goes on"),
        "cut in its header": (packed[:8], "cut short, the packed content goes on"),
        "damaged": (bytes(damaged), "the packed content is damaged"),
        "not packed": (GOOD, "not an .xz file"),
        "garbage after it": (packed + b"garbage", "cut short, the packed content goes on"),
        "two arrays": (packed + packed, "goes on after the 94 bytes"),
        "with a dictionary of 1 GiB": (dictionary, "unpacking takes more than 80 MiB"),
        "lzma alone": (lzma.compress(GOOD, format=lzma.FORMAT_ALONE), "not an .xz file"),
        "of 8 TB": (lzma.compress(with_shape("(1000000000000, 2)")), "GiB of memory are free"),
        "of 2 EB": (lzma.compress(with_shape("(1000000000000000000, 2)")), "out of range"),
        "of another version": (lzma.compress(npy(f"{{{TYPE}{ORDER}{SHAPE}}}", version=(9, 0))), r"version 9\.0"),
        "of a long header": (lzma.compress(npy("(" * 60_000)), "up to 1024"),
        "text": (lzma.compress(b"1,2\n3,4\n"), "not a .npy file"),
    }
    return {f"{name}.npy.xz": file for name, file in files.items()}


CELLS = table("""
    line 2, column 2: 'ITEM' is not a number  +-1  ++1  -+1  --1  0x10  1e  1e+  e5  1_000  1 000  1'000  1.2.3  .  -
        +  "  "1  1"  "1"2  1 2  NaN  nan(1)  inf  -Infinity  one  ?  NA  null  None  #N/A  1f  1.0f  0b1  1e5x  １  ٣
        ½  1−2  true  =1+1  $1  1%  (1)  1/2  2026-01-01  12:30
    line 2, column 2: 'ITEM' is past fp64  1e999  -1e999  1e400
    line 2, column 2: '1[ ,][25]' is not a number  "1,5"  "1 2"
    line 2, column 2: '' is not a number  ""
""")
CELLS["line 2, column 2: '' is not a number"] += [""]
CELLS["line 2, column 2: '.*' is not a number"] = ["\x01", "1\x00", "\x1b[31m1", "1\xa0", "\u2028"]
FIRST_ROWS = table("""
    line 1, column 1: '.*' is not a number  nan,nan  NA,n/a  ?,?  +-1,+-2  inf,inf  null,None  0x1,0x2  -,-  1;2,3  ,
        "1,5","2,5"  "1,5";"2,5"  １,２
    line 1, column 2: '5;2' is not a number  1,5;2,5
    line 1, column 1: '1e999' is past fp64  1e999,1e999
""")


def csv_files() -> Files:
    files = numbered("cell", CELLS, lambda cell: f"1,2\n3,{cell}\n5,6\n".encode())
    files |= numbered("first row", FIRST_ROWS, lambda row: f"{row}\n1,2\n3,4\n".encode())
    files |= {
        "empty": (b"", "empty file"),
        "blank": (b" \n\n \r\n", "no rows"),
        "a header only": (b"x,y\n", "a header and no rows"),
        "a mark only": (b"\xef\xbb\xbf", "no rows"),
        "UTF-16 little": ("1,2\n3,4\n".encode("utf-16"), "UTF-16"),
        "UTF-16 big": (b"\xfe\xff" + "1,2\n".encode("utf-16-be"), "UTF-16"),
        "UTF-32": ("1,2\n3,4\n".encode("utf-32-le"), "line 1, column 1"),
        "no UTF-8": (b"1,2\n3,\xff\xfe\n", "line 2, column 2"),
        "a row too short": (b"1,2\n3\n", "line 2, column 2: missing"),
        "a row too long": (b"1,2\n3,4,5\n", "line 2, column 3: the first row has 2 columns"),
        "a comma at the end": (b"1,2,\n3,4,\n", "line 1, column 3"),
        "old line breaks": (b"1,2\r3,4\r", "line 1, column 2"),
        "two headers": (b"x,y\na,b\n1,2\n", "line 2, column 1: 'a'"),
        "a comment after numbers": (b"1,2 # two\n3,4\n", "line 1, column 2"),
        "two separators": (b"1,2\n3;4\n", "line 2, column 1"),
        "empty cells between tabs": (b"1\t\t2\n3\t\t4\n", "line 1, column 2"),
        "100001 columns": (b"1," * 100_000 + b"1\n", "100001 columns; accepted: up to 100000"),
        "a line of 5 MB": (b"1" * 5_000_000, "line 1: a line of more than"),
        "NULs": (bytes(1000), "line 1, column 1"),
        "infinite in fp32": (b"1,2\n3,1e39\n", r"row 2, column 2: 1e\+39 is not a finite fp32 number"),
        "packed by gzip": (b"\x1f\x8b\x08\x00 packed", "gzip-compressed; unpack it first"),
        "an image": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "line 2, column 1"),
        "columns of words": (b"name,colour\nrose,red\n", "line 2, column 1: 'rose'"),
        "a quote over two lines": (b'1,"2\n3",4\n', "line 1, column 2"),
        "a mark in the middle": (b"1,2\n\xef\xbb\xbf3,4\n", "line 2, column 1"),
        "blank lines, a mark and a comment": (b"\xef\xbb\xbfx,y\n\n# a comment\n1,2\n\n3,?\n", "line 6, column 2"),
        "a second bad cell": (b"a,b\n1,2\n3,?\n?,4\n", r"line 3, column 2: '\?'"),
    }
    return {f"{name}.csv": file for name, file in files.items()}


SWEEP = """kind = "table"
[[sweep]]
implementation = "cpu/lloyd/naive"
dataset = "blobs"
n = 100
k = 3
"""
KIND = 'kind = "table"\n'
SWEEPS = table(r"""
    NAME must lie between  n = 0  n = -1  n = 1e30  n = nan  n = inf  n = 9223372036854775807  d = 0  d = -2
        d = 1_000_000  d = 4294967298  d = 100_001  k = 0  k = -1  k = 4294967299  k = [3, 0]  iterations = 0
        iterations = -1  iterations = 1e10  repetitions = 0  repetitions = 1e7  warmup = -1  warmup = 1e7
        judge_seed = -1  judge_seed = 1e300  data.sigma2 = nan
    seed must lie between  init_seed = -1  init_seed = 1e300
    tolerance must lie between 0 and 1  tolerance = -0.1  tolerance = 1.5  tolerance = nan
    NAME must be a whole number  n = 1.5  d = 2.5  k = 3.5  init_seed = 1.5  iterations = 1.5  repetitions = 2.5
        judge_seed = 1.5
    NAME must be a number, not  n = "many"  d = "two"  k = "three"  init_seed = "one"  iterations = "ten"
        tolerance = "none"  repetitions = "five"  warmup = "one"  judge_seed = "one"  data.sigma2 = "wide"
    'NAME' must be a number, a word, or a list of them  implementation = {}  dataset = true  n = true  n = 1979-05-27
        n = { a = 1 }
    'NAME' is an empty list  implementation = []  n = []
    'NAME' is a list within a list  n = [1, [2]]
    'NAME' must be one line of text  implementation = "a\nb"  dataset = "blobs\u0000"
    '.*' is not a range  n = "1:2"  n = "0:0:x2"  n = "10:1:x10"  k = "1:3:*2"
    '1:1e9:\+1' holds more than 10000 values  n = "1:1e9:+1"
    unknown implementation  implementation = "cpu/lloyd/none"  implementation = ""  implementation = 3
        implementation = "cpu/lloyd/.*"  implementation = "../impl/cpu/lloyd/naive"
    unknown implementation 'x'  implementation = ["cpu/lloyd/naive", "x"]
    unknown data set  dataset = "none"  dataset = ""  dataset = 3
    none\.npy: no such file  dataset = "none.npy"
    not a \.npy, \.npz, \.npy\.xz, \.csv, \.tsv or \.txt file  dataset = "/etc/passwd"  dataset = "../blobs"
    k = 101 is more than n = 100 points of blobs  k = 101  k = "1:200:+1"
    precision '.*'; accepted: fp32, fp64  precision = "fp16"  precision = 32  precision = ""
        precision = ["fp32", "half"]
    init '.*'; accepted: random, kmeans\+\+  init = "best"  init = ""  init = 1  init = "/dev/null"
    \.npy: No such file  init = "none.npy"  init = "/dev/zero.npy"
    no chosen implementation has a parameter 'packages'  set.packages = 1
    'NAME' must hold names, as in NAME\.packages = 100  set = 3  set = "packages=1"  data = []
    sigma2 = -1 is negative  data.sigma2 = -1
    no setting 'nothing'; accepted: .*sigma2.*seed  data.nothing = 1
    groups = .*, a whole number is needed  data.groups = -1  data.groups = 1.5  data.groups = 1e12
    seed = .*, a whole number from 0 to 2\^53 is needed  data.seed = -1  data.seed = 0.5  data.seed = 1e300
    unknown sweep key 'NAME'; accepted: .*set\.<parameter>  packages = 3  sweep = 3
""")
LINES = table(r"""
    'NAME' must be a text in quotes  number = 3  title = [1]
    'NAME' must be a table: write \[NAME]  profile = 3  labels = []  table = 3  figure = "bar"  notes = "text"
        machine = 1  defaults = 3
    profile '.*'; accepted: \[profile\.quick\], a table  profile.paper.n = 3  profile.quick = 3
    must be a list of tables: write \[\[  paper = 3  sweep = 3  sweep = [1, 2]  profile.quick.sweep = 3  [sweep]
    'claim' must hold tables  claim = 3
    'reuse' must be the key of an exhibit  reuse = 3
    'reuse' is an empty list  reuse = []
    'reuse' must hold keys of exhibits  reuse = [1]  reuse = "none"  reuse = "../papers/he2021/table3"
    'reuse' is a list within a list  reuse = [["a/b"]]
    unknown section 'tabel'; accepted: claim, defaults  [tabel]
    'table' must be a table  [[table]]
    of one length; n has 2, d has 3  sweep = [{ n = [1, 2], d = [2, 3, 4], zip = ["n", "d"] }]
    zip names 'd', which is no list of the sweep  sweep = [{ n = [1, 2], zip = ["n", "d"] }]
    'zip' must be a list  sweep = [{ n = [1, 2], zip = "n" }]
    defaults of 'table'.*\[defaults\.sweep\]  defaults.table = {}
    Error while parsing  kind = 3  x  = 3  x = "  x = 1e  x = 0x  [[sweep]  x = [1,, 2]  x = {a = 1, a = 2}  \
        x = 99999999999999999999
""")
LINES["Error while parsing"] += ["x = ", "x = 1\nx = 2", 'x = """', "[a\n", "\x00", "x = \x01"]
LINES["'title' must be one line of text"] = ['title = "a\\nb"']


def exhibits() -> Files:
    dotted, many = ".".join(["a"] * 100_000), ", ".join(map(str, range(1, 1001)))
    deep, plan = "a key of more than 16 parts", "a plan of {} cases; accepted: up to 100000"
    more, brackets = SWEEP.replace(KIND, ""), "more than 16 brackets within one another"
    places = [{rf"line \d: .*{said}": lines for said, lines in table.items()} for table in (SWEEPS, LINES)]
    files = numbered("axis", places[0], lambda lines: sweep_with(lines).encode())
    files |= numbered("line", places[1], lambda line: f"{KIND}{line}\n".encode())
    texts = {
        "no sweep": (KIND, "neither .* nor reuse: nothing to measure"),
        "a profile alone": (f'{KIND}profile.quick.zip = ["n"]\n', "nothing to measure"),
        "empty": ("", "empty file"),
        "no kind": (SWEEP.replace(KIND, ""), "kind must be table, figure or machine, not ''"),
        "a kind that is no text": ("kind = 3\n", "line 1: 'kind'"),
        "another kind": (SWEEP.replace("table", "drawing"), "kind must be table, figure or machine, not 'drawing'"),
        "no implementation": (SWEEP.replace("implementation", "n#"), "line 3"),
        "no data set": (SWEEP.replace("dataset", "d = 2 #"), "line 2: a sweep needs 'dataset'"),
        "no k": (SWEEP.replace("k = 3", ""), "line 2: a sweep needs 'k'"),
        "reuse of itself": (f'{KIND}reuse = "bad/reuse of itself"\n', "line 2"),
        "reuse of what is not there": (f'{KIND}reuse = "he2021/none"\n', "no exhibit file .*he2021/none"),
        "reuse of a bad one": (f'{KIND}reuse = "bad/one"\n', "no exhibit file .*bad/one"),
        "reuse of one without sweeps": (f'{KIND}reuse = "he2021/figure4"\n', "figure4, .* no sweep of its own"),
        "a dotted key of 100000 parts": (f"{KIND}{dotted} = 1\n", f"line 2: {deep}"),
        "a dotted key after a text": (f'{KIND}x = "" # .\ny.{dotted}=1', f"line 3: {deep}"),
        "a table of 100000 parts": (f"{KIND}[{dotted}]\n", f"line 2: {deep}"),
        "a list of tables of 100000 parts": (f"{KIND}[[{dotted}]]\n", f"line 2: {deep}"),
        "a list of tables of 17 parts": (f"{KIND}[[{'.'.join('abcdefghijklmnopq')}]]\n", "line 2: unknown section 'a'"),
        "100000 open brackets": (f"{KIND}x = {'[' * 100_000}", f"line 2: {brackets}"),
        "100000 open braces": (f"{KIND}x = {'{a=' * 100_000}", f"line 2: {brackets}"),
        "17 brackets": (f"{KIND}x = {'[' * 17}{']' * 17}", f"line 2: {brackets}"),
        "brackets after texts": (f'{KIND}notes = \'\' # [[[\nx = """\n[["""\ny = {"[" * 17}', f"line 5: {brackets}"),
        "100000 sweeps": (KIND + "[[sweep]]\n" * 100_000, "100000 sweeps; accepted: up to 1000"),
        "1001 sweeps": (KIND + more * 1001, "1001 sweeps; accepted: up to 1000"),
        "a million cases": (sweep_with(f"init_seed = [{many}]\niterations = [{many}]"), plan.format(10**6)),
        "a billion cases": (
            sweep_with(f"init_seed = [{many}]\niterations = [{many}]\nrepetitions = [{many}]"),
            plan.format(10**9),
        ),
        "100001 cases in two sweeps": (
            sweep_with(f"init_seed = [{many}]\niterations = [{many[:390]}]") + more,
            plan.format(100_001),
        ),
        "2 MB": (KIND + "#" * 2_000_000, "longer than 1048576 bytes"),
        "a name of 60 kB": (sweep_with(f'implementation = "{"x" * 60_000}"'), "line 2: unknown implementation"),
        "a range of 60 kB": (sweep_with(f'n = "{":" * 60_000}"'), "is not a range"),
        "a key of 60 kB": (f"{KIND}{'x' * 60_000} = 1\n", "line 2: unknown section"),
    }
    bad = {
        "no UTF-8": (f"{KIND}title = ".encode() + b'"\xff\xfe"\n', "line 2"),
        "UTF-16": (SWEEP.encode("utf-16"), "line 1"),
        "NULs": (bytes(100), "line 1"),
        "a binary": (b"\x7fELF\x02\x01\x01" + bytes(64), "line 1"),
    }
    files |= {name: (text.encode(), said) for name, (text, said) in texts.items()} | bad
    return {f"{name}.toml": file for name, file in files.items()}


def sweep_with(lines: str) -> str:
    """The sweep with these lines at its end, in the place of its own with the same names."""
    names = [line.partition(" = ")[0] for line in lines.splitlines()]
    kept = [line for line in SWEEP.splitlines() if line.partition(" = ")[0] not in names]
    return "\n".join([*kept, lines, ""])


MADE = '[made]\ngenerator = "balls"\nn = 10\nd = 2\nk = 2\n'
FIELDS = table(r"""
    'NAME' must be a whole number from 1 to  n = -1  n = 0  n = 1.5  n = "ten"  n = true  n = nan
        n = 9223372036854775807  d = 0  d = 4294967298  d = 1_000_000  k = 0  k = [2]  k = 4294967298
    'NAME' must be a whole number from 0 to  seed = -1  seed = "x"  seed = 9223372036854775807
    'NAME' must be a text in quotes  summary = 3  licence = []  source = {}  advice = 1  file = 3
    'NAME' must be a table  settings = 3  settings = []
    'radius' must hold finite numbers  settings = { radius = "one" }  settings = { radius = inf }
    balls has no setting 'sigma'  settings = { sigma = 1 }
    unknown key 'NAME'; accepted: summary, generator  sigma2 = 3
    'NAME' must be one line of text  summary = "a\nb"
""")
CENTROIDS = table("""
    must be 2 rows of 2 numbers  [1, 2, 3, 4]  [[1, 2], [3]]  [[1, 2]]  ["one", "two"]  3  "none"  []  [[], []]
        { a = 1 }  [[1, 2], [3, 4], [5, 6]]  [[1, 2, 3], [4, 5, 6]]  [[1, 2], 3]
    must hold finite numbers  [[1, 2], [3, "four"]]  [[1, 2], [3, nan]]  [[true, false], [true, false]]
""")


def tables() -> Files:
    """Tables of data sets, each for a folder of its own."""
    fields = {f"line 3: {said}": lines for said, lines in FIELDS.items()}
    rows = {f"line 6: 'centroids' {said}": rows for said, rows in CENTROIDS.items()}
    files = numbered("field", fields, lambda line: f'[made]\ngenerator = "balls"\n{line}\n'.encode())
    files |= numbered("centroids", rows, lambda rows: f"{MADE}centroids = {rows}\n".encode())
    name = "cannot be a name: one line of text without '/'"
    texts = {
        "unknown generator": ('[made]\ngenerator = "cubes"\n', "line 1: no generator is called 'cubes'"),
        "generator of a wrong type": ("[made]\ngenerator = 3\n", "line 2: 'generator' must be a text"),
        "neither generator nor file": ('[made]\nsummary = "nothing"\n', "needs a generator or a file"),
        "file with a folder": ('[made]\nfile = "../made.npy"\n', "without a folder"),
        "file of another kind": ('[made]\nfile = "made.txt"\n', r"the name of a \.npy"),
        "no table": ("made = 3\n", "'made' must be a table"),
        "a list of tables": ("[[made]]\nn = 3\n", "'made' must be a table"),
        "a name with a slash": ('["a/b"]\ngenerator = "balls"\n', f"'a/b' {name}"),
        "a name of two lines": ('["a\\nb"]\ngenerator = "balls"\n', name),
        "an empty name": ('[""]\ngenerator = "balls"\n', f"'' {name}"),
        "a key twice": ("[made]\nn = 1\nn = 2\n", "line 3"),
        "a table twice": (MADE + MADE, "line 6"),
        "deep": ("[" + ".".join(["a"] * 100_000) + "]\n", "line 1: a key of more than 16 parts"),
        "brackets": (MADE + "centroids = " + "[" * 100_000, "line 6: more than 16 brackets"),
        "malformed": ("[made\n", "line 1"),
        "long": ("#" * 2_000_000, "longer than 1048576 bytes"),
    }
    return files | {name: (text.encode(), said) for name, (text, said) in texts.items()}
