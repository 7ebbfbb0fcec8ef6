"""The lines of an edge list: two labels each, and an account of all other lines.

A line is split at its commas if it has any, else at its tabs, else at its blanks, so that labels with blanks
inside survive in .csv and .tsv files. A line of numbers only is split at all three, since no number
contains any of them. A label in double quotes may contain all of them, and a quote if it is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from netveil.files.header import is_header, is_number
from netveil.files.text import COMMENT_LINE, announced_nodes, at_line
from netveil.kernels.arrays import IntVector

SEPARATORS = {",": "commas", "\t": "tabs", " ": "blanks"}
"""Strongest first, with their names in notes."""

NODES_COMMENT = re.compile(r"#\s*nodes:\s*(\d+)\s*", re.ASCII)
_EVERY_SEPARATOR = re.compile(r" *[,\t] *| +")
_QUOTED = re.compile(r'(?:^|(?<=[,\t ]))"[^"]*(?:""[^"]*)*"(?=[,\t ]|$)')
_MASK = "\0"  # stands for a quoted label while a line is split; `decoded` lets none through
# Characters at which `str.split` splits, but an edge list must not.
_OTHER_GAPS = [gap for gap in map(chr, range(0x3001)) if gap.isspace() and gap not in " \t\n"]


@dataclass(frozen=True)
class EdgeLines:
    """The edges of an edge list, and what each of its lines was taken for."""

    labels: list[str]  # two for each edge line
    line_numbers: IntVector  # of each edge line
    thirds: list[str]  # third field of each edge line or ""; empty if no line has one
    columns: int  # fields of the longest edge line
    separators: tuple[str, ...]  # those that occur
    header_line: int | None = None
    comment_lines: int = 0
    blank_lines: int = 0
    declared_nodes: int | None = None  # N of a comment `# nodes: N`

    def __len__(self) -> int:
        return len(self.line_numbers)


def parse(text: str, file: str) -> EdgeLines:
    """Read the lines of an edge list."""
    comments = list(COMMENT_LINE.finditer(text)) if "#" in text or "%" in text else []
    # An empty line in place of each comment keeps the line numbers.
    body = COMMENT_LINE.sub("", text) if comments else text
    lines = parse_at_once(body)
    if lines is None:
        lines = parse_one_by_one(body, file)
    line_count = text.count("\n") + (not text.endswith("\n") and text != "")
    lines = replace(
        lines,
        comment_lines=len(comments),
        blank_lines=line_count - len(comments) - len(lines),
        declared_nodes=_declared_nodes(text, comments, file),
    )
    if not is_header(lines.labels, lines.thirds):
        return lines
    return replace(
        lines,
        labels=lines.labels[2:],
        line_numbers=lines.line_numbers[1:],
        thirds=lines.thirds[1:],
        header_line=int(lines.line_numbers[0]),
    )


def parse_at_once(body: str) -> EdgeLines | None:
    """The lines of a plain file, all in one go; None for any other file.

    A plain file has no quotes, one separator throughout, and equally many fields in each line.
    """
    separators = [separator for separator in SEPARATORS if separator in body]
    if len(separators) != 1 or '"' in body or any(gap in body for gap in _OTHER_GAPS):
        return None
    separator = separators[0]
    framed = f"\n{body}\n"
    # Blanks may stand together or at either end of a line; between two tabs or commas is an empty field.
    if separator != " " and any(
        pair in framed for pair in (separator * 2, f"\n{separator}", f"{separator}\n")
    ):
        return None
    characters = np.frombuffer(framed.encode(), dtype=np.uint8)
    line_end = characters == ord("\n")
    gap = line_end | (characters == ord(separator))
    gap_before_field = np.flatnonzero(gap[:-1] > gap[1:])
    fields_in_line = np.diff(np.searchsorted(gap_before_field, np.flatnonzero(line_end)))
    line_numbers = np.flatnonzero(fields_in_line) + 1
    columns = int(fields_in_line.max())
    if columns < 2 or (fields_in_line[line_numbers - 1] != columns).any():
        return None
    fields = body.replace(separator, " ").split()
    if columns == 2:
        return EdgeLines(fields, line_numbers, [], columns, (separator,))
    labels = list(chain.from_iterable(zip(fields[0::columns], fields[1::columns], strict=True)))
    return EdgeLines(labels, line_numbers, fields[2::columns], columns, (separator,))


def parse_one_by_one(body: str, file: str) -> EdgeLines:
    """The lines of any file; gives the same as `parse_at_once` for plain files."""
    rows = []
    for line_number, line in enumerate(body.split("\n"), start=1):
        if not line.strip(" \t"):
            continue
        try:
            separator, fields = split_fields(line)
        except ValueError as error:
            raise at_line(file, line_number, str(error)) from None
        if len(fields) < 2 or not fields[0] or not fields[1]:
            rule = "expected two node labels, found one"
            raise at_line(file, line_number, f"{rule}. Separate them by a blank, a tab or a comma.")
        rows.append((line_number, separator, fields))
    labels = [label for _, _, fields in rows for label in fields[:2]]
    numbers = np.array([line_number for line_number, _, _ in rows], dtype=np.int64)
    columns = max((len(fields) for _, _, fields in rows), default=0)
    thirds = [fields[2] if len(fields) > 2 else "" for _, _, fields in rows] if columns > 2 else []
    met = {separator for _, separator, _ in rows}
    return EdgeLines(labels, numbers, thirds, columns, tuple(mark for mark in SEPARATORS if mark in met))


def split_fields(line: str) -> tuple[str, list[str]]:
    """The separator of a line and its fields. ValueError if a quote is opened and never closed.

    >>> split_fields('Anna Bell,"Carr, Bob",0.5')
    (',', ['Anna Bell', 'Carr, Bob', '0.5'])
    """
    if '"' not in line:
        return _split_plain(line)
    separator, fields = _split_plain(_QUOTED.sub(_MASK, line))
    quoted = iter(_QUOTED.findall(line))
    return separator, [_unmasked(field, quoted) for field in fields]


def _split_plain(line: str) -> tuple[str, list[str]]:
    separator = "," if "," in line else "\t" if "\t" in line else " "
    if separator == " ":
        return separator, [field for field in line.split(" ") if field]
    if " " in line or (separator == "," and "\t" in line):
        fields = _EVERY_SEPARATOR.split(line.lstrip(" ").rstrip(" \t"))
        if all(map(is_number, fields)):
            return separator, fields
    return separator, [field.strip(" \t") for field in line.split(separator)]


def _unmasked(field: str, quoted: Iterator[str]) -> str:
    if field == _MASK:
        return next(quoted)[1:-1].replace('""', '"')
    if field.startswith('"'):
        raise ValueError("a quote is opened and never closed. Close it, or double a quote inside a label.")
    while _MASK in field:  # a quote in the middle of a label is an ordinary character
        field = field.replace(_MASK, next(quoted), 1)
    return field


def _declared_nodes(text: str, comments: list[re.Match[str]], file: str) -> int | None:
    declared: int | None = None
    for comment in comments:
        match = NODES_COMMENT.fullmatch(comment.group().strip())
        if match is None:
            continue
        line = text.count("\n", 0, comment.start()) + 1
        count = announced_nodes(match.group(1), file, line)
        if declared not in (None, count):
            rule = "a second comment `# nodes: N` with another number"
            raise at_line(file, line, f"{rule}. Keep the right one.")
        declared = count
    return declared
