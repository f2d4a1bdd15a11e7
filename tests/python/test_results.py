"""Result lines: the schema, refused lines, and the line of a case that counts."""

import json
import re
import tracemalloc

import jsonschema
import pytest
from conftest import ROOT, cases
from line_schema import SCHEMA, VALIDATOR
from synthetic import ENERGY, FAULTS, line, of_schema, skipped, wrong

from plots.errors import UserError
from plots.read import check, json_text, results, validate
from plots.read.check import FIELDS
from plots.read.view import gather

RECORDED = sorted((ROOT / "results").glob("*/*.jsonl"))


@pytest.mark.parametrize("document", [SCHEMA, validate.EXHIBIT], ids=["line", "exhibit"])
def test_a_schema_is_json_schema(document):
    jsonschema.Draft202012Validator.check_schema(document)


RIGHT = [line(), skipped("too large"), wrong("label 3"), line(exhibit=None), line(grade="coarse"), line(continues=10)]
RIGHT += [of_schema(number, line()) for number in range(1, check.LATEST)]
RIGHT += [line(run_delay_s=[0.0] * 7, wait_policy="passive"), line(involuntary_switches=[0] * 7)]
RIGHT += [line(library={"name": "FAISS", "version": None}), line(energy=ENERGY)]


@pytest.mark.parametrize("made", RIGHT)
def test_made_up_lines_keep_the_schema(made):
    VALIDATOR.validate(made)


EMPTY = {"samples_s": [], "phases": {}}
AGAINST_OTHERS = [  # values that do not go together; our check leaves them to the metrics
    *({"samples_s": []}, {"verdict": "wrong"}, {"skip": "why", "verdict": ""}, {"verdict": None, **EMPTY}),
    {"grade": "exact", "verdict": "label 3", **EMPTY},
]


@pytest.mark.parametrize("fault", [*FAULTS, *AGAINST_OTHERS])
def test_the_schema_refuses(fault):
    assert not VALIDATOR.is_valid({**line(), **fault})


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_is_asked_from_its_schema_on(field):
    since = FIELDS[field].get("since", 1)
    lacking = [{k: v for k, v in of_schema(n, line()).items() if k != field} for n in range(1, check.LATEST + 1)]
    assert [VALIDATOR.is_valid(made) for made in lacking] == [n < since for n in range(1, check.LATEST + 1)]
    assert [reads(made) for made in lacking] == [n < since for n in range(1, check.LATEST + 1)]


def reads(made: dict) -> bool:
    try:
        check.line(made, "made up", {})
    except UserError:
        return False
    return True


def form(value: object) -> object:
    """The types in a value, whatever its numbers and words."""
    if isinstance(value, dict):
        return frozenset((name, form(inner)) for name, inner in value.items())
    return frozenset(map(form, value)) if isinstance(value, list) else type(value)


def form_of(made: dict) -> object:
    """The form of a line; the names of its parameters, phases and counters are free."""
    free = [name for name in made if "additionalProperties" in FIELDS[name]]
    return made["schema"], form(made | {name: list(made[name].values()) for name in free})


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_recorded_line_keeps_the_schema(path):
    """JSON Schema is slow and tries one line of each form; our check, which agrees with it, tries all."""
    made = [json_text.parse(text) for text in path.read_bytes().split(b"\n")[:-1]]
    for one in {form_of(one): one for one in made}.values():
        VALIDATOR.validate(one)
    told: list[str] = []
    assert (len(list(results.read_lines(path, told=told))), told) == (len(made), [])
    words = {word for one in made for word in one["argv"]}
    assert not [word for word in words if re.search(r"(^| |=)/", word)], "a command names no folder of the machine"


def test_paper_lines_go_before_quick_ones(bench):
    (machine,) = results.load(bench.run([line(profile="quick"), line(n=5)]))
    assert [x["n"] for x in results.of_exhibit(machine, "demo/table1")] == [5]
    assert [x["n"] for x in results.of_exhibit(machine, "demo/table1", "quick")] == [1000]


def test_a_case_done_again_is_the_newest():
    done = [line(packages=1), line(packages=10), line(packages=1, seconds=2.0)]
    assert [made["parameters"]["packages"] for made in results.latest(done)] == [10, 1]


BAD_LINES = ["{]", "[1]", '{"schema": 1}', json.dumps({**line(), "inertia": float("nan")}), "\xff"]
BAD_LINES += [json.dumps({**line(), "n": 10**400}), json.dumps({**line(), "samples_s": [-1.0]})]


