"""What a measure is: the model of what an attacker knows about a person's surroundings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from netveil.kernels.arrays import IntMatrix
from netveil.network import Network
from netveil.threads import available_cores

# What it costs to measure a large network, in time and memory, before it is done.
#
# Figures are those of docs/scale.md, rounded up. They are meant to tell seconds from hours, and what fits
# into a memory from what does not.


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
        from netveil.kernels.balls import ball_numbers

        rng = np.random.default_rng(0)
        some = np.sort(rng.integers(0, network.node_count, SAMPLED_NODES))
        present = np.ones(network.edge_count, np.uint8)
        ball_numbers(network.csr, present, some[:1], distance)  # compiled, if need be
        began = clock()
        ball_numbers(network.csr, present, some, distance)
        return (clock() - began) / SAMPLED_NODES * network.node_count / available_cores()

    return Cost(memory, seconds, is_least=True)


class Weights(NamedTuple):
    """A state that is a sum over degree and triangles: per_degree * degree + per_triangle * triangles.

    Two nodes must have the same sum exactly when they have the same state.
    """

    per_degree: int
    per_triangle: int
    numbers: tuple[tuple[int, int], tuple[int, int]]
    """The two numbers of a state, each as multiples of degree and triangles; (0, 0) for a missing second."""


class Part(NamedTuple):
    """One ingredient of a state, as a search follows it while edges are deleted and restored.

    Nodes with equal states must have equal ingredients. Unequal states may have equal ingredients, such as
    two surroundings that are hard to tell apart: a search then takes some people to be safe who are not, but
    what it returns is recounted from the states themselves.
    """

    kind: int  # see kernels/states.py
    distance: int = 1
    weights: Weights | None = None  # where the kind is LINEAR


class Reach(NamedTuple):
    """Whose state the deletion of an edge {u, v} can change, at most."""

    distance: int
    both: bool  # whether both u and v must be within the distance of a node, or one of them is enough


class Surroundings:
    """What measures share whose states tell about G_d(v) and nothing beyond."""

    def reach(self, distance: int) -> Reach:
        """An edge is in the surroundings of the nodes that have both its ends within the distance."""
        return Reach(distance, both=True)


@runtime_checkable
class Measure(Protocol):
    """Gives each node a state. Nodes with equal states look alike to the attacker.

    With distance d the attacker knows everything up to d: the state is the tuple of states at 1..d.

    Four members are left to whoever wants them: `title`, a short name for the attacker that people
    understand, as the end of "somebody who …"; `cost(network, distance)`, what states of a large network will
    cost; and, where states are numbers, `column_names(distance)`, what each counts, and `only_falls`, True if
    deleting edges never raises any of them.
    """

    name: str  # by which users choose it
    attacker: str  # what the attacker knows, as the end of "an attacker who …"
    numeric: bool  # whether the columns of states are numbers, which an attacker may know roughly

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One row of integers a node, equal rows exactly for nodes that look alike; never a hash."""

    def reach(self, distance: int) -> Reach:
        """Whose state a deletion can change."""

    def parts(self, distance: int) -> tuple[Part, ...]:
        """How a search follows the state."""


def title_of(measure: Measure) -> str:
    """A short name for the attacker; without one, what she knows."""
    title = getattr(measure, "title", None)
    return measure.attacker if title is None else str(title)


def cost_of(measure: Measure, network: Network, distance: int) -> Cost | None:
    """What the states of a network will cost; None where the measure does not say."""
    cost = getattr(measure, "cost", None)
    told: Cost | None = None if cost is None else cost(network, distance)
    return told


def column_names_of(measure: Measure, distance: int) -> tuple[str, ...]:
    """What the numbers of a state count; nothing where the measure does not say."""
    names = getattr(measure, "column_names", None)
    return () if names is None else tuple(names(distance))


def only_falls(measure: Measure) -> bool:
    """Whether states are numbers that deleting edges never raises, as far as the measure says."""
    return measure.numeric and bool(getattr(measure, "only_falls", False))


# The one list of measures: the weakest attacker first, each measure in the module of its name.


if TYPE_CHECKING:
    pass
