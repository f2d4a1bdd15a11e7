"""The adapters of GPU libraries against NumPy stand-ins (stand_ins/), and the cost of a faulty library."""

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import built
import numpy as np
import pytest
from built import ENVIRONMENT, KMBENCH, ROOT, by_implementation, flags, kmbench, lines_of, needs_kmbench, script
from conftest import cases

STAND_INS = Path(__file__).with_name("stand_ins")
ADAPTERS = ROOT / "impl/library"
STANDING_IN = {"PYTHONPATH": str(STAND_INS)}
WORKERS = {  # the library that each says it is
    "cuml_worker.py": {"name": "cuML", "version": "26.10.stand-in"},
    "cuvs_worker.py": {"name": "cuVS", "version": "26.10.stand-in"},
    "faiss_gpu_worker.py": {"name": "FAISS", "version": "1.12.stand-in"},
}
HELLO = {"precision": "input", "device": "cuda"}
ARRAYS = ("points", "initial", "assigned", "centroids", "labels")


@contextmanager
def worker(name: str, **more: str) -> Iterator[Any]:
    """Starts an adapter; yields a function that sends a verb and returns the answer."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = {**ENVIRONMENT, **STANDING_IN, **more}
    with subprocess.Popen([sys.executable, ADAPTERS / name], text=True, env=environment, **pipes) as process:

        def ask(verb: str, **message: Any) -> dict[str, Any]:
            process.stdin.write(json.dumps({"verb": verb, **message}) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.write('{"verb": "bye"}\n')


def problem(folder: Path, n: int, d: int, k: int, dtype: type = np.float32, empty: bool = False) -> dict[str, str]:
    """Paths of the five arrays. The groups overlap; with `empty`, the last centroid gets no point."""
    made = np.random.default_rng(n * d + k)
    points = (made.normal(size=(n, d)) + 3 * made.integers(0, k, size=(n, 1))).astype(dtype)
    initial = points[:k].copy()
    if empty:
        initial[-1] = 1e3
    arrays = {"points": points, "initial": initial, "labels": np.full(n, -2, np.int32)}
    arrays |= {name: np.full((k, d), np.nan, dtype) for name in ("assigned", "centroids")}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return {name: str(folder / f"{name}.npy") for name in ARRAYS}


def solved(ask: Any, paths: dict[str, str], iterations: int, tolerance: int | None, **parameters: str) -> Any:
    """The arrays after two runs from one start, and the iterations that the adapter reports."""
    settings = {"iterations": iterations, "tolerance": tolerance, "parameters": parameters}
    assert ask("prepare", **paths, **settings) == {}
    for _ in range(2):
        assert ask("reset") == {}
        made = ask("iterate")["iterations"]
        assert ask("download") == {}
    assert ask("empty") == {}
    return SimpleNamespace(made=made, **{name: np.load(paths[name]) for name in ARRAYS})


def lloyd(points: np.ndarray, start: np.ndarray, iterations: int) -> Any:
    """Lloyd's in fp64, which stops when no label changes."""
    points, after, labels = points.astype(float), start.astype(float), None
    made, changed = 0, True
    while changed and made < iterations:
        before, earlier, made = after, labels, made + 1
        labels = ((points[:, None] - before) ** 2).sum(2).argmin(1)
        rows = [points[labels == c].mean(0) if (labels == c).any() else before[c] for c in range(len(before))]
        after = np.array(rows)
        changed = earlier is None or (labels != earlier).any()
    return SimpleNamespace(made=made, labels=labels, assigned=before, centroids=after)


