"""Limits on what a deletion may change: what one is, netveil's own, and how they are checked.

A limit is looked at twice: kernels respect it while they search (`Limit.narrowed`), and what a search returns
is measured from scratch, by the metrics that users meet in `compare`, before anybody sees it (`Limit.look`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError
from netveil.formatting import Share, parsed_share, percent
from netveil.kernels.arrays import IntVector
from netveil.kernels.limits import ONE, Limits, clustering_sum
from netveil.network import Network
from netveil.registries import LIMITS
from netveil.utility import MetricSettings, Side
from netveil.utility.metric import Property, Undefined
from netveil.utility.structure import Clustering, LargestComponent

TOLERANCE = 2.0**-30  # of a mean clustering: that of whole numbers in kernels, and of floating-point sums


@dataclass(frozen=True)
class LimitKept:
    """A limit, with the limited value before and after."""

    name: str
    share: str  # '1%'
    before: float
    after: float


class LimitBroken(AssertionError):  # noqa: N818  # an error only where it was not expected
    """A solution that breaks a limit; its text says which, and how far."""


class Look(NamedTuple):
    """The limited value before and after a deletion, and whether that keeps the limit."""

    before: float
    after: float
    is_kept: bool


class Limit(Protocol):
    """Protocol of a limit: a value that may change by a share at most."""

    name: str  # what users call it
    looks_at_triangles: bool  # whether a search must count triangles for it, though the attackers may not

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """Measure the value from scratch, without the shortcuts of kernels."""

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """The limits as kernels take them, narrowed by this one; `triangles` (n) are the network's."""


class KeepClustering:
    """Keep the average clustering coefficient, as `compare` shows it, to within a share of itself."""

    name = "clustering"
    looks_at_triangles = True

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The mean over people with two contacts or more."""
        before, after = _before_and_after(Clustering(), original, remaining)
        return Look(before, after, abs(after - before) <= float(share) * before + TOLERANCE)

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """Bounds on the mean, in the whole numbers that kernels count with."""
        total, able = clustering_sum(np.array(network.degrees, dtype=np.int64), triangles)
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


class KeepLargestComponent:
    """Keep the people of the largest component, but for a share; shown as the share of all who are in it."""

    name = "lcc"
    looks_at_triangles = False

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The share of all people who are in the largest component."""
        before, after = _before_and_after(LargestComponent(), original, remaining)
        return Look(before, after, _largest_component(remaining) >= self._least(share, original))

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """The nodes that the component must keep."""
        return limits._replace(least_component=self._least(share, network))

    def _least(self, share: Fraction, network: Network) -> int:
        return ceil((1 - share) * _largest_component(network))


class KeepDegree:
    """Keep everybody's contacts, but for a share; shown as the largest share that anybody has lost."""

    name = "degree"
    looks_at_triangles = False

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """The largest share that anybody has lost: nothing before."""
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


def _before_and_after(metric: Property, *networks: Network) -> list[float]:
    """A metric of each network; 0 where it is not defined."""
    values = []
    for network in networks:
        try:
            values.append(metric.value(Side(network, MetricSettings())))
        except Undefined:
            values.append(0.0)
    return values


def _largest_component(network: Network) -> int:
    """The nodes of the largest connected component."""
    return int(Side(network, MetricSettings()).component_sizes.max(initial=0))


def parsed_limits(keep: Mapping[str, Share]) -> dict[str, Fraction]:
    """The share of each limit as an exact number.

    >>> parsed_limits({"clustering": "1%", "lcc": 0})
    {'clustering': Fraction(1, 100), 'lcc': Fraction(0, 1)}
    """
    if not isinstance(keep, Mapping):
        raise SettingError(f"keep {keep!r}: give a share for each limit, such as {{'clustering': '1%'}}.")
    rule = "give a share from 0% to 100%, such as 1% or 0.01."
    return {LIMITS.named(name): parsed_share(given, f"keep {name}:", rule) for name, given in keep.items()}


def kept_limits(keep: Mapping[str, Fraction], original: Network, remaining: Network) -> tuple[LimitKept, ...]:
    """Measure all that is limited from scratch, before and after; raises LimitBroken."""
    kept = []
    for name, share in keep.items():
        before, after, is_kept = LIMITS[name].look(original, remaining, share)
        if not is_kept:
            raise LimitBroken(f"the limit {name}={percent(share)} is broken: {before:.6g} → {after:.6g}")
        kept.append(LimitKept(name, percent(share), before, after))
    return tuple(kept)


def kernel_limits(keep: Mapping[str, Fraction], network: Network, triangles: IntVector) -> Limits | None:
    """The limits as kernels take them, None if there are none; `triangles` (n) are the network's."""
    if not keep:
        return None
    # As `most_lost` is, or kernels compile for both.
    may_lose = np.array(network.degrees, dtype=np.int64)
    limits = Limits(may_lose, clustering_least=0, clustering_most=ONE, least_component=0)
    for name, share in keep.items():
        limits = LIMITS[name].narrowed(limits, network, triangles, share)
    return limits
