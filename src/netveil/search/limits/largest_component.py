"""Keep the largest connected component, but for a share of its people."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.limits.limit import Look, value_of
from netveil.utility import MetricSettings, Side
from netveil.utility.structure import LargestComponent

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits


class KeepLargestComponent:
    """The people of the largest component; shown as the share of all people who are in it."""

    name = "lcc"
    looks_at_triangles = False

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The share of all people who are in the largest component."""
        before, after = (value_of(LargestComponent(), network) for network in (original, remaining))
        least = least_component(share, largest_component(original))
        return Look(before, after, largest_component(remaining) >= least)

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """The nodes that the component must keep."""
        return limits._replace(least_component=least_component(share, largest_component(network)))


def least_component(share: Fraction, largest: int) -> int:
    """The nodes that a largest component of `largest` nodes must keep."""
    return ceil((1 - share) * largest)


def largest_component(network: Network) -> int:
    """The nodes of the largest connected component."""
    return int(Side(network, MetricSettings()).component_sizes.max(initial=0))