def agree(mine: Any, fp64: Any) -> None:
    assert (mine.labels == fp64.labels).all()
    np.testing.assert_allclose(mine.assigned, fp64.assigned, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(mine.centroids, fp64.centroids, rtol=1e-4, atol=1e-4)


SOLVED = [  # worker, dtype, iterations, tolerance, parameters, (n, k): FAISS by itself would take 256 points a centroid
    *(("cuml", np.float32, n, 0, {"transfers": where}, (400, 5)) for n in (4, 100) for where in ("outside", "inside")),
    *(("cuml", np.float64, 2, 0, {"transfers": where}, (400, 5)) for where in ("outside", "inside")),
    *(("cuvs", dtype, n, None, {}, (400, 5)) for dtype, n in ((np.float32, 4), (np.float64, 1), (np.float32, 99))),
    *(("faiss_gpu", np.float32, 4, None, {}, shape) for shape in ((400, 5), (3000, 4))),
]


@pytest.fixture(scope="module")
def workers() -> Iterator[dict[str, Any]]:
    """A process of each adapter, for all tests that need no fault; each says hello once."""
    with ExitStack() as stack:
        asks = {name.removesuffix("_worker.py"): stack.enter_context(worker(name)) for name in WORKERS}
        for name, ask in asks.items():
            assert ask("hello", protocol=1) == {**WORKERS[f"{name}_worker.py"], **HELLO}
        yield asks


@pytest.mark.parametrize(("name", "dtype", "iterations", "tolerance", "parameters", "shape"), SOLVED)
def test_an_adapter_gives_the_labels_and_both_centroids_of_its_last_iteration(
    workers, tmp_path, name, dtype, iterations, tolerance, parameters, shape
):
    n, k = shape
    mine = solved(workers[name], problem(tmp_path, n, 3, k, dtype), iterations, tolerance, **parameters)
    assert name != "cuml" or workers[name]("forget") == {}
    fp64 = lloyd(mine.points, mine.initial, iterations)
    agree(mine, fp64)
    assert mine.made == (fp64.made if tolerance == 0 else iterations), "iterations left out would change nothing"


@pytest.mark.parametrize(("name", "tolerance"), [("cuml", 0), ("cuvs", None)])
def test_a_cluster_without_points_stays_where_it_is(workers, tmp_path, name, tolerance):
    mine = solved(workers[name], problem(tmp_path, 300, 2, 4, empty=True), 3, tolerance)
    agree(mine, lloyd(mine.points, mine.initial, 3))
    assert (mine.centroids[-1] == 1e3).all()


def test_faiss_splits_a_cluster_and_gives_the_means_as_they_were_before(workers, tmp_path):
    mine = solved(workers["faiss_gpu"], problem(tmp_path, 300, 2, 4, empty=True), 3, None)
    assert set(mine.labels) == {0, 1, 2, 3}, "the split gave the last cluster points"
    agree(mine, lloyd(mine.points, mine.assigned, 1))


@cases(
    "name iterations points why",
    ("cuml", 1, 400, "ValueError: fit makes two assigns at least"),
    ("faiss_gpu", 2, 400, "ValueError: FAISS takes fp32, three iterations at least"),
    ("faiss_gpu", 3, 5, "ValueError: FAISS takes fp32, three iterations at least"),
)
def test_an_unsupported_problem_is_an_answer(workers, tmp_path, name, iterations, points, why):
    paths, ask = problem(tmp_path, points, 3, 5), workers[name]
    answer = ask("prepare", **paths, iterations=iterations, tolerance=None, parameters={})
    assert answer["error"].startswith(why)
    assert ask("empty") == {}, "and the process lives on"


@pytest.mark.parametrize(("gpus", "dtype"), [(2, np.float32), (2, np.float64), (3, np.float32)])
def test_cuvs_on_several_gpus_labels_all_points(tmp_path, gpus, dtype):
    with worker("cuvs_worker.py", STAND_IN_GPUS=str(gpus)) as ask:
        ask("hello")
        mine = solved(ask, problem(tmp_path, 400, 3, 5, dtype), 4, None, gpus=gpus)
    agree(mine, lloyd(mine.points, mine.initial, 4))


def test_cuvs_tells_its_set_up_from_its_iterations(tmp_path):
    """The stand-in takes 0.2 s to set up and 0.1 s an iteration; a run sets up twice, and a busy machine delays it."""
    paths = problem(tmp_path, 40, 2, 3)
    with worker("cuvs_worker.py", STAND_IN_SET_UP_S="0.2", STAND_IN_ITERATION_S="0.1") as ask:
        ask("hello")
        ask("prepare", **paths, iterations=6, tolerance=None, parameters={})
        ask("reset")
        answer = ask("iterate")
        assert 0.31 < answer["set_up"] < 0.65 and answer["seconds"] >= 1


@pytest.mark.parametrize("name", WORKERS)
def test_without_a_gpu_hello_says_so(name):
    with worker(name, STAND_IN_GPUS="0") as ask:
        assert re.fullmatch(r"RuntimeError: .* sees no GPU", ask("hello")["error"])


@pytest.mark.parametrize("name", WORKERS)
def test_printed_text_is_no_answer(tmp_path, name):
    with worker(name, STAND_IN_FAULT="print") as ask:
        ask("hello")
        assert solved(ask, problem(tmp_path, 400, 3, 5), 3, None).made == 3


FAULTS = {
    "raise": r"^RuntimeError: CUDA error: an illegal.memory access was encountered$",
    "wrong shape": r"^\w*Error: .*(broadcast|reshape|out of bounds)",
    "one label fewer": r"^\w*Error: .*(broadcast|shape|size)",
    "no label": r"^(point 0 has label -1: labels are 0 to 3|\w*Error: )",
    "random labels": r"(label|centroid|mean)",
}
SMALL = flags(dataset="blobs", n=500, d=3, k=4, precision="fp32", iterations=4, repetitions=1, warmup=0)


def run(name: str, folder: Path, fault: str) -> dict[str, dict[str, Any]]:
    """Lines by implementation. The adapter runs as library/external, which needs no build with CUDA."""
    program = script(folder / "program", sys.executable, ADAPTERS / name)
    names = "^(library/external|cpu/lloyd/naive)$"
    which = flags(implementation=names, timeout=60, out=folder)  # a busy machine starts Python late
    kmbench("run", *which, *SMALL, "--external", program, STAND_IN_FAULT=fault, **STANDING_IN)
    return by_implementation(folder)


@needs_kmbench
@pytest.mark.parametrize("name", WORKERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_library_costs_one_case_and_one_line(name, fault, tmp_path):
    lines = run(name, tmp_path, fault)
    own, external = lines["cpu/lloyd/naive"], lines["library/external"]
    assert (own["verdict"], own["library"]) == ("", None), "the others go on"
    said = external["failure"] or external["verdict"]
    assert re.search(FAULTS[fault], said) and said.isprintable(), said
    assert external["samples_s"] == []
    assert external["library"] == WORKERS[name] or fault != "random labels", "a wrong answer names its library too"


@needs_kmbench
def test_the_libraries_of_the_build_say_their_version(tmp_path):
    which = flags(implementation="^library/(armadillo|faiss|sklearn|blas)$", out=tmp_path)
    for tolerance in ([], ["--tolerance", "0"]):
        kmbench("run", *which, *SMALL, *tolerance)
    for line in lines_of(tmp_path / "adhoc.jsonl"):
        assert bool(line["library"]) == (line["skip"] is None), line["implementation"]
        assert line["library"] is None or re.match(r"\d+\.\d+|OpenBLAS|BLIS|MKL", line["library"]["version"])


def starts_of(folder: Path, which: str, worker: Path, *more: str) -> int:
    """How many times two cases of a library start its script."""
    log = folder / "starts"
    text = f'#!/bin/sh\n[ "$1" != "{worker}" ] || echo >> "{log}"\nexec "{sys.executable}" "$@"\n'
    python = built.executable(folder / "python", text)
    shape = flags(dataset="blobs", n=500, d=3, k="3,4", precision="fp32", iterations=40, tolerance=0, repetitions=2)
    named = [word.replace("PYTHON", str(python)) for word in more]
    kmbench("run", *flags(implementation=which, out=folder), *shape, *named, KMBENCH_PYTHON=str(python), **STANDING_IN)
    made = lines_of(folder / "adhoc.jsonl")
    assert [(line["verdict"], line["failure"], line["skip"]) for line in made] == [("", None, None)] * 2
    return len(log.read_text().splitlines())


@needs_kmbench
def test_cases_share_the_python_of_a_library_and_not_the_users_program(tmp_path):
    adapter = ADAPTERS / "sklearn_worker.py"
    assert starts_of(tmp_path / "library", "^library/sklearn$", adapter) == 1
    own = ROOT / "examples/mine.py"
    external = starts_of(tmp_path / "external", "^library/external$", own, "--external", f"PYTHON {own}")
    assert external >= 2, external


@pytest.fixture(scope="module")
def openblas(tmp_path_factory) -> Path:
    """A folder with a libopenblas.so.0 that chooses old kernels unless OPENBLAS_CORETYPE names others."""
    folder = tmp_path_factory.mktemp("openblas")
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", STAND_INS / "openblas.c", "-o", folder / "libopenblas.so.0"], check=True
    )
    return folder


def by_blas(openblas: Path, folder: Path, n: int = 500, k: int = 4, **more: str) -> dict[str, Any]:
    """The one line of library/blas over the stand-in."""
    shape = flags(dataset="blobs", n=n, d=3, k=k, iterations=4, repetitions=1)
    kmbench("run", *flags(implementation="^library/blas$", out=folder), *shape, LD_LIBRARY_PATH=str(openblas), **more)
    return by_implementation(folder)["library/blas"]


@pytest.mark.parametrize(("n", "k"), [(500, 4), (5000, 300)])
def test_a_blas_computes_in_the_thread_that_calls_it(openblas, tmp_path, n, k):
    """The stand-in gives NaN if it may use threads of its own."""
    line = by_blas(openblas, tmp_path, n, k)
    assert line["verdict"] == "", line["verdict"] or line["failure"] or line["skip"]
    assert line["library"]["name"] == "OpenBLAS"


def test_an_openblas_older_than_the_processor_gets_a_core_type(openblas, tmp_path):
    flags = set(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    if not {"avx2", "fma"} <= flags:
        pytest.skip("no AVX2: nothing is better than what the stand-in chooses")
    better = "SkylakeX" if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags else "Haswell"
    said = by_blas(openblas, tmp_path / "a")["library"]["version"]
    assert said == f"0.3.21, {better}, pthreads, core type set by kmbench"
    users = by_blas(openblas, tmp_path / "b", OPENBLAS_CORETYPE="Prescott")["library"]["version"]
    assert users == f"0.3.21, Prescott, pthreads, kernels of an older processor: this one could run {better}"
    stuck = by_blas(openblas, tmp_path / "c", STAND_IN_CORE="Nehalem")["library"]["version"]
    assert stuck == f"0.3.21, Nehalem, pthreads, kernels of an older processor: this one could run {better}"


def test_pytorch_takes_the_threads_of_its_own_case(monkeypatch):
    """One process serves cases with other numbers; 0 means as many as PyTorch takes by itself."""
    asked, served = [], []
    tensor = SimpleNamespace(to=lambda _: None)
    torch = SimpleNamespace(
        __version__="stand-in",
        backends=SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace())),
        device=lambda name: SimpleNamespace(type=name),
        from_numpy=lambda _: tensor,
        get_num_threads=lambda: 8,
        set_num_threads=asked.append,
    )
    protocol = SimpleNamespace(Job=None, Prepare=None, serve=served.append)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "worker", protocol)
    monkeypatch.setattr(sys, "argv", ["torch_worker.py", "cpu"])
    load = runpy.run_path(str(ADAPTERS / "torch_worker.py")) and served[0]
    _, solver = load()
    for threads in (0, 3, 0):
        solver(SimpleNamespace(points=[], initial=[0], tolerance=None, parameters={"threads": threads}, ranks=None))
    assert asked == [8, 3, 8]


