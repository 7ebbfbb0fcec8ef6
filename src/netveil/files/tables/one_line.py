"""One line of a table: its cells at a separator, some of which may be quoted."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from netveil.errors import SettingError

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blank"}
"""With their names."""
MARKS = tuple(SEPARATORS)[:-1]
ANY = "any"  # of all separators together: only for lines of nothing but numbers

BLANKS = " \t\xa0"  # around cells; the last does not break a line, and comes from web pages and Word
CUT_SHORT = "a quote is opened and never closed. Close it, or double a quote inside a label."

_QUOTED = re.compile(r'"(?:[^"]++|"")*+"')
_ANY_GAP = re.compile(r" *+[,;|\t] *+| ++")


def parsed_separator(given: str) -> str:
    r"""A separator as users give it: the character, its name, or \t.

    >>> parsed_separator("tab"), parsed_separator(";"), parsed_separator("\\t"), parsed_separator("space")
    ('\t', ';', '\t', ' ')
    """
    names = {name: mark for mark, name in SEPARATORS.items()}
    names |= {"\\t": "\t", "space": " ", "whitespace": " ", "pipe": "|", "blanks": " "}
    found = names.get(given.strip().lower() or given, given)
    if len(found) != 1 or found in '"\r\n' or found.isalnum():
        choice = ", ".join(SEPARATORS.values())
        raise SettingError(f"separator '{given}': give one character, or one of {choice}.")
    return found


def cells_at(line: str, separator: str) -> list[str] | None:
    """The cells of one line at a separator; None if a quote does not close."""
    return tokens(line, separator) if '"' in line else splitter(separator)(line)


def split_alone(line: str) -> list[str]:
    """The cells of a line that stands by itself: at the strongest mark in it, else at blanks.

    ValueError if a quote does not close.

    >>> split_alone('Anna Bell;"Carr; Bob"')
    ['Anna Bell', 'Carr; Bob']
    """
    plain = without_quoted(line)
    mark = next((mark for mark in MARKS if mark in plain), " ")
    cells = cells_at(line, mark)
    if cells is None:
        raise ValueError(CUT_SHORT)
    return cells


@cache
def splitter(separator: str) -> Callable[[str], list[str]]:
    """The function that splits a line without quotes."""
    if separator == " ":
        return lambda line: [cell for cell in line.replace("\t", " ").split(" ") if cell]
    if separator == ANY:
        return lambda line: _ANY_GAP.split(line.lstrip(" ").rstrip(BLANKS))
    return lambda line: [cell.strip(BLANKS) for cell in line.split(separator)]


def tokens(line: str, separator: str) -> list[str] | None:
    """The cells of one line, some of which may be quoted; None if a quote does not close.

    A quote opens a cell at its beginning only, and is an ordinary character elsewhere.
    """
    cells, place = [], 0
    pattern = _cell_pattern(separator)
    while True:
        match = pattern.match(line, place)
        assert match is not None, "the pattern matches any text"
        quoted, plain, end = match.groups()
        if quoted is None and plain.startswith('"'):
            return None
        if quoted is not None:
            cells.append(quoted.replace('""', '"'))
        elif plain or separator != " ":  # blanks may stand together, or at either end of a line
            cells.append(plain.strip(BLANKS))
        place = match.end()
        if not end:
            break
    return cells


@cache
def _cell_pattern(separator: str) -> re.Pattern[str]:
    mark = " ++" if separator == " " else re.escape(separator)
    lead = "[ ]*+" if separator == "\t" else r"[ \t]*+"
    trail = "" if separator == " " else lead  # blanks behind a quote may be the separator
    plain = rf"[^{re.escape(separator)}]*+"
    return re.compile(rf'{lead}(?:"((?:[^"]++|"")*+)"{trail}(?={mark}|$)|({plain}))({mark}|$)')


def quotes_fit(line: str, separator: str) -> bool:
    """Whether all quotes of a line are around cells."""
    return '"' not in line or all('"' not in plain for _, plain, _ in _cell_pattern(separator).findall(line))


def without_quoted(line: str) -> str:
    """A line less what is in quotes."""
    return _QUOTED.sub("", line) if '"' in line else line
