"""Shares as people write them, in exact arithmetic: 0.29 is 29/100, which no floating-point number is."""

from __future__ import annotations

import re
from fractions import Fraction

from netveil.errors import SettingError

Share = str | int | float | Fraction
"""As people give it: '1%', '0.01' or 0.01."""

# 1e999999999 is a number, and takes as long as its digits to write out exactly.
_HUGE_EXPONENT = re.compile(r"e[+-]?\d{4}", re.IGNORECASE)


def parsed_number(given: Share, what: str, rule: str) -> Fraction:
    """The number that a user gave; a SettingError names `what` it is for and tells the `rule`.

    A floating-point number means the shortest decimal that gives it.

    >>> parsed_number(0.07, "budget", "give a share."), parsed_number("0.5%", "budget", "give a share.")
    (Fraction(7, 100), Fraction(1, 200))
    """
    text = str(given).strip()
    try:
        if isinstance(given, bool) or _HUGE_EXPONENT.search(text):
            raise ValueError
        value = Fraction(text.removesuffix("%").strip())
    except (ValueError, ZeroDivisionError):
        raise SettingError(f"{what} '{text}' is not a number; {rule}") from None
    return value / 100 if text.endswith("%") else value


def parsed_share(given: Share, what: str, rule: str, *, above_zero: bool = False) -> Fraction:
    """A share from 0% to 100% that a user gave; with `above_zero`, 0% is not one.

    >>> parsed_share("5%", "fuzzy", "give a share from 0% to 100%.")
    Fraction(1, 20)
    """
    share = parsed_number(given, what, rule)
    if not 0 <= share <= 1 or (above_zero and share == 0):
        raise SettingError(f"{what} {str(given).strip()} is not a share; {rule}")
    return share


def percent(share: Fraction) -> str:
    """A share as text, which `parsed_number` reads back.

    >>> percent(Fraction(1, 200))
    '0.5%'
    """
    return f"{float(100 * share):.12g}%"
