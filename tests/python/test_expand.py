"""The short forms of an exhibit: each expands to its long form; a mistake is one line with its place."""

import tomllib

import pytest
from conftest import ROOT

from plots.errors import UserError
from plots.read.expand import expand

EXAMPLES = tomllib.loads((ROOT / "tests/expansion.toml").read_text())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_short_form_stands_for_the_long_one(name):
    short, long = (tomllib.loads(EXAMPLES[name][form]) for form in ("short", "long"))
    assert expand(short) == long
    assert expand(long) == long


def test_nothing_given_is_changed():
    given = tomllib.loads(EXAMPLES["sweeps_of_the_quick_profile"]["short"])
    before = repr(given)
    expand(given)
    assert repr(given) == before


CLAIM = '[claim.a]\ntext = "t"\nmetric = "run"\nat_most = 1\n'
FAULTS = {
    "another default": ("defaults.table = {}", "[defaults]: unknown key 'table'; known: sweep, claim"),
    "no table": ("defaults.sweep = 3", "[defaults]: a table of tables is needed"),
    "lengths": (
        'sweep = [{ n = [1, 2], d = [3], zip = ["n", "d"] }]',
        "[[sweep]]: the lists of zip must be of one length; n has 2, d has 1",
    ),
    "no list": ('sweep = [{ n = 1, zip = ["n"] }]', "[[sweep]]: zip names 'n', which is no list of the sweep"),
    "zip": ('sweep = [{ n = 1, zip = "n" }]', "[[sweep]]: zip must be a list of keys"),
    "no row": (CLAIM + "for = 3", "claim 'a': for must be a list of tables or a table of lists"),
    "empty": (CLAIM + "for = { k = [] }", "claim 'a': for must be a list of tables or a table of lists"),
    "missing": (CLAIM + 'for = { k = [1] }\nbound = { d = "{d}" }', "claim 'a': {d} is not in its for; there are k"),
    "idle": (
        CLAIM + "for = { kk = [1] }",
        "claim 'a': for gives 'kk', which is no key of a claim and stands nowhere as {kk}",
    ),
    "many": (
        CLAIM + f"for = {{ k = {[*range(200)]}, d = {[*range(200)]} }}",
        "claim 'a': for makes 40000 claims; accepted: up to 10000",
    ),
    "two kinds": (CLAIM + "bound = {}\nvalue = {}", "claim 'a': of two kinds, bound and value"),
    "kind twice": (CLAIM + 'kind = "trend"\nbound = {}', "claim 'a': of two kinds, bound and trend"),
    "one side": (
        CLAIM + "ratio = [{}]",
        "claim 'a': ratio must be two tables, of the numerator and of the denominator, or one for both",
    ),
    "no sides": (CLAIM + "order = 3", "claim 'a': order must be a list of tables of fields"),
    "metrics": (
        '[claim.a]\ntext = "t"\nratio = {}\nmetric = ["run"]',
        "claim 'a': metric must be a name, or the numerator's and the denominator's",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_is_one_line(name):
    text, complaint = FAULTS[name]
    with pytest.raises(UserError) as caught:
        expand(tomllib.loads(text))
    assert str(caught.value) == complaint
