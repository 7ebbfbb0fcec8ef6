"""Surroundings drawn in a standard way: equal drawings prove that two shapes are the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.balls import clear_ball, colour_ball, empty_ball, fill_ball, links_inside
from netveil.kernels.compiled import compiled


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
    links = np.empty(64, np.int64)
    number = np.empty(n, np.int64)  # by place
    offsets = np.zeros(nodes.shape[0] + 1, np.int64)
    values = np.empty(64, np.int64)
    filled = 0
    for row in range(nodes.shape[0]):
        fill_ball(csr, present, nodes[row], ball)
        links = links_inside(csr, present, ball, links_from, links)
        colours = colour_ball(ball, links_from, links)
        around = ball.starts[-1]
        for step in range(distance + 1):
            first = ball.starts[step]
            by_colour = np.argsort(colours[first : ball.starts[step + 1]], kind="mergesort")
            for index in range(by_colour.shape[0]):
                number[first + by_colour[index]] = first + index
        last = filled + 1 + links_from[around] // 2
        if last > values.shape[0]:
            longer = np.empty(2 * last, np.int64)
            longer[:filled] = values[:filled]
            values = longer
        values[filled] = around
        filled += 1
        for index in range(around):
            x = number[index]
            for link in range(links_from[index], links_from[index + 1]):
                y = number[links[link]]
                if x < y:
                    values[filled] = x * around + y
                    filled += 1
        values[offsets[row] + 1 : filled].sort()
        offsets[row + 1] = filled
        clear_ball(ball)
    return offsets, values[:filled].copy()
