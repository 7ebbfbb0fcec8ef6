"""What kind of thing a cell of a table is: a number, a date, nothing, or a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from netveil.files.tables.coded_column import are_known_digits, distinct

LOOKED_AT_FIRST = 20

CellKind = Literal["whole number", "number", "date", "text", "nothing"]

NUMBERS = ("whole number", "number")
VALUES = (*NUMBERS, "date")  # which no header is

is_number = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII).fullmatch
"""Whether a text is a number as Python reads it, such as 12, 0.5 or 1e-3."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d*+,\d++", re.ASCII).fullmatch
_WHOLE = re.compile(r"[+-]?\d++", re.ASCII).fullmatch
_DAY = r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4})"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d++)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_DATE = re.compile(rf"{_DAY}(?:[T ]++{_CLOCK})?|{_CLOCK}", re.ASCII).fullmatch
_MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "–", "?", "."))


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a value that is not known: empty, NA, null."""
    return cell.lower() in _MISSING


def kind_of(cell: str) -> CellKind:
    """The kind of one cell.

    >>> [kind_of(cell) for cell in ("12", "0,5", "2024-05-31 12:30", "anna", "NA")]
    ['whole number', 'number', 'date', 'text', 'nothing']
    """
    if _WHOLE(cell):
        return "whole number"
    if is_number(cell) or _DECIMAL_COMMA(cell):
        return "number"
    if is_missing(cell):
        return "nothing"
    return "date" if _DATE(cell) else "text"


def kind_of_all(cells: Sequence[str]) -> CellKind:
    """The kind that all cells of a column have, missing ones apart; text where they differ.

    >>> kind_of_all(["1", "2.5", ""]), kind_of_all(["1", "anna"]), kind_of_all([])
    ('number', 'text', 'nothing')
    """
    if are_known_digits(cells):
        return "whole number"
    if any(kind_of(cell) == "text" for cell in cells[:LOOKED_AT_FIRST]):  # settles most columns at once
        return "text"
    found: set[CellKind] = set()
    for cell in distinct(cells):
        found.add(kind_of(cell))
        if "text" in found:
            return "text"
    found.discard("nothing")
    if not found:
        return "nothing"
    if found == {"whole number", "number"}:
        return "number"
    return found.pop() if len(found) == 1 else "text"
