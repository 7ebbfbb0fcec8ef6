"""Edges around some nodes: those that change their states if they are deleted, and what these touch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.sorting import first_at_least


@compiled
def mark_around(csr: Csr, nodes: IntVector, opposite: bool, marks: NDArray[np.uint8]) -> None:
    """Mark the edges at these nodes, and if `opposite` those that close a triangle with two of them.

    Writes 1 into `marks` (m), by the numbers of edges in `csr`. O(edges at the neighbours of these nodes).
    """
    offsets, neighbours, edge_numbers = csr
    is_near = np.zeros(offsets.shape[0] - 1, np.uint8)
    for node in nodes:
        for place in range(offsets[node], offsets[node + 1]):
            marks[edge_numbers[place]] = 1
            is_near[neighbours[place]] = 1
        if opposite:
            for place in range(offsets[node], offsets[node + 1]):
                near = neighbours[place]
                for further in range(offsets[near], offsets[near + 1]):
                    if is_near[neighbours[further]]:
                        marks[edge_numbers[further]] = 1
        for place in range(offsets[node], offsets[node + 1]):
            is_near[neighbours[place]] = 0


@compiled
def mark_closing(csr: Csr, pairs: NDArray[np.int64], marks: NDArray[np.uint8]) -> None:
    """Mark the edges that close triangles with these edges, which are pairs of nodes (some, 2).

    Writes 1 into `marks` (m). For each: O(lower degree · log higher degree).
    """
    offsets, neighbours, edge_numbers = csr
    for number in range(pairs.shape[0]):
        few, many = pairs[number, 0], pairs[number, 1]
        if offsets[few + 1] - offsets[few] > offsets[many + 1] - offsets[many]:
            few, many = many, few
        place, end = offsets[many], offsets[many + 1]
        for near in range(offsets[few], offsets[few + 1]):
            place = first_at_least(neighbours, neighbours[near], place, end)
            if place < end and neighbours[place] == neighbours[near]:
                marks[edge_numbers[near]] = 1
                marks[edge_numbers[place]] = 1
