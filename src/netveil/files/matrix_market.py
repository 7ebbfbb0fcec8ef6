"""MatrixMarket: the adjacency matrix as a list of its entries. Row i is node i-1.

Many published files lack the banner, their first line. They are read as edge lists, where a first line
`n n m` gives the numbers of nodes and entries. (scipy reads the format too, but a file that ends in the
middle of a line can crash the process.)
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError
from netveil.files.edge_list import network_from_table, numbers_of
from netveil.files.encodings import announced_nodes, at_line, comments_in, decoded
from netveil.files.format import Format, ReadAs
from netveil.files.labels import as_lines, require_numbers
from netveil.files.tables.cells import is_number
from netveil.files.tables.table import TieTable, tie_table
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network, Reading

BANNER = "%%MatrixMarket"
_BANNER = re.compile(
    rf"{BANNER} ++matrix ++coordinate ++(pattern|integer|real|double)"
    r" ++(general|symmetric|skew-symmetric) *+(?:\n|$)",
    re.IGNORECASE,
)
_SIZES = re.compile(
    r"(?:[ \t]*+(?:[#%].*+)?\n)*+[ \t]*+(\d++)[ \t]++(\d++)[ \t]++(\d{1,18})[ \t]*+(?=\n|$)", re.ASCII
)


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network with an edge wherever the matrix has an entry other than 0, above or below the diagonal."""
    text = decoded(content, file, encoding)
    if text[: len(BANNER)].lower() != BANNER.lower():
        return _read_without_banner(text, file)
    banner = _BANNER.match(text)
    if banner is None:
        rule = f"expected `{BANNER} matrix coordinate pattern symmetric` or the like, with real numbers"
        raise at_line(file, 1, f"{rule}. Correct the line.")
    field, symmetry = (word.lower() for word in banner.groups())
    sizes = _SIZES.match(text)
    if sizes is None:
        raise FileError(f"{file}: the line with the sizes of the matrix is missing. Fetch the file again.")
    line = _line(text, sizes)
    if sizes.group(1) != sizes.group(2):
        rule = f"the matrix is {sizes.group(1)} by {sizes.group(2)}, but that of a network is square"
        raise at_line(file, line, f"{rule}. Give an edge list instead.")
    node_count = announced_nodes(sizes.group(1), file, line, len(text))
    notes = [f"MatrixMarket: {symmetry} matrix, row i is node i-1"]
    lines, pairs = _entries(text, sizes, node_count, file)
    zero = _is_zero(lines) if field != "pattern" else np.zeros(len(lines), dtype=bool)
    if zero.any():
        pairs = pairs[~zero]
        notes.append(f"{counted(int(np.count_nonzero(zero)), 'entry line')} of value 0 ignored")
    # A matrix that is symmetric without being declared so names each edge from both sides.
    network = Network.from_numbered_edges(
        pairs, node_count, notes=tuple(notes), each_way=symmetry == "general"
    )
    has_values = field != "pattern" and not lines.column(2).distinct <= {"0", "1"}
    dropped = (*comments_in(text.partition("\n")[2]), *["1 further column"] * has_values)
    return replace(network, reading=Reading("matrix-market", dropped=dropped))


def _read_without_banner(text: str, file: str) -> Network:
    note = f"no {BANNER} line, so read as an edge list"
    sizes = _SIZES.match(text)
    if sizes is None or sizes.group(1) != sizes.group(2):
        return replace(network_from_table(tie_table(text, file), file), notes=(note,))
    line = _line(text, sizes)
    node_count = announced_nodes(sizes.group(1), file, line, len(text))
    _, pairs = _entries(text, sizes, node_count, file)
    notes = (note, f"line {line} gives {counted(node_count, 'node')}, row i is node i-1")
    network = Network.from_numbered_edges(pairs, node_count, notes=notes, each_way=True)
    return replace(network, reading=Reading("matrix-market", dropped=comments_in(text)))


def _line(text: str, sizes: re.Match[str]) -> int:
    return text.count("\n", 0, sizes.start(1)) + 1


def _entries(text: str, sizes: re.Match[str], node_count: int, file: str) -> tuple[TieTable, IntMatrix]:
    """Lines below that with the sizes, as many as it announces, and the row and column of each."""
    # The line with the sizes becomes a comment: it is not taken for an entry, and line numbers stay right.
    entries = f"{text[: sizes.start(1)]}%{text[sizes.start(1) :]}"
    lines = tie_table(entries, file, ReadAs(columns="1,2", header=False))
    line, announced = _line(text, sizes), int(sizes.group(3))
    if len(lines) != announced:
        rule = f"expected {counted(announced, 'entry line')} to follow, found {len(lines):,}"
        raise at_line(file, line, f"{rule}. Fetch the file again, or correct the line.")
    pairs = numbers_of(lines, range(1, node_count + 1), file, f"line {line}")
    return lines, pairs


def _is_zero(lines: TieTable) -> NDArray[np.bool_]:
    """For each entry, whether it is a stored zero, which libraries leave where an edge was deleted."""
    values = lines.column(2)
    zeros = {value for value in values.distinct if is_number(value) and float(value) == 0}
    return np.array([value in zeros for value in values or [""] * len(lines)], dtype=bool)


def write(network: Network, file: str) -> bytes:
    """Lower half of the symmetric adjacency matrix, without values."""
    require_numbers(network, file)
    lines = [
        f"{BANNER} matrix coordinate pattern symmetric",
        f"{network.node_count} {network.node_count} {network.edge_count}",
    ]
    lines += [f"{v} {u}" for u, v in (network.edges + 1).tolist()]
    return as_lines(lines)


FORMAT = Format(
    name="matrix-market",
    suffixes=(".mtx",),
    description="entries of the adjacency matrix; nodes are numbered",
    read=read,
    options=frozenset({"encoding"}),
    write=write,
    opening=re.compile(BANNER),
)
