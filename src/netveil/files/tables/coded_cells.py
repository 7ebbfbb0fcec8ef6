"""The cells of a large table, as numbers: read from the bytes, without a Python object for each cell.

Only tables in which nothing is unusual are read so: in UTF-8, without quotes, comments on top only, equally
many cells in each line and none of them empty. All others, mistakes among them, are for `cells` to read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import overload

import numpy as np

from netveil.files.tables.cells import Cells, has_special_start, spread
from netveil.files.tables.coded_column import CodedColumn, CodedTexts
from netveil.files.tables.lines import COMMENT, Lines, may_be_bared
from netveil.files.tables.one_line import ANY
from netveil.files.tables.separators import separator_of
from netveil.kernels.arrays import IntMatrix

_UTF8_MARK = b"\xef\xbb\xbf"
_NO_BREAK_SPACE = b"\xc2\xa0"
_LONGEST_TOP = 1 << 15  # bytes of comments and empty lines
_LONGEST_TAIL = 1000  # bytes of line ends
_DECODED_AT_ONCE = 1 << 22
_LOOKED_THROUGH = 1 << 16


@dataclass(frozen=True)
class PlainText:
    """A text as bytes, in which lines with cells stand together."""

    content: bytes
    start: int  # of the first line with cells,
    stop: int  # and the end of the last, without its line end
    top: str  # what is above, comments and empty lines
    lines: Lines  # an account of the lines without cells
    line_numbers: range  # of the lines with cells

    @property
    def beginning(self) -> str:
        """The first letters, by which formats are told."""
        first = self.content[: self.start + _LONGEST_TOP]
        return first.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n")


def plain_text(content: bytes) -> PlainText | None:
    """The lines of a table in bytes; None if there is anything unusual about them."""
    if b'"' in content or content.count(b"\r") != content.count(b"\r\n"):
        return None
    if not content.isascii() and (_NO_BREAK_SPACE in content or not _is_utf8(content)):
        return None
    start = place = len(_UTF8_MARK) if content.startswith(_UTF8_MARK) else 0
    comments, empty, above = [], 0, 0
    while (end := content.find(b"\n", place, place + _LONGEST_TOP)) >= 0:
        line = content[place:end].removesuffix(b"\r").decode()
        if line.lstrip(" ").startswith(COMMENT):
            comments.append(line)
        elif line.strip(" \t"):
            break
        else:
            empty += 1
        place, above = end + 1, above + 1
    tail = content[max(place, len(content) - _LONGEST_TAIL) :]
    line_ends = tail[len(tail.rstrip(b"\r\n")) :]
    if end < 0 or place - start > _LONGEST_TOP or len(line_ends) == len(tail):
        return None
    stop = len(content) - len(line_ends)
    top = content[start:place].decode()
    if "nodes:" in top and (start or "\r" in top or not content.isascii()):
        return None  # its number is compared with that of letters, which is not that of bytes
    empty += max(line_ends.count(b"\n") - 1, 0)
    numbers = range(above + 1, above + 2 + content.count(b"\n", place, stop))
    lines = Lines([], np.empty(0, dtype=np.int64), comments, empty)
    return PlainText(content, place, stop, top, lines, numbers)


def _is_utf8(content: bytes) -> bool:
    """Whether all bytes are; decoded part by part, each of which ends with a line."""
    place = 0
    while place < len(content):
        end = content.find(b"\n", place + _DECODED_AT_ONCE) + 1 or len(content)
        try:
            content[place:end].decode()
        except UnicodeDecodeError:
            return False
        place = end
    return True


class _LinesInBytes(Sequence[str]):
    """The lines with cells, each made a text when it is looked at."""

    def __init__(self, text: PlainText) -> None:
        self._text = text
        self._parts = range(text.start, text.stop, _LOOKED_THROUGH)
        counts = (text.content.count(b"\n", part, self._end(part)) for part in self._parts)
        self._breaks_before = list(accumulate(counts, initial=0))

    def __len__(self) -> int:
        return len(self._text.line_numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        start = self._text.start if place == 0 else self._break(place - 1) + 1
        end = self._text.stop if place == len(self) - 1 else self._break(place)
        return self._text.content[start:end].removesuffix(b"\r").decode()

    def _break(self, number: int) -> int:
        """The place of a line break, counted from 0 in the lines with cells."""
        part = bisect_right(self._breaks_before, number) - 1
        start = self._parts[part]
        seen = np.frombuffer(self._text.content, np.uint8, self._end(start) - start, start)
        return start + int(np.flatnonzero(seen == ord("\n"))[number - self._breaks_before[part]])

    def _end(self, start: int) -> int:
        return min(start + _LOOKED_THROUGH, self._text.stop)


@dataclass(frozen=True, kw_only=True)
class CodedCells(Cells):
    """The cells of a table, each as the code of a text."""

    codes: IntMatrix  # (rows, columns)
    texts: CodedTexts

    @cached_property
    def _columns(self) -> list[CodedColumn]:
        return [CodedColumn(codes, self.texts) for codes in self.codes.T]

    def column(self, place: int) -> CodedColumn:
        """The cells of one column."""
        return self._columns[place]

    def row(self, place: int) -> list[str]:
        """The cells of one row."""
        return self.texts.some(self.codes[place])


def coded_cells(text: PlainText, file: str, separator: str | None = None) -> CodedCells | None:
    """The cells in a text; None if there is anything unusual about them, or only one in a line."""
    from netveil.kernels.cell_codes import code_cells

    lines = _LinesInBytes(text)
    if may_be_bared(lines[0]) or has_special_start(lines[0]):
        return None
    chosen = separator or separator_of(spread(lines), file)
    width = lines[0].count(chosen) + 1
    if chosen == ANY or not chosen.isascii() or width < 2:
        return None
    codes = np.empty((len(text.line_numbers), width), dtype=np.int32)
    found = code_cells(np.frombuffer(text.content, dtype=np.uint8), text.start, text.stop, ord(chosen), codes)
    if found.rows < len(text.line_numbers):
        return None
    numbers = text.line_numbers
    return CodedCells(
        flat=[],
        width=width,
        line_numbers=numbers,
        separator=chosen,
        shortest=width,
        shortest_line=numbers[0],
        longest_line=numbers[0],
        codes=codes,
        texts=CodedTexts(text.content, found.starts, found.lengths, found.are_digits),
    )
