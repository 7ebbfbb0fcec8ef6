"""Which bit of an individual stands for which edge; n-point crossover inherits runs of neighbouring bits.

See docs/decisions.md, "The order of the bits", for the figures behind the choice.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.network import Network


def edge_order(network: Network) -> IntVector:
    """Edge numbers in bit order: by the lower degree of an edge's ends, then by the higher.

    Edges at people with equally many contacts lie together, and those people are who may become alike.
    """
    degrees = np.sort(network.degrees[network.edges], axis=1)
    return np.lexsort((degrees[:, 1], degrees[:, 0]))
