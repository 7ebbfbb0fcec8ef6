"""Limits on what a deletion may cost, and by how much a state breaks them.

Clustering is reckoned in whole numbers, 2^32 for a node whose neighbours all know each other: sums of whole
numbers are exact, so they are the same in whatever order edges went and came back. See docs/decisions.md,
"Limits: soft on the way, hard in the end".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector, constants
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.edge_triangles import rows_for, touched_by
from netveil.kernels.following.flips import flip
from netveil.kernels.following.state import FlipState, Topology
from netveil.kernels.limiting.components import forest_of

ONE = 1 << 32  # clustering of a node whose neighbours all know each other


@constants
class Standing(NamedTuple):
    """Entries of a standing: what limits look at, the component apart."""

    LOST: int = 0  # contacts lost beyond what nodes may lose
    CLUSTERING: int = 1  # sum of the clustering of all nodes; 0 where it is not limited
    ABLE: int = 2  # nodes with two neighbours or more; 0 where clustering is not limited


class Limits(NamedTuple):
    """What must be kept of a network. The original keeps all limits.

    Kernels are given None where nothing is limited, and then compile nothing that looks at limits.
    """

    most_lost: IntVector  # (n): contacts that each node may lose; its degree where that is not limited
    clustering_least: int  # bounds on the mean clustering of the nodes with two neighbours or more: their sum
    clustering_most: int  # lies between so many times these; 0 and ONE where it is not limited
    least_component: int  # nodes that the largest component must have; 0 where it is not limited


@inlined
def clustering_of(degree: int, triangles: int) -> int:
    """Triangles over pairs of neighbours, in units of 1 / ONE and rounded; 0 for fewer than two neighbours.

    Triangles of a node are edges among its neighbours, fewer than 2^30: more edges would not fit in memory.
    """
    pairs_twice = max(degree * (degree - 1), 1)
    if triangles < 1 << 29:
        return ((triangles << 33) + (pairs_twice >> 1)) // pairs_twice
    # The same digit by digit, 16 bits at a time: shifted at once, so many triangles do not fit in 64 bits.
    whole, rest = divmod(2 * triangles, pairs_twice)
    upper, rest = divmod(rest << 16, pairs_twice)
    lower, rest = divmod(rest << 16, pairs_twice)
    return (whole << 32) + (upper << 16) + lower + (2 * rest >= pairs_twice)


@inlined
def limits_clustering(limits: Limits) -> bool:
    """Whether clustering is limited at all: a mean always lies between 0 and ONE."""
    return limits.clustering_least > 0 or limits.clustering_most < ONE


@compiled
def clustering_sum(degrees: IntVector, triangles: IntVector) -> tuple[int, int]:
    """The sum of the clustering of all nodes, and how many of them (n) have two neighbours or more."""
    total, able = 0, 0
    for node in range(degrees.shape[0]):
        total += clustering_of(degrees[node], triangles[node])
        able += degrees[node] >= 2
    return total, able


@compiled
def standing_of(topology: Topology, limits: Limits | None, state: FlipState) -> NDArray[np.int64]:
    """The standing (3) of a state: see Standing. Nothing is written."""
    standing = np.zeros(3, np.int64)
    if limits is None:
        return standing
    offsets, degrees, most_lost = topology.csr.offsets, state.degrees, limits.most_lost
    for node in range(degrees.shape[0]):
        lost = offsets[node + 1] - offsets[node] - degrees[node]
        standing[Standing.LOST] += max(0, lost - most_lost[node])
    if limits_clustering(limits):
        standing[Standing.CLUSTERING], standing[Standing.ABLE] = clustering_sum(degrees, state.triangles)
    return standing


@inlined
def _add(
    topology: Topology, limits: Limits, state: FlipState, node: int, times: int, standing: NDArray[np.int64]
) -> None:
    """Add what a node brings to a standing, or take it away (`times` = -1)."""
    degree = state.degrees[node]
    lost = topology.csr.offsets[node + 1] - topology.csr.offsets[node] - degree
    standing[Standing.LOST] += times * max(0, lost - limits.most_lost[node])
    if limits_clustering(limits):
        standing[Standing.CLUSTERING] += times * clustering_of(degree, state.triangles[node])
        standing[Standing.ABLE] += times * (degree >= 2)


@compiled
def flip_followed(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    standing: NDArray[np.int64],
    edge: IntVector,
) -> None:
    """Flip one edge (1) and keep the standing in step. Writes `state` and `standing`."""
    if limits is None:
        flip(topology, rule, state, state.general, edge)
        return
    # Those touched are the same before and after: whether an edge is there says nothing of common neighbours.
    rows = rows_for(topology, state.touched.shape[0])
    found = touched_by(topology, rule.count_triangles, edge[0], rows, state.present, state.touched)
    for place in range(found):
        _add(topology, limits, state, state.touched[place], -1, standing)
    flip(topology, rule, state, state.general, edge)
    for place in range(found):
        _add(topology, limits, state, state.touched[place], 1, standing)


@inlined
def excess(limits: Limits | None, standing: NDArray[np.int64]) -> int:
    """By how much a standing breaks the limits, in nodes: contacts too many and nodes' worth of clustering.

    Without any node of two neighbours the mean clustering counts as 0.
    """
    if limits is None:
        return 0
    able = max(standing[Standing.ABLE], 1)
    total = standing[Standing.CLUSTERING]
    beyond = max(limits.clustering_least * able - total, total - limits.clustering_most * able, 0)
    return standing[Standing.LOST] + (beyond + ONE - 1) // ONE


@compiled
def violation(topology: Topology, limits: Limits | None, state: FlipState) -> int:
    """By how much a state breaks the limits, in nodes; 0 exactly if it keeps all. Nothing is written.

    Contacts lost beyond what each node may lose, nodes' worth of clustering beyond its bounds, and nodes
    missing from the largest component. From scratch: O(n), and O(n + m) where the component is limited.
    """
    if limits is None:
        return 0
    missing = 0
    if limits.least_component > 0:
        _, largest = forest_of(topology.ends, state.present, state.degrees.shape[0])
        missing = max(0, limits.least_component - largest)
    return missing + excess(limits, standing_of(topology, limits, state))
