"""Lines of a text to cells of a table: separator, quotes, number of columns; each cell as a code.

The different texts of a table are kept once, and a cell is the code of its text. A kernel codes large plain
tables from their bytes, Python all others; rules see the same columns either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.files.encodings import at_line
from netveil.files.labels import CompactLabels
from netveil.files.storage import are_too_sparse, room_for_ties
from netveil.files.tables.lines import (
    ANY,
    CUT_SHORT,
    HALF,
    LAST_LINES,
    LINES_LOOKED_AT,
    MARKS,
    SEPARATORS,
    PlainText,
    may_be_bared,
    quotes_fit,
    splitter,
    tokens,
    without_quoted,
)
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.progress import current_listener

LINES_SHOWN = 4
CELLS_SHOWN = 8
WIDEST_CELL = 30  # characters of a cell that are shown


def question(file: str, unclear: str, remedy: str, lines: Sequence[Sequence[str]] = ()) -> FileError:
    """Error that says what is unclear about a file and which options settle it.

    Its notes show the first lines as they were seen, a bar between cells. They are no part of the message,
    which may be logged, and so names nobody.
    """
    error = FileError(f"{file}: {unclear}. {remedy}", about="table")
    for cells in lines[:LINES_SHOWN]:
        more = " | …" if len(cells) > CELLS_SHOWN else ""
        error.add_note(f"    {' | '.join(map(_shortened, cells[:CELLS_SHOWN]))}{more}")
    return error


def _shortened(cell: str) -> str:
    shown = " ".join(cell.split())
    return shown if len(shown) <= WIDEST_CELL else f"{shown[: WIDEST_CELL - 1]}…"


# A column of a table: a number for each cell, and each text once.
#
# It is a sequence of texts like any other, so that rules read as rules for lists of texts. The functions here
# do what rules do with all cells of a column at once.


_FEW = 1000  # cells that are looked at before all texts are made
_BLOCK = 100_000


class ListedTexts:
    """Different texts of a table by their codes, as a list: of a table that is small, or needed Python."""

    def __init__(self, texts: list[str]) -> None:
        self.all = texts

    def __len__(self) -> int:
        return len(self.all)

    def some(self, codes: IntVector) -> list[str]:
        """Texts of some codes."""
        return list(map(self.all.__getitem__, codes.tolist()))

    def labels(self, codes: IntVector) -> Sequence[str]:
        """Texts of some codes, as labels of a network."""
        return tuple(self.some(codes))

    @cached_property
    def empty(self) -> int:
        """Code of the empty text; -1 without one."""
        return self.all.index("") if "" in self.all else -1

    @cached_property
    def are_digits(self) -> NDArray[np.bool_]:
        """Whether each text is nothing but the digits 0 to 9."""
        return np.array([text.isascii() and text.isdigit() for text in self.all], dtype=bool)


@dataclass(frozen=True)
class CodedTexts:
    """Different texts of a large table by their codes, none of them empty, with no object for each."""

    content: bytes  # in UTF-8, in the order of their codes, with a line break behind each
    starts: NDArray[np.int64]  # in the content, of each
    lengths: NDArray[np.int32]
    are_digits: NDArray[np.bool_]  # whether each text is nothing but the digits 0 to 9
    empty = -1  # code of the empty text: there is none

    def __len__(self) -> int:
        return len(self.starts)

    def some(self, codes: IntVector) -> list[str]:
        """Texts of some codes."""
        starts = self.starts[codes]
        places = zip(starts.tolist(), (starts + self.lengths[codes]).tolist(), strict=True)
        return [self.content[start:end].decode() for start, end in places]

    def labels(self, codes: IntVector) -> Sequence[str]:
        """Texts of some codes, as labels of a network."""
        kind = np.dtypes.StringDType()
        labels = np.empty(len(codes), kind)
        for start in range(0, len(codes), _BLOCK):
            labels[start : start + _BLOCK] = np.array(self.some(codes[start : start + _BLOCK]), kind)
        return CompactLabels(labels)

    @cached_property
    def all(self) -> list[str]:
        """All texts in the order of their codes."""
        return self.content[:-1].decode().split("\n") if self.content else []


Texts = ListedTexts | CodedTexts


class Column(Sequence[str]):
    """Cells of one column, as codes of texts."""

    def __init__(self, codes: IntVector, texts: Texts) -> None:
        self.codes = codes
        self.texts = texts
        self._parts: dict[tuple[int, int, int], Column] = {}  # with all that is known of them

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Column: ...
    def __getitem__(self, place: int | slice) -> str | Column:
        if not isinstance(place, slice):
            return self.texts.some(self.codes[place : place + 1 or None])[0]
        part = place.indices(len(self))
        return self._parts.setdefault(part, Column(self.codes[place], self.texts))

    def __iter__(self) -> Iterator[str]:
        yield from self.texts.some(self.codes[:_FEW])  # which settle most questions
        for start in range(_FEW, len(self), _BLOCK):
            yield from map(self.texts.all.__getitem__, self.codes[start : start + _BLOCK].tolist())

    def __contains__(self, text: object) -> bool:
        return self.has_one_of({str(text)})

    def has_one_of(self, cells: set[str]) -> bool:
        """Whether one of these is among the cells; texts of digits are made only for digits."""
        wanted = set(filter(str.isdigit, cells)) if self.holds_digits else cells
        return bool(wanted) and not wanted.isdisjoint(self.distinct)

    @cached_property
    def met(self) -> IntVector:
        """Codes that are in this column, ascending."""
        if 8 * len(self) < len(self.texts):  # one of many columns
            return np.unique(self.codes)
        are_met = np.zeros(len(self.texts), dtype=bool)
        are_met[self.codes] = True
        return np.flatnonzero(are_met)

    @cached_property
    def distinct(self) -> frozenset[str]:
        """Different cells."""
        return frozenset(map(self.texts.all.__getitem__, self.met.tolist()))

    @cached_property
    def holds_digits(self) -> bool:
        """Whether there are cells, and all of them are nothing but the digits 0 to 9."""
        return len(self) > 0 and bool(self.texts.are_digits[self.met].all())

    @cached_property
    def kind(self) -> CellKind:
        """Kind that all cells have, missing ones apart; text where they differ.

        >>> [column.kind for column in columns_of([["1", "2.5", ""], ["1", "anna", "0"]])], NO_CELLS.kind
        (['number', 'text'], 'nothing')
        """
        if self.holds_digits:
            return "whole number"
        if any(kind_of(cell) == "text" for cell in self[:LOOKED_AT_FIRST]):  # settles most columns at once
            return "text"
        found = {kind_of(cell) for cell in self.distinct} - {"nothing"}
        if len(found) < 2:
            return found.pop() if found else "nothing"
        return "number" if found == {"whole number", "number"} else "text"


def coded(cells: Sequence[str]) -> tuple[IntVector, ListedTexts]:
    """Code of each cell, and the different cells.

    >>> codes, texts = coded(["b", "a", "b"])
    >>> codes.tolist(), texts.all
    ([0, 1, 0], ['b', 'a'])
    """
    code_of = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells)), ListedTexts(list(code_of))


NO_CELLS = Column(*coded([]))


def columns_of(cells: Sequence[Sequence[str]]) -> list[Column]:
    """Columns of a table from their cells, equally many in each."""
    codes, texts = coded([cell for column in cells for cell in column])
    return [Column(each, texts) for each in codes.reshape(len(cells), -1)]


def shared_cells(column: Column, others: Sequence[Column]) -> tuple[int, int]:
    """How many different cells a column has, the empty one apart, and how many of them others have too."""
    met = column.met[column.met != column.texts.empty]
    return len(met), int(np.isin(met, np.concatenate([met[:0], *(each.met for each in others)])).sum())


def each_row_comes_again(first: Column, second: Column) -> bool:
    """Whether in each row of two columns there is a cell that these columns have once more."""
    codes = np.stack((first.codes, second.codes))
    return bool((np.bincount(codes.ravel()) > 1)[codes].any(axis=0).all())


def numbered(first: Column, second: Column) -> tuple[Sequence[str], IntMatrix]:
    """Labels in two columns of a table in the order in which they are met row by row, and rows as numbers."""
    texts = first.texts
    if isinstance(texts, CodedTexts):
        from netveil.kernels.cell_codes import number_as_met

        number, pairs = np.empty(len(texts), np.int32), room_for_ties(len(first), 2)
        met = number_as_met(first.codes, second.codes, number, pairs)
        codes = np.flatnonzero(number >= 0)
        as_met = np.empty(met, dtype=np.int64)
        as_met[number[codes]] = codes
        return texts.labels(as_met), pairs
    return numbered_among(np.column_stack((first.codes, second.codes)), first, second)


def numbered_among(
    everybody: IntVector | IntMatrix, first: Column, second: Column
) -> tuple[Sequence[str], IntMatrix]:
    """Labels of codes in the order in which they are met, and rows of two columns as numbers."""
    codes, first_at = np.unique(everybody, return_index=True)
    as_met = codes[np.argsort(first_at)]
    number = np.zeros(len(first.texts), np.int32)
    number[as_met] = np.arange(len(as_met))
    return first.texts.labels(as_met), number[np.column_stack((first.codes, second.codes))]


# What kind of thing a cell of a table is: a number, a date, nothing, or a text.


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
    """Kind of one cell.

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


