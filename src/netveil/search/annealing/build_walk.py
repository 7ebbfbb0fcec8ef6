"""Puts a problem into the arrays that an annealing chain walks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.anneal_plainly import PlainWalk
    from netveil.kernels.annealing.levels import Levels
    from netveil.kernels.annealing.walk_state import LimitState, Walk
    from netveil.kernels.following.state import FlipState

# Of each level, from fine to coarse: leading binary digits kept of the first and the second number, weight.
DIGITS = ((7, 8), (6, 7), (5, 6), (4, 5), (3, 4))
WEIGHTS = (1.0, 1.0, 1.5, 2.0, 2.5)
SMALLEST_TABLE = 1 << 13  # slots a level
TRIANGLE_EXPONENT = -1.5  # an edge on t triangles, or that touches t nodes, is drawn as (1 + t) to this power
QUANTILES = 4096  # parts of the edges, from poor to rich


def levels_of(problem: Problem) -> Levels | None:
    """The coarser views of the measure's states; None if these are not sums over degree and triangles."""
    from netveil.kernels.annealing.levels import Levels

    if problem.linear_weights is None:
        return None
    numbers, original = problem.linear_weights.numbers, problem.original
    largest = [
        int((row[0] * original.degrees + row[1] * original.triangles).max(initial=0)) for row in numbers
    ]
    first, second = (
        np.stack([_rounded(np.arange(most + 1), digits[number]) for digits in DIGITS])
        for number, most in enumerate(largest)
    )
    return Levels(np.array(numbers), first, second, np.array(WEIGHTS) / sum(WEIGHTS))


def _rounded(values: IntVector, digits: int) -> NDArray[np.int32]:
    """The values with all but their leading binary digits set to 0."""
    _, lengths = np.frexp(values)
    shift = np.maximum(lengths - digits, 0)
    rounded: NDArray[np.int32] = ((values >> shift) << shift).astype(np.int32)
    return rounded


def new_walk(problem: Problem, levels: Levels, known: IntVector | None) -> Walk:
    """A walk that starts from the whole network, or without the edges of the numbers `known`."""
    from netveil.kernels.annealing.levels import count_levels
    from netveil.kernels.annealing.walk_state import LevelCounts, NodeColumn, Walk, settle_flips

    topology = problem.topology
    n, m = problem.network.node_count, problem.edge_count
    state, gone = _state_without(problem, known)
    level_count = len(levels.weights) + 1
    slots = max(SMALLEST_TABLE, 1 << (8 * n - 1).bit_length())
    nodes = np.zeros((n, NodeColumn.SLOT + level_count), dtype=np.int64)
    nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES] = state.degrees, state.triangles
    nodes[:, NodeColumn.PLACE] = -1
    poor_first, quantiles = _poor_edges_first(problem, np.diff(topology.first_row))
    first_place, incident, places = _movable_edges_by_node(problem)
    counts = LevelCounts(
        nodes=nodes,
        table=np.empty((slots * level_count, 2), dtype=np.int64),
        slots=slots,
        used=np.zeros(level_count, dtype=np.int64),
        at_risk=np.zeros(level_count, dtype=np.int64),
    )
    count_levels(problem.rule, levels, counts)
    walk = Walk(
        present=np.ones(m, dtype=np.uint8),
        counts=counts,
        edge_triangles=np.diff(topology.first_row).astype(np.int32),
        poor_first=poor_first,
        quantiles=quantiles,
        first_place=first_place,
        first_deleted=first_place[1:].copy(),
        incident=incident,
        places=places,
        deleted=np.zeros(m, dtype=topology.ends.dtype),
        place_deleted=np.zeros(m, dtype=topology.ends.dtype),
        deleted_count=np.zeros(1, dtype=np.int64),
        accepted_count=np.zeros(1, dtype=np.int64),
        best=state.present,
        best_totals=_best_totals(problem, state),
    )
    if known is not None:
        settle_flips(topology, problem.rule, walk, gone)
    return walk


