"""Limits on what a deletion may cost (`--keep METRIC=SHARE`); `LIMITS` is the one list of them.

A limit is looked at twice: kernels reckon with it while they search (`kernels.limits`), and what a search
returns is measured from scratch, by the metrics that users meet in `compare`, before anybody sees it. The
list is in the help of `anonymize`, so what takes long to import is imported inside functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, TypeAlias

from netveil.errors import SettingError, unknown_name
from netveil.share import exact_number, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from netveil.kernels.arrays import IntVector
    from netveil.kernels.limiting.limits import Limits
    from netveil.network import Network
    from netveil.utility.metric import Property

Share = str | int | float | Fraction
"""As people give it: '1%', '0.01' or 0.01."""

TOLERANCE = 2.0**-30  # of a mean clustering: that of whole numbers in kernels, and of floating-point sums


@dataclass(frozen=True)
class LimitKept:
    """A limit, and what became of what it is about."""

    name: str
    share: str  # '1%'
    before: float
    after: float


class LimitBroken(AssertionError):  # noqa: N818  # an error only where it was not expected
    """A solution that breaks a limit; its text says which, and how far."""


Look: TypeAlias = "Callable[[Network, Network, Fraction], tuple[float, float, bool]]"
"""Before, after, and whether they keep a limit of this share."""


@dataclass(frozen=True)
class Limit:
    """Something that can be limited, as the registry lists it."""

    name: str
    description: str
    look: Look


def _clustering(original: Network, remaining: Network, share: Fraction) -> tuple[float, float, bool]:
    from netveil.utility.clustering import Clustering

    before, after = (_value(Clustering(), network) for network in (original, remaining))
    return before, after, abs(after - before) <= float(share) * before + TOLERANCE


def _largest_component(original: Network, remaining: Network, share: Fraction) -> tuple[float, float, bool]:
    from netveil.utility.largest_component import LargestComponent

    metric = LargestComponent()
    kept = largest_component(remaining) >= least_component(share, largest_component(original))
    return _value(metric, original), _value(metric, remaining), kept


def _degree(original: Network, remaining: Network, share: Fraction) -> tuple[float, float, bool]:
    """The largest share of their contacts that anybody has lost: nothing before."""
    import numpy as np

    lost = original.degrees - remaining.degrees
    shares = lost / np.maximum(original.degrees, 1)
    return 0.0, float(shares.max(initial=0.0)), bool((lost <= most_lost(share, original.degrees)).all())


LIMITS = {
    limit.name: limit
    for limit in (
        Limit(
            "clustering",
            "the average clustering coefficient changes by at most this share of itself",
            _clustering,
        ),
        Limit("lcc", "at most this share of the largest component's people leaves it", _largest_component),
        Limit("degree", "nobody loses more than this share of their contacts", _degree),
    )
}


def parsed(keep: Mapping[str, Share]) -> dict[str, Fraction]:
    """The share of each limit as an exact number.

    >>> parsed({"clustering": "1%", "lcc": 0})
    {'clustering': Fraction(1, 100), 'lcc': Fraction(0, 1)}
    """
    if not isinstance(keep, Mapping):
        raise SettingError(f"keep {keep!r}: give a share for each limit, such as {{'clustering': '1%'}}.")
    return {name: _share(name, given) for name, given in keep.items()}


def _share(name: str, given: Share) -> Fraction:
    if name not in LIMITS:
        raise unknown_name("limit", str(name), LIMITS)
    text = str(given).strip()
    rule = "give a share from 0% to 100%, such as 1% or 0.01."
    try:
        if isinstance(given, bool):
            raise ValueError
        share = exact_number(text)
    except ValueError:
        raise SettingError(f"keep {name}={text}: '{text}' is not a number; {rule}") from None
    if share < 0:
        raise SettingError(f"keep {name}={text}: {text} is negative; {rule}")
    if share > 1:
        raise SettingError(f"keep {name}={text}: {text} is more than the whole; {rule}")
    return share


def limits_kept(keep: Mapping[str, Fraction], original: Network, remaining: Network) -> tuple[LimitKept, ...]:
    """What became of all that is limited, from scratch and without kernels' shortcuts; raises LimitBroken."""
    looks = []
    for name, share in keep.items():
        before, after, kept = LIMITS[name].look(original, remaining, share)
        if not kept:
            raise LimitBroken(f"the limit {name}={percent(share)} is broken: {before:.6g} → {after:.6g}")
        looks.append(LimitKept(name, percent(share), before, after))
    return tuple(looks)


def kernel_limits(keep: Mapping[str, Fraction], network: Network, triangles: IntVector) -> Limits | None:
    """The limits as kernels take them, None if there are none; `triangles` (n) are the network's."""
    if not keep:
        return None
    from netveil.kernels.limiting.limits import ONE, Limits, clustering_sum

    least, most = 0, ONE
    if "clustering" in keep:
        total, able = clustering_sum(network.degrees, triangles)
        least, most = clustering_bounds(keep["clustering"], Fraction(total, max(able, 1)), ONE)
    return Limits(
        most_lost=most_lost(keep.get("degree", Fraction(1)), network.degrees),
        clustering_least=least,
        clustering_most=most,
        least_component=least_component(keep["lcc"], largest_component(network)) if "lcc" in keep else 0,
    )


def clustering_bounds(share: Fraction, mean: Fraction, one: int) -> tuple[int, int]:
    """Whole numbers between which a mean of rounded numbers must lie, for the true mean to keep the limit.

    `mean` is the original's, of numbers each rounded to a whole one; `one` is the most that a mean can be. A
    mean of rounded numbers is within a half of the true one, so the bounds are drawn in by a half for the
    original's and by a half for each other mean; but never so far that the original itself is outside.
    """
    half = Fraction(1, 2)
    least = ceil((1 - share) * (mean + half) + half) if share < 1 else 0
    most = floor((1 + share) * (mean - half) - half)
    return min(least, floor(mean)), min(max(most, ceil(mean)), one)


def most_lost(share: Fraction, degrees: IntVector) -> NDArray[np.int64]:
    """The contacts that a node of each of these degrees may lose: that share of them, rounded down."""
    import numpy as np

    distinct, place = np.unique(degrees, return_inverse=True)
    return np.array([int(share * degree) for degree in distinct.tolist()], dtype=np.int64)[place]


def least_component(share: Fraction, largest: int) -> int:
    """The nodes that a largest component of `largest` nodes must keep."""
    return ceil((1 - share) * largest)


def largest_component(network: Network) -> int:
    """The nodes of the largest connected component."""
    from netveil.utility import MetricSettings, Side

    return int(Side(network, MetricSettings()).component_sizes.max(initial=0))


def _value(metric: Property, network: Network) -> float:
    """A metric of one network; 0 where it is not defined."""
    from netveil.utility import MetricSettings, Side
    from netveil.utility.metric import Undefined

    try:
        return metric.value(Side(network, MetricSettings()))
    except Undefined:
        return 0.0