# Which separator a table has: one that splits all lines alike.
#
# A tab wins over all others, for no name holds one; a mark wins over blanks, for many names hold some. A
# comma inside a number, or with a blank behind it, may belong to a cell. Where two marks are left that both
# split all lines alike, netveil asks.


_NUMBERS_ONLY = re.compile(r"[-+.,;|\t \n\deE]*+", re.ASCII).fullmatch


def separator_of(lines: Sequence[str], file: str) -> str:
    """Separator that splits all these lines alike; a question where several do."""
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
    """Separator of lines that none splits alike: one that all of them have."""
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
    """Numbers of cells that lines have, quoted cells being whole."""
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


_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE).fullmatch
_RULED = re.compile(r":?-{2,}+:?").fullmatch  # below the header of a table in Markdown
_SWAPPED = str.maketrans("\"'", "'\"")


@dataclass(frozen=True)
class TableCells:
    """Cells of a table before interpretation; missing ones at the end of a line are ''."""

    codes: IntMatrix  # (rows, columns): the text of each cell
    texts: Texts
    line_numbers: IntVector | range  # of each row
    separator: str  # a key of SEPARATORS, or ANY
    shortest: int  # cells of the shortest row
    shortest_line: int = 0  # number of the first line with so few cells,
    longest_line: int = 0  # and of the first with `width`
    has_quotes: bool = False  # some cells may be quoted, and hold anything

    def __len__(self) -> int:
        return len(self.line_numbers)

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[1])

    @cached_property
    def _columns(self) -> list[Column]:
        return [Column(codes, self.texts) for codes in self.codes.T]

    def column(self, place: int) -> Column:
        """Cells of one column."""
        return self._columns[place]

    def columns(self, start: int) -> list[Column]:
        """Cells of all columns from this row on."""
        return [column[start:] for column in self._columns]

    def row(self, place: int) -> list[str]:
        """Cells of one row."""
        return self.texts.some(self.codes[place])

    def first_rows(self) -> list[list[str]]:
        """First rows, as a question shows them."""
        return [self.row(place) for place in range(min(LINES_SHOWN, len(self)))]


