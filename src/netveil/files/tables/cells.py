"""From the lines of a text to the cells of a table: which separator, which quotes, how many columns.

A separator is one that splits all lines alike. A tab wins over all others, for no name holds one; a mark wins
over blanks, for many names hold some. A comma inside a number, or with a blank behind it, may belong to a
cell. Where two marks are left that both split all lines alike, netveil asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from netveil.errors import FileError, SettingError
from netveil.files.tables.kinds import NUMBERS, kind_of
from netveil.files.tables.question import question
from netveil.files.text import at_line
from netveil.kernels.arrays import IntVector

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blank"}
"""With their names."""
MARKS = tuple(SEPARATORS)[:-1]
ANY = "any"  # of all separators together: only for lines of nothing but numbers

LINES_LOOKED_AT = 1000  # to find the separator; all lines are then split by it

_NUMBERS_ONLY = re.compile(r"[-+.,;|\t \n\deE]*", re.ASCII).fullmatch
_ANY_GAP = re.compile(r" *[,;|\t] *| +")
_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE).fullmatch
_SWAPPED = str.maketrans("\"'", "'\"")
_CUT_SHORT = "a quote is opened and never closed. Close it, or double a quote inside a label."


@dataclass(frozen=True)
class Cells:
    """The cells of a table, before anybody knows what they mean. Missing ones at the end of a line are ''."""

    flat: list[str]  # row after row, `width` each
    width: int
    line_numbers: IntVector  # of each row
    separator: str  # a key of SEPARATORS, or ANY
    shortest: int  # cells of the shortest row
    shortest_line: int = 0  # number of the first line with so few cells,
    longest_line: int = 0  # and of the first with `width`

    def __len__(self) -> int:
        return len(self.line_numbers)

    def column(self, place: int) -> list[str]:
        """The cells of one column."""
        return self.flat[place :: self.width]

    def row(self, place: int) -> list[str]:
        """The cells of one row."""
        return self.flat[place * self.width : (place + 1) * self.width]

    def first_rows(self, most: int = 5) -> list[list[str]]:
        """The first rows, as a question shows them."""
        return [self.row(place) for place in range(min(most, len(self)))]


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


def cells_of(lines: Sequence[str], numbers: IntVector, file: str, separator: str | None = None) -> Cells:
    """The cells of these lines, whose numbers in the file are given too. None of them is empty."""
    if separator is None and lines and (declared := _DECLARED(lines[0])):  # as Excel writes and reads it
        separator, lines, numbers = declared.group(1), lines[1:], numbers[1:]
    if _in_single_quotes(lines):
        found = cells_of([line.translate(_SWAPPED) for line in lines], numbers, file, separator)
        return replace(found, flat=[cell.translate(_SWAPPED) for cell in found.flat])
    chosen = separator or _separator(_spread(lines), file)
    whole = "\n".join(lines)
    if chosen != ANY and '"' in whole:
        rows, numbers = _quoted_rows(lines, numbers, chosen, file)
        return padded(rows, numbers, chosen)
    at_once = _plain_cells(lines, whole, chosen)
    if at_once is None:
        return padded(list(map(_splitter(chosen), lines)), numbers, chosen)
    if not lines:
        return Cells([], 0, numbers, chosen, 0)
    width, first_line = len(at_once) // len(lines), int(numbers[0])
    return Cells(at_once, width, numbers, chosen, width, first_line, first_line)


def cells_at(line: str, separator: str) -> list[str] | None:
    """The cells of one line at a separator; None if a quote does not close."""
    return _tokens(line, separator) if '"' in line else _splitter(separator)(line)


def split_alone(line: str) -> list[str]:
    """The cells of a line that stands by itself: at the strongest mark in it, else at blanks.

    ValueError if a quote does not close.

    >>> split_alone('Anna Bell;"Carr; Bob"')
    ['Anna Bell', 'Carr; Bob']
    """
    plain = _without_quoted(line)
    mark = next((mark for mark in MARKS if mark in plain), " ")
    cells = cells_at(line, mark)
    if cells is None:
        raise ValueError(_CUT_SHORT)
    return cells


def _in_single_quotes(lines: Sequence[str]) -> bool:
    """Whether all lines have their cells in single quotes, as SQL does."""
    return bool(lines) and all(
        len(line) > 2 and line[0] == line[-1] == "'" and '"' not in line for line in _spread(lines)
    )


def _spread(lines: Sequence[str]) -> Sequence[str]:
    """Half of those looked at from the beginning, half from all over the file."""
    half = LINES_LOOKED_AT // 2
    step = max(1, len(lines) // half)
    return [*lines[:half], *lines[half::step]]


def _separator(lines: Sequence[str], file: str) -> str:
    """The one separator that splits all these lines alike; a question where several do."""
    quotes_fit = [mark for mark in SEPARATORS if all(_quotes_fit(line, mark) for line in lines)]
    if _NUMBERS_ONLY("\n".join(lines)):
        return next((mark for mark in SEPARATORS if _all_numbers(lines, mark)), ANY)
    if not quotes_fit:  # perhaps a quoted cell goes on in the next line
        joined = _joined(lines)
        quotes_fit = [mark for mark in SEPARATORS if all(_quotes_fit(line, mark) for line in joined)]
        lines = joined if joined and quotes_fit else lines
    # A quote within a cell is an ordinary character, if no separator has all of them around cells.
    widths = {mark: _widths(lines, mark) for mark in quotes_fit or SEPARATORS}
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
    split = _splitter(separator)
    return {len(_tokens(line, separator) or ()) if '"' in line else len(split(line)) for line in lines}


def _quotes_fit(line: str, separator: str) -> bool:
    """Whether all quotes of a line are around cells."""
    return '"' not in line or all('"' not in plain for _, plain, _ in _cell_pattern(separator).findall(line))


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
    if any(re.search(r",(?! )(?!\d)|(?<!\d),(?! )", _without_quoted(line)) for line in lines):
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
    rows = list(map(_splitter(separator), lines))
    return all(len(row) > 1 and all(kind_of(cell) in (*NUMBERS, "nothing") for cell in row) for row in rows)


def _which_separator(file: str, lines: Sequence[str], marks: Sequence[str]) -> FileError:
    names = [SEPARATORS[mark] for mark in marks]
    return question(
        file,
        f"its lines can be split at each of {' and '.join(names)}",
        f"Give --separator {names[0]} or --separator {names[1]}.",
        [[line] for line in lines],
    )


@cache
def _splitter(separator: str) -> Callable[[str], list[str]]:
    """The function that splits a line without quotes."""
    if separator == " ":
        return lambda line: [cell for cell in line.replace("\t", " ").split(" ") if cell]
    if separator == ANY:
        return lambda line: _ANY_GAP.split(line.lstrip(" ").rstrip(" \t"))
    return lambda line: [cell.strip(" \t") for cell in line.split(separator)]


def _plain_cells(lines: Sequence[str], whole: str, separator: str) -> list[str] | None:
    """All cells of lines without quotes in one go; None unless all lines have equally many, none empty.

    `whole` has all lines, one below the other.
    """
    framed = f"\n{whole}\n"
    if separator == ANY or any(
        mark in framed
        for mark in (separator * 2, f"\n{separator}", f"{separator}\n", *"\t" * (separator == " "))
    ):
        return None
    if len({line.count(separator) for line in lines}) > 1:
        return None
    cells = whole.replace("\n", separator).split(separator)
    if separator != " " and (" " in whole or "\t" in whole):
        cells = [cell.strip(" \t") for cell in cells]
    return cells


def _tokens(line: str, separator: str) -> list[str] | None:
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
            cells.append(plain.strip(" \t"))
        place = match.end()
        if not end:
            break
    return cells


@cache
def _cell_pattern(separator: str) -> re.Pattern[str]:
    mark = " +" if separator == " " else re.escape(separator)
    gap = "" if separator == "\t" else r"\t"
    return re.compile(
        rf'[ {gap}]*(?:"((?:[^"]++|"")*+)"[ {gap}]*(?={mark}|$)|([^{re.escape(separator)}]*))({mark}|$)'
    )


def _without_quoted(line: str) -> str:
    return re.sub(r'"(?:[^"]|"")*"', "", line) if '"' in line else line


def _quoted_rows(
    lines: Sequence[str], numbers: IntVector, separator: str, file: str
) -> tuple[list[list[str]], IntVector]:
    """The rows of lines with quotes, and the number of the line in which each begins.

    A quoted cell may hold line breaks, as those of spreadsheets do.
    """
    rows, starts, place = [], [], 0
    split = _splitter(separator)
    while place < len(lines):
        line, start = lines[place], place
        place += 1
        cells = _tokens(line, separator) if '"' in line else split(line)
        if cells is None:
            place = _end_of_open_cell(lines, place, separator)
            cells = _tokens("\n".join(lines[start:place]), separator)
        if cells is None:
            raise at_line(file, int(numbers[start]), _CUT_SHORT)
        rows.append(cells)
        starts.append(start)
    return rows, numbers[np.array(starts, dtype=np.int64)]


def _end_of_open_cell(lines: Sequence[str], place: int, separator: str) -> int:
    """The line before which a row ends that begins in the line before `place` with an open quote."""
    quotes, end = lines[place - 1].count('"'), place
    while separator != " " and quotes % 2 and end < len(lines):
        quotes += lines[end].count('"')
        end += 1
    return end if quotes % 2 == 0 else place


def padded(rows: list[list[str]], numbers: IntVector, separator: str = "") -> Cells:
    """Rows as one table. Rows of empty cells only are left out, and so are columns of them at the end."""
    if any(not any(row) for row in rows):
        kept = [place for place, row in enumerate(rows) if any(row)]
        rows, numbers = [rows[place] for place in kept], numbers[np.array(kept, dtype=np.int64)]
    lengths = [len(row) for row in rows]
    width = max(lengths, default=0)
    while width > 2 and not any(row[width - 1] for row in rows if len(row) >= width):
        width -= 1
    lengths = [min(length, width) for length in lengths]
    shortest = min(lengths, default=0)
    flat = [cell for row in rows for cell in (*row[:width], *[""] * (width - len(row)))]
    if not rows:
        return Cells([], 0, numbers, separator, 0)
    extremes = [int(numbers[lengths.index(length)]) for length in (shortest, width)]
    return Cells(flat, width, numbers, separator, shortest, *extremes)
