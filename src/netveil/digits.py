"""Figures as text: the one way in which terminal, report, page to sign and notebooks write them.

A figure that stands in two places must read the same in both, so nobody else decides about digits. The page
of `netveil web` has its own copy (`web/page/js/numbers.js`); a test holds the two together.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite
from typing import NamedTuple

MISSING = "–"  # for a figure that does not exist
ALL_DIGITS = Context(prec=400, rounding=ROUND_HALF_UP)  # enough for every float


class PeopleFound(NamedTuple):
    """So many of so many people, in whole people: every front shows these figures, and their share.

    Attackers are tried several times, so counts are means. Whatever is shown is derived from the rounded
    counts, so that everybody who divides one by the other gets the percentage beside them.
    """

    found: int
    people: int  # looked for

    @classmethod
    def of_means(cls, found: float, people: float) -> PeopleFound:
        """Round two means; nobody and everybody are said only where it is always so.

        >>> [str(PeopleFound.of_means(found, 400)) for found in (237.667, 399.667, 400, 0.333, 0)]
        ['238 of 400', '399 of 400', '400 of 400', '1 of 400', '0 of 400']
        """
        whole, all_people = round(found), round(people)
        if 0 < found < people:
            whole = max(1, min(whole, all_people - 1))
        return cls(whole, all_people)

    @property
    def fraction(self) -> float:
        """The share as a number; 0 where nobody is looked for."""
        return self.found / self.people if self.people else 0.0

    @property
    def share(self) -> str:
        """The share in per cent, as text."""
        return percentage(self.found, self.people)

    def __str__(self) -> str:
        return f"{self.found:,} of {self.people:,}"


def percentage(part: float | None, whole: float = 1, *, signed: bool = False) -> str:
    """A part of a whole in per cent: two decimals, one from 10% on, and never 0% for what is more.

    >>> percentage(741, 1000), percentage(0.0483), percentage(0.001), percentage(3, 1_000_000)
    ('74.1%', '4.83%', '0.10%', '0.0003%')
    >>> percentage(1), percentage(0), percentage(-0.0647, signed=True), percentage(1, 0), percentage(113, 400)
    ('100.0%', '0.00%', '-6.47%', '–', '28.3%')
    """
    if part is None or not whole:
        return MISSING
    share = 100 * part / whole
    if 0 < abs(share) < 0.005:
        text = _in_full(share, digits=1)
    else:
        text = str(_rounded(share, 1 if abs(share) >= 9.995 else 2))
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
        text = _in_full(value, digits=3) if 0 < abs(value) < 0.001 else f"{_rounded(value, 4):,}"
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


def _rounded(value: float, decimals: int) -> Decimal | float:
    """A number to so many decimals, halves away from zero, which is how browsers round.

    Python's own format takes halves to the even digit: the report would say 28.2% and the page 28.3%.
    """
    if not isfinite(value):
        return value
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=ALL_DIGITS)


def _in_full(value: float, digits: int) -> str:
    """A small number to so many significant digits, as a decimal: not everybody knows what e-05 means."""
    return format(Decimal(f"{value:.{digits}g}"), "f")