def cells_of(lines: Sequence[str], numbers: IntVector, file: str, separator: str | None = None) -> TableCells:
    """Cells of lines, none of them empty, whose numbers in the file are `numbers`."""
    if lines and (declared := _DECLARED(lines[0])):
        separator, lines, numbers = separator or declared.group(1), lines[1:], numbers[1:]
    if _in_single_quotes(lines):
        found = cells_of([line.translate(_SWAPPED) for line in lines], numbers, file, separator)
        return replace(found, texts=ListedTexts([text.translate(_SWAPPED) for text in found.texts.all]))
    chosen = separator or separator_of(spread(lines), file)
    if chosen != ANY and any('"' in line for line in lines):
        rows, numbers = _quoted_rows(lines, numbers, chosen, file)
        return replace(padded(rows, numbers, file, chosen), has_quotes=True)
    return padded(list(map(splitter(chosen), lines)), numbers, file, chosen)


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
    """Lines to look at: half of them from the beginning, half from all over the file."""
    if len(lines) <= LINES_LOOKED_AT or any(line.count('"') % 2 for line in lines[:HALF]):
        return lines[:LINES_LOOKED_AT]  # quoted cells may go on in the next line
    return [*lines[:HALF], *lines[HALF :: len(lines) // HALF], *lines[-LAST_LINES:]]


def _quoted_rows(
    lines: Sequence[str], numbers: IntVector, separator: str, file: str
) -> tuple[list[list[str]], IntVector]:
    """Rows of lines with quotes, and the number of the line in which each begins.

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
    """End of a row (a place in `lines`) that begins in the line before `place` with an open quote."""
    quotes, end = lines[place - 1].count('"'), place
    while separator != " " and quotes % 2 and end < len(lines):
        quotes += lines[end].count('"')
        end += 1
    return end if quotes % 2 == 0 else place


def _filled(row: list[str]) -> int:
    """Number of cells of a row, without empty ones at its end."""
    length = len(row)
    while length and not row[length - 1]:
        length -= 1
    return length


def padded(rows: list[list[str]], numbers: IntVector, file: str, separator: str = "") -> TableCells:
    """Table of rows, without rows of empty cells, ruled lines and empty columns at the end.

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
    codes, texts = coded([cell for row in rows for cell in (*row[:width], *[""] * (width - len(row)))])
    low, high = (int(numbers[lengths.index(length)]) if rows else 0 for length in (shortest, width))
    return TableCells(codes.reshape(len(rows), width), texts, numbers, separator, shortest, low, high)


# The cells of a large table, coded from its bytes by a kernel.
#
# Only tables in which nothing is unusual are read so: in UTF-8, without quotes, comments on top only,
# equally many cells in each line and none of them empty. All others, mistakes among them, are for `cells_of`
# to read, which codes them as well.


MOST_CODES = 1 << 30
_SHARE_OF_CELLS = 0.7  # of the work; the rest is to make a network of them


def coded_cells(text: PlainText, file: str, separator: str | None = None) -> TableCells | None:
    """Cells of a plain text, coded by the kernel; None if they are unusual, or one a line."""
    first = text.sample[0]
    if may_be_bared(first) or has_special_start(first):
        return None
    chosen = separator or separator_of(text.sample, file)
    width = first.count(chosen) + 1
    if chosen == ANY or not chosen.isascii() or width < 2:
        return None
    numbers = text.line_numbers
    codes = room_for_ties(len(numbers), width)
    found = _coded(text, ord(chosen), codes)
    if found is None:
        return None
    return TableCells(codes, found, numbers, chosen, width, numbers[0], numbers[0])


def _longer(array: NDArray[Any], least: int) -> NDArray[Any]:
    """Array with room for so many, which takes no memory before it is written."""
    if least <= len(array):
        return array
    longer = np.empty(max(least, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def _coded(text: PlainText, separator: int, codes: IntMatrix) -> CodedTexts | None:
    """Write the code of each cell into `codes` (rows, columns); None where a line is not like the others."""
    from netveil.kernels.cell_codes import MET, USED, CellTable, code_cells, fill_larger

    table = CellTable(
        keys=np.zeros(1 << 10, np.uint64),
        codes=np.empty(1 << 10, np.int32),
        starts=np.empty(0, np.int64),
        lengths=np.empty(0, np.int32),
        are_digits=np.empty(0, np.bool_),
        texts=np.empty(0, np.uint8),
    )
    counts, hears, row = np.zeros(3, np.int64), current_listener(), 0
    for part in text.parts():
        stop = min(row + part.count(b"\n") + 1, len(codes))
        cells = int(counts[MET]) + (stop - row) * codes.shape[1]  # at most, with this part
        letters = int(counts[USED]) + len(part) + (stop - row) * codes.shape[1]
        table = table._replace(
            starts=_longer(table.starts, cells),
            lengths=_longer(table.lengths, cells),
            are_digits=_longer(table.are_digits, cells),
            texts=_longer(table.texts, letters),
        )
        if 2 * cells > len(table.keys):
            slots, before = 1 << (2 * cells).bit_length(), table
            table = table._replace(keys=np.zeros(slots, np.uint64), codes=np.empty(slots, np.int32))
            fill_larger(table, before.keys, before.codes)
        read = code_cells(np.frombuffer(part, np.uint8), len(part), separator, table, counts, codes[row:stop])
        if read < stop - row or counts[MET] > MOST_CODES:
            return None
        row = stop
        if hears is not None:
            hears(_SHARE_OF_CELLS * row / len(codes))
    if row < len(codes):
        return None
    texts, met = table.texts[: counts[USED]].tobytes(), int(counts[MET])
    return CodedTexts(
        texts, table.starts[:met].copy(), table.lengths[:met].copy(), table.are_digits[:met].copy()
    )
