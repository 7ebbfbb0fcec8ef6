"""Hypothesis strategies for the walks of annealing chains, and a check of all that a walk remembers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from numpy.typing import NDArray

from graphs import networks
from naive import count_states, graph_without, nodes_at_risk, violation
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.walk_state import (
    Best,
    CellColumn,
    Leg,
    NodeColumn,
    PlaceColumn,
    Walk,
    WalkCount,
    WalkNodes,
)
from netveil.network import Network
from netveil.search import Problem
from netveil.search.annealing import walk as build_walk
from netveil.search.annealing.chains import Chain

ATTACKERS = {name: attackers_of(name) for name in ("count", "degree", "edge-count")}
"""Those whose states are sums over degree and triangles; degree takes no notice of triangles."""

each_kind_of_cells = pytest.mark.parametrize("hashed", [False, True], ids=["direct cells", "hashed cells"])
each_attacker = pytest.mark.parametrize("attacker", ATTACKERS)
each_way_to_triangles = pytest.mark.parametrize(
    "listed",
    [
        pytest.param(True, id="triangles listed"),
        pytest.param(False, id="rows intersected", marks=pytest.mark.thorough),
    ],
)
"""Whole walks where triangles are not listed are kernels of their own, ten seconds of compiling."""
each_with_few_examples = settings(max_examples=min(20, settings().max_examples))
"""For one property of six combinations or more: together they are still twice the usual number."""

State = tuple[int, int]

KEPT_COLUMNS = [
    NodeColumn.DEGREE,
    NodeColumn.TRIANGLES,
    NodeColumn.CELL,
    NodeColumn.PARTNER,
    NodeColumn.IS_HUB,
    NodeColumn.PLACE,
]
"""What a node's record has again after a proposal is undone: all but its place in the list of its cell."""


ROW = [NodeColumn.FIRST_EDGE, NodeColumn.FIRST_DELETED, NodeColumn.LAST_EDGE]


@cache
def orders(edges: int) -> st.SearchStrategy[list[int]]:
    """Any order of so many edges."""
    return st.permutations(range(edges))


@st.composite
def problems(
    draw: st.DrawFn, attacker: str = "count", limits: st.SearchStrategy[dict[str, Fraction]] | None = None
) -> Problem:
    """Any problem on a few nodes; with or without protected edges, a known solution and a target."""
    network = draw(networks(min_nodes=4, min_edges=2))
    m = network.edge_count
    order = np.array(draw(orders(m)), dtype=np.int64)
    protected = sorted(draw(st.sets(st.integers(0, m - 1), max_size=min(4, m - 1))))
    movable = [edge for edge in range(m) if edge not in protected]
    budget = draw(st.integers(1, m))
    problem = Problem(
        network,
        ATTACKERS[attacker],
        k=draw(st.integers(2, 4)),
        budget=budget,
        edge_order=order,
        keep={} if limits is None else draw(limits),
        protected_edges=np.array(protected, dtype=np.int64),
        target=draw(st.none() | st.integers(1, 10).map(lambda tenths: Fraction(tenths, 10))),
        guided=True,
    )
    known = draw(st.none() | st.sets(st.sampled_from(movable), max_size=budget).map(sorted))
    if known is None or violation(network, problem.limits, known) > 0:
        return problem
    object.__setattr__(problem, "known", np.array(known, dtype=np.int64))
    return problem


def cost_tables() -> st.SearchStrategy[NDArray[np.float64]]:
    """Any costs by gap, for most nodes and for hubs; quarters, so that their sums are exact."""
    quarters = st.integers(0, 400)
    rows = st.integers(1, 60).flatmap(
        lambda gaps: st.lists(st.lists(quarters, min_size=gaps, max_size=gaps), min_size=2, max_size=2)
    )
    return rows.map(lambda drawn: np.array(drawn, dtype=np.float64) / 4)


@st.composite
def legs(draw: st.DrawFn, problem: Problem, most_proposals: int = 600) -> Leg:
    """Any leg for a problem: cold or hot, guided or not, eager to delete or thrifty."""
    temperatures = st.floats(0.01, 100.0)
    allowed = draw(st.integers(0, problem.budget))
    return Leg(
        proposals=draw(st.integers(1, most_proposals)),
        begun=0,
        partners_hold=draw(st.sampled_from([(0, 1), (1, 7), (300, 1_000)])),
        budget=problem.budget,
        allowed=allowed,
        wanted=draw(st.integers(0, allowed)),
        enough=problem.enough,
        temperature=draw(st.tuples(temperatures, temperatures)),
        worth=draw(st.floats(-2.0, 2.0)),
        guided=draw(st.sampled_from([0.0, 0.3, 1.0])),
        costs=draw(cost_tables()),
    )


