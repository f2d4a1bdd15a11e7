"""Numbers as text."""

import math
import re

from plots.read.intervals import Estimate

MISSING = "–"
PRINTED_WORDS = ("Segfault", "N/A", "OOM", "–")  # that a paper prints instead of a number
COARSE, DISTURBED = "coarse", "disturbed"  # why a time is marked
DOUBTS = {COARSE: "†", DISTURBED: "‡"}
TAKEN = "other programs took the processors while it ran"
T_OF_TWO = 12.7062  # Student's t of one degree of freedom at 97.5%
WIDE = 10.0  # highest over lowest bound of an interval that is only noise
NOISE = "noise"
SECONDS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "min": 6e4}  # in ms, the unit in which times are shown


def decimals_for(value: float, digits: int = 4) -> int | None:
    """Decimals that show `digits` significant ones; None if scientific notation is shorter, and for 0."""
    if value == 0 or not math.isfinite(value):
        return None
    power = math.floor(math.log10(abs(value)))
    return None if power < -4 or power > 9 else max(0, digits - 1 - power)


def number(value: float | None, digits: int = 4, decimals: int | None = None) -> str:
    """`digits` significant digits, or a whole number; thousands separated from 10,000 on. None is a dash."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if decimals is None:
        whole = float(value).is_integer() and abs(value) < 1e10
        decimals = 0 if whole else decimals_for(value, digits)
    if decimals is None:
        return f"{value:.{digits - 1}e}"
    text = f"{value:,.{decimals}f}"
    return text.replace(",", "") if abs(value) < 10_000 else text


def point(estimate: Estimate, digits: int = 4) -> str:
    return number(estimate.value, digits, None if estimate.exact else decimals_for(estimate.value, digits))


def runs(estimate: Estimate) -> tuple[float, float] | None:
    """Both values of two runs, back from the interval of Student's t; None for any other estimate."""
    low, high = estimate.range
    if estimate.samples != 2 or not estimate.method.startswith("t of log") or not 0 < low < high < math.inf:
        return None
    middle, half = (math.log(high) + math.log(low)) / 2, (math.log(high) - math.log(low)) / 2 / T_OF_TWO
    return math.exp(middle - half), math.exp(middle + half)


def interval(estimate: Estimate | None, digits: int = 4) -> str:
    """`low, high` with the decimals of the value; both values of two runs; `noise` if the bounds are ten times apart;
    empty for an exact value or a single run."""
    if estimate is None or estimate.exact or not estimate.known:
        return ""
    (low, high), two = estimate.range, runs(estimate)
    if not two and low >= 0 and high >= WIDE * low:
        return NOISE
    decimals = decimals_for(estimate.value, digits)
    return (" and " if two else ", ").join(number(bound, digits, decimals) for bound in two or (low, high))


def both(estimate: Estimate, digits: int = 4) -> str:
    """`150.3 [149.8, 151.0]`."""
    bounds = interval(estimate, digits)
    return f"{point(estimate, digits)} [{bounds}]" if bounds else point(estimate, digits)


def parse(printed: str, unit: str = "") -> float | None:
    """A printed number in the metric's unit (`unit`: the paper's own, of time); None for other text."""
    match = re.fullmatch(r"[~≈<>≤≥]?\s*(-?[\d,]*\.?\d+(?:[eE][-+]?\d+)?)\s*[×x%]?", printed.strip())
    return float(match[1].replace(",", "")) * SECONDS.get(unit, 1.0) if match else None


def field_value(value: object) -> str:
    """A field's value as a row head, with thousands separated."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return number(float(value))
    return MISSING if value is None else str(value)


def plural(count: int | None, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
