"""Proposals: what flips cost is exact, what is taken back leaves no trace, and which edges are alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import clustered, limits
from naive import count_states, graph_without, keeps, violation
from netveil.anonymity import attackers_of
from netveil.kernels.annealing import moves, proposal as kernels, walk_state
from netveil.kernels.annealing.moves import OF_CROWD, OF_END, OF_SHARED_END
from netveil.kernels.annealing.proposal import MOST_FLIPS, ProposalTotals, WalkScene, new_scene
from netveil.kernels.annealing.walk_state import CellColumn, NodeColumn, Unlisted, Walk, WalkCount
from netveil.kernels.limits import clustering_of as inlined_clustering, clustering_sum
from netveil.kernels.states import EMPTY
from netveil.network import Network
from netveil.search import Problem, problem, problem as problem_module
from netveil.search.annealing.chains import Chain
from netveil.search.annealing.walk import ALIKE, find_partners
from walks import (
    ATTACKERS,
    KEPT_COLUMNS,
    accepted_by,
    best_of,
    chain_on,
    check_cells,
    check_walk,
    complete,
    cost_tables,
    each_attacker,
    each_kind_of_cells,
    each_way_to_triangles,
    each_with_few_examples,
    edges_missing,
    legs,
    members_of_cells,
    problems,
    seen_states,
    slow_energy,
    walk_of,
    within,
)
from way_in import way_in

make_flips, take_back = way_in(kernels.make_flips), way_in(kernels.take_back)
list_risky = way_in(walk_state.list_risky)

NOTHING = ProposalTotals(0, 0, 0.0, 0)
NO_LIMIT = 1e300
ONES = np.ones((2, 1))


def scene_of(of: Problem, walk: Walk) -> tuple[WalkScene, Unlisted | None]:
    """All that a proposal looks at."""
    return new_scene(of.topology, of.rule.count_triangles, of.k, walk)


def flip(
    scene: tuple[WalkScene, Unlisted | None],
    costs: NDArray[np.float64],
    standing: ProposalTotals,
    edges: tuple[int, ...],
    limit: float = NO_LIMIT,
) -> tuple[bool, ProposalTotals]:
    """Add these flips to a proposal."""
    count = standing.flipped + len(edges)
    scene[0].proposal.flips[standing.flipped : count] = edges
    within, standing = make_flips(*scene, costs, count, standing, limit)
    return bool(within), ProposalTotals(*standing)


def undo(scene: WalkScene, standing: ProposalTotals) -> None:
    """Take a proposal back."""
    take_back(scene.present, scene.people.nodes, scene.people.states.cells, scene.proposal, standing)


def memory_of(walk: Walk) -> tuple[Any, ...]:
    """What a proposal must leave as it was: edges, records, and who is in which cell."""
    return walk.present.tolist(), walk.people.nodes[:, KEPT_COLUMNS].tolist(), members_of_cells(walk.people)


def check_records(of: Problem, walk: Walk) -> None:
    """Records and cells are those of the edges that are there."""
    counted = count_states(of.network, edges_missing(of, walk.present))
    assert walk.people.nodes[:, NodeColumn.DEGREE].tolist() == [degree for degree, _ in counted]
    if of.rule.count_triangles:
        assert walk.people.nodes[:, NodeColumn.TRIANGLES].tolist() == [triangles for _, triangles in counted]
    assert (walk.people.nodes[:, NodeColumn.PLACE] == -1).all()
    check_cells(walk, seen_states(of, walk.present))


def in_small_groups(edges: list[int], ones: list[bool]) -> list[tuple[int, ...]]:
    """Edges by ones and twos."""
    groups = []
    for one in ones:
        groups.append(tuple(edges[: 1 if one else 2]))
        edges = edges[len(groups[-1]) :]
    return [group for group in groups if group]


@pytest.mark.quick(3)
@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@each_kind_of_cells
@each_attacker
@each_with_few_examples
@given(data=st.data())
def test_flips_cost_what_the_slow_twin_says_and_are_taken_back(
    attacker: str, hashed: bool, listed: bool, data: st.DataObject
) -> None:
    """One or two at first, then more as long as these are pending; all is as it was in the end."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem_module, "LISTED_ROWS_LIMIT", -1)
        of = data.draw(problems(attacker))
        assert of.topology.listed is listed
    walk = walk_of(chain_on(of, hashed=hashed))
    find_partners(walk.people, of.k)
    movable = np.flatnonzero(of.topology.movable).tolist()
    edges = data.draw(st.lists(st.sampled_from(movable), unique=True, min_size=1, max_size=MOST_FLIPS))
    groups = in_small_groups(edges, data.draw(st.lists(st.booleans(), min_size=1, max_size=4)))
    costs, scene, standing = data.draw(cost_tables()), scene_of(of, walk), NOTHING
    memory = memory_of(walk)
    before = slow_energy(seen_states(of, walk.present), walk.people, costs, of.k)
    for group in groups:
        within, standing = flip(scene, costs, standing, group)
        after = slow_energy(seen_states(of, walk.present), walk.people, costs, of.k)
        assert within
        assert (standing.energy, standing.risk) == (after[0] - before[0], after[1] - before[1])
        check_records(of, walk)
    assert standing.flipped == sum(map(len, groups))
    undo(scene[0], standing)

    assert memory_of(walk) == memory
    check_walk(of, walk)


