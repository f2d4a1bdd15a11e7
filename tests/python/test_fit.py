"""kmbench fit: a judged answer, the best of its starts, complete or absent. And the same from Python."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import ENVIRONMENT, FAULTY, KMBENCH, ROOT, flags, kmbench, needed, refused, succeeded

needed(KMBENCH, FAULTY)
PARTS = {"labels.npy", "centroids.npy", "fit.json"}
CPU = ["--implementation", "cpu/lloyd/two_step"]


@pytest.fixture
def points(tmp_path: Path) -> Path:
    made = np.random.default_rng(7)
    np.save(tmp_path / "points.npy", made.normal(size=(600, 3)) + 12 * made.integers(0, 4, size=(600, 1)))
    return tmp_path / "points.npy"


def fit(points: Path, *flags: object, **named: Any) -> subprocess.CompletedProcess[str]:
    return kmbench("fit", points, "--k", 4, "--out", points.parent / "out", *flags, **named)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def answer(folder: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    assert names(folder) == PARTS
    labels, centroids = (np.load(folder / f"{name}.npy") for name in ("labels", "centroids"))
    return labels, centroids, json.loads((folder / "fit.json").read_text())


def inertia_of(points: np.ndarray, labels: np.ndarray, centroids: np.ndarray) -> float:
    return float(((points - centroids.astype(float)[labels]) ** 2).sum())


@pytest.mark.parametrize(("precision", "dtype"), [("fp32", np.float32), ("fp64", np.float64)])
def test_the_answer_is_at_rest_and_of_the_inertia_it_says(points: Path, precision: str, dtype: type) -> None:
    ran = fit(points, *CPU, "--n-init", 3, "--precision", precision)
    assert ran.returncode == 0, ran.stderr
    labels, centroids, said = answer(points.parent / "out")
    values = np.load(points).astype(dtype).astype(float)
    assert (labels.dtype, labels.shape, centroids.dtype, centroids.shape) == (np.int32, (600,), dtype, (4, 3))
    nearest = ((values[:, None] - centroids.astype(float)) ** 2).sum(2).argmin(1)
    assert (labels == nearest).all()
    for c in range(4):
        np.testing.assert_allclose(centroids[c], values[labels == c].mean(0), rtol=1e-5, atol=1e-5)
    assert said["inertia"] == pytest.approx(inertia_of(values, labels, centroids), rel=1e-5)
    assert (said["implementation"], said["tolerance"]) == ("cpu/lloyd/two_step", 0)
    assert said["init"]["method"] == "greedy-kmeans++"
    assert said["grade"] in ("exact", "rounded")
    assert 0 < said["run_s"] + said["judge_s"] < said["total_s"]


def test_the_least_inertia_of_the_starts_wins(points: Path) -> None:
    ran = fit(points, *CPU, "--init", "random", "--n-init", 8, "--seed", 3)
    assert ran.returncode == 0, ran.stderr
    said = answer(points.parent / "out")[2]
    starts = said["starts"]
    assert [start["seed"] for start in starts] == list(range(3, 11))
    assert len({round(start["inertia"]) for start in starts}) > 1, "the starts must differ"
    best = min(starts, key=lambda start: start["inertia"])
    assert (said["inertia"], said["init"]["seed"]) == (best["inertia"], best["seed"])
    assert ran.stderr.count("start ") == 8


def test_a_file_of_centroids_is_one_start(points: Path) -> None:
    np.save(points.parent / "init.npy", np.load(points)[:4])
    start = [*CPU, "--init", points.parent / "init.npy"]
    assert fit(points, *start).returncode == 0
    assert len(answer(points.parent / "out")[2]["starts"]) == 1


def test_auto_runs_a_plain_data_set_by_name(tmp_path: Path) -> None:
    flags = ["--n", 500, "--d", 2, "--k", 3, "--n-init", 2, "--init", "k-means++", "--out", tmp_path / "out/"]
    succeeded("fit", "blobs", *flags)
    assert answer(tmp_path / "out")[2]["implementation"] in ("cpu/lloyd/auto", "gpu/lloyd/auto")


@pytest.mark.parametrize("fault", ["wrong_label", "crash", "throws"])
def test_without_a_right_result_nothing_is_written(points: Path, fault: str) -> None:
    ran = fit(points, "--implementation", f"faults/{fault}", "--n-init", 2, program=FAULTY)
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.splitlines()[-1].startswith("kmbench: no start has a right result: ")
    assert names(points.parent) == {"points.npy"}


@pytest.mark.parametrize("link", [False, True])
def test_an_empty_folder_is_a_place_and_a_link_to_one_stays_one(points: Path, link: bool) -> None:
    folder, out = points.parent / ("there" if link else "out"), points.parent / "out"
    folder.mkdir()
    if link:
        out.symlink_to(folder)
    assert fit(points, *CPU, "--n-init", 1).returncode == 0
    answer(folder)
    assert out.is_symlink() == link


def test_a_full_disk_is_no_wrong_result(tmp_path: Path) -> None:
    command = [KMBENCH, "fit", "blobs", *flags(n=20_000, d=2, k=3, n_init=2, out=tmp_path / "out")]
    limit = f"trap '' XFSZ; ulimit -f 50; {shlex.join(map(str, command))}"  # 50 x 512 or 1024 bytes a file
    ran = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, env=ENVIRONMENT)
    refused(ran, "labels.npy: File too large")
    assert names(tmp_path) == set()


def test_two_fits_into_one_folder_are_refused_at_the_start(points: Path) -> None:
    beside = points.parent / f"out.{os.getpid()}.part"
    beside.mkdir()
    refused(fit(points, *CPU), f"process {os.getpid()} is writing it")
    beside.rename(points.parent / "out.999999999.part")  # of a killed one
    assert fit(points, *CPU, "--n-init", 1).returncode == 0


def test_an_interrupted_fit_leaves_nothing(points: Path) -> None:
    command = [KMBENCH, "fit", points, "--k", 4, "--out", points.parent / "out", *CPU, "--n-init", 2000]
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        assert program.stderr is not None
        assert program.stderr.readline().startswith("start 1 of 2000: ")
        program.send_signal(signal.SIGINT)
        program.stderr.read()
    assert program.returncode == 130
    assert names(points.parent) == {"points.npy"}


@pytest.fixture
def estimator(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("sklearn", minversion="1.6")
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.setenv("KMBENCH_PROGRAM", str(KMBENCH))
    monkeypatch.setenv("KMBENCH_HOME", str(ROOT))
    sys.modules.pop("kmbench", None)
    import kmbench as package

    return package.KMeans


def test_the_class_gives_what_the_program_gives(estimator: Any, points: Path) -> None:
    values = np.load(points)
    model = estimator(4, n_init=2, random_state=0, implementation="cpu/lloyd/two_step").fit(values)
    assert model.inertia_ == pytest.approx(inertia_of(values, model.labels_, model.cluster_centers_), rel=1e-9)
    assert model.report_["precision"] == "fp64"
    assert (model.predict(values) == model.labels_).all()
    single = estimator(4, init=values[:4], implementation="cpu/lloyd/two_step").fit(values.astype(np.float32))
    assert (single.cluster_centers_.dtype, single.report_["precision"]) == (np.float32, "fp32")


def test_the_class_raises_on_bad_input(estimator: Any, points: Path) -> None:
    with pytest.raises(ValueError, match="n_samples=600 should be >= n_clusters=601"):
        estimator(601).fit(np.load(points))
    with pytest.raises(ValueError, match="init 'best'"):
        estimator(4, init="best").fit(np.load(points))
    with pytest.raises(ValueError, match=r"kmeans\+\+: X has only 1 different points, k = 2 is more"):
        estimator(2).fit(np.ones((50, 2)))


def test_the_class_passes_scikit_learns_checks(estimator: Any) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(estimator(n_init=2, implementation="cpu/lloyd/two_step"))
