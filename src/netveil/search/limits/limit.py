"""Limits on what a deletion may change: what one is, the list of them, and how they are checked.

A limit is looked at twice: kernels respect it while they search (`Limit.narrowed`), and what a search returns
is measured from scratch, by the metrics that users meet in `compare`, before anybody sees it (`Limit.look`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from netveil.errors import SettingError, unknown_name
from netveil.formatting import Share, parsed_share, percent
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.registries import LIMITS
from netveil.utility import MetricSettings, Side
from netveil.utility.metric import Undefined

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits
    from netveil.utility.metric import Property


@dataclass(frozen=True)
class LimitKept:
    """A limit, and what became of what it is about."""

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
    """Something that can be limited to a share."""

    name: str  # what users call it
    looks_at_triangles: bool  # whether a search must count triangles for it, though the attackers may not

    def look(self, original: Network, remaining: Network, share: Fraction) -> Look:
        """Measure it from scratch, without the shortcuts of kernels."""

    def narrowed(self, limits: Limits, network: Network, triangles: IntVector, share: Fraction) -> Limits:
        """The limits as kernels take them, narrowed by this one; `triangles` (n) are the network's."""


def value_of(metric: Property, network: Network) -> float:
    """A metric of one network; 0 where it is not defined."""
    try:
        return metric.value(Side(network, MetricSettings()))
    except Undefined:
        return 0.0


def parsed_limits(keep: Mapping[str, Share]) -> dict[str, Fraction]:
    """The share of each limit as an exact number.

    >>> parsed_limits({"clustering": "1%", "lcc": 0})
    {'clustering': Fraction(1, 100), 'lcc': Fraction(0, 1)}
    """
    if not isinstance(keep, Mapping):
        raise SettingError(f"keep {keep!r}: give a share for each limit, such as {{'clustering': '1%'}}.")
    return {name: _share(name, given) for name, given in keep.items()}


def _share(name: str, given: Share) -> Fraction:
    if name not in LIMITS:
        raise unknown_name("limit", str(name), LIMITS)
    return parsed_share(given, f"keep {name}:", "give a share from 0% to 100%, such as 1% or 0.01.")


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
    limits = limits_on_contacts(np.array(network.degrees, dtype=np.int64))
    for name, share in keep.items():
        limits = LIMITS[name].narrowed(limits, network, triangles, share)
    return limits


def limits_on_contacts(most_lost: IntVector) -> Limits:
    """Limits, as kernels take them, on contacts that each node (n) may lose, and on nothing else."""
    from netveil.kernels.limits import ONE, Limits

    return Limits(most_lost, clustering_least=0, clustering_most=ONE, least_component=0)


def most_lost_of(keep: Mapping[str, Fraction], network: Network) -> IntVector | None:
    """Contacts that each node (n) may lose; None where something else is limited too, or nothing is."""
    if any(LIMITS[name].looks_at_triangles for name in keep):
        return None
    limits = kernel_limits(keep, network, np.empty(0, dtype=np.int64))
    if limits is None or limits[1:] != limits_on_contacts(limits.most_lost)[1:]:
        return None
    return limits.most_lost
