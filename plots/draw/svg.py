"""A figure as the text of an SVG."""

from __future__ import annotations

import io
import re

from matplotlib.figure import Figure

from plots.draw import style


def text(figure: Figure | None) -> str:
    """Empty where there is no figure."""
    if figure is None:
        return ""
    buffer = io.BytesIO()
    style.write(figure, buffer, ".svg")
    return buffer.getvalue().decode()


def small(text: str) -> str:
    """The same picture in fewer bytes: no comments, no metadata, no names of groups, paths to a tenth of a point."""
    text = re.sub(r"<\?xml.*?<svg", "<svg", text, count=1, flags=re.S)
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r"'DejaVu Sans'[^;\"]*", "DejaVu Sans,sans-serif", text)  # no quotes within quotes
    text = re.sub(r'style="[^"]*"', lambda m: re.sub(r"([:;]) ", r"\1", m[0]), text)
    text = re.sub(r' d="[^"]*"', lambda m: re.sub(r"\s*([MLCQz])\s*", r"\1", rounded(m[0], 1)), text)
    text = re.sub(r"<[^>]*>", lambda m: rounded(m[0], 2), text)  # tags alone: what the figure says keeps its digits
    return re.sub(r"\s*\n\s*", " ", text).replace("> <", "><").replace('"', "'")


def rounded(text: str, decimals: int) -> str:
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.{decimals}f}".rstrip("0").rstrip("."), text)
