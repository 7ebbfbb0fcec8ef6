"""Lines of a text that hold cells, one line as cells, and texts in bytes that are read part by part."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from netveil.errors import SettingError
from netveil.files.storage import Content
from netveil.kernels.arrays import IntVector

COMMENT = ("#", "%")  # at the beginning of a line


class TableLines(NamedTuple):
    """Lines of a text that hold cells, and an account of the others."""

    texts: list[str]
    numbers: IntVector  # of each in the file
    comments: list[str]
    empty: int
    inner_comments: int = 0  # of the comments, those below the first of these lines: the last ones


def lines_of(text: str) -> TableLines:
    """Lines of a text, without empty ones and those that start with # or %."""
    texts = text.removesuffix("\n").split("\n") if text else []
    # A tab before a mark ends an empty cell, so that the mark begins a label.
    is_comment = [line.lstrip(" ").startswith(COMMENT) for line in texts]
    kept = [place for place, line in enumerate(texts) if not is_comment[place] and line.strip(" \t")]
    comments = [line for line, is_one in zip(texts, is_comment, strict=True) if is_one]
    above = sum(is_comment[: kept[0] if kept else len(texts)])
    return TableLines(
        [texts[place] for place in kept],
        np.array(kept, dtype=np.int64) + 1,
        comments,
        len(texts) - len(comments) - len(kept),
        len(comments) - above,
    )


def bared(lines: TableLines) -> TableLines:
    """Lines without Python's marks around ties: `a b {'weight': 3}` of networkx, `('a', 'b'),` of a list."""
    texts = lines.texts
    if texts and all(line.endswith("}") and " {" in line for line in texts):
        return lines._replace(texts=[line[: line.index(" {")] for line in texts])
    tuples = [line.strip(" \t,") for line in texts]
    if texts and all(line.startswith("(") and line.endswith(")") for line in tuples):
        return lines._replace(texts=[line[1:-1] for line in tuples])
    return lines


def may_be_bared(first: str) -> bool:
    """Whether `bared` could make lines shorter that begin with this one."""
    return first.endswith("}") or first.strip(" \t,").startswith("(")


# One line of a table: its cells at a separator, some of which may be quoted.


SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blank"}
"""Separators with their names."""
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
    """Cells of one line at a separator; None if a quote does not close."""
    return tokens(line, separator) if '"' in line else splitter(separator)(line)


def split_alone(line: str) -> list[str]:
    """Cells of a line that stands by itself: at the strongest mark in it, else at blanks.

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
    """Function that splits a line without quotes."""
    if separator == " ":
        return lambda line: [cell for cell in line.replace("\t", " ").split(" ") if cell]
    if separator == ANY:
        return lambda line: _ANY_GAP.split(line.lstrip(" ").rstrip(BLANKS))
    return lambda line: [cell.strip(BLANKS) for cell in line.split(separator)]


def tokens(line: str, separator: str) -> list[str] | None:
    """Cells of one line, some of which may be quoted; None if a quote does not close.

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
    """Line without what is in quotes."""
    return _QUOTED.sub("", line) if '"' in line else line


# A text as bytes in which lines with cells stand together: looked through part by part, and by line.
#
# It may be in memory, or in a file that is larger than that. A part ends with a line.


AT_ONCE = 1 << 20
"""Bytes of a part, if its lines are not longer."""

LONGEST_LINE = 1 << 24

LINES_LOOKED_AT = 1000  # to find the separator; all lines are then split by it
HALF = LINES_LOOKED_AT // 2
LAST_LINES = 5

_UTF8_MARK = b"\xef\xbb\xbf"
_NO_BREAK_SPACE = b"\xc2\xa0"
_LONGEST_TOP = 1 << 15  # bytes of comments and empty lines
_LONGEST_TAIL = 1000  # bytes of line ends


@dataclass(frozen=True)
class PlainText:
    """Text in UTF-8 whose lines with cells stand together, in memory or in a file."""

    content: Content
    start: int  # of the first line with cells,
    stop: int  # and the end of the last, without its line end
    top: str  # what is above, comments and empty lines
    lines: TableLines  # an account of the lines without cells
    line_numbers: range  # of the lines with cells
    sample: list[str]  # lines to look at: the first ones, some from all over the text, and the last ones

    @property
    def beginning(self) -> str:
        """First letters, by which formats are told."""
        first = self.content[0 : self.start + _LONGEST_TOP]
        return first.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n")

    def parts(self) -> Iterator[bytes]:
        """Lines with cells, some at a time, without a line end behind the last line of a part."""
        for part in parts_of(self.content, self.start, self.stop):
            yield part.removesuffix(b"\n").removesuffix(b"\r")


def parts_of(content: Content, start: int, stop: int) -> Iterator[bytes]:
    """Bytes from one place to another, in parts that end with a line break, but for the last."""
    size = AT_ONCE
    while start < stop:
        part = content[start : min(start + size, stop)]
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
    """Plain text of bytes; None if there is anything unusual about it."""
    size = len(content)
    beginning = content[0 : len(_UTF8_MARK) + 2 * _LONGEST_TOP]
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
    tail = content[max(place, size - _LONGEST_TAIL) : size]
    line_ends = tail[len(tail.rstrip(b"\r\n")) :]
    if end < 0 or place - start > _LONGEST_TOP or len(line_ends) == len(tail):
        return None
    stop = size - len(line_ends)
    seen = _looked_through(content, size, place, stop)
    if seen is None:
        return None
    breaks, sample = seen
    top = beginning[start:place].decode().replace("\r\n", "\n")
    ends = line_ends.count(b"\n")
    numbers = range(above + 1, breaks - ends + 2)
    lines = TableLines([], np.empty(0, dtype=np.int64), comments, empty + max(ends - 1, 0))
    if len(numbers) > LINES_LOOKED_AT:
        last = content[max(place, stop - _LONGEST_TOP) : stop].split(b"\n")[1:]
        sample = [*sample[:HALF], *sample[LINES_LOOKED_AT:], *last[-LAST_LINES:]]
    return PlainText(content, place, stop, top, lines, numbers, [_text_of(line) for line in sample])


def _text_of(line: bytes) -> str:
    return line.removesuffix(b"\r").decode()


def _looked_through(content: Content, size: int, start: int, stop: int) -> tuple[int, list[bytes]] | None:
    """Look at all bytes; None if there are quotes, odd line ends or blanks, or if they are not UTF-8.

    The number of line breaks, the first lines from `start` on and some lines behind.
    """
    breaks, place, sample = 0, 0, list[bytes]()
    step = max(1, (stop - start) // HALF)
    for part in parts_of(content, 0, size):
        if b'"' in part or part.count(b"\r") != part.count(b"\r\n") or len(part) > LONGEST_LINE + AT_ONCE:
            return None
        if not part.isascii():
            try:
                part.decode()
            except UnicodeDecodeError:
                return None
            if _NO_BREAK_SPACE in part:
                return None
        at, end = max(start - place, 0), min(stop - place, len(part))
        while at < end:
            line_end = part.find(b"\n", at, end)
            line_end = end if line_end < 0 else line_end
            sample.append(part[at:line_end])
            at = line_end + 1
            if len(sample) >= LINES_LOOKED_AT:  # the next line behind the next step
                at = part.find(b"\n", at + step - 1, end) + 1 or end
        breaks, place = breaks + part.count(b"\n"), place + len(part)
    return breaks, sample
