"""What both annealings share: how warm it is, how much worse a proposal makes things, what the best is."""

from __future__ import annotations

from typing import NamedTuple

from netveil.kernels.annealing.leg import Leg
from netveil.kernels.arrays import IntVector, constants
from netveil.kernels.compiled import inlined


@constants
class Best(NamedTuple):
    """Entries of `best_totals` of a walk."""

    AT_RISK: int = 0  # as far as fewer are better
    DELETED: int = 1


@inlined
def temperature_at(leg: Leg, passed: float) -> float:
    """The temperature when this share of the leg is done: it falls by the same factor in equal times."""
    return leg.temperature[0] * (leg.temperature[1] / leg.temperature[0]) ** passed


@inlined
def is_best(leg: Leg, at_risk: int, deleted: int, best_totals: IntVector) -> bool:
    """Whether a solution is better than the best so far; its totals are then written as the best's."""
    at_risk = max(at_risk, leg.enough)
    fewest = best_totals[Best.AT_RISK]
    if at_risk > fewest or (at_risk == fewest and deleted >= best_totals[Best.DELETED]):
        return False
    best_totals[Best.AT_RISK], best_totals[Best.DELETED] = at_risk, deleted
    return True


@inlined
def is_solved(leg: Leg, best_totals: IntVector) -> bool:
    """Whether no more are at risk than may be."""
    return best_totals[Best.AT_RISK] <= leg.enough


@inlined
def relist(deleted: IntVector, place_deleted: IntVector, count: int, edge: int, is_deleted: bool) -> int:
    """Bring the list of `count` deleted edges up to date after a flip of this one; how many they are now.

    Where an edge is restored, the last of the list takes its place.
    """
    if is_deleted:
        deleted[count], place_deleted[edge] = edge, count
        return count + 1
    place, last = place_deleted[edge], deleted[count - 1]
    deleted[place], place_deleted[last] = last, place
    return count - 1
