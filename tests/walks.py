"""Hypothesis strategies for the walks of annealing chains, and a check of all that a walk remembers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from graphs import networks
from naive import count_states, graph_without, level_states, nodes_at_risk, violation
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.levels import Levels
from netveil.kernels.annealing.metropolis import Best
from netveil.kernels.annealing.walk_state import NodeColumn, Walk
from netveil.kernels.following.tables import seek as inlined_seek
from netveil.network import Network
from netveil.search import Problem
from netveil.search.annealing.build_walk import DIGITS, levels_of
from netveil.search.annealing.chain import Chain
from way_in import way_in

seek = way_in(inlined_seek)

ATTACKERS = {name: attackers_of(name) for name in ("count", "degree")}
"""Those whose states are sums over degree and triangles; degree takes no notice of triangles."""


@st.composite
def problems(
    draw: st.DrawFn, attacker: str = "count", limits: st.SearchStrategy[dict[str, Fraction]] | None = None
) -> Problem:
    """Any problem on a few nodes; with or without protected edges, a known solution and a target."""
    network = draw(networks(min_nodes=4, min_edges=2))
    m = network.edge_count
    order = np.array(draw(st.permutations(range(m))), dtype=np.int64)
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
    )
    known = draw(st.none() | st.sets(st.sampled_from(movable), max_size=budget).map(sorted))
    if known is None or violation(network, problem.limits, known) > 0:
        return problem
    object.__setattr__(problem, "known", np.array(known, dtype=np.int64))
    return problem


def legs(problem: Problem, most_proposals: int = 600) -> st.SearchStrategy[Leg]:
    """Any leg for a problem: cold or hot, smooth or not, eager to delete or thrifty."""
    temperatures = st.floats(0.01, 100.0)
    weights = st.floats(0.0, 20.0)
    return st.builds(
        Leg,
        proposals=st.integers(1, most_proposals),
        budget=st.just(problem.budget),
        enough=st.just(problem.enough),
        worth=st.floats(-2.0, 2.0),
        price=st.floats(0.0, 2.0),
        temperature=st.tuples(temperatures, temperatures),
        picky=st.booleans(),
        smoothing=st.tuples(weights, weights),
    )


def chain_on(problem: Problem, seed: int = 1) -> Chain:
    """A chain that has not moved yet."""
    return Chain(problem, levels_of(problem), seed, picky=True, known=problem.known)


def walk_of(chain: Chain) -> Walk:
    """The walk of a chain that is not plain."""
    assert isinstance(chain.walk, Walk)
    return chain.walk


def known_levels(problem: Problem) -> Levels:
    """The coarser views of states that have some."""
    levels = levels_of(problem)
    assert levels is not None
    return levels


CALM = Leg(
    proposals=2_000,
    budget=30,
    enough=0,
    worth=0.0,
    price=0.0,
    temperature=(1.0, 0.5),
    picky=True,
    smoothing=(2.0, 1.0),
)


def edges_missing(problem: Problem, present: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> list[int]:
    """The network's numbers of the edges that are not there."""
    return sorted(problem.edge_order[np.flatnonzero(present == 0)].tolist())


def seen_states(
    problem: Problem, present: np.ndarray[tuple[int], np.dtype[np.uint8]]
) -> list[tuple[int, int]]:
    """(degree, triangles) of each node as far as the attacker sees them, by networkx."""
    states = count_states(problem.network, edges_missing(problem, present))
    weights = problem.linear_weights
    assert weights is not None
    return states if weights.per_triangle else [(degree, 0) for degree, _ in states]


def check_walk(problem: Problem, walk: Walk) -> None:
    """Everything that a walk remembers is what it would be if computed anew from the edges that are there."""
    _check_nodes(problem, walk)
    _check_edges(problem, walk)
    for level in range(len(DIGITS) + 1):
        _check_level(problem, walk, level)
    _check_best(problem, walk)


def _check_nodes(problem: Problem, walk: Walk) -> None:
    states = count_states(problem.network, edges_missing(problem, walk.present))
    if not problem.rule.count_triangles:  # then they stay as they were
        states = [
            (degree, triangles)
            for (degree, _), (_, triangles) in zip(states, count_states(problem.network), strict=True)
        ]

    columns = [NodeColumn.DEGREE, NodeColumn.TRIANGLES]
    assert walk.counts.nodes[:, columns].tolist() == [list(state) for state in states]
    assert (walk.counts.nodes[:, NodeColumn.PLACE] == -1).all()


def _check_edges(problem: Problem, walk: Walk) -> None:
    network, ends = problem.network, problem.topology.ends.tolist()
    missing = np.flatnonzero(walk.present == 0).tolist()
    movable = np.flatnonzero(problem.topology.movable).tolist()
    count = int(walk.deleted_count[0])

    assert count == len(missing) <= problem.budget
    assert set(missing) <= set(movable)
    assert sorted(walk.deleted[:count].tolist()) == missing
    assert walk.place_deleted[walk.deleted[:count]].tolist() == list(range(count))
    for node in range(network.node_count):
        first, border, end = walk.first_place[node], walk.first_deleted[node], walk.first_place[node + 1]
        row = walk.incident[first:end].tolist()
        assert sorted(row) == [edge for edge in movable if node in ends[edge]]
        assert walk.present[row].tolist() == [1] * (border - first) + [0] * (end - border)
        for place, edge in enumerate(row, start=int(first)):
            assert walk.places[edge, ends[edge].index(node)] == place
    if problem.rule.count_triangles:
        graph = graph_without(network, edges_missing(problem, walk.present))
        assert walk.edge_triangles.tolist() == [len(set(graph[u]) & set(graph[v])) for u, v in ends]


def _check_level(problem: Problem, walk: Walk, level: int) -> None:
    states = level_states(seen_states(problem, walk.present), DIGITS, level)
    weights, slots = problem.linear_weights, walk.counts.slots
    assert weights is not None and slots * len(walk.counts.used) == len(walk.counts.table)
    part = walk.counts.table[level * slots : (level + 1) * slots]
    counted = {}
    for state, slot in zip(states, walk.counts.nodes[:, NodeColumn.SLOT + level].tolist(), strict=True):
        key = weights.per_degree * state[0] + weights.per_triangle * state[1] if level == 0 else _key(state)
        assert walk.counts.table[slot, 0] == key
        assert seek(walk.counts.table, key, level * slots, slots - 1) == slot
        counted[state] = int(walk.counts.table[slot, 1])

    assert counted == Counter(states)
    assert part[:, 1].sum() == len(states) and (part[:, 1] >= 0).all()
    assert walk.counts.used[level] == (part[:, 0] >= 0).sum()
    assert walk.counts.at_risk[level] == sum(nodes_at_risk(states, problem.k))


def _key(state: tuple[int, int]) -> int:
    return state[0] * 2**32 + state[1]


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