@each_kind_of_cells
@given(data=st.data())
def test_a_proposal_that_is_given_up_leaves_no_trace(hashed: bool, data: st.DataObject) -> None:
    """Whatever the limit: at the ends, in the middle, or never; what it says of itself is kept to."""
    of = data.draw(problems())
    walk = walk_of(chain_on(of, hashed=hashed))
    find_partners(walk.people, of.k)
    movable = np.flatnonzero(of.topology.movable).tolist()
    edges = data.draw(st.lists(st.sampled_from(movable), unique=True, min_size=1, max_size=4))
    limits = st.floats(-50.0, 50.0) | st.sampled_from([-kernels.SLACK, 0.0, NO_LIMIT])
    costs, scene, standing = data.draw(cost_tables()), scene_of(of, walk), NOTHING
    memory = memory_of(walk)
    for group in in_small_groups(edges, data.draw(st.lists(st.booleans(), min_size=1, max_size=3))):
        limit = data.draw(limits)
        within, standing = flip(scene, costs, standing, group, limit)
        if within or standing.flipped > 0:
            assert within is bool(standing.energy <= limit + kernels.SLACK)
        else:  # given up at the ends, before anything was written
            assert (standing, memory_of(walk)) == (NOTHING, memory)
        assert (walk.people.nodes[:, NodeColumn.PLACE] == -1).all()
        if not within:
            break
        check_records(of, walk)
    undo(scene[0], standing)

    assert memory_of(walk) == memory
    check_walk(of, walk)


def test_lookalikes_that_go_together_are_not_given_up_at_the_ends() -> None:
    """Two stars that each lose a leaf: their centres remain alike, though alone each would cost three."""
    network = Network.from_numbered_edges([(0, 1), (0, 2), (0, 3), (4, 5), (4, 6), (4, 7)], 8)
    of = Problem(network, attackers_of("degree"), 2, 6, np.arange(6))
    walk = walk_of(chain_on(of))
    scene = scene_of(of, walk)
    find_partners(walk.people, of.k)

    assert flip(scene, ONES, NOTHING, (0,), limit=0.0) == (False, NOTHING)
    within, standing = flip(scene, ONES, NOTHING, (0, 3), limit=1.0)
    assert within
    assert (standing.energy, standing.risk) == (0.0, 0)


def test_a_state_in_between_is_not_counted_as_a_cell_in_use() -> None:
    """A triangle with one edge deleted: restore it, delete another; for a while somebody has -1 triangles."""
    of = Problem(complete(3), attackers_of("count"), 2, 3, np.arange(3), known=np.array([2]))
    walk = walk_of(chain_on(of, hashed=True))
    find_partners(walk.people, of.k)
    flip(scene_of(of, walk), ONES, NOTHING, (2, 0))

    check_records(of, walk)
    assert walk.edges.counts[WalkCount.CELLS_USED] == (walk.people.states.keys != EMPTY).sum()


def list_those_at_risk(of: Problem, walk: Walk) -> list[int]:
    """The nodes at risk with movable edges, as a walk lists them."""
    list_risky(walk.people.nodes, walk.people.states.cells, of.k, walk.edges.counts)
    listed: list[int] = walk.people.nodes[: walk.edges.counts[WalkCount.LISTED], NodeColumn.RISKY].tolist()
    return listed


@each_attacker
@given(data=st.data())
def test_those_at_risk_are_listed_if_they_have_movable_edges(attacker: str, data: st.DataObject) -> None:
    """All of them, each once."""
    of = data.draw(problems(attacker))
    walk = walk_of(chain_on(of))
    risky = list_those_at_risk(of, walk)
    states, ends = seen_states(of, walk.present), of.topology.ends[of.topology.movable == 1]

    assert risky == [
        node for node in range(of.network.node_count) if states.count(states[node]) < of.k and node in ends
    ]


