"""A library far slower than another on one case is marked, with the reason if it is known."""

from __future__ import annotations

import pytest
from conftest import TABLE
from synthetic import line

from plots.write import table_formats, tables

LIBRARIES = TABLE.replace('rows = ["packages"]', 'rows = ["implementation", "d"]')
BLAS = {"name": "OpenBLAS", "version": "0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64"}
FAST = {"implementation": "library/torch", "seconds": 0.1}


def sentences(bench, *lines, text=LIBRARIES):
    """The suspicious footnote of each implementation, or ""."""
    table = tables.build(bench.view(list(lines), text))
    said = {}
    for row in table.rows:
        notes = [table.footnotes[mark - 1] for mark in row[0].marks]
        said[row[0].text] = next((note for note in notes if note.startswith("suspicious")), "")
    return said


def test_a_tenth_of_another_librarys_rate_is_suspicious(bench):
    said = sentences(bench, line(**FAST), line(implementation="library/blas", seconds=1.2))
    assert said["library/torch"] == ""
    assert said["library/blas"].startswith("suspicious: less than a tenth of the rate of library/torch on this case")
    assert said["library/blas"].endswith("the cause is not known")


@pytest.mark.parametrize(
    ("fast", "other"),
    [
        ({}, {"implementation": "library/blas", "seconds": 0.9}),  # a ninth
        ({}, {"implementation": "cpu/lloyd/naive", "seconds": 9.0}),  # no library
        ({}, {"implementation": "library/blas", "seconds": 9.0, "k": 5}),  # another case
        ({}, {"implementation": "library/blas", "seconds": 9.0, "hash": "1" * 32}),  # other points
        ({}, {"implementation": "library/torch_gpu", "seconds": 9.0, "device": "gpu"}),
        ({"grade": "coarse"}, {"implementation": "library/blas", "seconds": 9.0}),  # a doubtful time
    ],
)
def test_nothing_else_is(bench, fast, other):
    assert not any(sentences(bench, line(**FAST, **fast), line(**other)).values())


def test_another_stop_rule_is_the_same_case(bench):
    said = sentences(bench, line(**FAST), line(implementation="library/sklearn", seconds=9.0, tolerance=0))
    assert said["library/sklearn"]


def test_the_reason_comes_from_the_library_else_from_the_exhibit(bench):
    known = LIBRARIES + '[labels.slow]\n"library/blas" = "its threads fight"\n'
    own, slow = line(**FAST), {"implementation": "library/blas", "seconds": 9.0}
    assert sentences(bench, own, line(**slow), text=known)["library/blas"].endswith("; its threads fight")
    said = sentences(bench, own, line(**slow, library=BLAS), text=known)["library/blas"]
    assert said.endswith(f"kernels of an older processor ({BLAS['version']})")


def test_the_mark_and_its_sentence_are_in_the_written_table(bench):
    lines = [line(**FAST), line(implementation="library/blas", seconds=9.0)]
    text = table_formats.markdown(tables.build(bench.view(lines, LIBRARIES)))
    assert "suspicious: less than a tenth" in text
