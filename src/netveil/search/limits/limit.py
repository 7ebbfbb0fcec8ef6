"""What a limit is.

A limit is looked at twice: kernels respect it while they search (`Limit.narrowed`), and what a search returns
is measured from scratch, by the metrics that users meet in `compare`, before anybody sees it (`Limit.look`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

from netveil.network import Network
from netveil.utility import MetricSettings, Side
from netveil.utility.metric import Undefined

if TYPE_CHECKING:
    from netveil.kernels.arrays import IntVector
    from netveil.kernels.limiting.limits import Limits
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
    """What a limit is about, before and after a deletion, and whether that keeps it."""

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
