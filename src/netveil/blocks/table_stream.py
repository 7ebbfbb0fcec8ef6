"""Ties of a plain table of two columns, such as CSV, some lines at a time.

How the table is to be read is found out from its beginning, by the rules of `files.tables`. All other lines
must then be such that the rules would say the same of the whole: two cells in each, no quotes, no other
separator anywhere, labels of one kind. Whatever is not like that raises `NotStreamedError`: then the file is
read whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.arrow_stream import NotStreamedError
from netveil.blocks.edges_on_disk import EdgesOnDisk, Numbering, TiesOnDisk, check_room
from netveil.blocks.names import Names
from netveil.errors import NetveilError
from netveil.files.asked import ReadAs
from netveil.files.formats import FORMATS
from netveil.files.oddities import FEWEST_LINES, MOST_REPEATS, SHORTEST_TIME
from netveil.files.table_kind import kind_of_table
from netveil.files.tables.coded_cells import coded_cells
from netveil.files.tables.coded_column import CodedColumn, CodedTexts
from netveil.files.tables.header import named_pairs
from netveil.files.tables.kinds import LOOKED_AT_FIRST, VALUES, is_missing, kind_of
from netveil.files.tables.lines import Lines
from netveil.files.tables.one_line import SEPARATORS, parsed_separator
from netveil.files.tables.people import parsed_columns
from netveil.files.tables.plain_text import plain_text
from netveil.files.tables.table import TieTable, ties_in, with_account
from netveil.files.tables.text_table import TextTable
from netveil.kernels.arrays import IntMatrix
from netveil.reading import FIRST_TIES, Reading

BYTES_AT_ONCE = 1 << 23
BYTES_OF_A_LINE = 8  # about, for the room that ties will take
LONGEST_TAIL = 1000  # bytes of line ends, at the end of the file
LONGEST_NUMBER = 18  # digits that fit into 64 bits
_NO_BREAK_SPACE = b"\xc2\xa0"


class Beginning(NamedTuple):
    """How a table is read, by its first lines."""

    table: TieTable
    separator: str
    lines: Lines  # an account of the lines above the table
    texts: CodedTexts  # of its cells
    codes: IntMatrix  # (ties, 2): the two people of each tie among the first, by their texts


def ties_of_table(file: str, asked: ReadAs, folder: Path) -> EdgesOnDisk:
    """The network in a table, without its name; `folder` is for files meanwhile."""
    check_room(folder, Path(file).stat().st_size // BYTES_OF_A_LINE)
    stop, empty = _end_of_lines(file)
    parts = _parts(file, stop)
    try:
        begun = _beginning(next(parts, b""), file, asked)
    except NetveilError:  # told when it is read whole
        raise NotStreamedError("it is not clear from its beginning how to read it") from None
    table = begun.table
    people, ties = _People(begun, folder), TiesOnDisk(folder)
    ties.add(people.numbered(begun.texts, begun.codes))
    for content in parts:
        texts, codes = _cells(content, begun.separator)
        ties.add(people.numbered(texts, codes[:, list(table.people)]))
    for pairs in people.later():
        ties.add(pairs)
    people.check(table, asked)
    account = with_account(table, begun.lines._replace(empty=begun.lines.empty + empty))
    reading = Reading(
        "edge-list",
        separator=table.separator,
        columns=table.people_names,
        header=table.has_header,
        encoding="UTF-8",
        first=tuple(zip(table.first[:FIRST_TIES], table.second[:FIRST_TIES], strict=True)),
        dropped=account.dropped,
        oddities=account.oddities,
    )
    return replace(ties.sorted(), reading=reading)


def _end_of_lines(file: str) -> tuple[int, int]:
    """Where the last line with cells ends, and how many empty lines are below it."""
    with Path(file).open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - LONGEST_TAIL))
        tail = stream.read()
    line_ends = tail[len(tail.rstrip(b"\r\n")) :]
    if len(line_ends) == len(tail):
        raise NotStreamedError("it ends with empty lines")
    return size - len(line_ends), max(line_ends.count(b"\n") - 1, 0)


def _parts(file: str, stop: int) -> Iterator[bytes]:
    """The bytes of a file up to a place, some whole lines at once, each time without the last line end."""
    rest, place = b"", 0
    with Path(file).open("rb") as stream:
        while place < stop:
            block = stream.read(min(BYTES_AT_ONCE, stop - place))
            place += len(block)
            if place >= stop or not block:
                yield rest + block
                return
            lines, line_end, rest = (rest + block).rpartition(b"\n")
            if line_end:
                yield lines.removesuffix(b"\r")
            elif len(rest) > 2 * BYTES_AT_ONCE:
                raise NotStreamedError("its lines are very long")


def _beginning(content: bytes, file: str, asked: ReadAs) -> Beginning:
    """What the first lines tell; NetveilError where that is not clear."""
    text = plain_text(content)
    if text is None or "nodes:" in text.top or asked.encoding is not None:
        raise NotStreamedError("there is something unusual about its beginning")
    is_other = any(
        each.opening is not None and each.opening.match(text.beginning) for each in FORMATS.values()
    )
    if is_other or (asked.format is None and kind_of_table(content, file, asked) != "edge-list"):
        raise NotStreamedError("it is no table of ties")
    cells = coded_cells(text, file, None if asked.separator is None else parsed_separator(asked.separator))
    if cells is None or cells.width != 2:
        raise NotStreamedError("only plain tables of two columns can be streamed")
    table = ties_in(cells, file, columns=asked.columns, header=asked.header)
    below = content.find(b"\n", text.start) if table.has_header else text.start
    _check_other_separators(content[below:], cells.separator)
    first, second = table.first, table.second
    if not (isinstance(first, CodedColumn) and isinstance(second, CodedColumn) and len(first)):
        raise NotStreamedError("there are no ties at its beginning")
    codes = np.column_stack((first.codes, second.codes))
    return Beginning(table, cells.separator, text.lines, cells.texts, codes)


def _check_other_separators(content: bytes, separator: str) -> None:
    """Raise if the lines could be split in another way, too, or hold what is left to those who read whole."""
    if any(mark.encode() in content for mark in SEPARATORS if mark != separator):
        raise NotStreamedError("it holds several separators")


def _cells(content: bytes, separator: str) -> tuple[CodedTexts, IntMatrix]:
    """The different cells of some lines, and which of them stand in each."""
    if b'"' in content or content.count(b"\r") != content.count(b"\r\n"):
        raise NotStreamedError("it holds quotes")
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError:
            raise NotStreamedError("it is not in UTF-8") from None
        if _NO_BREAK_SPACE in content:
            raise NotStreamedError("it holds several separators")
    _check_other_separators(content, separator)
    codes = np.empty((content.count(b"\n") + 1, 2), np.int32)
    table = TextTable()
    if not table.code(content, ord(separator), codes):
        raise NotStreamedError("not all its lines have two cells")
    return table.texts(), codes


class _People:
    """The people of a table, numbered as they are met, and what must be known of all their labels."""

    def __init__(self, begun: Beginning, folder: Path) -> None:
        texts = begun.texts.some(np.unique(begun.codes))
        self._whole = Numbering() if all(map(_is_number, texts)) else None
        self._names = Names(folder, watched=begun.table.cells.row(0))
        self._are_in: NDArray[np.bool_] = np.zeros((2, 1024), bool)  # who stands in each column
        self._all_digits = True
        self._lines = 0
        first = begun.texts.some(begun.codes[:1].ravel())
        later = set(begun.texts.some(np.unique(begun.codes[1:])))
        self._first_comes_again = any(label in later for label in first) or first[0] == first[1]

    def numbered(self, texts: CodedTexts, codes: IntMatrix) -> IntMatrix:
        """The numbers of the people in some lines; of none if they have to wait for `later`."""
        met, first_at, places = np.unique(codes.ravel(), return_index=True, return_inverse=True)
        labels = texts.some(met)
        self._all_digits = self._all_digits and bool(texts.are_digits[met].all())
        if self._whole is None:
            pairs = self._names.numbered(labels, first_at, places.reshape(-1, 2))
        elif all(map(_is_number, labels)):
            numbers = np.array(list(map(int, labels)), np.int64)
            pairs = self._whole.of(numbers[places].reshape(-1, 2))
        else:
            raise NotStreamedError("its labels are of several kinds")
        self._note(pairs)
        return pairs

    def later(self) -> Iterator[IntMatrix]:
        """The numbers of the people in all lines that had to wait."""
        for pairs in self._names.later():
            self._note(pairs)
            yield pairs

    def _note(self, pairs: IntMatrix) -> None:
        """Keep account of who stands in which column."""
        people = int(pairs.max(initial=-1)) + 1
        while people > self._are_in.shape[1]:
            self._are_in = np.concatenate((self._are_in, np.zeros_like(self._are_in)), axis=1)
        for column in range(2):
            self._are_in[column, pairs[:, column]] = True
        self._lines += len(pairs)

    def check(self, table: TieTable, asked: ReadAs) -> None:
        """Raise unless all labels are such that the beginning has told how to read the table."""
        people = int(self._are_in.any(axis=0).sum())
        if people > FEWEST_LINES and not self._are_in.all(axis=0).any():
            raise NotStreamedError("nobody stands in both its columns")
        for column in (table.first, table.second):
            looked_at = [column[place] for place in range(min(LOOKED_AT_FIRST, len(column)))]
            if not self._all_digits and not any(kind_of(label) == "text" for label in looked_at):
                raise NotStreamedError("its labels are of several kinds")
        for column, are_in in zip(
            (table.first, table.second), self._are_in.sum(axis=1).tolist(), strict=True
        ):
            are_long = all(len(label) >= SHORTEST_TIME for label in column[:LOOKED_AT_FIRST])
            if (
                self._all_digits
                and are_long
                and are_in > FEWEST_LINES
                and are_in >= MOST_REPEATS * self._lines
            ):
                raise NotStreamedError("its numbers may be times")
        by_name = asked.columns is not None and any(
            not each.isdigit() for each in parsed_columns(asked.columns)
        )
        if asked.header is None and not by_name and not self._header_is_sure(table):
            raise NotStreamedError("its beginning does not tell whether it has a header")

    def _header_is_sure(self, table: TieTable) -> bool:
        """Whether the whole table would tell the same of its first line as its beginning does."""
        names = table.cells.row(0)
        if named_pairs(names):
            return table.has_header and not self._names.met_watched
        if any(kind_of(name) in VALUES for name in names):
            return not table.has_header
        if not table.has_header:
            return self._first_comes_again
        return self._all_digits and not any(map(is_missing, names))


def _is_number(label: str) -> bool:
    """Whether a label is a number as it is written by everybody: 7, but not 07 or +7."""
    return (
        label.isascii()
        and label.isdigit()
        and len(label) <= LONGEST_NUMBER
        and (label[0] != "0" or label == "0")
    )
