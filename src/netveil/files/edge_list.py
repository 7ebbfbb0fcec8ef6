"""Edge lists: one edge per line, as two labels, in a table of any shape; directions are ignored.

Without the comment `# nodes: N` labels are text exactly as written (01 is not 1), and nodes are numbered by
first appearance. With it, labels are the numbers 0 to N-1, all of which exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from netveil.errors import FileError, option
from netveil.files.encodings import at_line, declared_nodes, decoded, text_and_encoding
from netveil.files.format import Format, NumberedRows, ReadAs
from netveil.files.labels import (
    LOOKED_AT,
    as_lines,
    each_once,
    fit_labels,
    is_numbered,
    is_one_of,
    one_sided,
    quoted,
    rows_in_order,
)
from netveil.files.storage import LINES, Content, StoredFile, check_fits, in_memory, split_name
from netveil.files.tables.cells import cells_of, coded_cells, columns_of, padded
from netveil.files.tables.lines import MARKS, bared, lines_of, plain_text, without_quoted
from netveil.files.tables.people import header_apart_from, is_header, odd_columns
from netveil.files.tables.table import TieTable, tie_table, ties_in, with_account
from netveil.kernels.arrays import IntMatrix, index_type
from netveil.network import DIRECTIONS, FIRST_TIES, Network, Reading
from netveil.registries import FORMATS

# Edge lists as they are written: a clean table in a .csv or .tsv file, else one edge a line.
#
# A table is a header line and one tie a line, without any comment: spreadsheets and data frames take
# whatever stands in it for data. In other files the comment `# nodes: N` says that the labels are the
# numbers 0 to N-1.


TABLE_SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separators of tables by the suffix of the file."""

# A label that holds or begins with what means something else to the reader.
NEEDS_QUOTES = re.compile("[ \t,;|\"[]|^[#%<*!\ufeff'\xa0]|\xa0$")


def write(network: Network, file: str) -> bytes:
    """A table in a .csv or .tsv file; elsewhere a line an edge, with a blank between the labels."""
    separator = TABLE_SEPARATORS.get(split_name(file)[1])
    if separator is not None:
        return written_table(network, file, separator, isolated=True)
    if is_numbered(network):
        return as_lines([f"# nodes: {network.node_count}", *_numbered_lines(network, " ")])
    texts, pairs = fit_labels(network, file), rows_in_order(network, isolated=True).tolist()
    lines = _labelled_lines(texts, pairs, " ")
    ends = columns_of([[texts[pair[end]] for pair in pairs] for end in (0, 1)])
    if pairs and is_header([end[0] for end in ends], (0, 1), [end[1:] for end in ends]) is not False:
        # The reader would skip the first edge or ask, so it gets a header to skip instead.
        lines.insert(0, _header(texts, file, " "))
    return as_lines(lines)


def written_table(network: Network, file: str, separator: str, *, isolated: bool) -> bytes:
    """Table with a header and one tie a line; with `isolated`, the label of a node without ties stands twice.

    Without `isolated`, ties between numbers are in ascending order.
    """
    texts = fit_labels(network, file)
    if is_numbered(network) and not isolated:
        lines = _numbered_lines(network, separator)
    else:
        lines = _labelled_lines(texts, rows_in_order(network, isolated=isolated).tolist(), separator)
    return as_lines([_header(texts, file, separator), *lines])


def _numbered_lines(network: Network, separator: str) -> list[str]:
    return list(map(f"%d{separator}%d".__mod__, map(tuple, network.edges.tolist())))


def _labelled_lines(texts: list[str], pairs: list[list[int]], separator: str) -> list[str]:
    fields = [quoted(text, NEEDS_QUOTES) for text in texts]
    return [f"{fields[u]}{separator}{fields[v]}" for u, v in pairs]


def _header(texts: list[str], file: str, separator: str) -> str:
    """Header line that the reader takes for one whatever follows: its names are no labels."""
    header = header_apart_from(texts)
    if header is None:
        rule = "every name that a header may have is a label, so the header would be read as an edge"
        raise FileError(f"{file}: {rule}. Rename some nodes, or write another format.")
    return separator.join(header)


_TIES_AT_ONCE = 1 << 20

MOST_COMPARED = 1 << 17
"""Ties of a table of which it is told apart whether they are repeated, or given from both ends."""

LARGE = 1 << 21
"""Bytes of a table from which on it is worth while to load the kernel that reads it with little memory."""


def read(content: Content, file: str, **options: Any) -> Network:
    """Network from an edge list; `options` are those of `ReadAs`."""
    asked, is_large = ReadAs(**options), isinstance(content, StoredFile) or len(content) >= LARGE
    ties = _large_ties(content, file, asked, "UTF-8") if is_large and asked.encoding is None else None
    if ties is None:
        text, encoding = text_and_encoding(in_memory(content), file, asked.encoding)
        if is_large and encoding != "UTF-8":
            ties = _large_ties(text.encode(), file, asked, encoding)
    if ties is None:
        _check_opening(text, file)
        ties = _ties_of(tie_table(text, file, asked), file, declared_nodes(text, file), encoding, "edge-list")
    return _network_of(ties)


def _large_ties(content: Content, file: str, asked: ReadAs, encoding: str) -> _TableTies | None:
    """Ties of a large table in UTF-8, coded by the kernel; None if anything about it is unusual.

    `encoding` is the one that the file had.
    """
    text = plain_text(content)
    if text is None:
        return None
    _check_opening(text.beginning, file)
    check_fits(len(text.line_numbers), LINES, file)
    cells = coded_cells(text, file, asked.mark)
    if cells is None:
        return None
    table = with_account(ties_in(cells, file, asked), text.lines)
    return _ties_of(table, file, declared_nodes(text.top, file, len(content)), encoding, "edge-list")


