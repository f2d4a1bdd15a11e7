"""kmbench list and env, as tables and as JSON."""

import json

import pytest
from built import ROOT, kmbench, needs_kmbench

pytestmark = needs_kmbench


def listed(what: str) -> list[dict]:
    return json.loads(kmbench("list", what, "--json").stdout)


@pytest.mark.parametrize("what", ["implementations", "datasets", "exhibits"])
def test_lists_parse(what):
    text = kmbench("list", what).stdout
    assert listed(what) and all(entry.get("name", entry.get("key")) in text for entry in listed(what))


def test_the_list_of_data_sets_shows_their_settings():
    (blobs,) = [row for row in kmbench("list", "datasets").stdout.splitlines() if row.startswith("blobs ")]
    assert "(groups=0 high=10 low=-10 seed=42 sigma2=1 " in blobs
    settings = {entry["name"]: entry["settings"] for entry in listed("datasets")}
    assert settings["uniform"] == {"high": 1, "low": 0, "seed": 1}
    assert settings["household"] is None


def test_the_lists_are_complete():
    names = [entry["name"] for entry in listed("implementations")]
    registering = [path for path in (ROOT / "impl/cpu").rglob("*.cpp") if "const Register<" in path.read_text()]
    assert {str(path.relative_to(ROOT / "impl").with_suffix("")) for path in registering} <= set(names)
    assert names == sorted(names) and "library/armadillo" in names, "in every build"
    assert not [name for name in names if name.startswith("faults/")], "kmbench itself has no faults"
    papers = [path for path in (ROOT / "papers").glob("*/*.toml") if path.stem != "paper"]
    assert {one["key"] for one in listed("exhibits")} == {f"{path.parent.name}/{path.stem}" for path in papers}


def test_env_parses():
    record = json.loads(kmbench("env", "--json").stdout)
    assert {"id", "cpu", "memory_bytes", "gpu", "build", "warnings"} <= set(record)
    assert kmbench("env").stdout
