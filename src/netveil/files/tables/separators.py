"""Which separator a table has: one that splits all lines alike.

A tab wins over all others, for no name holds one; a mark wins over blanks, for many names hold some. A comma
inside a number, or with a blank behind it, may belong to a cell. Where two marks are left that both split all
lines alike, netveil asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from netveil.errors import FileError, option
from netveil.files.tables.kinds import NUMBERS, kind_of
from netveil.files.tables.one_line import ANY, MARKS, SEPARATORS, quotes_fit, splitter, tokens, without_quoted
from netveil.files.tables.question import question

_NUMBERS_ONLY = re.compile(r"[-+.,;|\t \n\deE]*+", re.ASCII).fullmatch


def separator_of(lines: Sequence[str], file: str) -> str:
    """The one separator that splits all these lines alike; a question where several do."""
    fitting = [mark for mark in SEPARATORS if all(quotes_fit(line, mark) for line in lines)]
    if _NUMBERS_ONLY("\n".join(lines)):
        clean = [mark for mark in (*SEPARATORS, ANY) if _all_numbers(lines, mark)]
        if clean:
            return clean[0]
    if not fitting:  # perhaps a quoted cell goes on in the next line
        joined = _joined(lines)
        fitting = [mark for mark in SEPARATORS if all(quotes_fit(line, mark) for line in joined)]
        lines = joined if joined and fitting else lines
    # A quote within a cell is an ordinary character, if no separator has all of them around cells.
    widths = {mark: _widths(lines, mark) for mark in fitting or SEPARATORS}
    widths |= {mark: {1} for mark in SEPARATORS if mark not in widths}
    alike = [mark for mark in MARKS if len(widths[mark]) == 1 and min(widths[mark]) > 1]
    if "\t" in alike:
        return "\t"
    blanks_alike = len(widths[" "]) == 1 and min(widths[" "]) > 1
    if "," in alike and (len(alike) > 1 or blanks_alike) and _comma_is_inside(lines, alike):
        alike.remove(",")
    if len(alike) > 1:
        raise _which_separator(file, lines, alike)
    if alike:
        if blanks_alike and _starts_with_numbers(lines):
            raise _which_separator(file, lines, [*alike, " "])
        return alike[0]
    if blanks_alike:
        return " "
    return _uneven_separator(lines, widths, file)


def _uneven_separator(lines: Sequence[str], widths: dict[str, set[int]], file: str) -> str:
    """The separator of lines that none splits alike: one that all of them have."""
    possible = [mark for mark in SEPARATORS if min(widths[mark], default=0) > 1]
    marks = [mark for mark in possible if mark != " "]
    if len(marks) > 1:
        raise _which_separator(file, lines, marks)
    if marks and " " in possible and "," in marks and _comma_is_inside(lines, marks):
        return " "
    if possible:
        return (marks or possible)[0]
    # Some line cannot be split at all; the most common separator tells which.
    return max(SEPARATORS, key=lambda mark: sum(mark in line.strip() for line in lines))


def _widths(lines: Iterable[str], separator: str) -> set[int]:
    """Into how many cells the lines fall, quoted cells being whole."""
    split = splitter(separator)
    return {len(tokens(line, separator) or ()) if '"' in line else len(split(line)) for line in lines}


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines put together until the quotes in them are even; the last ones may be left over."""
    joined, parts, quotes = [], [], 0
    for line in lines:
        parts.append(line)
        quotes += line.count('"')
        if quotes % 2 == 0:
            joined.append("\n".join(parts))
            parts, quotes = [], 0
    return joined


def _comma_is_inside(lines: Sequence[str], alike: Sequence[str]) -> bool:
    """Whether every comma is within a number or has a blank behind it, so that it may belong to a cell.

    Without another mark, cells that blanks separate must be numbers: '1 2 0,5' is, 'Bell, Anna' is not.
    """
    if any(re.search(r",(?! )(?!\d)|(?<!\d),(?! )", without_quoted(line)) for line in lines):
        return False
    if len(alike) > 1:
        return True
    return all(kind_of(cell) in NUMBERS for line in lines[1:] or lines for cell in line.split())


def _starts_with_numbers(lines: Sequence[str]) -> bool:
    """Whether blanks would give two columns of whole numbers: '1 2 a,b' can be read in two ways."""
    starts = [line.split(" ")[:2] for line in lines[1:] or lines]
    return all(len(start) == 2 and all(kind_of(cell) == "whole number" for cell in start) for start in starts)


def _all_numbers(lines: Sequence[str], separator: str) -> bool:
    """Whether a separator leaves nothing but numbers, two or more a line; a cell may be empty."""
    rows = list(map(splitter(separator), lines))
    return all(len(row) > 1 and all(kind_of(cell) in (*NUMBERS, "nothing") for cell in row) for row in rows)


def _which_separator(file: str, lines: Sequence[str], marks: Sequence[str]) -> FileError:
    names = [SEPARATORS[mark] for mark in marks]
    return question(
        file,
        f"its lines can be split at each of {' and '.join(names)}",
        f"Give {option('separator', names[0])} or {option('separator', names[1])}.",
        [[line] for line in lines],
    )
