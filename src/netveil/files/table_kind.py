"""What a table in a text is, where its name does not tell: ties, everybody's contacts, or a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from netveil.errors import option
from netveil.files.adjacency_list import looks_like_adjacency_list
from netveil.files.asked import ReadAs
from netveil.files.encodings import decoded
from netveil.files.matrix import looks_like_matrix
from netveil.files.tables.cells import without_declaration
from netveil.files.tables.lines import lines_of
from netveil.files.tables.one_line import SEPARATORS, cells_at, parsed_separator
from netveil.files.tables.question import question

FormatOfTable = Literal["edge-list", "adjacency-list", "matrix"]

LOOKED_AT = 100_000
"""Bytes at both ends of a text."""

LINES_FOR_COLONS = 1000  # that are looked at for those of adjacency lists


def kind_of_table(content: bytes, file: str, asked: ReadAs) -> FormatOfTable:
    """The format of a text that may be an edge list; a question where it could be two of them."""
    if asked.columns is not None or not _may_be_another(content):
        return "edge-list"
    lines = without_declaration(lines_of(decoded(content, file, asked.encoding)).texts)
    if (
        asked.header is None
        and asked.separator is None
        and looks_like_adjacency_list(lines[:LINES_FOR_COLONS])
    ):
        return "adjacency-list"
    marks = [mark for mark in SEPARATORS if any(mark in line for line in lines)]
    if asked.separator is not None:
        marks = [parsed_separator(asked.separator)]
    for mark in marks:
        rows = [cells_at(line, mark) or [line] for line in lines]
        if all(len(row) > 2 and not row[-1] for row in rows):  # a separator at the end of each line
            rows = [row[:-1] for row in rows]
        told = looks_like_matrix(rows)
        if told is None:
            raise question(
                file,
                "it could be a matrix or a list of ties with weights",
                f"Give {option('format', 'matrix')} or {option('format', 'edge-list')}.",
                rows,
            )
        if told:
            return "matrix"
    return "edge-list"


def _may_be_another(content: bytes) -> bool:
    """Whether a closer look is worth while."""
    text = content.replace(b"\0", b"")  # of two bytes a letter
    return may_be_another(text[:LOOKED_AT], text[-LOOKED_AT:], lambda: text.count(b"\n") or text.count(b"\r"))


def may_be_another(beginning: bytes, end: bytes, count_lines: Callable[[], int]) -> bool:
    """Whether a text has a colon in its first lines, or as many lines as cells in one."""
    first = beginning.splitlines()[:20]
    if any(b": " in line or line.rstrip().endswith(b":") for line in first):
        return True
    longest = max(map(_cells, [*first, *end.splitlines()[-2:]]), default=0)
    # Comments, empty lines and names may come on top.
    return longest > 2 and count_lines() - longest < 20


def _cells(line: bytes) -> int:
    return max(len(line.split(mark.encode())) for mark in SEPARATORS)
