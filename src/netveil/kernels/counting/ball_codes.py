"""Surroundings drawn in a standard way: equal drawings prove that two shapes are the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.counting.balls import (
    ROOM,
    clear_ball,
    colour_ball,
    empty_ball,
    fill_ball,
    links_inside,
    with_room,
)
from netveil.kernels.sorting import sort_part


@compiled
def ball_drawings(
    csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """G_distance of each node with its nodes renumbered, as rows: offsets (nodes + 1) and values.

    The root is number 0, then nodes go by distance and by colour. A row is the number b of nodes around and
    then each edge {x, y}, x < y, as x * b + y, ascending. Equal rows are isomorphic. Isomorphic ones mostly
    have equal rows: they may differ where nodes have the same colour.
    """
    n = csr.offsets.shape[0] - 1
    ball = empty_ball(n, distance)
    links_from = np.empty(n + 1, np.int64)
    links = np.empty(ROOM, np.int64)
    by_colour = np.empty(n, np.int64)  # places, by distance and colour
    number = np.empty(n, np.int64)  # by place: where it stands in that order
    scratch = np.empty(n, np.int64)
    offsets = np.zeros(nodes.shape[0] + 1, np.int64)
    values = np.empty(ROOM, np.int64)
    filled = np.int64(0)
    for row in range(nodes.shape[0]):
        fill_ball(csr, present, nodes[row], ball)
        links = links_inside(csr, present, ball, links_from, links)
        colours = colour_ball(ball, links_from, links)
        around = ball.starts[-1]
        for index in range(around):
            by_colour[index] = index
        for step in range(distance + 1):
            sort_part(by_colour, ball.starts[step], ball.starts[step + 1], colours, scratch)
        for index in range(around):
            number[by_colour[index]] = index
        values = with_room(values, filled, filled + 1 + links_from[around] // 2)
        values[filled] = around
        filled += 1
        for x in range(around):
            first = filled
            for link in range(links_from[by_colour[x]], links_from[by_colour[x] + 1]):
                y = number[links[link]]
                if x < y:
                    values[filled] = x * around + y
                    filled += 1
            sort_part(values, first, filled, None, scratch)
        offsets[row + 1] = filled
        clear_ball(ball)
    return offsets, values[:filled].copy()