def between(bench, *texts):
    """The file of two lines with these between, both lines, and the machine with its one sentence on skipped lines."""
    folder = bench.run([line(), line(packages=1)])
    path = folder / "demo" / "demo.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text("\n".join([first, *texts, second]) + "\n", encoding="latin-1")
    (machine,) = results.load(folder)
    assert len(machine.lines) == 2
    (sentence,) = machine.skipped
    return path, [first, second], machine, sentence


@pytest.mark.parametrize("text", BAD_LINES)
def test_a_bad_line_is_skipped_and_counted(bench, capsys, text):
    path, whole, machine, sentence = between(bench, text, text)
    assert sentence.startswith(f"2 lines skipped, the first: {path}:2: ")
    assert capsys.readouterr().err == f"plots: {sentence}\n"
    raw = results.raw_lines(machine.lines).decode().splitlines()
    assert raw == whole, "a skipped line keeps the places right"


def test_a_line_of_a_later_schema_is_refused(bench):
    folder = bench.run([line(), {**line(packages=1), "schema": check.LATEST + 1}])
    told = f"demo.jsonl:2: schema {check.LATEST + 1} is of a later kmbench; this one reads up to {check.LATEST}"
    with pytest.raises(UserError, match=f"{re.escape(told)}$"):
        results.load(folder)


def test_a_line_without_end_is_skipped_as_one(bench, monkeypatch):
    monkeypatch.setattr(results, "LONGEST", 1 << 14)
    assert "1 line skipped" in between(bench, "[" * 40_000)[-1]


def test_report_and_claims_count_skipped_lines(bench, tmp_path):
    bench.exhibit()
    bench.run([line(packages=1)])
    bench.add("[1]\n")
    for command in ("report", "claims"):
        assert bench.main(command, "--out", tmp_path / command) == 0
    for page in ("report/index.html", "claims/claims.html", "claims/claims.md"):
        assert "1 line skipped, " in (tmp_path / page).read_text(), page


def test_a_folder_of_other_json_is_no_machine(bench):
    folder = bench.run([line()])
    bench.add("[]", "report/claims.json")
    assert [machine.name for machine in results.load(folder)] == ["demo"]


def test_of_one_paper_other_papers_lines_are_passed_over_and_bad_lines_told(bench):
    others = [line(exhibit=key) for key in ("other/table1", "demonstration/table1")]
    folder = bench.run([line(), *others, line(exhibit="demo/table2"), line(exhibit=None)])
    bench.add("[1]\n")
    (machine,) = results.load(folder, papers={"demo"})
    assert {made["exhibit"] for made in machine.lines} == {"demo/table1", "demo/table2", None}
    assert len(machine.skipped) == 1
    assert len(results.load(folder)[0].lines) == 5


@pytest.mark.parametrize("number", ["9" * 250 + "e99", "9" * 400, "1" + "0" * 400 + ".5", "1e309", "-10E+308"])
def test_a_number_past_a_double_is_no_json(number):
    with pytest.raises(ValueError, match="infinity"):
        json_text.parse(f'{{"seed": 1, "x": [{number}]}}')


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_a_whole_number_past_64_bits_is_none(bench, number):
    bench.add(json.dumps({**line(), "n": number}) + "\n")
    with pytest.raises(UserError, match=r"n is .*, not count"):
        list(results.read_lines(bench.results / "demo/demo.jsonl"))


def test_numbers_within_the_limits_are_exact():
    greatest = f"[{2**64 - 1}, {-(2**63)}, 1.7976931348623157e308, 0.12345678901234567]"
    assert json_text.parse(greatest.encode()) == json.loads(greatest)


def samples(bench, *made: dict) -> list[float]:
    """The samples of the one line that counts."""
    (counts,) = results.load(bench.run(list(made)))[0].lines
    return list(counts["samples_s"])


