"""Every claim of every paper on one page that sorts and filters, in the report's own looks."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from plots.decide.claims import Finding
from plots.decide.sentences import CASE
from plots.decide.verdicts import VERDICTS
from plots.write import claim_sheet
from plots.write.report import HERE, environment


def page(findings: list[Finding], skipped: Sequence[str] = ()) -> str:
    """The same rows as claims.md, as HTML that needs no network."""
    rows = claim_sheet.page_rows(findings)
    counts = Counter(finding.verdict for finding, _ in rows if not finding.text.startswith(CASE))
    names = dict.fromkeys(finding.machine for finding in findings)
    return (
        environment()
        .get_template("claims.html.j2")
        .render(
            css=Markup((HERE / "report.css").read_text(encoding="utf-8")),
            script=Markup((HERE / "report.js").read_text(encoding="utf-8")),
            heads=claim_sheet.PAGE_HEAD,
            skipped=skipped,
            machines=[(name, claim_sheet.reach([f for f in findings if f.machine == name])) for name in names],
            rows=rows,
            verdicts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
        )
    )
