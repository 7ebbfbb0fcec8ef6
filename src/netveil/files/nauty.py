"""Adjacency lists of nauty, as ANO-NET uses them: one line `node: neighbours;` per node.

`!n=` gives the number of nodes. `!m=` counts each edge twice, because it is in the lines of both its nodes.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from netveil.errors import FileError
from netveil.files.encodings import announced_nodes, at_line, decoded
from netveil.files.format import Format
from netveil.files.labels import as_lines, one_sided, require_numbers
from netveil.formatting import counted
from netveil.network import Network

_SIZE = re.compile(r"\s*+!\s*+([nm])\s*+=\s*+(\d{1,18})\s*+", re.ASCII)
_ROW = re.compile(r"\s*+(\d++)\s*+:([\d\s]*+)[;.]?\s*+", re.ASCII)


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from adjacency lists; an edge may be in the line of one of its nodes, or in both."""
    node_count: int | None = None
    entry_count: int | None = None
    nodes: list[int] = []
    neighbours: list[int] = []
    row_count = 0
    for line_number, line in enumerate(decoded(content, file, encoding).split("\n"), start=1):
        size = _SIZE.fullmatch(line)
        if size and size.group(1) == "n":
            if node_count is not None:
                raise at_line(file, line_number, "a second line `!n=`. Keep the right one.")
            node_count = announced_nodes(size.group(2), file, line_number, len(content))
        elif size:
            entry_count = int(size.group(2))
        elif line.strip() and not line.lstrip().startswith("!"):
            node, others = _row(line, node_count, file, line_number)
            nodes += [node] * len(others)
            neighbours += others
            row_count += 1
    if node_count is None:
        raise FileError(f"{file} holds no network: a line `!n=` with the number of nodes is missing. Add it.")
    if entry_count is not None and len(nodes) not in (entry_count, 2 * entry_count):
        rule = f"expected {counted(entry_count, 'neighbour')}, as `!m=` says, found {len(nodes):,}"
        raise FileError(f"{file}: {rule}. Fetch the file again, or correct that line.")
    note = f"nauty: {counted(row_count, 'adjacency line')}, {counted(len(nodes), 'neighbour')}"
    pairs = np.array([nodes, neighbours], dtype=np.int64).T
    network = Network.from_numbered_edges(pairs, node_count, notes=(note,), each_way=True)
    return replace(network, notes=(note, *one_sided(network, len(pairs), "edge")))


def _row(line: str, node_count: int | None, file: str, line_number: int) -> tuple[int, list[int]]:
    row = _ROW.fullmatch(line)
    if row is None:
        raise at_line(file, line_number, "expected `node: neighbours;`, with numbers. Correct the line.")
    if node_count is None:
        raise at_line(file, line_number, "a line `!n=` with the number of nodes must come first. Add it.")
    numbers = [row.group(1), *row.group(2).split()]
    # Longer numbers are too large anyway, and Python refuses to read thousands of digits.
    node, *others = (int(number) if len(number) < 19 else node_count for number in numbers)
    if max([node, *others]) >= node_count:
        rule = f"a node number is too large, as `!n=` announces {counted(node_count, 'node')}, from 0 on"
        raise at_line(file, line_number, f"{rule}. Correct either of the two.")
    return node, others


def write(network: Network, file: str) -> bytes:
    """Adjacency lists, a line for every node."""
    require_numbers(network, file)
    lines = [f"!n={network.node_count}", f"!m={2 * network.edge_count}"]
    for node in range(network.node_count):
        lines.append(f"{node}: {' '.join(map(str, network.neighbours(node).tolist()))};")
    return as_lines(lines)


FORMAT = Format(
    name="nauty",
    suffixes=(".nauty",),
    description="adjacency lists of ANO-NET; nodes are numbered",
    read=read,
    options=frozenset({"encoding"}),
    write=write,
    opening=re.compile(r"\s*+!n="),
)
