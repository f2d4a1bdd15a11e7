"""A figure as the text of an SVG."""

import io
import re
from collections import Counter

from matplotlib.figure import Figure

from plots.draw import style

FONT = "font-family:DejaVu Sans,sans-serif"  # of every text
ALIKE = re.compile(r"<(?:use|path) [^>]* class='(s\d+)'/>(?:<(?:use|path) [^>]* class='\1'/>){2,}")  # in a row
BARE = re.compile(r"<g>((?:(?!</?g[ >]).)*)</g>", re.S)  # a group that says nothing, with no group in it


def text(figure: Figure | None) -> str:
    if figure is None:
        return ""
    buffer = io.BytesIO()
    style.write(figure, buffer, ".svg")
    return buffer.getvalue().decode()


def small(text: str) -> str:
    """The same picture without comments, metadata and bare groups, with short names and rounded paths."""
    text = re.sub(r"<\?xml.*?<svg", "<svg", text, count=1, flags=re.S)
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r"'DejaVu Sans'[^;\"]*", "DejaVu Sans,sans-serif", text)  # no quotes within quotes
    text = re.sub(r'style="[^"]*"', lambda m: re.sub(r"([:;]) ", r"\1", m[0]), text)
    text = re.sub(r' d="([^"]*)"', lambda m: f' d="{relative(m[1])}"', text)
    text = re.sub(r"<[^>]*>", lambda m: rounded(m[0], 2), text)  # tags alone: the figure's text keeps its digits
    text = re.sub(r"\s*\n\s*", " ", text).replace("> <", "><").replace('"', "'").replace(" '", "'")
    text = text.replace("xlink:href", "href") if "<image" not in text else text
    text = re.sub(r" ([xy])='(-?\d+\.\d+)'", lambda m: f" {m[1]}='{rounded(m[2] + '0', 1)}'", text)
    text = re.sub(r"<path(?: (?:style|clip-path)='[^']*')*/>", "", text)  # without a place it draws nothing
    while (fewer := BARE.sub(r"\1", text)) != text:
        text = fewer
    text = re.sub(r" transform='rotate\(-?0 [^']*'", "", text)
    text = re.sub(r"#(\w)\1(\w)\2(\w)\3(?!\w)", r"#\1\2\3", text)
    text = re.sub(r" clip-path='([^']*)' style='([^']*)'", r" style='\2;clip-path:\1'", text)
    if FONT in text:
        text = text.replace(f";{FONT}", "").replace("</style>", f"text{{{FONT}}}</style>", 1)
    return ticks(short_names(shared_styles(text)))


def relative(path: str) -> str:
    """The path in tenths of a point, each place a step from the one before; rounded first: errors do not add."""
    made, at, begin = "", (0, 0), (0, 0)
    for letter, numbers in re.findall(r"([MLCQz])([^MLCQz]*)", path):
        flat = [round(10 * float(x)) for x in numbers.split()]
        places = list(zip(flat[::2], flat[1::2], strict=True))
        start = (0, 0) if letter == "M" else at
        steps = [f"{(x - start[i]) / 10:g}" for place in places for i, x in enumerate(place)]
        made += (letter if letter in "Mz" else letter.lower()) + " ".join(steps)
        at = places[-1] if places else begin
        begin = at if letter == "M" else begin
    return re.sub(r"(?<![\d.])0\.", ".", made.replace(" -", "-"))


def shared_styles(text: str) -> str:
    """Replaces repeated styles by classes, and a class in a row by one of a group."""
    counts = Counter(re.findall(r" style='([^']*)'", text))
    names = {style: f"s{at}" for at, style in enumerate(style for style, count in counts.items() if count > 2)}
    text = re.sub(r" style='([^']*)'", lambda m: f" class='{names[m[1]]}'" if m[1] in names else m[0], text)
    text = ALIKE.sub(lambda m: f"<g class='{m[1]}'>" + m[0].replace(f" class='{m[1]}'", "") + "</g>", text)
    return text.replace("</style>", "".join(f".{name}{{{style}}}" for style, name in names.items()) + "</style>", 1)


def ticks(text: str) -> str:
    """An axis' ticks of one class as one path, not a reference each."""
    place = re.compile(r"<use [^>]*? x='([^']*)' y='([^']*)'/>")
    for name, step in re.findall(r"<path id='(\w+)' d='M0 0(l[-\d. ]+)' [^>]*/>", text):
        group = rf"<g class='(s\d+)'>((?:<use (?:xlink:)?href='#{name}' x='[^']*' y='[^']*'/>)+)</g>"
        for held, shared, marks in [(m[0], m[1], m[2]) for m in re.finditer(group, text)]:
            drawn = place.sub(rf"M\1 \2{step}", marks)
            text = text.replace(held, f"<path class='{shared}' d='{drawn}'/>")
        if f"#{name}'" not in text:
            text = re.sub(rf"<defs><path id='{name}'[^>]*/></defs>", "", text)
    return text


def short_names(text: str) -> str:
    """Replaces the hashes that name markers and clips by numbers."""
    names = {name: f"i{at}" for at, name in enumerate(dict.fromkeys(re.findall(r" id='([^']*)'", text)))}
    return re.sub(r"( id='|#)([\w.-]+)", lambda m: m[1] + names.get(m[2], m[2]), text)


def rounded(text: str, decimals: int) -> str:
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.{decimals}f}".rstrip("0").rstrip("."), text)
