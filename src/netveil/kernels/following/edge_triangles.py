"""The triangles on an edge: listed beforehand, or found by going along the rows of both its ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.counting.triangles import intersect_rows
from netveil.kernels.following.state import Topology


@internal
def rows_for(topology: Topology, largest_degree: int) -> IntMatrix:
    """Where `triangles_on` finds the triangles, if they are listed, or writes those of one edge."""
    if topology.listed:
        return topology.triangles
    return np.empty((largest_degree, 3), topology.triangles.dtype)


@inlined
def triangles_on(topology: Topology, counted: bool, edge: int, rows: IntMatrix) -> tuple[int, int]:
    """The triangles on an edge with all edges there: first and last + 1 of `rows`, which `rows_for` made.

    There are none unless triangles are counted. Writes `rows` where triangles are not listed.
    """
    if not counted:
        return np.int64(0), np.int64(0)
    if topology.listed:
        return topology.first_row[edge], topology.first_row[edge + 1]
    u, v = topology.ends[edge, 0], topology.ends[edge, 1]
    return np.int64(0), np.int64(intersect_rows(topology.csr, u, v, rows))


@inlined
def touched_by(
    topology: Topology,
    counted: bool,
    edge: int,
    rows: IntMatrix,
    present: NDArray[np.uint8],
    touched: IntVector,
) -> int:
    """Write the nodes that a flip of this edge touches into `touched`; returns how many.

    These are the common neighbours of its ends, as things are, if triangles are counted; and last its ends.
    """
    found = 0
    first, last = triangles_on(topology, counted, edge, rows)
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            touched[found] = rows[row, 2]
            found += 1
    touched[found] = topology.ends[edge, 0]
    touched[found + 1] = topology.ends[edge, 1]
    return found + 2
