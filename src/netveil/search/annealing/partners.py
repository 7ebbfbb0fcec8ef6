"""Whom each node is to look like: its partner, to whom the gap is measured that it costs while at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntMatrix, IntVector

if TYPE_CHECKING:
    from netveil.kernels.annealing.walk_state import People


def uncrowd(people: People, k: int) -> None:
    """Count the cells anew where most of them have had a state at some time. Writes `people`."""
    from netveil.kernels.annealing.gaps import count_cells

    if 2 * people.states.used[0] > len(people.states.cells):
        count_cells(people, k)


def find_partners(people: People, k: int) -> None:
    """Make the (k - 1)-th nearest other node the partner of each. Writes partners and who points at whom.

    They hold for a while: finding them a hundred times as often leaves as many at risk (docs/search.md).
    """
    from netveil.kernels.annealing.walk_state import NodeColumn

    nodes, numbers = people.nodes, people.states.numbers
    counts = nodes[:, [NodeColumn.DEGREE, NodeColumn.TRIANGLES]].astype(np.int64)
    first = counts @ np.array(numbers[:2]) * numbers.first_unit
    second = counts @ np.array(numbers[2:4])
    partners = nearest(np.column_stack((first, second)), k - 1)
    nodes[:, NodeColumn.PARTNER] = partners
    people.pointing[:] = np.argsort(partners, kind="stable")
    np.cumsum(np.bincount(partners, minlength=len(nodes)), out=people.first_pointing[1:])


def nearest(points: IntMatrix, rank: int) -> IntVector:
    """For each point (n, 2) another one that has at most `rank` - 1 others nearer; itself if it is alone.

    Distances are sums of differences. Where as many others are at the same place, it is one of them.
    """
    from scipy.spatial import cKDTree

    n = len(points)
    by_place = np.lexsort((points[:, 1], points[:, 0]))
    is_new = np.ones(n, dtype=bool)
    is_new[1:] = (np.diff(points[by_place], axis=0) != 0).any(axis=1)
    first = np.flatnonzero(is_new)  # of each place, in by_place
    size = np.diff(np.append(first, n))
    place = np.cumsum(is_new) - 1  # of each in by_place
    # The next at the same place, and the first after the last.
    following = np.arange(1, n + 1)
    following[first + size - 1] = first
    chosen = by_place[following]
    alone = np.flatnonzero(size <= rank)
    if len(alone) and len(first) > 1:
        looked_at = min(rank + 1, len(first))
        places = points[by_place[first]]
        _, near = cKDTree(places).query(places[alone], k=looked_at, p=1)
        near = near.reshape(len(alone), looked_at)
        # All at the nearest places, one place after the other, until there are enough.
        enough = np.cumsum(size[near], axis=1) > rank
        at = np.where(enough.any(axis=1), enough.argmax(axis=1), looked_at - 1)
        partner = by_place[first[near[np.arange(len(alone)), at]]]
        target = np.full(len(first), -1)
        target[alone] = partner
        moved = target[place] >= 0
        chosen[moved] = target[place][moved]
    partners = np.empty(n, dtype=np.int64)
    partners[by_place] = chosen
    return partners
