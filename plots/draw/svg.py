"""A figure as the text of an SVG."""

import io
import re
from collections import Counter

from matplotlib.figure import Figure

from plots.draw import style

FONT = "font-family:DejaVu Sans,sans-serif"  # of every text
LINES = re.compile(r"<path d='[^']*' class='(\w+)'/>(?:<path d='[^']*' class='\1'/>)+")  # in a row
PLACE = r" x='([^']*)' y='([^']*)'"
MARKS = re.compile(rf"<use ((?:xlink:)?href='#\w+'){PLACE}( [^>]*)/>(?:<use \1{PLACE}\4/>){{2,}}")
STYLE = re.compile(r" style='([^']*)'")
LOOK = re.compile(r"\.(\w+)\{([^}]*)\}")
COLOUR = re.compile(r"(fill|stroke):(#\w+|none)(?:;|$)")
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
    return markers(joined(ticks(shared_styles(short_names(text)))))


def relative(path: str) -> str:
    """The path in tenths of a point, each place a step from the one before; rounded first: errors do not add."""
    made, at, begin = "", (0, 0), (0, 0)
    for letter, numbers in re.findall(r"([MLCQz])([^MLCQz]*)", path):
        flat = [round(10 * float(x)) for x in numbers.split()]
        places = list(zip(flat[::2], flat[1::2], strict=True))
        start = (0, 0) if letter == "M" else at
        steps = [(x - start[i]) / 10 for place in places for i, x in enumerate(place)]
        if letter == "L" and 0 in steps:
            made += f"v{steps[1]:g}" if steps[0] == 0 else f"h{steps[0]:g}"
        else:
            made += (letter if letter in "Mz" else letter.lower()) + " ".join(f"{step:g}" for step in steps)
        at = places[-1] if places else begin
        begin = at if letter == "M" else begin
    return re.sub(r"(?<![\d.])0\.", ".", made.replace(" -", "-"))


def shared_styles(text: str) -> str:
    """Replaces repeated styles by classes; the colours of the others are attributes, so that their rest repeats."""
    own = Counter(STYLE.findall(text))
    text = STYLE.sub(lambda m: m[0] if own[m[1]] > 2 else coloured(m[1]), text)
    counts = Counter(STYLE.findall(text))
    names = {style: f"s{at}" for at, style in enumerate(style for style, count in counts.items() if count > 2)}
    text = STYLE.sub(lambda m: f" class='{names[m[1]]}'" if m[1] in names else m[0], text)
    return text.replace("</style>", "".join(f".{name}{{{style}}}" for style, name in names.items()) + "</style>", 1)


def coloured(style: str) -> str:
    rest = COLOUR.sub("", style).rstrip(";")
    return "".join(f" {name}='{value}'" for name, value in COLOUR.findall(style)) + f" style='{rest}'" * bool(rest)


def joined(text: str) -> str:
    """Lines of one class in a row as one path."""
    bare = {name for name, style in LOOK.findall(text) if "fill:none" in style and "opacity" not in style}
    return LINES.sub(lambda m: m[0].replace(f"' class='{m[1]}'/><path d='", "") if m[1] in bare else m[0], text)


def ticks(text: str) -> str:
    """An axis' ticks of one class as one path, not a reference each."""
    for name, step in re.findall(r"<path id='(\w+)' d='M0 0([hv][-\d.]+)' [^>]*/>", text):
        tick = re.compile(rf"<use (?:xlink:)?href='#{name}'{PLACE}( [^>]*)/>")
        for look in dict.fromkeys(m[3] for m in tick.finditer(text)):
            marks = [m for m in tick.finditer(text) if m[3] == look]
            drawn = "".join(f"M{m[1]} {m[2]}{step}" for m in marks)
            text = text.replace(marks[0][0], f"<path d='{drawn}'{look}/>", 1)
            text = tick.sub(lambda m, look=look: "" if m[3] == look else m[0], text)
        text = re.sub(rf"<defs><path id='{name}'[^>]*/></defs>", "", text)
    return text


def markers(text: str) -> str:
    """The markers of a curve as the corners of one line that is not drawn, not a reference each."""
    made: dict[str, str] = {}

    def line(found: re.Match) -> str:
        mark = f"<use {found[1]}{found[4]}/>"
        said = "" if mark in made else f"<marker id='m{len(made)}'>{mark}</marker>"
        points = " ".join(f"{x} {y}" for x, y in re.findall(PLACE, found[0]))
        return f"{said}<polyline points='{points}' style='marker:url(#{made.setdefault(mark, f'm{len(made)}')})'/>"

    text = MARKS.sub(line, text)
    return text.replace("</style>", "marker{overflow:visible}polyline{fill:none}</style>", 1) if made else text


def short_names(text: str) -> str:
    """Replaces the hashes that name markers and clips by numbers."""
    names = {name: f"i{at}" for at, name in enumerate(dict.fromkeys(re.findall(r" id='([^']*)'", text)))}
    return re.sub(r"( id='|#)([\w.-]+)", lambda m: m[1] + names.get(m[2], m[2]), text)


def rounded(text: str, decimals: int) -> str:
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.{decimals}f}".rstrip("0").rstrip("."), text)
