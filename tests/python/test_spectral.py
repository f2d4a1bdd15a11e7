"""kmbench spectral and its cases: labels of a user's points, refusals, result lines, the figure of the stages."""

import re
from pathlib import Path

import numpy as np
import pytest
from built import KMBENCH, kmbench, lines_of, needed, refused, succeeded
from conftest import Bench, figure
from synthetic import line

from plots.draw import figures
from plots.read.metrics import metric

needed(KMBENCH)
STAGES = ["representatives", "similarity", "eigenvectors", "clusters", "labels"]
SMALL = ["--clusters", 2, "--representatives", 150, "--solver", "lapack"]


@pytest.fixture
def rings(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """Two rings round one centre, which no line tells apart, and which ring a point is of."""
    made = np.random.default_rng(3)
    ring = made.integers(0, 2, 1500)
    angle, radius = made.uniform(0, 2 * np.pi, 1500), 1.0 + 2 * ring + made.normal(0, 0.05, 1500)
    np.save(tmp_path / "rings.npy", 1e7 + np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    np.save(tmp_path / "known.npy", ring)
    return tmp_path / "rings.npy", ring


def test_a_users_points_get_the_labels_of_their_ring(rings: tuple[Path, np.ndarray], tmp_path: Path) -> None:
    points, ring = rings
    out = ["--out", tmp_path / "out.npy", "--truth", tmp_path / "known.npy"]
    said = succeeded("spectral", points, *out, *SMALL).stdout
    labels = np.load(tmp_path / "out.npy")
    assert labels.dtype == np.int32 and labels.shape == ring.shape
    assert (labels == ring).all() or (labels == 1 - ring).all()
    assert all(stage in said for stage in STAGES) and "no smaller eigenvalue was missed" in said
    assert "adjusted Rand index 1.0000, NMI 1.0000" in said
    shown = [float(text) for text in re.findall(rf"  (?:{'|'.join(STAGES)}) +(\S+) s\n", said)]
    assert len(shown) == len(STAGES) and all(shown), "no stage takes 0 s"


def test_a_file_that_is_there_stays_and_columns_are_chosen(rings: tuple[Path, np.ndarray], tmp_path: Path) -> None:
    points, ring = rings
    refused(kmbench("spectral", points, "--out", points, *SMALL), f"--out {points} exists; name a new file")
    np.save(tmp_path / "wide.npy", np.column_stack([np.arange(len(ring)), np.load(points)]))
    out = ["--columns", "2-3", "--out", tmp_path / "out.npy"]
    succeeded("spectral", tmp_path / "wide.npy", *out, *SMALL)
    assert set((np.load(tmp_path / "out.npy") == ring).tolist()) in ({True}, {False})


def test_a_graph_of_several_components_is_reported_and_solved(tmp_path: Path) -> None:
    flags = ["--n", 600, *SMALL, "--similarity", "epsilon", "--epsilon", 0.05]
    assert "connected components" in succeeded("spectral", "rings", "--out", tmp_path / "out.npy", *flags).stdout
    assert set(np.load(tmp_path / "out.npy")) == {0, 1}
    flags = ["--n", 600, *SMALL, "--similarity", "epsilon", "--epsilon", 1e-6, "--out", tmp_path / "none.npy"]
    assert "; it proposes no number of clusters: all are 0" in succeeded("spectral", "rings", *flags).stdout


def test_a_case_has_a_line_with_its_stages_and_its_quality(tmp_path: Path) -> None:
    problem = ["--dataset", "moons", "--n", 1000, "--k", 2, "--repetitions", 2]
    chain, peer = "cpu/spectral/lapack", "library/sklearn_spectral"
    for implementation, more in ((chain, ["--set", "representatives=100"]), (peer, [])):
        folder = tmp_path / implementation.replace("/", "_")
        succeeded("run", "--implementation", implementation, *problem, *more, "--out", folder)
        (made,) = lines_of(folder / "adhoc.jsonl")
        if made["skip"]:
            pytest.skip(made["skip"])
        assert made["verdict"] == "" and made["iterations"] == 1 and len(made["samples_s"]) == 2
        assert metric("ari").of(made, {}).value > 0.9
        if implementation == chain:
            assert list(made["phases"]) == sorted(STAGES)
            assert made["counters"]["residual"][0] < 1e-8


def test_the_figure_has_a_box_for_every_stage(bench: Bench) -> None:
    text = figure("chain", "assign update", 'series = ["implementation"]\n')
    view = bench.view([line(packages=1), line(packages=10)], text)
    (ax,) = figures.draw(view).axes
    shares = [text.get_text().split("\n")[1] for text in ax.texts]
    assert len(shares) == 4 and all(share.endswith("%") for share in shares)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["assign", "update"]