ENGINES = {
    "heat": {"processes": "1,2"},
    "daal4py": {"processes": "1,2"},
    "dask": {"workers": "1,2"},
    "spark": {"partitions": "0,3"},
}


@needs_kmbench
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("killed", [False, True])
def test_an_engine_is_right_and_none_of_its_processes_outlives_kmbench(name, killed, tmp_path):
    ((parameter, values),) = ENGINES[name].items()
    shape = flags(dataset="blobs", n="7,1001", d=3, k=4, iterations=4, repetitions=200 if killed else 2)
    words = [*flags(implementation=f"^library/{name}$", set=f"{parameter}={values}", out=tmp_path), *shape]
    skips = re.findall(r"skip: (.*)", kmbench("run", *words, "--dry-run", **built.AS_ROOT).stdout)
    if len(skips) == 4:
        pytest.skip(skips[-1])
    worker = ADAPTERS / f"{name}_worker.py"
    with subprocess.Popen([KMBENCH, "run", *words], **{**built.QUIET, "env": {**ENVIRONMENT, **built.AS_ROOT}}) as run:
        if killed:
            built.wait_until(lambda: built.processes(worker))
            run.kill()
    built.wait_until(lambda: not built.processes(worker))
    for line in [] if killed else lines_of(tmp_path / "adhoc.jsonl"):
        assert (line["verdict"], line["failure"]) == ("", None) or line["skip"], line["failure"]
