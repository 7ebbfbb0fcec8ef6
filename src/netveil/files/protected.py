"""Edges that must stay (`--protect`): one label protects a node with all its edges, two labels an edge.

In a file there is one per line, with labels separated as in an edge list; `#` and `%` start a comment, and a
first line may name columns. Labels are matched as text: the 5 of a file is the node 5 of a networkx graph.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np

from netveil.errors import NetworkError, SettingError
from netveil.files.encodings import at_line, decoded
from netveil.files.storage import load_file
from netveil.files.tables.lines import SEPARATORS, cells_at, split_alone
from netveil.files.tables.people import named_pairs
from netveil.kernels.arrays import IntVector
from netveil.network import Network

Protect = str | os.PathLike[str] | Iterable[Hashable]
"""A file, or labels and pairs of labels. A tuple that is itself a label stands for its node."""


def protected_edges(network: Network, protect: Protect) -> IntVector:
    """Numbers of the edges to protect, ascending."""
    names = _Names(network)
    if isinstance(protect, str | os.PathLike):
        found = _of_lines(names, os.fspath(protect))
    elif isinstance(protect, Iterable):
        found = _of_entries(names, protect)
    else:
        raise SettingError(f"protect {protect!r}: give a file, or a list of labels and pairs of labels.")
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


class _Names:
    """Nodes and edges of a network by label."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.number = {str(label): node for node, label in enumerate(network.labels)}
        if len(self.number) < network.node_count:
            raise NetworkError(
                "two labels of the network are the same as text, like 1 and '1', so it is not clear "
                "which to protect. Rename one."
            )

    def edges(self, labels: Sequence[str]) -> IntVector:
        """All edges of the node with one label, or the edge between two; ValueError says what is missing."""
        if not all(label in self.number for label in labels):
            raise ValueError("the network has no node with that label. Write labels as in the network.")
        csr, (node, *other) = self.network.csr, [self.number[label] for label in labels]
        row = slice(csr.offsets[node], csr.offsets[node + 1])
        if not other:
            return csr.edge_numbers[row]
        place = np.searchsorted(csr.neighbours[row], other[0])
        if other[0] not in csr.neighbours[row][place : place + 1]:
            raise ValueError("the network has no edge between these two. Take it out, or name another.")
        return csr.edge_numbers[row][place : place + 1]


def _of_lines(names: _Names, file: str) -> Iterator[IntVector]:
    is_first = True
    for number, line in enumerate(decoded(load_file(file), file).split("\n"), start=1):
        stripped = line.strip(" \t")
        if not stripped or stripped[0] in "#%":
            continue
        if not (is_first and _is_header(names, stripped)):
            try:
                yield names.edges(_labels(names, stripped))
            except ValueError as error:
                raise at_line(file, number, str(error)) from None
        is_first = False


def _labels(names: _Names, line: str) -> list[str]:
    """One or two labels of a line, which may hold blanks and marks if there is only one right way.

    ValueError if there is no such way, or more than one.
    """
    ways = [[line], *((cells_at(line, mark) or []) for mark in SEPARATORS if mark in line)]
    for way in ways[1:]:
        while way and not way[-1]:  # a mark at the end of a line
            way.pop()
    right = {tuple(way) for way in ways if len(way) in (1, 2) and all(label in names.number for label in way)}
    if len(right) > 1:
        raise ValueError("it can be read as a node or as an edge. Put labels into double quotes.")
    if right:
        return list(right.pop())
    fields = split_alone(line)
    if len(fields) > 2 or not all(fields):
        found = "an empty one" if not all(fields) else str(len(fields))
        rule = f"expected one or two node labels, found {found}"
        raise ValueError(f"{rule}. Write one node or edge per line.")
    return fields


def _is_header(names: _Names, line: str) -> bool:
    """Whether a first line names columns, as that of the network does, and nobody."""
    columns = names.network.reading.columns if names.network.reading else None
    for mark in SEPARATORS:
        cells = cells_at(line, mark) or []
        if len(cells) == 2 and not any(cell in names.number for cell in cells):
            return bool(named_pairs(cells)) or tuple(cells) == columns
    return False


def _of_entries(names: _Names, entries: Iterable[Hashable]) -> Iterator[IntVector]:
    for number, entry in enumerate(entries, start=1):
        labels = [str(entry)]
        if isinstance(entry, tuple | list) and len(entry) == 2 and labels[0] not in names.number:
            labels = [str(label) for label in entry]
        try:
            yield names.edges(labels)
        except ValueError as missing:
            raise SettingError(f"protect, entry {number}: {missing}") from None
