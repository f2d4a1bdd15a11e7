"""Over a thousand bad inputs. Each gets one line and code 2, prints and writes nothing, and takes little memory."""

import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import bad_files
from bad_files import pairs, spaced, table
from built import FAULTY, KMBENCH, ROOT, WARNING, kmbench, needed, refused, written

needed(KMBENCH, FAULTY)
LIMIT_S = 20.0  # a hang, not a measure of speed
LIMIT_KILOBYTES = 100_000
RUN = ["run", "--implementation", "cpu/lloyd/naive", "--out", "out"]
BLOBS = ["--dataset", "blobs", "--n", "100"]
SMALL = [*RUN, *BLOBS, "--k", "3"]


@dataclass
class Input:
    """A bad command; `says` is a pattern that its one line must match."""

    name: str
    args: list[str]
    says: str = ""
    env: dict[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        return str(FAULTY if {"faults/fast_where_wrong", "says_no"} & {*self.args} else KMBENCH)


FLAGS = table(r"""
    NAME must lie between  --n=0  --n=-1  --n=1e16  --d=0  --d=-2  --d=4294967298  --d=100001  --d=18446744073709551618
        --d=1:100001:+50000  --k=0  --k=-1  --k=4294967299  --k=3,0  --k=1e9  --seed=-1  --seed=1e300
        --seed=18446744073709551616  --iterations=0  --iterations=-1  --iterations=1e10  --iterations=4294967297
        --warmup=-1  --warmup=1e7
    NAME must lie between 0 and 1  --tolerance=-0.1  --tolerance=1.5
    NAME must be a whole number, not VALUE  --n=1.5  --d=2.5  --k=3.5  --seed=1.5  --iterations=1.5  --warmup=0.5
    NAME must be a number, not 'VALUE  --n=1e999  --n=NaN  --n=0x10  --n=ten  --n=３  --n=1;2  --d=1e999  --d=two
        --k=NaN  --k=three  --seed=one  --iterations=ten  --tolerance=nan  --tolerance=none  --tolerance=1e999
        --warmup=one
    --NAME must be a whole number from .* not 'VALUE'  --repetitions=0  --repetitions=-1  --repetitions=1e7
        --repetitions=2.5  --repetitions=five  --repetitions=4294967297  --device=-1  --device=x  --device=1.5
        --device=4294967296  --order-seed=-1  --order-seed=1.5  --order-seed=x  --order-seed=18446744073709551616
        --order-seed=1e300  --judge-seed=-1  --judge-seed=1.5  --judge-seed=x  --judge-seed=18446744073709551616
        --judge-seed=1e300  --benchmark_repetitions=0  --benchmark_repetitions=-1  --benchmark_repetitions=x
        --benchmark_repetitions=1e9
    --NAME must be a number from .* not 'VALUE'  --timeout=0  --timeout=-1  --timeout=x  --timeout=nan  --timeout=1e999
        --memory=0  --memory=-1  --memory=x  --memory=nan  --memory=1e999
    --NAME VALUE:  --device=1023
    --NAME 'VALUE' holds an empty value  --n=1,  --n=,1  --n=1,,2  --d=2,  --k=1,,2  --dataset=blobs,
    holds an empty value  --set=packages=1,  --data-set=sigma2=1,,2
    'VALUE' is not a range  --n=1:2  --n=10:1:x10  --n=0:0:x2  --n=:::  --k=9:1:x2  --k=1:2:3  --k=1:2:*3  --k=10:1:x10
        --k=1:10:x1  --k=1:10:x0.5  --k=1:10:+0  --k=1:10:+-1  --k=0:10:x2  --k=a:b:x2  --k=1:10:x2:x3  --k=:
        --k=nan:1:+1  --k=1:inf:+1  --k=1::+1  --k=::  --k=1:2:x  --k=1:2:+  --k=:2:+1  --precision=fp32:fp64
        --dataset=a:b
    'VALUE' holds more than 10000 values  --n=1:1e18:+1  --k=1:1e9:+1  --k=1:1e18:+1  --k=1e18:2e18:+1
        --k=1:2:x1.0000000001
    k = 101 is more than n = 100  --k=101  --k=1:200:+1
    precision '.*'; accepted: fp32, fp64  --precision=fp16  --precision=32  --precision=fp32,half  --precision=FP32
    init 'VALUE'; accepted: random  --init=best  --init=.  --init=/dev/null  --init=random,kmeans++
    VALUE: No such file  --init=none.npy  --init=/dev/zero.npy
    --NAME '.*' is not a regular expression  --filter=(  --filter=)  --filter=[  --filter=*  --filter=a{2,1}
        --filter=(?=a)  --filter=(?!a)  --filter=\1  --filter=a{1001}  --filter=((a{1,500}){1,500}){1,500}
        --filter=(?P<a  --filter=\  --benchmark_filter=(  --benchmark_filter=-(  --implementation=(
        --implementation=(?!a)  --implementation=(a{1,900}){1,900}  --implementation=\p{Foo}
    --NAME 'VALUE' leaves no case  --benchmark_filter=-naive
    --NAME 'VALUE' matches no case  --filter=nothing matches this  --benchmark_filter=nothing matches this
    --NAME 'VALUE' is not name=value  --set=packages  --set==1  --set=packages=  --set==  --data-set=sigma2
        --data-set=sigma2=  --data-set==1
    no chosen implementation has a parameter 'nothing'  --set=nothing=1
    parameter packages = .*; accepted: 1 to  --set=packages==1  --set=packages=0  --set=packages=many
    parameter packages = 1\.5  --set=packages=1.5
    parameter threads = 1e999; accepted: 0 to  --set=threads=1e999
    no setting 'nothing'  --data-set=nothing=1
    data\.sigma2 must be a number  --data-set=sigma2=wide  --data-set=sigma2=nan  --data-set=sigma2=1e999
    sigma2 = -1 is negative  --data-set=sigma2=-1
    a whole number from 0 to 2\^53 is needed  --data-set=seed=-1  --data-set=seed=0.5
    a whole number is needed  --data-set=groups=-1  --data-set=groups=1.5  --data-set=groups=1e12
    low = 20 is above high = 10  --data-set=low=20
    --NAME 'VALUE'; accepted: paper, quick  --profile=fast  --profile=Paper
    --NAME 'VALUE': up to 100 letters  --machine=../x  --machine=a/b  --machine=.  --machine=..  --machine=a b
        --machine=ü
    unknown data set 'none'  --dataset=none  --dataset=blobs,none
    VALUE: (no such file|not a \.npy)  --dataset=none.npy  --dataset=../blobs
    --NAME VALUE: no such file, or not a regular one  --data=none.npy  --data=.  --data=/dev/null  --data=/dev/zero
    unknown implementation 'VALUE'  --implementation=none  --implementation=cpu/lloyd/none
    --NAME 'VALUE'; accepted: .*json  --benchmark_format=xml  --benchmark_format=JSON  --benchmark_out_format=xml
    --NAME VALUE: no folder none  --benchmark_out=none/x.json
    --NAME VALUE: not a regular file  --benchmark_out=.  --benchmark_out=pipe.csv
    no flag --NAME  --benchmark_min_time=1s
""")
FLAGS |= {  # too long, or blank
    "NAME must be a number, not ": ["--n= ", *(f"{flag}={'9' * 400}" for flag in ("--n", "--k"))],
    "of 1001 bytes": [f"{flag}={'a' * 1001}" for flag in ("--filter", "--benchmark_filter", "--implementation")],
    "up to 100 letters": ["--machine=" + "x" * 101],
    "no such file": ["--data=" + "x" * 300 + ".npy"],
    "File name too long": ["--benchmark_out=" + "x" * 300 + ".json"],
}
WITHOUT = {  # the other arguments, for flags that would stand twice
    "--n": [*RUN, "--dataset", "blobs", "--k", "3"],
    "--k": [*RUN, *BLOBS],
    "--dataset": [*RUN, "--k", "3"],
    "--data": [*RUN, "--k", "3"],
    "--implementation": ["run", "--out", "out", *BLOBS, "--k", "3"],
    "--set": ["run", "--implementation", "cpu/lloyd/two_step", "--out", "out", *BLOBS, "--k", "3"],
}
DATA_FLAGS = table(r"""
    --NAME must be a whole number from .* not 'VALUE'  --n=0  --n=-1  --n=1.5  --n=1e999  --n=NaN  --n=inf  --n=1e16
        --n=18446744073709551617  --n=0x10  --n=ten  --n=３  --n=1,  --n=,1  --n=1:2  --n=1:9:+1  --n=1 2  --n=--
        --d=0  --d=-1  --d=4294967298  --d=100001  --d=x  --d=1.5  --d=1,2  --k=0  --k=-1  --k=4294967298  --k=x
    --NAME 'VALUE'; accepted: fp32, fp64  --precision=fp16
    --NAME 'VALUE' is not name=value  --data-set=sigma2  --data-set=sigma2=  --data-set==1
    no setting 'none'  --data-set=none=1
    --NAME 'VALUE' is not name=number  --data-set=sigma2=x  --data-set=sigma2=1e999
    sigma2 = -1 is negative  --data-set=sigma2=-1
    seed = -1, a whole number from 0 to 2\^53 is needed  --data-set=seed=-1
""")
DATA_FLAGS["--NAME must be a whole number"] = ["--n= ", "--n=" + "9" * 400]
NO_TEXT = ["\udcff", "a\udcffb", "\udcc3", "\udced\udca0\udc80", "a\nb", "a\tb", "\x1b[31m", "\x7f", "a\u0085b"]
NO_TEXT += ["a\u2028b", "x" * 100_000]


def flag_inputs() -> Iterator[Input]:
    for given, says in pairs(FLAGS):
        yield Input(given[:60], [*WITHOUT.get(given.partition("=")[0], SMALL), given], says)
    for flag in [*dict.fromkeys(given.partition("=")[0] for given, _ in pairs(FLAGS)), "--out", "--paper"]:
        yield Input(f"{flag} without a value", [*SMALL, f"{flag}="], "no value")
    for flag in ["--k", "--paper", "--filter", "--machine", "--out"]:
        yield Input(f"{flag} with an empty value", [*SMALL, flag, ""], "empty")
    for text in NO_TEXT:
        for flag in ["--filter", "--dataset", "--machine", "--data"]:
            yield Input(f"{flag} {text[:20]!a}", [*SMALL, f"{flag}={text}"], "argument")
    for args in [["--set", "packages=1", "--set", "packages=2"], ["--data-set", "low=1", "--data-set", "low=2"]]:
        yield Input(f"{args[1]} twice", [*WITHOUT["--set"], *args], "twice")
    plan = [*SMALL, "--seed=1:1000:+1", "--iterations=1:1000:+1"]
    yield Input("a plan of 10^6", plan, "1000000 cases")
    yield Input("a plan of 10^9", [*plan, "--warmup=0:999:+1"], "1000000000 cases")
    yield Input("a worker by hand", [*SMALL, "--worker=3,4"], "worker")
    yield Input("a worker of another parent", [*SMALL, "--worker=999999:0:1"], "worker")
    yield Input("an unknown flag", [*SMALL, "--fast"], "--fast")
    yield Input("an unknown flag of Google Benchmark", [*SMALL, "--benchmark_fast"], "--benchmark_fast")
    yield Input("k twice", [*SMALL, "--k", "4"])
    yield Input("no k", [*RUN, *BLOBS], "--k")
    yield Input("no points", [*RUN, "--k", "3"], "--dataset NAME")
    yield Input("data set and data", [*SMALL, "--data", "x.npy"], "--dataset and --data")
    for paper in spaced("none  ..  .  he2021/..  /  he2021/table3  he2021.toml  *"):
        yield Input(f"--paper {paper}", ["run", "--out", "out", "--paper", paper], "no paper")
    names = "he2021  he2021/none  he2021/table3.tom  ../papers/he2021/table3  .  /dev/zero  /dev/null  he2021/table3/"
    for name in [*spaced(names), "none.toml", "x" * 300]:
        yield Input(f"exhibit {name[:40]}", ["run", "--out", "out", name], "no exhibit file")
    for more in spaced("--k=3  --n=3  --implementation=x  --dataset=blobs  --set=a=1  --data-set=a=1  --init=random"):
        flag = more.split("=")[0]
        yield Input(f"an exhibit and {flag}", ["run", "--out", "out", "he2021/table3", more], f"{flag} contradicts")


def command_inputs() -> Iterator[Input]:
    commands = "sing  run --k  list songs  list --jsn  data  data blobs  export  check --filter (  env x"
    filters = [["check", "--filter", text] for text in ("nosuchcase", "a" * 1001)]
    for args in [[], *map(str.split, spaced(commands)), *filters]:
        yield Input("kmbench " + " ".join(args)[:40], args)
    for name in ["none.jsonl", ".", "/dev/null", "pipe.jsonl"]:
        yield Input(f"export {name}", ["export", name], "not a regular one")
    for name in ["type 0.npy", "empty.csv", "cell 0.csv"]:
        yield Input(f"export {name}", ["export", name], f"{name}: holds no result line")
        yield Input(f"calibrate {name}", ["calibrate", name], f"{name}: holds no result line")
    for name in ["nan.npy", "cell 0.csv", "longer than its header.npy.xz"]:
        yield Input(f"advise {name}", ["advise", name, "--k", "1"], re.escape(name))
    for out in ["folder.npy", "folder.npy/" + "x" * 300]:
        yield Input(f"advise --out {out[:20]}", ["advise", *BLOBS[1:], "--k", "3", "--out", out], "cannot write")
    outs = "folder.npy  folder.csv  .  none/x.npy  x.txt  x  x.npy.xz  /dev/null  /proc/x.npy  pipe.csv"
    for out in [*spaced(outs), "x" * 300 + ".npy"]:
        yield Input(f"data --out {out[:20]}", ["data", "blobs", "--n", "10", "--out", out])
    for given, says in pairs(DATA_FLAGS):
        args = ["data", "blobs", "--out", "out.npy", *([] if given.startswith("--n") else ["--n", "10"])]
        yield Input(f"data {given[:20]}", [*args, given], says)
    uniform = ["data", "uniform", "--out", "out.npy", "--n"]
    yield Input("data of 10^15", [*uniform, "1000000000000000", "--d", "1"], "GiB|out of range")
    yield Input("data of 10^12 x 10^5", [*uniform, "1000000000000", "--d", "100000"], "out of range")
    yield Input("data of no set", ["data", "none", "--out", "out.npy"], "none")
    for name, value in [("missing", "/nowhere"), ("a file", __file__), ("one of two", "/:/nowhere")]:
        yield Input(f"KMBENCH_DATA {name}", SMALL, "KMBENCH_DATA", {"KMBENCH_DATA": value})
    for value in ["/nowhere", "", "/etc/passwd", "x" * 5000, "\udcff", "."]:
        yield Input(f"KMBENCH_HOME {value[:20]!a}", SMALL, "KMBENCH_HOME|papers", {"KMBENCH_HOME": value})


PROBLEM = "--dataset blobs --n 500 --k 3 --iterations 1"
ADVISE, FIT, ENV = "advise blobs --k 3 --out lines.jsonl", "fit good.npy --k 2 --out out", "env --out priced"
TUNE, SPECTRAL = f"tune faults/fast_where_wrong {PROBLEM} --out out", "spectral rings --n 1500 --out out.npy"
MAPPED = "run --implementation cpu/lloyd/naive --data good.npy --k 2 --out out --data-set"
COMMANDS = {
    "advise none.npy --k 3": "none.npy",
    "advise blobs": "--k is required",
    f"{ADVISE} --n 2": "k = 3 is more than n = 2",
    f"{ADVISE} --implementation nobody": "unknown implementation 'nobody'",
    f"{ADVISE} --implementation says_no": "no candidate can run: nothing is supported",
    f"{ADVISE} --budget later": "--budget 'later'",
    f"{ADVISE} --budget 1s": "--budget '1s': at least 2s",
    f"{ADVISE} --at-last 65": "--at-last must be a whole number from 1 to 64",
    f"{ADVISE} --tuning here": "give --tuned as well",
    f"{ADVISE} --columns 1": "--columns choose from a file; blobs is none",
    "advise nan.npy --k 1 --columns 3": "--columns '3': no such column; there are 1 to 2",
    "advise class.csv --k 1": r"class\.csv: line 4, column 2: 'b' is not a number",
    f"{ADVISE} --implementation naive --external true": "--external has no meaning here",
    "advise wide.csv --k 2": r"values reach 1e\+300: distances² overflow fp64",
    "advise good.npy --k 2 --budget 5s --out good.npy": r"good\.npy: it holds something else than result lines",
    "fit narrow.csv --k 2 --out out --precision fp32": r"5e-20 apart: distances² underflow fp32; scale the data",
    "fit narrowest.csv --k 2 --out out": r"5e-301 apart: distances² underflow fp64; scale the data",
    "fit halves.csv --k 2 --init far.npy --out out": r"centroids reach 1e\+200: distances² overflow fp64",
    "advise equal.csv --k 2 --init kmeans++": "has only 1 different points, k = 2 is more",
    "advise huge.csv --k 1 --columns 1-2": "'1e400' is past fp64",
    "advise": "points is required",
    f"{ENV} --price tpu=1": "of cpu or gpu",
    f"{ENV} --price 2.50": "is not name=value",
    **{f"{ENV} --price gpu={bad}": "--price gpu must be a number" for bad in ("dear", "2.5USD", "0", "-1")},
    f"{ENV} --price gpu=1 --price cpu=nan": "--price cpu must be a number",
    ENV: "give --price as well",
    "env --price gpu=1 --out unrecorded": "no ",
    FIT.replace("2", "4"): "k = 4 is more than n = 3",
    FIT.replace("2", "0"): "k must lie between 1 and",
    FIT.replace("--k 2", ""): "--k is required",
    f"{FIT} --n-init 0": "--n-init must be a whole number from 1",
    f"{FIT} --n-init 2 --init good.npy": "is one start",
    f"{FIT} --init best": "init 'best'; accepted:",
    f"{FIT} --tolerance 2": "tolerance must lie between 0 and 1",
    f"{FIT} --implementation cpu/lloyd/fastest": "cpu/lloyd/fastest",
    f"{FIT} --precision fp16": "precision 'fp16'; accepted: fp32, fp64",
    "fit nan.npy --k 2 --out out": r"nan\.npy",
    **{f"fit good.npy --k 2 --out {out}": f"/{out}: " for out in ("full", "class.csv", "no/folder")},
    f"{FIT} --columns 2-1": "'2-1' runs backwards; a range is 1-2",
    "fit twins.csv --k 2 --out out --columns a": "several columns have that name",
    f"{FIT} --columns 1,1-2": "column 1 is named twice",
    f"{FIT} --seed -1": "seed must lie between 0",
    f"{FIT} --external true": "--external has no meaning here",
    "fit equal.csv --k 2 --out out": "has only 1 different points, k = 2 is more",
    "fit wide.csv --k 2 --out out": r"values reach 1e\+300: distances² overflow fp64",
    "fit wide.csv --k 2 --out out --precision fp32": r"1e\+300 is not a finite fp32 number; --precision fp64 takes it",
    "spectral wide.csv --clusters 2 --out out.npy --precision fp32": r"1e\+300 is not a finite fp32 number",
    f"{MAPPED} map=1 --precision fp64": "its values are f4 and would have to be converted to f8",
    f"{MAPPED} map=3": "map = 3, accepted: 0 and 1",
    f"{MAPPED} groups=3": "it is a file and has no setting 'groups'; accepted: map",
    "data he2021_balls --n 10 --d 5 --out out.npy": "d = 5.*4 dimensions",
    "data he2021_balls --n 10 --data-set ordered=3 --out out.npy": "ordered = 3.*0 to 1",
    "data he2021_balls --n 10 --data-set groups=5 --out out.npy": "groups = 5.*4 centroids",
    "data blobs --n 10 --d 10000 --data-set groups=1e6 --out out.npy": "groups",
    "data moons --n 100 --data-set noise=-1 --out out.npy": "noise = -1 is negative",
    "calibrate --out /proc/x": r"--out /proc/x/cpu\.txt: no folder /proc/x",
    "rnu": r"did you mean run\?",
    "--foo": "kmbench has no flag --foo; kmbench --help lists all",
    "--verison": r"did you mean --version\?",
    "list foo": "what 'foo'; accepted: implementations, datasets, exhibits",
    f"{FIT} b.npy": r"fit takes one FILE\|NAME; not expected: b\.npy",
    "run he2021/table3 -x --out out": "run takes EXHIBIT; not expected: -x",
    "advise blob --k 3 --buget 3s": r"did you mean --budget\?",
    "advise blob --k 3": r"did you mean blobs\?",
    "run --implementation cpu/lloyd/nave --dataset blobs --k 3": r"did you mean cpu/lloyd/naive\?",
    "run he2021/tabel3": r"did you mean he2021/table3\?",
    "run --implementation pectral --dataset moons --k 2 --out out": "unknown implementation 'pectral'",
    f"run {PROBLEM} --tuning there --out out": "give --tuned as well",
    f"run {PROBLEM} --tuned --tuning there --out out": "--tuning there: no such folder",
    f"run {PROBLEM} --save --out out": "--save writes what cases of an exhibit compute",
    f"run {PROBLEM} --implementation naive --external true --out out": "--external has no meaning here",
    f"run {PROBLEM} --k 4 --out out": "--k may be given once",
    f"run {PROBLEM} --device 99 --out out": "--device 99: ",
    "run he2021 --out out": "no exhibit file he2021: .*; --paper runs all of a paper",
    "data blobs --n 10 --out device.npy": r"cannot write device\.npy: not a regular file",
    f"{SPECTRAL} --clusters 2 --representatives 1501": "representatives = 1501 is more than n = 1500 points",
    f"{SPECTRAL} --clusters 20 --representatives 10": "k = 20 is more than representatives = 10",
    f"{SPECTRAL} --clusters 2 --similarity gaussian --sigma 0": "--sigma 0",
    f"{SPECTRAL} --clusters 2 --sigma 1": "--sigma belongs to --similarity gaussian",
    f"{SPECTRAL} --clusters 1": "--clusters",
    f"{SPECTRAL} --clusters 2 --kmeans cpu/lloyd/none": "cpu/lloyd/none",
    f"{SPECTRAL} --clusters 2 --representatives 150 --solver lapack --truth good.npy": r"good\.npy",
    f"{SPECTRAL} --clusters 2 --truth halves.csv": r"--truth .*halves\.csv: 0\.5 is no whole number",
    f"{SPECTRAL} --clusters 2 --truth class.csv": "--truth class.csv: 2 columns; accepted: one",
    "spectral good.npy --out out.npy --clusters 2": "all points are equal",
    "spectral good.npy --out good.npy --clusters 2": r"--out good\.npy exists; name a new file",
    f"{TUNE} --set speed=1,2": "has no parameter 'speed'",
    f"{TUNE} --set mode=0,1": "mode is not tunable, for it changes more than speed",
    f"{TUNE} --set pace=1,99": "parameter pace = 99; accepted: 1 to 32",
    f"{TUNE} --set pace=1,fast": "parameter pace = fast; accepted",
    f"{TUNE} --set pace=1,,2": "holds an empty value",
    f"{TUNE} --set pace=1,2 --set pace=4,8": "--set pace is given twice",
    f"{TUNE} --set pace": "'pace' is not name=value",
    f"{TUNE} --budget soon": "--budget 'soon': seconds, minutes or hours",
    f"{TUNE} --budget 0s": "--budget '0s'",
    f"{TUNE} --strategy luck": "--strategy 'luck'; accepted: exhaustive, random, halving, descent",
    f"{TUNE} --repetitions 0": "--repetitions must be a whole number from 1",
    f"{TUNE} --rounds 7": "--rounds must be a whole number from 8",
    f"{TUNE} --search-seed -1": "--search-seed",
    f"{TUNE} --data x.npy": "--dataset and --data exclude",
    f"{TUNE} --machine ../up": "--machine '../up'",
    f"{TUNE} --fast": "--fast",
    f"{TUNE} --external true": "--external has no meaning here",
    f"tune {PROBLEM}": "implementation",
    f"tune nobody {PROBLEM}": "unknown implementation 'nobody'",
    f"tune nave {PROBLEM}": r"did you mean cpu/lloyd/naive\?",
    f"tune cpu/lloyd/naive {PROBLEM}": "no tunable parameter with several values",
    "tune faults/fast_where_wrong --dataset blobs --n 5,6 --k 3": "one value",
    "tune faults/fast_where_wrong --dataset blobs": "--k",
    "tune faults/fast_where_wrong --k 3": "--dataset NAME",
    "tune faults/fast_where_wrong --data x.npy --k 3": r"x\.npy: no such file",
    "tune faults/fast_where_wrong --dataset blobs --n 3 --k 9": "k = 9 is more",
}
SHAPE = '{"precision": "fp32", "n": 1, "d": 2, "k": 4, "fixed": {}, "parameters": {"pace": 4}}'
TUNED = {  # files of tuned values that are none, and what is said of them
    **dict.fromkeys(("{", "[" * 100000), "no JSON"),
    **dict.fromkeys(("[]", '{"schema": 1}'), "an object with implementations is accepted"),
    '{"schema": 9, "implementations": {}}': "schema 9, where 1 is accepted",
    "": "empty file",
    '{"schema": 1, "implementations": {"x": 3}}': "'x' is no object of shape classes",
    **{
        f'{{"schema": 1, "implementations": {{"x": {{"fp32": {entry}}}}}}}': "lacks one of precision"
        for entry in ("[]", SHAPE.replace('"n": 1', '"n": 0'), SHAPE.replace('"pace": 4', '"pace": 1.5'))
    },
}
RECORDS = dict.fromkeys(('{"id": "here", "price": {"gpu": 2},}', "[]", ""), "not a JSON object")


def written_inputs(folder: Path) -> Iterator[Input]:
    """The commands above, in a folder with what they name, and those that may overwrite no broken file."""
    (folder / "good.npy").write_bytes(bad_files.GOOD)
    (folder / "class.csv").write_text("x,class\n\n1,2\n2,b\n")
    (folder / "equal.csv").write_text("1,2\n" * 3)
    (folder / "huge.csv").write_text("1,2,3\n4,1e400,6\n")
    (folder / "wide.csv").write_text("1e300,0\n0,1\n")
    (folder / "halves.csv").write_text("0.5\n" * 1500)
    (folder / "twins.csv").write_text("a,a\n1,2\n3,4\n5,6\n")
    (folder / "narrow.csv").write_text("1e-19,0\n0,0\n")
    (folder / "narrowest.csv").write_text("1e-300,0\n0,0\n")
    far = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n"
    (folder / "far.npy").write_bytes(bad_files.npy(far, struct.pack("<2d", 0, 1e200)))
    (folder / "device.npy").symlink_to("/dev/full")
    for name, text in [("priced/machine.json", '{"id": "here", "price": {"gpu": 2}}'), ("full/mine.txt", "kept")]:
        written(folder / name, text)
    for command, says in COMMANDS.items():
        yield Input(command, command.split(), says)
    for name, texts in (("m", TUNED), ("machine", RECORDS)):
        for at, (text, said) in enumerate(texts.items()):
            own = f"{name}{at}"
            written(folder / own / f"{name}.json", text)
            tune = f"{TUNE.replace('--out out', f'--out {own}')} --anyway --machine m --rounds 8"
            tuned = [tune, f"run {PROBLEM} --tuned --tuning {own} --machine m --out out"]
            recorded = [" ".join(SMALL).replace("--out out", f"--out {own}"), f"env --price gpu=1 --out {own}"]
            for command in tuned if name == "m" else recorded:
                yield Input(f"{command[:4]} with {own}", command.split(), rf"{own}/{name}\.json: .*{said}")


def file_inputs(folder: Path) -> Iterator[Input]:
    """Bad files, which this writes to the folder."""
    for name, (content, said) in (bad_files.npy_files() | bad_files.xz_files() | bad_files.csv_files()).items():
        (folder / name).write_bytes(content)
        yield Input(name, [*RUN, "--data", name, "--k", "1"], rf"{re.escape(name)}.*{said}")
    (folder / "bad").mkdir()
    for name, (content, said) in bad_files.exhibits().items():
        (folder / "bad" / name).write_bytes(content)
        yield Input("exhibit " + name, ["run", f"bad/{name}", "--out", "out"], said)
    for name, (content, said) in bad_files.tables().items():
        own = folder / "homes" / name.replace(" ", "_")
        (own / "datasets").mkdir(parents=True)
        (own / "papers").mkdir()
        (own / "datasets/made.toml").write_bytes(content)
        home = {"KMBENCH_HOME": str(own)}
        yield Input("table " + name, [*RUN, "--dataset", "made", "--k", "2"], rf"made\.toml.*{said}", home)
    pipes, folders = ["pipe.npy", "pipe.npy.xz", "pipe.csv"], ["folder.npy", "folder.npy.xz", "folder.csv"]
    for name in [*pipes, "pipe.jsonl", "bad/pipe.toml"]:
        os.mkfifo(folder / name)
    for name in [*folders, "bad/folder.toml"]:
        (folder / name).mkdir()
    links = {"zero.npy": "/dev/zero", "loop.npy": "loop.npy", "dangling.npy": "none.npy"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    for name in [*pipes, *folders, *links]:
        said = rf"{re.escape(name)}: (no such|not a regular) file"
        yield Input(f"--data {name}", [*RUN, "--data", name, "--k", "1"], re.escape(name))
        yield Input(f"--dataset ./{name}", [*RUN, "--dataset", f"./{name}", "--k", "1"], said)
    starts = spaced("""
        pipe.npy  folder.npy  zero.npy  loop.npy  pipe.npy.xz  type 0.npy  shape 30.npy  header 0.npy  nan.npy
        cut after 69.npy  damaged.npy.xz  longer than its header.npy.xz  of another version.npy.xz
    """)
    for name in starts:
        yield Input(f"--init {name}", [*SMALL, "--d", "2", "--init", name], re.escape(name))
    for name, size in [("bad/sparse.toml", 100 << 20), ("sparse.csv", 200 << 20)]:
        with (folder / name).open("wb") as file:
            file.truncate(size)
    (folder / "own").mkdir()
    os.mkfifo(folder / "own/machine.json")
    into_own = [*("own" if word == "out" else word for word in SMALL), "--d", "2"]
    yield Input("a pipe as machine.json", into_own, "machine.json")
    for name, said in [("pipe", "no exhibit file"), ("folder", "no exhibit file"), ("sparse", "longer than")]:
        yield Input(f"exhibit {name}", ["run", f"bad/{name}.toml", "--out", "out"], said)
    yield Input("a .csv of one line of 200 MB", [*RUN, "--data", "sparse.csv", "--k", "1"], "a line of more than")


def run_all(inputs: list[Input], folder: Path, home: Path) -> list[dict]:
    """Runs the inputs in two processes and returns how each ended."""
    same = {"folder": str(folder), "limit_s": LIMIT_S}
    batch = [{"args": [i.program, *i.args], "env": {"KMBENCH_HOME": str(home), **i.env}, **same} for i in inputs]
    for at, one in enumerate(batch):  # a folder for each process: fit refuses one that another writes to
        one["args"] = [f"out{at % 2}" if word == "out" else word for word in one["args"]]
    runners = []
    for at in (0, 1):
        listed = folder.parent / f"batch{at}.json"
        listed.write_text(json.dumps(batch[at::2]))
        command = [sys.executable, "-S", Path(__file__).with_name("run_batch.py"), listed]
        runners.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    first, second = (json.loads(runner.communicate()[0]) for runner in runners)
    return [(second if at % 2 else first)[at // 2] for at in range(len(batch))]


def complaint(one: Input, ended: dict, allowed_kilobytes: int) -> str:
    """Why the refusal is wrong; empty if it is right."""
    if ended["code"] != 2:
        return f"code {ended['code']}: {ended['err'][:300]}{ended['out'][:300]}"
    said = "".join(line for line in ended["err"].splitlines(keepends=True) if not line.startswith(WARNING))
    if not re.fullmatch(r"kmbench: [^\x00-\x1f\x7f-\x9f\u2028\u2029]{10,3000}\n", said):
        return f"not one line: {ended['err'][:300]!r}"
    if one.says and not re.search(one.says, ended["err"]):
        return f"does not say '{one.says}': {ended['err'][:300]}"
    if ended["out"]:
        return f"prints {ended['out'][:100]!r}"
    if ended["kilobytes"] > allowed_kilobytes:
        return f"takes {ended['kilobytes']} kB"
    return ""


def listing(folder: Path) -> dict[Path, int]:
    """Every file with the time of its last change, but locks."""
    files = (path for path in folder.rglob("*") if path.name != ".lock" and not path.is_dir())
    return {path: path.lstat().st_mtime_ns for path in files}


def test_bad_inputs(tmp_path):
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    for name in ["datasets", "papers", "impl"]:
        (home / name).symlink_to(ROOT / name)
    inputs = [*file_inputs(folder), *flag_inputs(), *command_inputs(), *written_inputs(folder)]
    assert len({(tuple(one.args), tuple(one.env.items())) for one in inputs}) == len(inputs)
    before = listing(folder)
    base = run_all([Input("fine", ["list", "exhibits"])] * 2, folder, home)[0]["kilobytes"]  # sanitizers take some
    ends = run_all(inputs, folder, home)
    said = {one.name: complaint(one, ended, LIMIT_KILOBYTES + base) for one, ended in zip(inputs, ends, strict=True)}
    wrong = [f"{name}: {what}" for name, what in said.items() if what]
    assert not wrong, f"{len(wrong)} of {len(inputs)}:\n" + "\n".join(wrong)
    assert listing(folder) == before and not list(folder.glob("out[01]")), "nothing is written"
    assert sorted(path.name for path in home.iterdir()) == ["datasets", "impl", "papers"]


def test_a_pipe_as_result_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "adhoc.jsonl")
    here = (tmp_path if word == "out" else word for word in SMALL)
    refused(kmbench(*here, "--d", "2"), "adhoc.jsonl: not a regular file")
