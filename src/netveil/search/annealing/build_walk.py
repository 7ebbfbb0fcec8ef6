"""Puts a problem into the arrays that an annealing chain walks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.anneal_plainly import PlainWalk
    from netveil.kernels.annealing.walk_state import Cells, LimitState, Numbers, Walk
    from netveil.kernels.following.state import FlipState

MOST_CELLS = (
    1 << 23
)  # with a cell for each possible state, 64 MB a chain; where there are more, they are hashed
SMALLEST_TABLE = 1 << 20  # cells where they are hashed
FIRST_UNIT = 10  # triangles that a difference of one in degree is worth: about what an edge brings
FIRST_REWARD = 0.5  # of a deletion, in multiples of the temperature
HUBS = 0.1  # share of the nodes that are best connected
TRIANGLE_EXPONENT = -1.5  # an edge on t triangles, or that touches t nodes, is drawn as (1 + t) to this power
QUANTILES = 4096  # parts of the edges, from poor to rich
ALIKE = 16  # edges that touch most nearly the same, of which a swap draws one
MOST_WITH_ALIKE = 1 << 20  # edges; with more, which are alike is not kept, which takes 64 bytes an edge


def numbers_of(problem: Problem) -> Numbers:
    """The two numbers of a state. A unit of the first is worth as many of the second as an edge brings."""
    from netveil.kernels.annealing.walk_state import Numbers

    assert problem.linear_weights is not None
    first, second = problem.linear_weights.numbers
    return Numbers(*first, *second, first_unit=FIRST_UNIT)


def _empty_cells(problem: Problem, numbers: Numbers) -> Cells:
    """A cell for each state that there can be, row after row; hashed if that were too many.

    Deletions only lower both numbers: in the row of a first number, the second is at most the largest among
    those that begin with this first number or more.
    """
    from netveil.kernels.annealing.walk_state import Cells

    original = problem.original
    firsts, seconds = (
        per_degree * original.degrees + per_triangle * original.triangles
        for per_degree, per_triangle in (numbers[:2], numbers[2:4])
    )
    widths = np.zeros(int(firsts.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(widths, firsts, seconds + 1)
    widths = np.maximum.accumulate(widths[::-1])[::-1]
    row_start = np.concatenate(([0], np.cumsum(widths)))
    hashed = row_start[-1] > MOST_CELLS
    count = max(SMALLEST_TABLE, 1 << (8 * len(firsts) - 1).bit_length()) if hashed else int(row_start[-1])
    return Cells(
        numbers=numbers,
        cells=np.empty((count, 2), dtype=np.int32),
        row_start=row_start,
        keys=np.empty(count if hashed else 1, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
    )


def new_walk(problem: Problem, known: IntVector | None) -> Walk:
    """A walk that starts from the whole network, or without the edges of the numbers `known`."""
    from netveil.kernels.annealing.gaps import count_cells
    from netveil.kernels.annealing.walk_state import (
        Edges,
        NodeColumn,
        People,
        Walk,
        WalkCount,
        settle_flips,
    )

    topology = problem.topology
    n, m = problem.network.node_count, problem.edge_count
    state, gone = _state_without(problem, known)
    nodes = np.zeros((n, 8), dtype=np.int32)
    nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES] = state.degrees, state.triangles
    nodes[:, NodeColumn.IS_HUB] = _hubs(problem.original.degrees)
    nodes[:, NodeColumn.PLACE] = -1
    poor_first, quantiles = _poor_edges_first(problem, np.diff(topology.first_row))
    first_place, incident, places = _movable_edges_by_node(problem)
    people = People(
        nodes=nodes,
        states=_empty_cells(problem, numbers_of(problem)),
        first_pointing=np.zeros(n + 1, dtype=np.int32),
        pointing=np.zeros(n, dtype=np.int32),
    )
    edges = Edges(
        edge_triangles=np.diff(topology.first_row).astype(np.int32),
        poor_first=poor_first,
        quantiles=quantiles,
        first_place=first_place,
        first_deleted=first_place[1:].copy(),
        incident=incident,
        places=places,
        deleted=np.zeros(m, dtype=topology.ends.dtype),
        place_deleted=np.zeros(m, dtype=topology.ends.dtype),
        alike=_no_edges_alike_yet(problem),
        counts=np.zeros(5, dtype=np.int64),
    )
    edges.counts[WalkCount.AT_RISK] = count_cells(people, problem.rule.k)
    walk = Walk(
        present=np.ones(m, dtype=np.uint8),
        people=people,
        edges=edges,
        reward=np.array([FIRST_REWARD]),
        best=state.present,
        best_totals=_best_totals(problem, state),
    )
    if known is not None:
        settle_flips(topology, problem.rule, walk, gone)
    return walk


def _no_edges_alike_yet(problem: Problem) -> NDArray[np.int32]:
    """Rows of edges that are alike, not written yet; none where triangles do not count or are not listed."""
    from netveil.kernels.annealing.alike import UNKNOWN

    useful = problem.topology.listed and problem.rule.count_triangles
    useful = useful and problem.edge_count <= MOST_WITH_ALIKE
    return np.full((problem.edge_count if useful else 0, ALIKE), UNKNOWN, dtype=np.int32)


def _hubs(degrees: IntVector) -> NDArray[np.bool_]:
    """Whether each node is among the best connected."""
    rank = int(HUBS * len(degrees))
    least = np.sort(degrees)[::-1][min(rank, len(degrees) - 1)]
    return np.asarray(degrees >= max(1, least), dtype=bool)


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
    degrees, triangles = walk.people.nodes[:, NodeColumn.DEGREE], walk.people.nodes[:, NodeColumn.TRIANGLES]
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
