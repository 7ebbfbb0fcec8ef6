"""Keep the average clustering coefficient, to within a share of itself."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.limits.limit import Look, value_of
from netveil.utility.structure import Clustering

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits

TOLERANCE = 2.0**-30  # of a mean clustering: that of whole numbers in kernels, and of floating-point sums


class KeepClustering:
    """The mean over people with two contacts or more, as `compare` shows it."""

    name = "clustering"
    looks_at_triangles = True

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The average clustering coefficient."""
        before, after = (value_of(Clustering(), network) for network in (original, remaining))
        return Look(before, after, abs(after - before) <= float(share) * before + TOLERANCE)

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """Bounds on the mean, in the whole numbers that kernels count with."""
        from netveil.kernels.limits import ONE, clustering_sum

        total, able = clustering_sum(network.degrees, triangles)
        least, most = clustering_bounds(share, Fraction(total, max(able, 1)), ONE)
        return limits._replace(clustering_least=least, clustering_most=most)


def clustering_bounds(share: Fraction, mean: Fraction, one: int) -> tuple[int, int]:
    """Bounds on a mean of rounded numbers within which the true mean keeps the limit.

    `mean` is the original's, of numbers each rounded to a whole one; `one` is the most that a mean can be. A
    mean of rounded numbers is within a half of the true one, so the bounds are drawn in by a half for the
    original's and by a half for each other mean; but never so far that the original itself is outside.
    """
    half = Fraction(1, 2)
    least = ceil((1 - share) * (mean + half) + half) if share < 1 else 0
    most = floor((1 + share) * (mean - half) - half)
    return min(least, floor(mean)), min(max(most, ceil(mean)), one)