clustering_of = way_in(inlined_clustering)

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost
STEADY = within(40)._replace(proposals=3_000)
RESTLESS = STEADY._replace(temperature=(20.0, 20.0), enough=-1)  # goes on though nobody is at risk


def check_limits(chain: Chain) -> None:
    """The walk and its best keep all limits, and what is followed for them is what it is from scratch."""
    of, walk = chain.problem, walk_of(chain)
    for present in (walk.present, walk.best):
        missing = edges_missing(of, present)
        assert violation(of.network, of.limits, missing) == 0
        assert keeps(of.network, dict(of.keep), missing, margin=MARGIN)
    limit_state = chain.limit_state
    if of.limits is None or limit_state is None:
        assert of.limits is None and limit_state is None
        return
    columns = walk.people.nodes[:, [NodeColumn.DEGREE, NodeColumn.TRIANGLES]]
    degrees, triangles = columns.T.astype(np.int64, "C")
    assert tuple(limit_state.clustering) == clustering_sum(degrees, triangles)
    if of.limits.least_component > 0:
        inside = set(np.flatnonzero(limit_state.outside == 0).tolist())
        graph = graph_without(of.network, edges_missing(of, walk.present))
        assert inside in [set(component) for component in nx.connected_components(graph)]
        assert limit_state.inside_count[0] == len(inside) >= of.limits.least_component


