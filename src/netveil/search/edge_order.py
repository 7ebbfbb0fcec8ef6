"""Which bit stands for which edge. See docs/decisions.md, "The order of the bits"."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.network import Network


def edge_order(network: Network) -> IntVector:
    """Edge numbers in bit order."""
    return np.arange(network.edge_count)
