"""Figures as text: the one way in which terminal, report, page to sign and notebooks write them.

A figure that stands in two places must read the same in both, so nobody else decides about digits.
"""

from __future__ import annotations

from decimal import Decimal

MISSING = "–"  # for a figure that does not exist


def percentage(part: float | None, whole: float = 1, *, signed: bool = False) -> str:
    """A part of a whole in per cent: two decimals, one from 10% on, and never 0% for what is more.

    >>> percentage(741, 1000), percentage(0.0483), percentage(0.001), percentage(3, 1_000_000)
    ('74.1%', '4.83%', '0.10%', '0.0003%')
    >>> percentage(1), percentage(0), percentage(-0.0647, signed=True), percentage(1, 0)
    ('100.0%', '0.00%', '-6.47%', '–')
    """
    if part is None or not whole:
        return MISSING
    share = 100 * part / whole
    if 0 < abs(share) < 0.005:
        text = _in_full(share, digits=1)
    else:
        text = f"{share:.{1 if abs(share) >= 9.995 else 2}f}"
    return f"{'+' if signed and share > 0 else ''}{text}%"


def figure(value: float | None, *, signed: bool = False) -> str:
    """A figure of a network: whole numbers in full, others to four decimals, small ones to three digits.

    >>> figure(16654), figure(2.47661), figure(1.0), figure(0.0000312), figure(None)
    ('16,654', '2.4766', '1.0000', '0.0000312', '–')
    >>> figure(3, signed=True), figure(-0.0588, signed=True)
    ('+3', '-0.0588')
    """
    if value is None:
        return MISSING
    if isinstance(value, int):
        text = f"{value:,}"
    else:
        text = _in_full(value, digits=3) if 0 < abs(value) < 0.001 else f"{value:,.4f}"
    return f"+{text}" if signed and value > 0 else text


def change(difference: float | None, relative: float | None = None) -> str:
    """What became of a figure: a share of what it was, unless that would be of nothing or of more than all.

    >>> change(-805, -0.0483), change(3, 3.0), change(0.0588), change(0), change(None)
    ('-4.83%', '+3', '+0.0588', 'same', '–')
    """
    if difference is None:
        return MISSING
    if difference == 0:
        return "same"
    if relative is not None and abs(relative) <= 1:
        return percentage(relative, signed=True)
    return figure(difference, signed=True)


def seconds(duration: float) -> str:
    """How long a search took: the same text from the search and, to a millisecond, from a file.

    >>> seconds(12.345), seconds(0.2500004), seconds(0.25)
    ('12.3 s', '0.2 s', '0.2 s')
    """
    return f"{round(duration, 3):,.1f} s"


def _in_full(value: float, digits: int) -> str:
    """A small number to so many significant digits, as a decimal: not everybody knows what e-05 means."""
    return format(Decimal(f"{value:.{digits}g}"), "f")
