"""Who knows whom: each edge of a large network in the rows of both its ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled


@compiled
def fill_rows(
    edges: IntMatrix, places: NDArray[np.int64], neighbours: IntVector, edge_numbers: IntVector
) -> None:
    """Write the neighbours of each node and the numbers of the edges to them (2m), sorted in each row.

    `edges` (m, 2) are in ascending order, so that a row gets its smaller neighbours first and all in order;
    `places` (n) are where rows begin. Writes all but `edges`; `places` moves on to where rows end.
    """
    for edge in range(edges.shape[0]):
        smaller, larger = edges[edge, 0], edges[edge, 1]
        neighbours[places[smaller]], edge_numbers[places[smaller]] = larger, edge
        neighbours[places[larger]], edge_numbers[places[larger]] = smaller, edge
        places[smaller] += 1
        places[larger] += 1
