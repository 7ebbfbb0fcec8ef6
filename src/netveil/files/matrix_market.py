"""MatrixMarket: the adjacency matrix as a list of its entries. Rows 1 to n are the nodes 0 to n-1.

Many published files lack the first line that makes them MatrixMarket. They are read as edge lists, of which a
first line `n n m` gives the number of nodes and of entries.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np

from netveil.errors import FileError
from netveil.files.edge_lines import parse
from netveil.files.edge_list import account, network_from_lines, numbers_of
from netveil.files.format import Format
from netveil.files.labels import require_numbers
from netveil.files.text import announced_nodes, at_line, counted, decoded
from netveil.network import Network

BANNER = "%%MatrixMarket"
_SIZES = re.compile(r"(?:[ \t]*(?:[#%].*)?\n)*[ \t]*(\d+)[ \t]+\1[ \t]+(\d+)[ \t]*(?=\n|$)", re.ASCII)


def read(content: bytes, file: str) -> Network:
    """Network with an edge wherever the matrix has an entry other than 0, above or below the diagonal."""
    text = decoded(content, file)
    return _read_matrix(text, file) if text.startswith(BANNER) else _read_edge_list(text, file)


def _read_matrix(text: str, file: str) -> Network:
    from scipy.io import mminfo, mmread
    from scipy.sparse import coo_array

    try:
        row_count, column_count, _, _, _, symmetry = mminfo(io.BytesIO(text.encode()))
        matrix = coo_array(mmread(io.BytesIO(text.encode())))
    except (ValueError, OverflowError, MemoryError) as error:
        # Only the line is taken from the message, which may quote the file.
        line = re.search(r"\bline (\d+)", str(error), re.IGNORECASE)
        place = f"{file}, line {line.group(1)}" if line else file
        raise FileError(f"{place}: not valid MatrixMarket. Write or fetch the file again.") from None
    if row_count != column_count:
        rule = f"the matrix has {row_count} rows and {column_count} columns; that of a network is square"
        raise FileError(f"{file}: {rule}. Give an edge list of a bipartite network.")
    present = matrix.data != 0
    pairs = np.column_stack((matrix.row, matrix.col))[present]
    if symmetry != "general":  # a symmetric matrix comes with each of its entries on both sides
        pairs = pairs[pairs[:, 0] >= pairs[:, 1]]
    notes = [f"MatrixMarket: {symmetry} matrix, row i is node i-1"]
    zeros = int(np.count_nonzero(~present))
    if zeros:
        notes.append(f"{counted(zeros, 'stored zero')} ignored")
    return Network.from_numbered_edges(pairs, announced_nodes(row_count, file), notes=tuple(notes))


def _read_edge_list(text: str, file: str) -> Network:
    note = f"no {BANNER} line, so read as an edge list"
    sizes = _SIZES.match(text)
    if sizes is None:
        network = network_from_lines(parse(text, file), file)
        return replace(network, notes=(note, *network.notes))
    line = text.count("\n", 0, sizes.start(1)) + 1
    node_count = announced_nodes(int(sizes.group(1)), f"{file}, line {line}")
    # As a comment, the line of sizes is no edge and the lines keep their numbers.
    lines = parse(f"{text[: sizes.start(1)]}%{text[sizes.start(1) :]}", file)
    if len(lines) != int(sizes.group(2)):
        rule = f"announces {counted(int(sizes.group(2)), 'edge line')}, {len(lines):,} follow"
        raise at_line(file, line, f"{rule}. Fetch the file again, or read it with --format edge-list.")
    pairs = numbers_of(lines, range(1, node_count + 1), file, f"line {line} with the sizes")
    sizes_note = f"line {line} gives {counted(node_count, 'node')}, row i is node i-1"
    return Network.from_numbered_edges(pairs, node_count, notes=(note, sizes_note, account(lines)))


def write(network: Network, file: str) -> bytes:
    """The lower half of the symmetric adjacency matrix, without values."""
    require_numbers(network, file)
    lines = [
        f"{BANNER} matrix coordinate pattern symmetric",
        f"{network.node_count} {network.node_count} {network.edge_count}",
    ]
    lines += [f"{v} {u}" for u, v in (network.edges + 1).tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


FORMAT = Format(
    name="matrix-market",
    suffixes=(".mtx",),
    description="entries of the adjacency matrix; nodes are numbered",
    read=read,
    write=write,
)