def chain_on(problem: Problem, seed: int = 1, hashed: bool = False) -> Chain:
    """A chain that has not moved yet; with hashed cells, or with one for each possible state."""
    with pytest.MonkeyPatch.context() as patch:
        if hashed:
            patch.setattr(build_walk, "MOST_CELLS", 0)
            # A million cells for a dozen nodes would be most of the work, and nobody in another's way.
            patch.setattr(build_walk, "SMALLEST_TABLE", min(build_walk.SMALLEST_TABLE, 1 << 14))
        chain = Chain(problem, seed, known=problem.known)
    assert not isinstance(chain.walk, Walk) or (len(chain.walk.people.states.keys) > 1) is hashed
    return chain


def walk_of(chain: Chain) -> Walk:
    """The walk of a chain that is not plain."""
    assert isinstance(chain.walk, Walk)
    return chain.walk


CALM = Leg(
    proposals=2_000,
    begun=0,
    partners_hold=(0, 1_000),
    budget=30,
    allowed=30,
    wanted=28,
    enough=0,
    temperature=(1.0, 0.5),
    worth=0.0,
    guided=0.1,
    costs=np.maximum(np.arange(500.0), 1.0) ** np.array([[0.5], [0.6]]),
)


def within(budget: int, leg: Leg = CALM) -> Leg:
    """The leg with another budget, all of it allowed and wanted from the first."""
    return leg._replace(budget=budget, allowed=budget, wanted=budget)


def deleted_in(walk: Walk) -> int:
    """Edges that are deleted where the walk stands."""
    return int(walk.edges.counts[WalkCount.DELETED])


def accepted_by(walk: Walk) -> int:
    """Proposals that were accepted so far."""
    return int(walk.edges.counts[WalkCount.ACCEPTED])


