"""Which findings hold: a row a sentence, a column a machine, a square with a sign."""

import textwrap
from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from plots.decide.findings import OPEN, SIGN, VERDICTS, Conclusion
from plots.draw import style
from plots.draw.axes import TITLE

# Told apart by colour, in grey by how dark they are, and by their sign; from a sentence that holds to one not run.
FACES = dict(zip(VERDICTS, ("#1A7F45", "#A9D8C0", "#F0D9A0", "#7A1F1F", "#C9DDF0", "#FFFFFF", "#FFFFFF"), strict=True))
INK = dict(zip(VERDICTS, ("white", "#10161F", "#10161F", "white", "#10161F", "#59616B", "#8B929C"), strict=True))
ROW, COLUMN, TEXT, LETTERS = 0.23, 0.95, 6.4, 105  # inches; letters of a sentence


@style.applied
def draw(papers: Sequence[tuple[str, Sequence[Conclusion]]], machines: Sequence[str]) -> Figure:
    """Sentences by paper, each with a mark for every machine."""
    rows = [(key if not i else "", one) for key, sentences in papers for i, one in enumerate(sentences)]
    wide, high = TEXT + COLUMN * len(machines) + 0.2, ROW * len(rows) + 1.2
    figure = Figure(figsize=(wide, high), layout="none")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, wide), ylim=(high, 0))
    ax.axis("off")
    ax.text(0.08, 0.2, "Which findings of the papers still hold", fontsize=TITLE, fontweight="bold", va="center")
    for i, name in enumerate(machines):
        ax.text(TEXT + COLUMN * (i + 0.5), 0.44, textwrap.fill(name, 17), fontsize=7, ha="center", va="center")
    for i, (key, one) in enumerate(rows):
        y = 0.84 + ROW * i
        if key:
            ax.axhline(y - ROW / 2, color="#BBBBBB", linewidth=0.5)
        ax.text(0.08, y, key, fontsize=7, fontweight="bold", va="center")
        ax.text(1.05, y, textwrap.shorten(one.text, LETTERS, placeholder=" …"), fontsize=7, va="center")
        for j, mark in enumerate(one.marks):
            x = TEXT + COLUMN * (j + 0.5)
            square(ax, x, y, mark.verdict)
            ax.text(x + 0.14, y, mark.part, fontsize=6, color="#59616B", va="center")
    for i, verdict in enumerate(VERDICTS):
        square(ax, 0.2 + 1.35 * i, high - 0.2, verdict)
        ax.text(0.36 + 1.35 * i, high - 0.2, verdict, fontsize=7, va="center")
    ax.text(0.2 + 1.35 * len(VERDICTS), high - 0.2, "1 of 8: checks decided there", fontsize=7, va="center")
    return figure


def square(ax, x: float, y: float, verdict: str) -> None:
    edge = "#C0C5CC" if verdict in OPEN else FACES[verdict]
    box = {"boxstyle": "round,pad=0,rounding_size=0.03", "facecolor": FACES[verdict], "edgecolor": edge}
    ax.add_patch(FancyBboxPatch((x - 0.1, y - 0.09), 0.2, 0.18, linewidth=0.6, **box))
    ax.text(x, y, SIGN[verdict], fontsize=7.5, fontweight="bold", color=INK[verdict], ha="center", va="center")
