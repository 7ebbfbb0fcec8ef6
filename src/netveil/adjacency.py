"""Who knows whom: from the edges of a network, the neighbours of each node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector

EDGES_WORTH_A_KERNEL = 250_000  # below, compiled code takes longer to load than it saves


def adjacency(edges: IntMatrix, degrees: IntVector) -> Csr:
    """The rows of all nodes, sorted, of edges (m, 2) in ascending order."""
    offsets = np.concatenate(([0], np.cumsum(degrees)))
    fill = by_sorting if len(edges) < EDGES_WORTH_A_KERNEL else by_filling
    csr = Csr(offsets, *fill(edges, offsets))
    for array in csr:
        array.setflags(write=False)
    return csr


def by_sorting(edges: IntMatrix, offsets: NDArray[np.int64]) -> tuple[IntVector, IntVector]:
    """The neighbours of all nodes and the numbers of the edges to them (2m)."""
    smaller, larger = edges.T
    # Edges are sorted, so by a stable sort a row is its smaller neighbours and then its larger ones.
    order = np.argsort(np.concatenate((larger, smaller)), kind="stable")
    neighbours = np.concatenate((smaller, larger))[order]
    return neighbours, (order % max(len(edges), 1)).astype(edges.dtype)


def by_filling(edges: IntMatrix, offsets: NDArray[np.int64]) -> tuple[IntVector, IntVector]:
    """The same without sorting, in a fraction of the time and of the memory."""
    from netveil.kernels.counting.adjacency import fill_rows

    neighbours, edge_numbers = (np.empty(2 * len(edges), dtype=edges.dtype) for _ in range(2))
    fill_rows(edges, offsets[:-1].copy(), neighbours, edge_numbers)
    return neighbours, edge_numbers
