"""Keep everybody's contacts, but for a share of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.limits.limit import Look

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits


class KeepDegree:
    """The largest share of their contacts that anybody has lost: nothing before."""

    name = "degree"
    looks_at_triangles = False

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The largest share that anybody has lost."""
        lost = original.degrees - remaining.degrees
        shares = lost / np.maximum(original.degrees, 1)
        is_kept = bool((lost <= most_lost(share, original.degrees)).all())
        return Look(0.0, float(shares.max(initial=0.0)), is_kept)

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """The contacts that each node may lose."""
        return limits._replace(most_lost=most_lost(share, network.degrees))


def most_lost(share: Fraction, degrees: IntVector) -> NDArray[np.int64]:
    """The contacts that a node of each of these degrees may lose: that share of them, rounded down."""
    distinct, place = np.unique(degrees, return_inverse=True)
    return np.array([int(share * degree) for degree in distinct.tolist()], dtype=np.int64)[place]
