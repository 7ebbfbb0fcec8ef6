"""Edge lists: one edge per line, as two labels, in a table of any shape; directions are ignored.

Without the comment `# nodes: N` labels are text exactly as written (01 is not 1), and nodes are numbered by
first appearance. With it, labels are the numbers 0 to N-1, all of which exist.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.files.asked import Columns
from netveil.files.edge_list_writing import write
from netveil.files.encodings import decoded, text_and_encoding
from netveil.files.format import Extras, Format
from netveil.files.formats import FORMATS
from netveil.files.oddities import odd_columns
from netveil.files.tables.cells import cells_of
from netveil.files.tables.table import TieTable, lines_of, tie_table
from netveil.files.text import COMMENT_LINE, at_line, declared_nodes, is_nodes_comment
from netveil.network import Network
from netveil.reading import FIRST_TIES, Reading


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
    text, encoding = text_and_encoding(content, file, encoding)
    for other in FORMATS.values():  # read as an edge list, a file of another would be a network of nonsense
        if other.opening is not None and other.opening.match(text):
            remedy = f"Read it with {option('format', other.name)}."
            raise FileError(f"{file} is not an edge list; it looks like {other.name}. {remedy}")
    table = tie_table(text, file, columns=columns, separator=separator, header=header)
    return network_from_table(table, file, declared_nodes(text, file), encoding)


def network_from_table(
    table: TieTable,
    file: str,
    declared: int | None = None,
    encoding: str | None = None,
    format_name: str = "edge-list",
) -> Network:
    """Network from a table of ties; with `declared` nodes, labels are their numbers."""
    labels = tuple(dict.fromkeys(table.labels))
    reading = Reading(
        format_name,
        separator=table.separator,
        columns=table.people_names,
        header=table.has_header,
        encoding=encoding,
        first=tuple(
            zip(table.labels[0 : 2 * FIRST_TIES : 2], table.labels[1 : 2 * FIRST_TIES : 2], strict=True)
        ),
        dropped=table.dropped,
        oddities=(
            *odd_columns([table.column(place) for place in table.people], table.people_names, labels),
            *table.oddities,
        ),
    )
    if declared is not None:
        rule = f"the comment `# nodes: {declared}`"
        pairs = numbers_of(table, range(declared), file, rule)
        return replace(Network.from_numbered_edges(pairs, declared), reading=reading)
    if not table.labels:
        rule = "holds no edges: there is no line with two labels in it"
        raise FileError(f"{file} {rule}. Write one edge per line, or `# nodes: N` for N nodes without edges.")
    number = dict(zip(labels, range(len(labels)), strict=True))
    pairs = np.fromiter(map(number.__getitem__, table.labels), dtype=np.int64, count=len(table.labels))
    return replace(Network.from_numbered_edges(pairs, len(labels), labels), reading=reading)


def numbers_of(table: TieTable, allowed: range, file: str, rule: str) -> NDArray[np.int64]:
    """The labels as numbers, counted from the first of those `allowed`; `rule` says what requires that."""
    distinct = dict.fromkeys(table.labels)
    wrong = {label for label in distinct if not _is_one_of(allowed, label)}
    if wrong:
        place = next(index for index, label in enumerate(table.labels) if label in wrong)
        bounds = f"a whole number from {allowed.start} to {allowed.stop - 1}" if allowed else "possible"
        line = int(table.line_numbers[place // 2])
        raise at_line(
            file, line, f"a label is not {bounds}, which {rule} asks for. Correct either of the two."
        )
    number = dict(zip(distinct, map(int, distinct), strict=True))
    numbers = np.fromiter(map(number.__getitem__, table.labels), dtype=np.int64, count=len(table.labels))
    return numbers - allowed.start


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
    options=frozenset({"columns", "separator", "header", "encoding"}),
    write=write,
    extras=extras,
)