def test_a_line_that_continues_another_has_the_samples_of_both(bench):
    first = line(samples_s=[3.0, 1.0], samples_event_s=[2.5, 0.5], prepare_s=0.1)
    then = line(samples_s=[2.0], samples_event_s=[1.5], prepare_s=0.2, continues=2)
    last = line(samples_s=[5.0, 4.0], samples_event_s=[4.5, 3.5], prepare_s=0.3, continues=3)
    folder = bench.run([first, line(packages=1), then, last])
    (machine,) = results.load(folder)
    (counts,) = [made for made in machine.lines if not made["parameters"]]
    assert list(counts["samples_s"]) == [3.0, 1.0, 2.0, 5.0, 4.0]
    assert list(counts["samples_event_s"]) == [2.5, 0.5, 1.5, 4.5, 3.5]
    assert counts["prepare_s"] == 0.3, "other fields come from the later line"
    raw = [json.loads(text) for text in results.raw_lines([counts]).splitlines()]
    assert [made["samples_s"] for made in raw] == [[3.0, 1.0], [2.0], [5.0, 4.0]], "an exhibit keeps all lines"


TWO = {"samples_s": [3.0, 1.0]}
OTHERS = [{"continues": None}, {"continues": 1}, {"continues": 3}, {"commit": "another"}, {"dirty": True}]
OTHERS += [{"grade": "exact"}, {"iterations": 4}, {"exhibit_hash": "f" * 16}, {"hash": "1" * 32}, {"device": "gpu"}]


@cases(
    "before then counted",
    ({"samples_s": [3.0]}, {"continues": 1}, [3.0, 2.0]),  # of a single run
    ({**TWO, "dirty": True}, {"continues": 2, "dirty": True}, [2.0]),  # what was changed meanwhile?
    *((TWO, {"continues": 2, **fields}, [2.0]) for fields in OTHERS),
)
def test_a_line_continues_one_of_the_same_clean_tree_else_it_counts_by_itself(bench, before, then, counted):
    then = line(samples_s=[2.0], **then) | {"case": line()["case"]}
    assert samples(bench, line(**before), then) == counted


def test_a_wrong_line_after_a_right_one_has_no_time(bench):
    (counts,) = results.load(bench.run([line(samples_s=[3.0, 1.0]), wrong("label 3", continues=2)]))[0].lines
    assert counts["verdict"] == "label 3" and list(counts["samples_s"]) == []


def test_only_a_newline_ends_a_line(bench):
    made = line(packages=1, failure=None, commit="a\u2028b\u0085c\x0cd")
    folder = bench.run([])
    bench.add(json.dumps(made, ensure_ascii=False) + "\n")
    assert [one["commit"] for one in results.load(folder)[0].lines] == ["a\u2028b\u0085c\x0cd"]


def test_empty_files_hold_nothing(bench):
    folder = bench.run([line(packages=1)])
    bench.add("", "demo/empty.jsonl")
    bench.add("\n \n", "demo/blank.jsonl")
    assert len(results.load(folder)[0].lines) == 1


@pytest.mark.parametrize("torn", [b'{"schema": 2, "ca', b'{"schema": "\xe2\x80', b"[1", b'{"case":'])
def test_a_torn_last_line_costs_that_line_only(bench, capsys, torn):
    folder = bench.run([line(packages=1)])
    with (folder / "demo" / "demo.jsonl").open("ab") as file:
        file.write(torn)
    assert len(results.load(folder)[0].lines) == 1
    assert "demo.jsonl:2: cut off" in capsys.readouterr().err


def peak(folder):
    tracemalloc.start()
    try:
        (machine,) = results.load(folder)
        return tracemalloc.get_traced_memory()[1], len(machine.lines)
    finally:
        tracemalloc.stop()


def test_many_lines_take_the_memory_of_their_cases(bench):
    """The reader keeps the last line of a case, in little memory."""
    made = [json.dumps(line(packages=p)) + "\n" for p in range(1000)]
    path = bench.run([]) / "demo" / "demo.jsonl"

    def after(texts: list[str]) -> tuple[int, int]:
        path.write_text("".join(texts))
        return peak(bench.results)

    few, cases = after(made[:100])
    many, cases_again = after(made[:100] * 15)
    assert cases == cases_again == 100 and many < few + (1 << 20)
    distinct, cases = after(made)
    assert cases == 1000 and distinct < 1000 * 6000


def test_a_table_of_too_many_cases_says_so(bench, monkeypatch):
    monkeypatch.setattr("plots.read.results.MOST_CASES", 5)
    (machine,) = results.load(bench.run([line(packages=p) for p in range(9)]))
    view = gather(bench.exhibit(), machine)
    assert {one["parameters"]["packages"] for one in view.lines} == {4, 5, 6, 7, 8}
    assert view.left_out == ("Left out: 4 older lines, more than a table can show.",)
