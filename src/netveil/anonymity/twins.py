"""Twins: nodes with the same neighbours. They do not hide each other: both have the same contacts anyway.

u and v are twins when N(u) = N(v), or N[u] = N[v] where they know each other. No node can have twins of both
kinds, so twins of twins are twins.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.network import Network


def twin_class_of(network: Network) -> IntVector:
    """The class of each node (n), twins in one class. Nodes without any neighbours are all twins."""
    from netveil.kernels.counting.multisets import classes_of_rows, sort_rows

    offsets, neighbours, _ = network.csr
    open_class, open_classes = classes_of_rows(offsets, neighbours)

    nodes = np.arange(network.node_count)
    closed = np.insert(neighbours, offsets[:-1], nodes)
    closed_offsets = offsets + np.arange(network.node_count + 1)
    sort_rows(closed_offsets, closed)
    closed_class, _ = classes_of_rows(closed_offsets, closed)

    has_open_twin = np.bincount(open_class, minlength=open_classes)[open_class] > 1
    return np.unique(np.where(has_open_twin, open_class, open_classes + closed_class), return_inverse=True)[1]


def one_of_each_twin_class(network: Network, class_of: IntVector) -> IntVector:
    """One node for each twin class within each class of `class_of` (n).

    Twins have the same state by every measure of netveil, but not always by a user's own.
    """
    pairs = np.column_stack((class_of, twin_class_of(network)))
    return np.sort(np.unique(pairs, axis=0, return_index=True)[1])
