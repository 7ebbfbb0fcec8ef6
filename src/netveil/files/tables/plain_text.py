"""A text as bytes in which lines with cells stand together: looked through part by part, and by line.

It may be in memory, or in a file that is larger than that. A part ends with a line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from netveil.files.stored_file import Content, part_of, size_of
from netveil.files.tables.lines import COMMENT, Lines

AT_ONCE = 1 << 20
"""Bytes of a part, if its lines are not longer."""

LONGEST_LINE = 1 << 24

_UTF8_MARK = b"\xef\xbb\xbf"
_NO_BREAK_SPACE = b"\xc2\xa0"
_LONGEST_TOP = 1 << 15  # bytes of comments and empty lines
_LONGEST_TAIL = 1000  # bytes of line ends


@dataclass(frozen=True)
class PlainText:
    """Where the lines with cells are."""

    content: Content
    start: int  # of the first line with cells,
    stop: int  # and the end of the last, without its line end
    top: str  # what is above, comments and empty lines
    lines: Lines  # an account of the lines without cells
    line_numbers: range  # of the lines with cells
    starts: list[int]  # of the parts that it was looked through in,
    breaks_before: list[int]  # and the line breaks before each

    @property
    def beginning(self) -> str:
        """The first letters, by which formats are told."""
        first = part_of(self.content, 0, self.start + _LONGEST_TOP)
        return first.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n")

    def parts(self) -> Iterator[bytes]:
        """The lines with cells, some at a time; there is no line end behind the last line of a part."""
        for part in parts_of(self.content, self.start, self.stop):
            yield part.removesuffix(b"\n").removesuffix(b"\r")


def parts_of(content: Content, start: int, stop: int) -> Iterator[bytes]:
    """The bytes from one place to another, in parts that end with a line break, but for the last."""
    size = AT_ONCE
    while start < stop:
        part = part_of(content, start, min(start + size, stop))
        if start + len(part) < stop:
            end = part.rfind(b"\n") + 1
            if not end and part:
                size *= 2
                continue
            part = part[:end]
        if not part:  # the file has become shorter, which is told once it is read
            return
        yield part
        start, size = start + len(part), AT_ONCE


def plain_text(content: Content) -> PlainText | None:
    """The lines of a table in bytes; None if there is anything unusual about them."""
    size = size_of(content)
    beginning = part_of(content, 0, len(_UTF8_MARK) + 2 * _LONGEST_TOP)
    start = place = len(_UTF8_MARK) if beginning.startswith(_UTF8_MARK) else 0
    comments, empty, above = [], 0, 0
    while (end := beginning.find(b"\n", place, place + _LONGEST_TOP)) >= 0:
        try:
            line = beginning[place:end].removesuffix(b"\r").decode()
        except UnicodeDecodeError:
            return None
        if line.lstrip(" ").startswith(COMMENT):
            comments.append(line)
        elif line.strip(" \t"):
            break
        else:
            empty += 1
        place, above = end + 1, above + 1
    tail = part_of(content, max(place, size - _LONGEST_TAIL), size)
    line_ends = tail[len(tail.rstrip(b"\r\n")) :]
    if end < 0 or place - start > _LONGEST_TOP or len(line_ends) == len(tail):
        return None
    seen = _looked_through(content, size)
    if seen is None:
        return None
    top = beginning[start:place].decode()
    if "nodes:" in top and (start or "\r" in top or not seen.is_ascii):
        return None  # its number is compared with that of letters, which is not that of bytes
    ends = line_ends.count(b"\n")
    numbers = range(above + 1, above + 2 + seen.breaks_before[-1] - above - ends)
    lines = Lines([], np.empty(0, dtype=np.int64), comments, empty + max(ends - 1, 0))
    return PlainText(
        content, place, size - len(line_ends), top, lines, numbers, seen.starts, seen.breaks_before
    )


@dataclass
class _LookedThrough:
    """What all bytes of a text tell."""

    is_ascii: bool
    starts: list[int]
    breaks_before: list[int]  # one more, for the end


def _looked_through(content: Content, size: int) -> _LookedThrough | None:
    """Look at all bytes; None if there are quotes, odd line ends or blanks, or if they are not UTF-8."""
    seen = _LookedThrough(True, [], [0])
    place = 0
    for part in parts_of(content, 0, size):
        breaks = part.count(b"\n")
        if b'"' in part or part.count(b"\r") != part.count(b"\r\n") or len(part) > LONGEST_LINE + AT_ONCE:
            return None
        if not part.isascii():
            seen.is_ascii = False
            if _NO_BREAK_SPACE in part or not _is_utf8(part):
                return None
        seen.starts.append(place)
        seen.breaks_before.append(seen.breaks_before[-1] + breaks)
        place += len(part)
    return seen


def _is_utf8(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


class LinesInBytes(Sequence[str]):
    """The lines with cells, each made a text when it is looked at."""

    def __init__(self, text: PlainText) -> None:
        self._text = text
        self._first = text.line_numbers[0] - 1  # counted from 0 in the whole text
        self._part, self._bytes = -1, b""
        self._breaks: NDArray[np.int64] = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._text.line_numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        line = self._first + range(len(self))[place]
        part = bisect_right(self._text.breaks_before, line) - 1
        if part == len(self._text.starts):  # the last line, without a line break
            part -= 1
        self._look_at(part)
        within = line - self._text.breaks_before[part]
        start = int(self._breaks[within - 1]) + 1 if within else 0
        end = int(self._breaks[within]) if within < len(self._breaks) else len(self._bytes)
        first = self._text.start - self._text.starts[part] if line == self._first else start
        return self._bytes[max(first, start) : end].removesuffix(b"\r").decode()

    def _look_at(self, part: int) -> None:
        """Have a part of the text at hand: lines are mostly looked at one after the other."""
        if part == self._part:
            return
        starts, text = self._text.starts, self._text
        end = starts[part + 1] if part + 1 < len(starts) else text.stop
        self._part, self._bytes = part, part_of(text.content, starts[part], min(end, text.stop))
        self._breaks = np.flatnonzero(np.frombuffer(self._bytes, np.uint8) == ord("\n"))
