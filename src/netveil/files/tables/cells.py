"""From the lines of a text to the cells of a table: which separator, which quotes, how many columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from netveil.errors import option
from netveil.files.bounds import are_too_sparse
from netveil.files.tables.one_line import ANY, BLANKS, CUT_SHORT, splitter, tokens
from netveil.files.tables.question import LINES_SHOWN
from netveil.files.tables.separators import separator_of
from netveil.files.text import at_line
from netveil.kernels.arrays import IntVector

LAST_LINES = 5
LINES_LOOKED_AT = 1000  # to find the separator; all lines are then split by it

_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE).fullmatch
_RULED = re.compile(r":?-{2,}+:?").fullmatch  # below the header of a table in Markdown
_SWAPPED = str.maketrans("\"'", "'\"")


@dataclass(frozen=True)
class Cells:
    """The cells of a table, before anybody knows what they mean. Missing ones at the end of a line are ''."""

    flat: list[str]  # row after row, `width` each
    width: int
    line_numbers: IntVector | range  # of each row
    separator: str  # a key of SEPARATORS, or ANY
    shortest: int  # cells of the shortest row
    shortest_line: int = 0  # number of the first line with so few cells,
    longest_line: int = 0  # and of the first with `width`
    has_quotes: bool = False  # some cells may be quoted, and hold anything

    def __len__(self) -> int:
        return len(self.line_numbers)

    def column(self, place: int) -> Sequence[str]:
        """The cells of one column."""
        return self.flat[place :: self.width]

    def row(self, place: int) -> Sequence[str]:
        """The cells of one row."""
        return self.flat[place * self.width : (place + 1) * self.width]

    def first_rows(self) -> list[Sequence[str]]:
        """The first rows, as a question shows them."""
        return [self.row(place) for place in range(min(LINES_SHOWN, len(self)))]


def cells_of(lines: Sequence[str], numbers: IntVector, file: str, separator: str | None = None) -> Cells:
    """The cells of these lines, whose numbers in the file are given too. None of them is empty."""
    if lines and (declared := _DECLARED(lines[0])):
        separator, lines, numbers = separator or declared.group(1), lines[1:], numbers[1:]
    if _in_single_quotes(lines):
        found = cells_of([line.translate(_SWAPPED) for line in lines], numbers, file, separator)
        return replace(found, flat=[cell.translate(_SWAPPED) for cell in found.flat])
    chosen = separator or separator_of(spread(lines), file)
    whole = "\n".join(lines)
    if chosen != ANY and '"' in whole:
        rows, numbers = _quoted_rows(lines, numbers, chosen, file)
        return replace(padded(rows, numbers, file, chosen), has_quotes=True)
    at_once = _plain_cells(lines, whole, chosen)
    if at_once is None:
        return padded(list(map(splitter(chosen), lines)), numbers, file, chosen)
    if not lines:
        return Cells([], 0, numbers, chosen, 0)
    width, first_line = len(at_once) // len(lines), int(numbers[0])
    return Cells(at_once, width, numbers, chosen, width, first_line, first_line)


def without_declaration(lines: Sequence[str]) -> Sequence[str]:
    """Lines less a first one such as `sep=;`, by which Excel is told the separator."""
    return lines[1:] if lines and _DECLARED(lines[0]) else lines


def has_special_start(first: str) -> bool:
    """Whether a first line tells the separator, or could be one of many in single quotes."""
    return bool(_DECLARED(first)) or first.startswith("'")


def _in_single_quotes(lines: Sequence[str]) -> bool:
    """Whether all lines have their cells in single quotes, as SQL does."""
    return bool(lines) and all(
        len(line) > 2 and line[0] == line[-1] == "'" and '"' not in line for line in spread(lines)
    )


def spread(lines: Sequence[str]) -> Sequence[str]:
    """Half of those looked at from the beginning, half from all over the file."""
    half = LINES_LOOKED_AT // 2
    if len(lines) <= LINES_LOOKED_AT or any(line.count('"') % 2 for line in lines[:half]):
        return lines[:LINES_LOOKED_AT]  # quoted cells may go on in the next line
    step = max(1, len(lines) // half)
    return [*lines[:half], *lines[half::step], *lines[-LAST_LINES:]]


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
    if any(blank in whole for blank in BLANKS):
        cells = [cell.strip(BLANKS) for cell in cells]
    return cells


def _quoted_rows(
    lines: Sequence[str], numbers: IntVector, separator: str, file: str
) -> tuple[list[list[str]], IntVector]:
    """The rows of lines with quotes, and the number of the line in which each begins.

    A quoted cell may hold line breaks, as those of spreadsheets do.
    """
    rows, starts, place = [], [], 0
    split = splitter(separator)
    while place < len(lines):
        line, start = lines[place], place
        place += 1
        cells = tokens(line, separator) if '"' in line else split(line)
        if cells is None:
            place = _end_of_open_cell(lines, place, separator)
            cells = tokens("\n".join(lines[start:place]), separator)
        if cells is None:
            raise at_line(file, int(numbers[start]), CUT_SHORT)
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


def _filled(row: list[str]) -> int:
    """How many cells a row has, empty ones at its end apart."""
    length = len(row)
    while length and not row[length - 1]:
        length -= 1
    return length


def padded(rows: list[list[str]], numbers: IntVector, file: str, separator: str = "") -> Cells:
    """Rows as one table. Rows of empty cells and ruled lines are left out, and empty columns at the end.

    FileError if nearly all of the table would be empty: memory is for what a file holds.
    """
    kept = [place for place, row in enumerate(rows) if any(row) and not all(map(_RULED, filter(None, row)))]
    if len(kept) < len(rows):
        rows, numbers = [rows[place] for place in kept], numbers[np.array(kept, dtype=np.int64)]
    lengths = [len(row) for row in rows]
    width = max(lengths, default=0)
    if width > 2:
        width = max(2, *map(_filled, rows))
    lengths = [min(length, width) for length in lengths]
    shortest = min(lengths, default=0)
    if are_too_sparse(len(rows), width, sum(lengths)):
        longest = int(numbers[lengths.index(width)])
        rule = f"has {width:,} cells, and other lines have far fewer"
        remedy = f"Correct it, or give {option('format', 'adjacency-list')} if lines list a person's contacts"
        raise at_line(file, longest, f"{rule}. {remedy}.")
    flat = [cell for row in rows for cell in (*row[:width], *[""] * (width - len(row)))]
    if not rows:
        return Cells([], 0, numbers, separator, 0)
    low, high = (int(numbers[lengths.index(length)]) for length in (shortest, width))
    return Cells(flat, width, numbers, separator, shortest, shortest_line=low, longest_line=high)
