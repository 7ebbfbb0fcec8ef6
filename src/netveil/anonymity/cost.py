"""What it costs to measure a large network, in time and memory, before it is done.

Figures are those of docs/scale.md, rounded up. They are meant to tell seconds from hours, and what fits into
a memory from what does not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from netveil.cores import available_cores
from netveil.network import Network

SAMPLED_EDGES = 10_000
SAMPLED_NODES = 20
SECONDS_AN_EDGE = 2e-7  # of one core, to orient edges and to look at each
FITS_CACHES = 10_000_000  # edges of a network, about;
SLOWER_TENFOLD = 0.7  # by so much longer an edge takes in one that is ten times as large
SECONDS_A_WEDGE = 2e-9  # of one core, for each pair of edges that may close a triangle


class Cost(NamedTuple):
    """What it takes to find the states of all nodes."""

    memory: int  # bytes, beside the network itself
    seconds: Callable[[], float]  # about; asked only if there is enough memory, for it may try
    is_least: bool = False  # whether it may well be more, as nobody knows what surroundings are like


def cost_of_degrees(network: Network) -> Cost:
    """To count contacts."""
    return Cost(
        6 * network.edge_count + 60 * network.node_count, lambda: SECONDS_AN_EDGE / 4 * network.edge_count
    )


def cost_of_triangles(network: Network) -> Cost:
    """To count contacts and triangles, with all cores."""
    threads = available_cores()
    memory = 6 * network.edge_count + (90 + 17 * threads) * network.node_count
    edges = network.edge_count
    return Cost(
        memory, lambda: SECONDS_AN_EDGE / 2 * edges * beyond_caches(edges) + triangle_seconds(network)
    )


def triangle_seconds(network: Network) -> float:
    """About how long all cores look for triangles: from an edge they look through the row of its one end."""
    rng, edges = np.random.default_rng(0), network.edges
    some = edges[rng.integers(0, max(len(edges), 1), SAMPLED_EDGES if len(edges) else 0)]
    # Half of a person's edges are in their row, about.
    wedges = float(network.degrees[some].min(axis=1).mean()) / 2 if len(some) else 0.0
    each = SECONDS_AN_EDGE / 2 + SECONDS_A_WEDGE * wedges
    return each * beyond_caches(len(edges)) * len(edges) / available_cores()


def beyond_caches(edges: int) -> float:
    """How many times as long an edge takes where ranks and counts of all people fit into no cache."""
    return 1 + SLOWER_TENFOLD * math.log10(max(edges / FITS_CACHES, 1))


def cost_of_rows(network: Network, rounds: int = 1) -> Cost:
    """To sort and compare a row for each node, of all its edges."""
    memory = 64 * network.edge_count + 80 * network.node_count
    return Cost(memory, lambda: rounds * 2 * SECONDS_AN_EDGE * network.edge_count + triangle_seconds(network))


def cost_of_surroundings(
    network: Network, distance: int, clock: Callable[[], float] = time.thread_time
) -> Cost:
    """To look at the surroundings of each node: at least what counting people and ties in them takes."""
    memory = 100 * network.edge_count + (100 + 50 * available_cores()) * network.node_count

    def seconds() -> float:
        from netveil.kernels.counting.balls import ball_numbers

        rng = np.random.default_rng(0)
        some = np.sort(rng.integers(0, network.node_count, SAMPLED_NODES))
        present = np.ones(network.edge_count, np.uint8)
        ball_numbers(network.csr, present, some[:1], distance)  # compiled, if need be
        began = clock()
        ball_numbers(network.csr, present, some, distance)
        return (clock() - began) / SAMPLED_NODES * network.node_count / available_cores()

    return Cost(memory, seconds, is_least=True)
