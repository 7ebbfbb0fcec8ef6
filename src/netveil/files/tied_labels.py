"""Labels in the order of a file: nodes are numbered as they are first met, and written in that order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from netveil.kernels.arrays import IntMatrix
from netveil.network import Network
from netveil.reading import FIRST_TIES
from netveil.words import counted

LOOKED_AT = 10_000
"""Rows among which the first ties are looked for: all others may be the same."""

_BLOCK = 1 << 16


def network_of_labels(
    ends: Sequence[str], nodes: Sequence[str] = (), notes: tuple[str, ...] = (), *, each_way: bool = False
) -> Network:
    """Network of ties given as labels, two each, after `nodes`, which may have none."""
    number = {label: index for index, label in enumerate(dict.fromkeys([*nodes, *ends]))}
    pairs = np.fromiter(map(number.__getitem__, ends), dtype=np.int64, count=len(ends))
    return Network.from_numbered_edges(pairs, len(number), tuple(number), notes=notes, each_way=each_way)


def first_ties(ends: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The first ties of a file, each once, from labels that come two each."""
    return _first((ends[place], ends[place + 1]) for place in range(0, min(len(ends), LOOKED_AT), 2))


def first_numbered(network: Network, pairs: IntMatrix) -> tuple[tuple[str, str], ...]:
    """The same for pairs of node numbers, in the order of the file."""
    labels = network.labels
    return _first((str(labels[u]), str(labels[v])) for u, v in pairs[:LOOKED_AT].tolist())


def _first(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    found: dict[frozenset[str], tuple[str, str]] = {}
    for pair in pairs:
        if len(found) == FIRST_TIES:
            break
        if pair[0] != pair[1]:
            found.setdefault(frozenset(pair), pair)
    return tuple(found.values())


def rows_in_order(network: Network, *, isolated: bool) -> IntMatrix:
    """The ends of each edge and, with `isolated`, (v, v) for each node without edges, as a table has them.

    They are sorted so that nodes first appear in the order of their numbers, if any order does that: by the
    larger end, and among edges with the same larger end, the largest smaller end first.
    """
    count, edges = network.node_count, network.edges
    alone = np.flatnonzero(network.degrees == 0) if isolated else np.empty(0, dtype=np.int64)
    keys = np.empty(len(edges) + len(alone), np.int64)  # ascending as rows do
    for start in range(0, len(edges), _BLOCK):
        smaller, larger = edges[start : start + _BLOCK].T.astype(np.int64)
        keys[start : start + len(larger)] = larger * count + (count - 1 - smaller)
    keys[len(edges) :] = alone * count + (count - 1 - alone)
    keys.sort()
    rows = np.empty((len(keys), 2), edges.dtype)
    np.divmod(keys, max(count, 1), rows[:, 1], rows[:, 0], casting="unsafe")
    np.subtract(count - 1, rows[:, 0], out=rows[:, 0])
    return rows


def one_sided(network: Network, named: int) -> tuple[str, ...]:
    """A clause on ties that one of their two people names alone, of `named` entries in a matrix or lists."""
    proper = named - network.dropped.self_loops - network.dropped.duplicates
    missing = 2 * network.edge_count - proper
    if not missing:
        return ()
    return (f"{counted(missing, 'tie')} named from one side only",)