def _check_opening(text: str, file: str) -> None:
    """Raise if a text begins like another format: as an edge list, it would be a network of nonsense."""
    for other in FORMATS.values():
        if other.opening is not None and other.opening.match(text):
            remedy = f"Read it with {option('format', other.name)}."
            raise FileError(f"{file} is not an edge list; it looks like {other.name}. {remedy}")


_TableTies = tuple[IntMatrix, int, Sequence[str] | None, Reading]
"""Ties by node numbers, how many nodes and labels: all that is needed of a large table to make a network."""


def network_from_table(
    table: TieTable,
    file: str,
    declared: int | None = None,
    encoding: str | None = None,
    format_name: str = "edge-list",
) -> Network:
    """Network from a table of ties; with `declared` nodes, labels are their numbers."""
    return _network_of(_ties_of(table, file, declared, encoding, format_name))


def network_of_rows(
    rows: list[list[str]], numbers: Iterable[int], file: str, asked: ReadAs, format_name: str
) -> Network:
    """Network from rows of cells that are no text, such as those of Excel; `numbers` are those of rows."""
    cells = padded(rows, np.fromiter(numbers, np.int64), file)
    return network_from_table(ties_in(cells, file, asked), file, format_name=format_name)


def _network_of(ties: _TableTies) -> Network:
    pairs, node_count, labels, reading = ties
    named, each_way = len(pairs), bool(reading.nominations) or DIRECTIONS in reading.dropped
    both = _both_ways(pairs) if not each_way and named <= MOST_COMPARED else 0
    network = Network.from_numbered_edges(pairs, node_count, labels, each_way=each_way, in_place=True)
    notes = one_sided(network, named) if reading.nominations else ()
    return replace(network, notes=notes, reading=replace(reading, both_ways=both))


def _both_ways(pairs: IntMatrix) -> int:
    """Number of ties that are given in both directions."""
    proper = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return len(proper) - len(np.unique(np.sort(proper, axis=1), axis=0))


def _ties_of(
    table: TieTable, file: str, declared: int | None, encoding: str | None, format_name: str
) -> _TableTies:
    labels, pairs = table.numbered
    names = table.people_names
    people = names[0], ", ".join(names[1:])
    reading = Reading(
        format_name,
        separator=table.separator,
        columns=names,
        header=table.has_header,
        encoding=encoding,
        first=_first_of(table),
        dropped=table.dropped,
        nominations=table.everybody is not None or None,
        oddities=(*odd_columns([table.first, table.second], people, labels), *table.oddities),
    )
    if declared is not None:
        rule = f"the comment `# nodes: {declared}`"
        return numbers_of(table, range(declared), file, rule), declared, None, reading
    if not labels:
        is_blank = not len(table.first) and not table.has_header
        rule = "the file is empty" if is_blank else "there is no line with two labels in it"
        raise FileError(f"{file} holds no edges: {rule}. Write one edge per line.")
    return pairs, len(labels), labels, reading


def _first_of(table: TieTable) -> tuple[tuple[str, str], ...]:
    """First ties of a table; of nominations each once, as two people may name each other."""
    if table.everybody is not None:
        return each_once(zip(table.first[:LOOKED_AT], table.second[:LOOKED_AT], strict=True))
    return tuple(zip(table.first[:FIRST_TIES], table.second[:FIRST_TIES], strict=True))


def numbers_of(table: TieTable, allowed: range, file: str, rule: str) -> IntMatrix:
    """Ties by the numbers that labels are, less the first `allowed`; `rule` says what requires numbers."""
    labels, pairs = table.numbered
    wrong = [place for place, label in enumerate(labels) if not is_one_of(allowed, label)]
    if wrong:
        place = int(np.isin(pairs, wrong).any(axis=1).argmax())
        bounds = f"a whole number from {allowed.start} to {allowed.stop - 1}" if allowed else "possible"
        rule = f"a label is not {bounds}, which {rule} asks for"
        raise at_line(file, int(table.line_numbers[place]), f"{rule}. Correct either of the two.")
    numbers = np.fromiter(map(int, labels), dtype=index_type(allowed.stop), count=len(labels))
    numbers -= allowed.start
    if numbers.dtype != pairs.dtype:
        return numbers[pairs]
    for start in range(0, len(pairs), _TIES_AT_ONCE):  # where they are: they may be many, and on disk
        pairs[start : start + _TIES_AT_ONCE] = numbers[pairs[start : start + _TIES_AT_ONCE]]
    return pairs


def tables(content: bytes, file: str) -> dict[str, NumberedRows]:
    """The one table of a text, whose first line names the columns and so tells the separator."""
    lines = bared(lines_of(decoded(content, file)))
    bare = without_quoted(lines.texts[0]) if lines.texts else ""
    mark = max(MARKS, key=bare.count)
    cells = cells_of(lines.texts, lines.numbers, file, mark)
    numbers = np.asarray(cells.line_numbers).tolist()
    return {"": [(number, cells.row(place)) for place, number in enumerate(numbers)]}


FORMAT = Format(
    name="edge-list",
    suffixes=(".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el"),
    description="a table with one tie a line; separator, header and columns are found, or asked",
    read=read,
    reads_parts=True,
    options=frozenset({"columns", "separator", "header", "encoding", "nominations"}),
    write=write,
    tables=tables,
)
