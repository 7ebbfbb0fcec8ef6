"""Whom each node is nearest to: who could become its partner (see gaps.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.sorting import first_at_least

FAR = np.int64(1) << 62


class Rows(NamedTuple):
    """Points in a plane, in rows: those with one first number, ascending by the second."""

    firsts: NDArray[np.int64]  # (rows): the first number of each row, ascending
    starts: NDArray[np.int64]  # (rows + 1): where each row begins in `seconds`
    seconds: NDArray[np.int64]  # (n)


@compiled
def find_nearest(rows: Rows, rank: int, nearest: IntVector) -> None:
    """Write for each point (n) another that has at most `rank` - 1 others nearer; itself if it is alone.

    Distances are sums of differences. The nearer rows are looked through first, until none can hold a nearer
    point. Writes `nearest`, places in `rows`.
    """
    distances, places = np.empty(rank, np.int64), np.empty(rank, np.int64)
    for own_row in range(rows.firsts.shape[0]):
        for point in range(rows.starts[own_row], rows.starts[own_row + 1]):
            for spot in range(rank):
                distances[spot], places[spot] = FAR, point
            _look_through(rows, own_row, point, 0, distances, places)
            below, above = own_row - 1, own_row + 1
            while True:
                to_below = rows.firsts[own_row] - rows.firsts[below] if below >= 0 else FAR
                to_above = rows.firsts[above] - rows.firsts[own_row] if above < rows.firsts.shape[0] else FAR
                if min(to_below, to_above) >= distances[rank - 1]:
                    break
                if to_below <= to_above:
                    _look_through(rows, below, point, to_below, distances, places)
                    below -= 1
                else:
                    _look_through(rows, above, point, to_above, distances, places)
                    above += 1
            nearest[point] = places[_farthest(distances)]


@internal
def _look_through(
    rows: Rows, row: int, point: int, between: int, distances: IntVector, places: IntVector
) -> None:
    """Enter the points of a row that are nearer than those found so far; `between` is how far the row is."""
    start, end, second = rows.starts[row], rows.starts[row + 1], rows.seconds[point]
    right = first_at_least(rows.seconds, second, start, end)
    left = right - 1
    last = distances.shape[0] - 1
    while True:
        to_left = between + second - rows.seconds[left] if left >= start else FAR
        to_right = between + rows.seconds[right] - second if right < end else FAR
        distance = min(to_left, to_right)
        if distance >= distances[last]:
            return
        found = right if to_right <= to_left else left
        if to_right <= to_left:
            right += 1
        else:
            left -= 1
        if found == point:
            continue
        spot = last
        while spot > 0 and distance < distances[spot - 1]:
            distances[spot], places[spot] = distances[spot - 1], places[spot - 1]
            spot -= 1
        distances[spot], places[spot] = distance, found


@inlined
def _farthest(distances: IntVector) -> int:
    """The last spot that holds a point, where there are fewer than asked for; 0 if none does."""
    spot = distances.shape[0] - 1
    while spot > 0 and distances[spot] == FAR:
        spot -= 1
    return spot