@pytest.mark.quick(2)
@pytest.mark.parametrize("attacker", ATTACKERS)
@each_way_to_triangles
@each_with_few_examples
@given(data=st.data())
def test_no_leg_passes_a_limit(listed: bool, attacker: str, data: st.DataObject) -> None:
    """Any limits, any legs; all that a walk remembers without limits is true with them too."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        of = data.draw(problems(attacker, limits()))
        assert of.topology.listed is listed
    chain = chain_on(of, seed=data.draw(st.integers(0, 2**63)))
    check_limits(chain)
    best = best_of(walk_of(chain))
    for leg in data.draw(st.lists(legs(of), min_size=1, max_size=4)):
        chain.walk_along(leg)
        check_walk(of, walk_of(chain))
        check_limits(chain)
        assert best_of(walk_of(chain)) <= best
        best = best_of(walk_of(chain))


KEPT: list[dict[str, Any]] = [
    {"clustering": "1/50"},
    {"lcc": 0},
    {"lcc": "1/5"},
    {"lcc": "9/10"},
    {"degree": "1/4"},
    {"clustering": "1/20", "lcc": "1/10", "degree": "1/2"},
]


def problem_keeping(keep: dict[str, Any]) -> Problem:
    """A network with much to cut off: a ring of people who know those near them, each with a leaf."""
    ring = clustered(30, 60)
    edges = [*ring.edges.tolist(), *[(node, 30 + node) for node in range(30)]]
    network = type(ring).from_numbered_edges(edges, 60)
    shares = {name: Fraction(share) for name, share in keep.items()}
    return Problem(network, ATTACKERS["count"], 2, 40, np.arange(network.edge_count), keep=shares)


@pytest.mark.quick(3)
@pytest.mark.parametrize("keep", KEPT, ids=str)
@pytest.mark.parametrize("temperature", [0.2, 20.0])
def test_a_long_walk_stays_within_the_limits(keep: dict[str, Any], temperature: float) -> None:
    """Thousands of proposals a leg, cold and hot, on a network that most deletions cut into pieces."""
    chain = chain_on(problem_keeping(keep))
    for _ in range(5):
        chain.walk_along(STEADY._replace(temperature=(temperature, temperature)))
        check_walk(chain.problem, walk_of(chain))
        check_limits(chain)

    assert accepted_by(walk_of(chain)) > 0


@pytest.mark.parametrize("keep", [KEPT[0], KEPT[1], KEPT[4]], ids=str)
def test_a_limit_that_would_be_broken_changes_the_walk(keep: dict[str, Any]) -> None:
    """Same random numbers without it, and it is broken."""
    free, limited = chain_on(problem_keeping({})), chain_on(problem_keeping(keep))
    free.walk_along(RESTLESS)
    limited.walk_along(RESTLESS)

    assert violation(
        free.problem.network, limited.problem.limits, edges_missing(free.problem, walk_of(free).present)
    )
    assert walk_of(free).present.tolist() != walk_of(limited).present.tolist()


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("keep", [{"degree": 1}, {"lcc": 1}, {"degree": 1, "lcc": 1}], ids=str)
def test_a_limit_that_allows_everything_changes_nothing(keep: dict[str, Any], attacker: str) -> None:
    """Same random numbers, same walk; also where nobody follows triangles, and so nobody knows clustering."""
    network, shares = complete(12), {name: Fraction(share) for name, share in keep.items()}
    free, limited = (
        chain_on(Problem(network, ATTACKERS[attacker], 2, 40, np.arange(66), keep=given))
        for given in ({}, shares)
    )
    free.walk_along(RESTLESS)
    limited.walk_along(RESTLESS)

    assert limited.problem.limits is not None
    assert accepted_by(walk_of(free)) > 100
    assert walk_of(free).present.tolist() == walk_of(limited).present.tolist()


def test_what_was_cut_off_may_come_back() -> None:
    """With half of the largest component to be kept, people leave it and come inside again."""
    chain = chain_on(problem_keeping({"lcc": "1/2"}))
    sizes = []
    for _ in range(30):
        chain.walk_along(RESTLESS._replace(proposals=100))
        check_limits(chain)
        assert chain.limit_state is not None
        sizes.append(int(chain.limit_state.inside_count[0]))
    steps = np.diff(sizes)

    assert (steps < 0).any() and (steps > 0).any()


# Edges that are alike.


find_alike = way_in(moves._find_alike)


def write_alike(scene: WalkScene, edge: int) -> None:
    """Write the edges that are alike to one."""
    people, edges = scene.people, scene.edges
    costs, cells = scene.proposal.alike_costs, people.states.cells
    find_alike(scene.mesh, scene.k, people.nodes, cells, edges.incident, edges.alike, costs, edge)


NONE = -1


def ready(of: Problem, hashed: bool = False) -> tuple[Walk, WalkScene]:
    """A walk that has not moved, with partners and those at risk listed, and what proposals look at."""
    walk = walk_of(chain_on(of, hashed=hashed))
    find_partners(walk.people, of.k)
    list_those_at_risk(of, walk)
    return walk, scene_of(of, walk)[0]


def slow_cost(of: Problem, walk: Walk, one: int, other: int) -> float:
    """What a swap of two edges at one node moves, from the definition."""
    graph, ends = graph_without(of.network, []), of.topology.ends.tolist()

    def weight(node: int) -> float:
        cell = walk.people.nodes[node, NodeColumn.CELL]
        return 1.0 if walk.people.states.cells[cell, CellColumn.SIZE] <= of.k else OF_CROWD

    (shared,) = set(ends[one]) & set(ends[other])
    opposite = [set(graph[u]) & set(graph[v]) for u, v in (ends[one], ends[other])]
    far = set(ends[one]) ^ set(ends[other])
    cost = sum(map(weight, opposite[0] ^ opposite[1])) + OF_END * sum(map(weight, far))
    return cost + (OF_SHARED_END * weight(shared) if len(opposite[0]) != len(opposite[1]) else 0.0)


@pytest.mark.quick(1)
@each_kind_of_cells
@given(data=st.data())
def test_edges_that_are_alike_are_those_at_the_ends_for_which_a_swap_moves_least(
    hashed: bool, data: st.DataObject
) -> None:
    """As many as a row holds; the slow twin compares all. Nothing else is written."""
    of = data.draw(problems("count"))
    walk, scene = ready(of, hashed)
    movable = np.flatnonzero(of.topology.movable).tolist()
    edge = data.draw(st.sampled_from(movable))
    memory = memory_of(walk)
    write_alike(scene, edge)
    ends = of.topology.ends.tolist()
    touching = [other for other in movable if len(set(ends[other]) & set(ends[edge])) == 1]
    row = [other for other in walk.edges.alike[edge].tolist() if other != NONE]
    costs = [slow_cost(of, walk, edge, other) for other in row]

    assert memory_of(walk) == memory
    assert len(set(row)) == len(row) == min(len(touching), ALIKE)
    assert set(row) <= set(touching)
    assert costs == pytest.approx(sorted(slow_cost(of, walk, edge, other) for other in touching)[: len(row)])


def test_an_edge_on_very_many_triangles_is_alike_to_none() -> None:
    """It would take too long to tell."""
    network = clustered()
    of = Problem(network, attackers_of("count"), 2, 9, np.arange(network.edge_count))
    walk, scene = ready(of)
    full = int(np.argmax(np.diff(of.topology.first_row)))
    many = scene.mesh._replace(first_row=scene.mesh.first_row.copy())
    many.first_row[full + 1 :] += moves.MOST_TRIANGLES
    write_alike(scene._replace(mesh=many), full)

    assert (walk.edges.alike[full] == NONE).all()
