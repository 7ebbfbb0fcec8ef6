"""Shares as people write them, in exact arithmetic: 0.29 is 29/100, which no floating-point number is."""

from __future__ import annotations

import re
from fractions import Fraction

Share = str | int | float | Fraction
"""As people give it: '1%', '0.01' or 0.01."""

# 1e999999999 is a number, and takes as long as its digits to write out exactly.
_HUGE_EXPONENT = re.compile(r"e[+-]?\d{4}", re.IGNORECASE)


def exact_number(text: str) -> Fraction:
    """The number that a text says, `5%` being 1/20. ValueError if it says none.

    >>> exact_number("0.5%"), exact_number("0.29")
    (Fraction(1, 200), Fraction(29, 100))
    """
    if _HUGE_EXPONENT.search(text):
        raise ValueError
    try:
        value = Fraction(text.removesuffix("%").strip())
    except ZeroDivisionError:
        raise ValueError from None
    return value / 100 if text.endswith("%") else value


def percent(share: Fraction) -> str:
    """A share to be read, and to be read back.

    >>> percent(Fraction(1, 200))
    '0.5%'
    """
    return f"{float(100 * share):.12g}%"
