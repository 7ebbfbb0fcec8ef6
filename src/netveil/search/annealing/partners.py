"""Whom each node is to look like: its partner, to whom the gap is measured that it costs while at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from netveil.kernels.annealing.walk_state import Numbers, People
    from netveil.kernels.arrays import IntVector


def uncrowd(people: People, k: int) -> None:
    """Count the cells anew where most of them have had a state at some time. Writes `people`."""
    from netveil.kernels.annealing.gaps import count_cells

    if 2 * people.states.used[0] > len(people.states.cells):
        count_cells(people, k)


def find_partners(people: People, k: int) -> None:
    """Make the (k - 1)-th nearest other node the partner of each. Writes partners and who points at whom."""
    from netveil.kernels.annealing.walk_state import NodeColumn

    nodes, numbers = people.nodes, people.states.numbers
    partners = nearest(numbers, nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES], k)
    nodes[:, NodeColumn.PARTNER] = partners
    people.pointing[:] = np.argsort(partners, kind="stable")
    np.cumsum(np.bincount(partners, minlength=len(nodes)), out=people.first_pointing[1:])


def nearest(numbers: Numbers, degrees: IntVector, triangles: IntVector, k: int) -> IntVector:
    """The (k - 1)-th nearest other node of each (n), by the gap that `kernels.annealing.gaps` defines."""
    from netveil.kernels.annealing.nearest import Rows, find_nearest

    counts = np.column_stack((degrees, triangles)).astype(np.int64)
    first = counts @ np.array(numbers[:2]) * numbers.first_unit
    second = counts @ np.array(numbers[2:4])
    in_rows = np.lexsort((second, first))
    firsts, starts = np.unique(first[in_rows], return_index=True)
    rows = Rows(firsts, np.append(starts, len(degrees)), second[in_rows])
    places = np.empty(len(degrees), dtype=np.int64)
    find_nearest(rows, k - 1, places)
    partners = np.empty(len(degrees), dtype=np.int64)
    partners[in_rows] = in_rows[places]
    return partners
