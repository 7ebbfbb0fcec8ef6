"""Forecasts of time and memory: of measuring a network, and of setting up a search in it.

Figures are those of docs/scale.md, rounded up. They are meant to tell seconds from hours, and what fits into
a memory from what does not.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from netveil.errors import NetworkError
from netveil.network import Network
from netveil.threads import available_cores

SAMPLED_EDGES = 10_000
SAMPLED_NODES = 20
SECONDS_AN_EDGE = 2e-7  # of one core, to orient edges and to look at each
FITS_CACHES = 10_000_000  # edges of a network, about;
SLOWER_TENFOLD = 0.7  # by so much longer an edge takes in one that is ten times as large
SECONDS_A_WEDGE = 2e-9  # of one core, for each pair of edges that may close a triangle


class Cost(NamedTuple):
    """Memory and time that a piece of work takes."""

    memory: int  # bytes, beside the network itself
    seconds: Callable[[], float]  # about; asked only if there is enough memory, for it may try
    is_least: bool = False  # whether it may well be more, as nobody knows what surroundings are like


def cost_of_degrees(network: Network) -> Cost:
    """Cost of counting contacts."""
    edges, nodes = network.edge_count, network.node_count
    return Cost(6 * edges + 60 * nodes, lambda: SECONDS_AN_EDGE / 4 * edges)


def cost_of_triangles(network: Network) -> Cost:
    """Cost of counting contacts and triangles with all cores."""
    edges, nodes = network.edge_count, network.node_count
    memory = 6 * edges + (90 + 17 * available_cores()) * nodes
    return Cost(
        memory, lambda: SECONDS_AN_EDGE / 2 * edges * beyond_caches(edges) + triangle_seconds(network)
    )


def cost_of_rows(network: Network, rounds: int = 1) -> Cost:
    """Cost of sorting and comparing a row for each node, of all its edges."""
    edges = network.edge_count
    memory = 64 * edges + 80 * network.node_count
    return Cost(memory, lambda: rounds * 2 * SECONDS_AN_EDGE * edges + triangle_seconds(network))


def triangle_seconds(network: Network) -> float:
    """Estimate of the seconds that all cores take to list triangles."""
    edges = network.edges
    if not len(edges):
        return 0.0
    some = edges[np.random.default_rng(0).integers(0, len(edges), SAMPLED_EDGES)]
    wedges = float(network.degrees[some].min(axis=1).mean()) / 2  # half of a person's edges are in their row
    each = SECONDS_AN_EDGE / 2 + SECONDS_A_WEDGE * wedges
    return each * beyond_caches(len(edges)) * len(edges) / available_cores()


def beyond_caches(edges: int) -> float:
    """Factor by which an edge takes longer where ranks and counts of all nodes fit into no cache."""
    return 1 + SLOWER_TENFOLD * math.log10(max(edges / FITS_CACHES, 1))


def cost_of_surroundings(
    network: Network, distance: int, clock: Callable[[], float] = time.thread_time
) -> Cost:
    """Cost of looking at the surroundings of each node: at least that of counting nodes and edges in them."""
    memory = 100 * network.edge_count + (100 + 50 * available_cores()) * network.node_count

    def seconds() -> float:
        from netveil.kernels.balls import ball_numbers

        rng = np.random.default_rng(0)
        some = np.sort(rng.integers(0, network.node_count, SAMPLED_NODES))
        present = np.ones(network.edge_count, np.uint8)
        ball_numbers(network.csr, present, some[:1], distance)  # compiled, if need be
        began = clock()
        ball_numbers(network.csr, present, some, distance)
        return (clock() - began) / SAMPLED_NODES * network.node_count / available_cores()

    return Cost(memory, seconds, is_least=True)


LARGE = 1_000_000  # edges: so many take seconds to set up a search in
SECONDS_TO_SET_UP, BYTES_TO_SET_UP = 7e-7, 100  # an edge, of one core
BYTES_TO_START = 300_000_000  # of addresses, for compiled code and libraries
BYTES_AN_EDGE = 300
BYTES_AN_EDGE_AROUND = 70  # where a search keeps to the surroundings of people at risk
MEGABYTE = 1_000_000

_started = threading.Event()


def cost_of_setting_up(network: Network) -> Cost:
    """Cost of setting up a search in a large network."""
    edges = network.edge_count
    return Cost(BYTES_TO_SET_UP * edges, lambda: SECONDS_TO_SET_UP * edges)


def check_memory(
    network: Network, room: Callable[[], int | None] | None = None, *, in_part: bool = False
) -> None:
    """Raise if a search in this network, or in part of it, cannot fit into the memory of this process.

    Later, only the system could tell, by a kill. What is estimated is the least that a search takes: measured
    with annealing on networks of 100 and of 300,000 edges, with few and with many triangles, and around
    people at risk on one of 9.3 million. A search that passes may still be too large.
    """
    left = (room_for_addresses if room is None else room)()
    # After the first search of a process, what all of them need is there already.
    an_edge = BYTES_AN_EDGE_AROUND if in_part else BYTES_AN_EDGE
    needed = (0 if _started.is_set() else BYTES_TO_START) + an_edge * network.edge_count
    if left is not None and needed > left:
        raise NetworkError(
            f"{network.name}: a search takes at least {needed // MEGABYTE:,} MB of memory, and "
            f"{left // MEGABYTE:,} MB are left to this process. Raise its limit (ulimit -v), or search on a "
            f"larger machine."
        )
    _started.set()


def room_for_addresses() -> int | None:
    """Bytes left under this process's memory limit; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return limit
    return max(0, limit - pages * resource.getpagesize())
