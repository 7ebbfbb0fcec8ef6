"""Who is found from whom, once some people are identified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled


@compiled
def identify_neighbours(
    csr: Csr, class_of: IntVector, found: IntVector, identified: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The nodes that are newly identified as the only neighbour in their class of one of `found`.

    Writes `identified` (n). O(n + the sum of degrees of `found`).
    """
    times = np.zeros(class_of.shape[0], np.int64)  # by class: how many neighbours of the node at hand
    fresh = np.empty(class_of.shape[0], np.int64)
    count = 0
    for node in found:
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            times[class_of[csr.neighbours[place]]] += 1
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            neighbour = csr.neighbours[place]
            if times[class_of[neighbour]] == 1 and not identified[neighbour]:
                identified[neighbour] = True
                fresh[count] = neighbour
                count += 1
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            times[class_of[csr.neighbours[place]]] = 0
    return fresh[:count].copy()
