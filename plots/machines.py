"""The command hardware: machines side by side."""

import argparse

from plots.options import OUT, PAPERS, RESULTS, command, flag, option, several
from plots.read import exhibits, results
from plots.replaying import show


@command(
    "machines side by side: three sentences and a picture; time, share of their ceilings, portability, energy, claims",
    option("exhibits", "shown on standard output; without any, all are written", nargs="*", metavar="EXHIBIT"),
    RESULTS,
    PAPERS,
    OUT,
    several("--machine", "only this machine, the first is the base", metavar="NAME"),
    option("--profile", "default: the one that most machines have", choices=results.PROFILES),
    flag("--all", "also the claims that no machine decides"),
    example="hardware ours/peers",
)
def run_hardware(args: argparse.Namespace) -> None:
    papers = exhibits.load(args.papers, None, args.exhibits or None)
    named = dict.fromkeys(args.machine or [None])  # in the order of the command line
    machines = [machine for name in named for machine in results.load(args.results, name)]
    from plots.decide.side_by_side import sides
    from plots.write import claim_sheet, claims_by_machine, devices, hardware, table_formats

    compared = [(paper, sides(exhibit, machines, args.profile)) for paper in papers for exhibit in paper.exhibits]
    told, written = devices.write_all([both for _, both in compared], [m.name for m in machines], args.out)
    show(told)
    files = len(written)
    for paper, both in compared:
        if both.pairs:
            files += len(hardware.write_exhibit(both, paper, args.out))
        if args.exhibits:
            show(hardware.page(both, paper) if both.pairs else f"Nothing of {both.exhibit.key} was run.\n")
    findings = claim_sheet.sheet(papers, machines, args.profile)
    if findings:
        table = claims_by_machine.table(findings, args.all)
        show(table_formats.markdown(table) if args.exhibits else "\n".join(table.remarks))
        files += len(table_formats.write_table(table, args.out / "hardware/claims"))
    show(f"{files} files in {args.out / 'hardware'}")