def new_plain_walk(problem: Problem, known: IntVector | None) -> PlainWalk:
    """The same for states of every other kind."""
    from netveil.kernels.annealing.anneal_plainly import PlainWalk

    topology, rule = problem.topology, problem.rule
    state, gone = _state_without(problem, known)
    if rule.reach_of_both or rule.reach == 0:
        touched = np.diff(topology.first_row)
    else:
        touched = problem.network.degrees[topology.ends].sum(axis=1)
    poor_first, quantiles = _poor_edges_first(problem, touched)
    deleted, place_deleted = np.zeros((2, problem.edge_count), dtype=np.int64)
    deleted[: len(gone)], place_deleted[gone] = gone, np.arange(len(gone))
    return PlainWalk(
        state=state,
        poor_first=poor_first,
        quantiles=quantiles,
        deleted=deleted,
        place_deleted=place_deleted,
        best=state.present.copy(),
        best_totals=_best_totals(problem, state),
    )


def _state_without(problem: Problem, known: IntVector | None) -> tuple[FlipState, IntVector]:
    """A state without the edges of the numbers `known`, if any, and which bits these are."""
    from netveil.kernels.following.flips import flip_edges

    state, gone = problem.fresh_state(), np.empty(0, dtype=np.int64)
    if known is not None:
        gone = np.flatnonzero(np.isin(problem.edge_order, known))
        flip_edges(problem.topology, problem.rule, state, gone)
    return state, gone


def _best_totals(problem: Problem, state: FlipState) -> IntVector:
    """Nodes at risk and deleted edges of a solution, as walks keep them of their best."""
    from netveil.kernels.following.state import Total

    return np.array([max(int(state.totals[Total.AT_RISK]), problem.enough), state.totals[Total.DELETED]])


def _poor_edges_first(problem: Problem, touched: IntVector) -> tuple[IntVector, IntVector]:
    """The movable edges, those that touch few nodes (m) first, and places between which all are as likely."""
    movable = np.flatnonzero(problem.topology.movable)
    poor_first = movable[np.argsort(touched[movable], kind="stable")].astype(problem.topology.ends.dtype)
    liked = np.cumsum((1.0 + touched[poor_first]) ** TRIANGLE_EXPONENT)
    quantiles = np.searchsorted(liked, np.linspace(0, liked[-1], QUANTILES + 1))
    quantiles[-1] = len(poor_first)
    return poor_first, quantiles.astype(np.int64)


def _movable_edges_by_node(problem: Problem) -> tuple[IntVector, IntVector, IntVector]:
    """Where each node's row starts, the edges of all rows, and where each edge stands in its two rows."""
    topology = problem.topology
    owner = np.repeat(np.arange(problem.network.node_count), np.diff(topology.csr.offsets))
    kept = topology.movable[topology.csr.edge_numbers] == 1
    owner, incident = owner[kept], topology.csr.edge_numbers[kept]
    first_place = np.zeros(problem.network.node_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=problem.network.node_count), out=first_place[1:])
    places = np.zeros((problem.edge_count, 2), dtype=topology.ends.dtype)
    places[incident, (topology.ends[incident, 0] != owner).astype(int)] = np.arange(len(incident))
    return first_place, incident, places


def new_limit_state(problem: Problem, walk: Walk) -> LimitState | None:
    """What the limits look at, for a walk as it begins; None where nothing is limited."""
    if problem.limits is None:
        return None
    from netveil.kernels.annealing.proposal import MOST_FLIPS
    from netveil.kernels.annealing.walk_state import LimitState, NodeColumn
    from netveil.kernels.limiting.components import pieces_of
    from netveil.kernels.limiting.limits import clustering_sum

    n = problem.network.node_count
    degrees, triangles = walk.counts.nodes[:, NodeColumn.DEGREE], walk.counts.nodes[:, NodeColumn.TRIANGLES]
    clustering = np.array(clustering_sum(degrees, triangles), dtype=np.int64)
    pieces = pieces_of(problem.topology.ends, walk.present, n)
    outside = (pieces.piece != np.argmax(pieces.sizes)).astype(np.uint8)
    return LimitState(
        clustering=clustering,
        clustering_proposed=clustering.copy(),
        outside=outside,
        inside_count=np.array([n - int(outside.sum())]),
        pieces=pieces,
        crossed=np.zeros(MOST_FLIPS * n, dtype=np.int64),
    )