def edges_missing(problem: Problem, present: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> list[int]:
    """The network's numbers of the edges that are not there."""
    return sorted(problem.edge_order[np.flatnonzero(present == 0)].tolist())


def states_of(problem: Problem, counted: Sequence[State]) -> list[State]:
    """The two numbers of each node's state, from its degree and triangles."""
    weights = problem.linear_weights
    assert weights is not None
    (a, b), (c, d) = weights.numbers
    return [(a * degree + b * triangles, c * degree + d * triangles) for degree, triangles in counted]


def seen_states(problem: Problem, present: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> list[State]:
    """The two numbers of each node's state, by networkx."""
    return states_of(problem, count_states(problem.network, edges_missing(problem, present)))


def gap_between(states: Sequence[State], people: WalkNodes, one: int, other: int) -> int:
    """How far a node is from another: a unit of the first number counts as several of the second.

    What is usual with a degree does not count.
    """
    first = abs(states[one][0] - states[other][0])
    usual: list[int] = people.states.numbers.usual[people.nodes[[one, other], NodeColumn.DEGREE]].tolist()
    second = abs((states[one][1] - usual[0]) - (states[other][1] - usual[1]))
    return build_walk.FIRST_UNIT * first + second


def slow_energy(
    states: Sequence[State], people: WalkNodes, costs: NDArray[np.float64], k: int
) -> tuple[float, int]:
    """What the nodes at risk cost together, and how many they are, from everybody's state and partner."""
    energy, at_risk = 0.0, nodes_at_risk(list(states), k)
    for node in np.flatnonzero(at_risk).tolist():
        partner, is_hub = people.nodes[node, [NodeColumn.PARTNER, NodeColumn.IS_HUB]].tolist()
        energy += costs[is_hub][min(gap_between(states, people, node, partner), costs.shape[1] - 1)]
    return energy, sum(at_risk)


def members_of_cells(people: WalkNodes) -> dict[int, set[int]]:
    """The nodes in each cell, as its list goes; both ways along it, and counted."""
    nodes, cells = people.nodes, people.states.cells
    members = {}
    for cell in np.flatnonzero((cells[:, CellColumn.SIZE] != 0) | (cells[:, CellColumn.FIRST] >= 0)).tolist():
        found, before, node = [], -1, int(cells[cell, CellColumn.FIRST])
        while node >= 0:
            assert nodes[node, NodeColumn.BEFORE] == before
            assert nodes[node, NodeColumn.CELL] == cell
            found.append(node)
            before, node = node, int(nodes[node, NodeColumn.NEXT])
        assert len(found) == cells[cell, CellColumn.SIZE]
        members[cell] = set(found)
    return members


def check_walk(problem: Problem, walk: Walk) -> None:
    """Everything that a walk remembers is what it would be if computed anew from the edges that are there."""
    _check_nodes(problem, walk)
    _check_edges(problem, walk)
    check_cells(walk, seen_states(problem, walk.present))
    at_risk = sum(nodes_at_risk(seen_states(problem, walk.present), problem.k))
    assert walk.edges.counts[WalkCount.AT_RISK] == at_risk
    _check_best(problem, walk)


def _check_nodes(problem: Problem, walk: Walk) -> None:
    states = count_states(problem.network, edges_missing(problem, walk.present))
    if not problem.rule.count_triangles:  # then they stay as they were
        states = [
            (degree, triangles)
            for (degree, _), (_, triangles) in zip(states, count_states(problem.network), strict=True)
        ]

    columns = [NodeColumn.DEGREE, NodeColumn.TRIANGLES]
    assert walk.people.nodes[:, columns].tolist() == [list(state) for state in states]
    assert (walk.people.nodes[:, NodeColumn.PLACE] == -1).all()


def _check_edges(problem: Problem, walk: Walk) -> None:
    network, ends, edges = problem.network, problem.topology.ends.tolist(), walk.edges
    missing = np.flatnonzero(walk.present == 0).tolist()
    movable = np.flatnonzero(problem.topology.movable).tolist()
    count = deleted_in(walk)

    assert count == len(missing) <= problem.budget
    assert set(missing) <= set(movable)
    assert sorted(edges.deleted[:count].tolist()) == missing
    assert edges.places[edges.deleted[:count], PlaceColumn.AMONG_DELETED].tolist() == list(range(count))
    for node in range(network.node_count):
        first, border, end = walk.people.nodes[node, ROW].tolist()
        row = edges.incident[first:end].tolist()
        assert sorted(row) == [edge for edge in movable if node in ends[edge]]
        assert walk.present[row].tolist() == [1] * (border - first) + [0] * (end - border)
        for place, edge in enumerate(row, start=int(first)):
            assert edges.places[edge, ends[edge].index(node)] == place
    assert (edges.places[np.flatnonzero(problem.topology.movable == 0), :2] == -1).all()
    if problem.rule.count_triangles:
        graph = graph_without(network, edges_missing(problem, walk.present))
        assert edges.edge_triangles.tolist() == [len(set(graph[u]) & set(graph[v])) for u, v in ends]


def check_cells(walk: Walk, states: Sequence[State]) -> None:
    """The nodes in each cell are those of one state, and of a state that the cell stands for."""
    members, by_state = members_of_cells(walk.people), Counter(states)
    table = walk.people.states
    assert sum(len(nodes) for nodes in members.values()) == len(states)
    for cell, nodes in members.items():
        if not nodes:
            continue
        (first, second) = states[min(nodes)]
        assert {states[node] for node in nodes} == {(first, second)}
        assert len(nodes) == by_state[first, second]
        if len(table.keys) == 1:
            assert cell == table.row_start[first] + second < table.row_start[first + 1]
        else:
            assert table.keys[cell] == first * 2**32 + second
    if len(table.keys) > 1:  # else the table might fill up, and looking for a state would never end
        assert walk.edges.counts[WalkCount.CELLS_USED] == (table.keys >= 0).sum()


def check_pointing(people: WalkNodes) -> None:
    """Who points at whom is the other way round of who is whose partner."""
    partners = people.nodes[:, NodeColumn.PARTNER]
    for node in range(len(partners)):
        first, last = people.nodes[node, [NodeColumn.FIRST_POINTING, NodeColumn.LAST_POINTING]]
        row = people.nodes[first:last, NodeColumn.POINTING]
        assert sorted(row.tolist()) == np.flatnonzero(partners == node).tolist()


def _check_best(problem: Problem, walk: Walk) -> None:
    missing = edges_missing(problem, walk.best)
    at_risk = sum(nodes_at_risk(seen_states(problem, walk.best), problem.k))

    assert walk.best_totals[Best.AT_RISK] == max(at_risk, problem.enough)
    assert walk.best_totals[Best.DELETED] == len(missing) <= problem.budget
    assert problem.protected_edges is None or not set(missing) & set(problem.protected_edges.tolist())


def best_of(walk: Walk) -> tuple[int, int]:
    """Nodes at risk, as far as fewer are better, and deletions of the best: the less the better."""
    return int(walk.best_totals[Best.AT_RISK]), int(walk.best_totals[Best.DELETED])


def complete(nodes: int) -> Network:
    """Everybody knows everybody."""
    return Network.from_numbered_edges([(u, v) for v in range(nodes) for u in range(v)], nodes)
