"""Edge lists: one edge per line, as two labels, in a table of any shape; directions are ignored.

Without the comment `# nodes: N` labels are text exactly as written (01 is not 1), and nodes are numbered by
first appearance. With it, labels are the numbers 0 to N-1, all of which exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from netveil.errors import FileError, option
from netveil.files.asked import Columns
from netveil.files.edge_list_writing import write
from netveil.files.encodings import decoded, text_and_encoding
from netveil.files.format import Extras, Format
from netveil.files.formats import FORMATS
from netveil.files.oddities import odd_columns
from netveil.files.reading_cost import LINES, tell_reading
from netveil.files.stored_file import Content, StoredFile, size_of
from netveil.files.tables.cells import cells_of
from netveil.files.tables.coded_cells import coded_cells
from netveil.files.tables.lines import lines_of
from netveil.files.tables.one_line import parsed_separator
from netveil.files.tables.plain_text import plain_text
from netveil.files.tables.table import TieTable, tie_table, ties_in, with_account
from netveil.files.text import COMMENT_LINE, at_line, declared_nodes, is_nodes_comment
from netveil.kernels.arrays import IntMatrix, index_type
from netveil.network import Network
from netveil.reading import FIRST_TIES, Reading

LARGE = 1 << 21
"""Bytes of a table from which on it is worth while to load the kernel that reads it with little memory."""


def read(
    content: bytes,
    file: str,
    *,
    columns: Columns | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Network:
    """Network from an edge list."""
    if len(content) >= LARGE and encoding is None:
        large = _large_ties(content, file, columns, separator, header)
        if large is not None:
            return _network_of(large)
    text, encoding = text_and_encoding(content, file, encoding)
    _check_opening(text, file)
    table = tie_table(text, file, columns=columns, separator=separator, header=header)
    return network_from_table(table, file, declared_nodes(text, file), encoding)


def read_stored(
    stored: StoredFile,
    file: str,
    *,
    columns: Columns | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Network | None:
    """Network from a large edge list on disk; None if anything about it is unusual."""
    if encoding is not None:
        return None
    large = _large_ties(stored, file, columns, separator, header)
    return None if large is None else _network_of(large)


def _large_ties(
    content: Content, file: str, columns: Columns | None, separator: str | None, header: bool | None
) -> _Ties | None:
    """The ties of a large table, read with little memory; None if anything about it is unusual."""
    text = plain_text(content)
    if text is None:
        return None
    _check_opening(text.beginning, file)
    tell_reading(len(text.line_numbers), LINES, file)
    cells = coded_cells(text, file, None if separator is None else parsed_separator(separator))
    if cells is None:
        return None
    table = with_account(ties_in(cells, file, columns=columns, header=header), text.lines)
    return _ties_of(table, file, declared_nodes(text.top, file, size_of(content)), "UTF-8", "edge-list")


def _check_opening(text: str, file: str) -> None:
    """Raise if a text begins like another format: as an edge list, it would be a network of nonsense."""
    for other in FORMATS.values():
        if other.opening is not None and other.opening.match(text):
            remedy = f"Read it with {option('format', other.name)}."
            raise FileError(f"{file} is not an edge list; it looks like {other.name}. {remedy}")


class _Ties(NamedTuple):
    """Ties by numbers of nodes: all that is needed of a table, which may be large, to make a network."""

    pairs: IntMatrix
    node_count: int
    labels: Sequence[str] | None  # None where they are the numbers
    reading: Reading


def network_from_table(
    table: TieTable,
    file: str,
    declared: int | None = None,
    encoding: str | None = None,
    format_name: str = "edge-list",
) -> Network:
    """Network from a table of ties; with `declared` nodes, labels are their numbers."""
    return _network_of(_ties_of(table, file, declared, encoding, format_name))


def _network_of(ties: _Ties) -> Network:
    network = Network.from_numbered_edges(ties.pairs, ties.node_count, ties.labels, in_place=True)
    return replace(network, reading=ties.reading)


def _ties_of(
    table: TieTable, file: str, declared: int | None, encoding: str | None, format_name: str
) -> _Ties:
    labels, pairs = table.numbered
    reading = Reading(
        format_name,
        separator=table.separator,
        columns=table.people_names,
        header=table.has_header,
        encoding=encoding,
        first=tuple(zip(table.first[:FIRST_TIES], table.second[:FIRST_TIES], strict=True)),
        dropped=table.dropped,
        oddities=(
            *odd_columns([table.column(place) for place in table.people], table.people_names, labels),
            *table.oddities,
        ),
    )
    if declared is not None:
        rule = f"the comment `# nodes: {declared}`"
        return _Ties(numbers_of(table, range(declared), file, rule), declared, None, reading)
    if not labels:
        rule = "holds no edges: there is no line with two labels in it"
        raise FileError(f"{file} {rule}. Write one edge per line, or `# nodes: N` for N nodes without edges.")
    return _Ties(pairs, len(labels), labels, reading)


def numbers_of(table: TieTable, allowed: range, file: str, rule: str) -> IntMatrix:
    """The labels as numbers, counted from the first of those `allowed`; `rule` says what requires that."""
    labels, pairs = table.numbered
    wrong = [place for place, label in enumerate(labels) if not _is_one_of(allowed, label)]
    if wrong:
        place = int(np.isin(pairs, wrong).any(axis=1).argmax())
        bounds = f"a whole number from {allowed.start} to {allowed.stop - 1}" if allowed else "possible"
        line = int(table.line_numbers[place])
        raise at_line(
            file, line, f"a label is not {bounds}, which {rule} asks for. Correct either of the two."
        )
    numbers = np.fromiter(map(int, labels), dtype=index_type(allowed.stop), count=len(labels))
    return numbers[pairs] - allowed.start


def _is_one_of(allowed: range, label: str) -> bool:
    try:
        number = int(label)
    except ValueError:
        return False
    return number in allowed and str(number) == label  # 01 and +1 are labels of their own


def extras(content: bytes, file: str) -> Extras:
    """Further columns, and comments but that on the number of nodes."""
    text = decoded(content, file)
    comments = [comment.strip() for comment in COMMENT_LINE.findall(text)]
    remarks = tuple(comment for comment in comments if not is_nodes_comment(comment))
    lines = lines_of(text)
    return Extras(max(cells_of(lines.texts, lines.numbers, file).width - 2, 0), remarks)


FORMAT = Format(
    name="edge-list",
    suffixes=(".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el"),
    description="a table with one tie a line; separator, header and columns are found, or asked",
    read=read,
    read_stored=read_stored,
    options=frozenset({"columns", "separator", "header", "encoding"}),
    write=write,
    extras=extras,
)
