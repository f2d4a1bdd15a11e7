"""docs/reference.md lists the content of the schemas, and no exhibit changes its meaning unseen.

KMBENCH_UPDATE=1 rewrites the generated parts."""

import hashlib
import json
import os
import re
from pathlib import Path

from conftest import ROOT, papers

from plots.read import check, schema, validate
from plots.read.metrics import METRICS, metric

PAGE = ROOT / "docs/reference.md"
PARTS = {"": "An exhibit", "sweep": "[[sweep]]", "table": "[table]", "figure": "[figure]", "paper": "[[paper]]"}
PARTS |= {"claim": "[claim.<id>]", "record": "paper.toml", "finding": "[[finding]]", "cause": "[[cause]]"}
PARTS |= {"peak": "[peak.<device>]"}


def held(path: Path, now: str) -> None:
    if os.environ.get("KMBENCH_UPDATE"):
        path.write_text(now, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == now, "KMBENCH_UPDATE=1 writes it anew"


def field_rows() -> str:
    rows = ["| field | type | since | meaning |", "|---|---|--:|---|"]
    for name, node in check.FIELDS.items():
        kind = schema.words(schema.Compiler(check.DOCUMENT), node)
        rows.append(f"| `{name}` | {kind} | {node.get('since', '')} | {node['description']} |")
    return "\n".join(rows) + "\n"


def test_the_page_lists_every_field_of_a_line():
    head, rest = PAGE.read_text().split("| field | type |", 1)
    held(PAGE, head + field_rows() + rest[rest.index("\n\n") + 1 :])


def key_table(name: str) -> str:
    node = validate.part(name) if name else validate.EXHIBIT
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, given in node["properties"].items():
        inner = validate.CHECKS.resolved(given)
        words = ", ".join(f"`{one}`" for one in inner["enum"]) if "enum" in inner else inner.get("title", "")
        needed = " (needed)" if key in node.get("required", []) else ""
        rows.append(f"| `{key}`{needed} | {words.replace('<', '&lt;')} | {given.get('description', '')} |")
    return "\n".join(rows)


def test_the_page_lists_every_key():
    heading = "## Keys of an exhibit\n"
    head, tail = PAGE.read_text().split(heading)
    rest = "\n## " + tail.partition("\n## ")[2]
    tables = "\n\n".join(f"{title}:\n\n{key_table(name)}" for name, title in PARTS.items())
    source = "From [schema/exhibit.json](../schema/exhibit.json). [exhibits.md](exhibits.md) explains the format."
    held(PAGE, f"{head}{heading}\n{source}\n\n{tables}\n{rest}")


def test_the_page_lists_every_kind_of_claim():
    section = (ROOT / "docs/exhibits.md").read_text().split("\n## How a claim is decided\n")[1].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == validate.part("claim")["properties"]["kind"]["enum"]


def test_the_page_lists_every_metric_with_its_unit():
    section = PAGE.read_text().split("\n## Metrics\n")[1].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| ([^|]*)\|", section, re.MULTILINE)
    listed = {name: unit.strip() for names, unit in rows for name in re.findall(r"`([^`]+)`", names)}
    families = {name for name in listed if ":" in name}
    assert {name: unit for name, unit in listed.items() if name not in families} == {
        metric.name: metric.unit for metric in METRICS.values()
    }
    assert all(metric(name.replace("<rank>", "0").replace("<metric>", "run")).unit == listed[name] for name in families)


def fingerprint(exhibit) -> str:
    """A hash of the exhibit with its short forms expanded and its claims sorted by id."""
    meant = {**exhibit.spec, "claim": sorted(exhibit.claims, key=lambda claim: claim["id"])}
    return hashlib.sha256(json.dumps(meant, sort_keys=True).encode()).hexdigest()[:16]


def test_no_exhibit_changed_its_meaning_unseen():
    """An edit of the form alone keeps every line of tests/exhibits.txt."""
    now = ""
    exhibits = {one.key: one for paper in papers() for one in paper.exhibits}
    for key, one in sorted(exhibits.items()):
        sizes = f"{len(one.spec.get('sweep', []))} sweeps, {len(one.printed())} printed rows, {len(one.claims)} claims"
        now += f"{fingerprint(one)} {key}: {sizes}\n"
    held(ROOT / "tests/exhibits.txt", now)
