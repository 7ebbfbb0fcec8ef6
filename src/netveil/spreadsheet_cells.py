"""Private tables as CSV: no spreadsheet takes a name in them for a formula, and every name reads back right.

A cell that begins with = + - @, a tab or a line end is run as a formula by spreadsheets, and it may be
anybody's name: it gets an apostrophe in front, as spreadsheets themselves mark a text. A number is no
formula. A name that begins with apostrophes before such a character gets one more, so that taking one away
gives back all names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Number
from typing import Any

_RUN = re.compile("'*+[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"'*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_TO_QUOTE = re.compile('[,;\t"\r\n]|^ | $')  # some spreadsheets split at semicolons and tabs too


def defused(text: str) -> str:
    """A text as it stands in a cell.

    >>> [defused(text) for text in ("anna", "=1+1", "-5", "'=x", "'t Hooft")]
    ['anna', "'=1+1", '-5', "''=x", "'t Hooft"]
    """
    return f"'{text}" if _would_run(text) else text


def text_in(cell: str) -> str:
    """The text that `defused` put into a cell.

    >>> [text_in(cell) for cell in ("anna", "'=1+1", "-5", "''=x", "'t Hooft")]
    ['anna', '=1+1', '-5', "'=x", "'t Hooft"]
    """
    return cell[1:] if cell.startswith("'") and _would_run(cell) else cell


def csv_table(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table with a header; what is None is left empty."""
    return "".join(f"{','.join(map(_cell, row))}\n" for row in (columns, *rows))


def _would_run(text: str) -> bool:
    return _RUN.match(text) is not None and _NUMBER.fullmatch(text) is None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = str(value) if isinstance(value, Number) else defused(str(value))
    return '"' + text.replace('"', '""') + '"' if _TO_QUOTE.search(text) else text
