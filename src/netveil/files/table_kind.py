"""What a table in a text is, where its name does not tell: ties, everybody's contacts, or a matrix."""

from __future__ import annotations

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
    """Whether a closer look is worth while: a colon in the first lines, or as many lines as cells in one."""
    text = content.replace(b"\0", b"")  # of two bytes a letter
    first = text[:100_000].splitlines()[:20]
    if any(b": " in line or line.rstrip().endswith(b":") for line in first):
        return True
    lines = text.count(b"\n") or text.count(b"\r")
    longest = max(map(_cells, [*first, *text[-100_000:].splitlines()[-2:]]), default=0)
    return longest > 2 and lines - longest < 20  # comments, empty lines and names may come on top


def _cells(line: bytes) -> int:
    return max(len(line.split(mark.encode())) for mark in SEPARATORS)
