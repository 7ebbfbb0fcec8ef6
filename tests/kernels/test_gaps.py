"""The energy of a walk: cells, partners, and what it costs to move a node, against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import SQUARE, TRIANGLE_WITH_TAIL, clustered
from netveil.anonymity import attackers_of
from netveil.kernels.annealing import walk_state as kernels
from netveil.kernels.annealing.walk_state import (
    NODE_COLUMNS,
    NodeColumn,
    Walk,
    WalkCount,
    WalkNodes,
    count_cells,
)
from netveil.kernels.states import EMPTY
from netveil.search import Problem
from netveil.search.annealing.walk import find_partners, new_walk, numbers_of, usual_triangles
from walks import (
    State,
    best_of,
    chain_on,
    check_cells,
    check_pointing,
    check_walk,
    cost_tables,
    each_attacker,
    each_kind_of_cells,
    each_with_few_examples,
    gap_between,
    members_of_cells,
    problems,
    slow_energy,
    states_of,
    walk_of,
)
from way_in import way_in

move_node = way_in(kernels.move_node)
cost_of_moving = way_in(kernels.cost_of_moving)
size_of = way_in(kernels.size_of)


def recorded_states(problem: Problem, people: WalkNodes) -> list[State]:
    """The two numbers of each node's state, from degree and triangles in its record."""
    counted = people.nodes[:, [NodeColumn.DEGREE, NodeColumn.TRIANGLES]].tolist()
    return states_of(problem, [(degree, triangles) for degree, triangles in counted])


def point(people: WalkNodes, partners: list[int]) -> None:
    """Make these everybody's partners."""
    people.nodes[:, NodeColumn.PARTNER] = partners
    people.nodes[:, NodeColumn.POINTING] = np.argsort(partners, kind="stable")
    lengths = np.bincount(partners, minlength=len(partners))
    people.nodes[:, NodeColumn.LAST_POINTING] = np.cumsum(lengths)
    people.nodes[:, NodeColumn.FIRST_POINTING] = np.cumsum(lengths) - lengths


def draw_usual(data: st.DataObject, problem: Problem, people: WalkNodes) -> None:
    """Take any part of the second number for usual with each degree, where states tell the degree."""
    if problem.linear_weights is None or problem.linear_weights.numbers[0] != (1, 0):
        return
    usual = people.states.numbers.usual
    usual[:] = data.draw(st.lists(st.integers(0, 30), min_size=len(usual), max_size=len(usual)))


@st.composite
def moves(draw: st.DrawFn, problem: Problem) -> list[tuple[int, int, int]]:
    """Nodes, and the degree and triangles that each is to have: what deletions could lead to, or not."""
    before = problem.original
    chosen = draw(st.lists(st.integers(0, problem.network.node_count - 1), min_size=1, max_size=12))
    return [
        (
            node,
            draw(st.integers(0, int(before.degrees[node]))),
            draw(st.integers(0, int(before.triangles[node]))),
        )
        for node in chosen
    ]


def move_to(
    walk: Walk, costs: NDArray[np.float64], k: int, node: int, degree: int, triangles: int
) -> tuple[float, int]:
    """Give a node this degree and so many triangles; what that costs and how many more are at risk."""
    degree -= int(walk.people.nodes[node, NodeColumn.DEGREE])
    triangles -= int(walk.people.nodes[node, NodeColumn.TRIANGLES])
    return move_node(walk.people, costs, k, node, degree, triangles, walk.edges.counts)


def cost_of_moving_to(
    people: WalkNodes, costs: NDArray[np.float64], k: int, node: int, degree: int, triangles: int
) -> float:
    """What it would cost to give a node this degree and so many triangles; a look writes nothing."""
    degree -= int(people.nodes[node, NodeColumn.DEGREE])
    triangles -= int(people.nodes[node, NodeColumn.TRIANGLES])
    before = people.nodes.tolist(), people.states.keys.tolist(), members_of_cells(people)
    cost: float = cost_of_moving(people, costs, k, node, degree, triangles)
    assert before == (people.nodes.tolist(), people.states.keys.tolist(), members_of_cells(people))
    return cost


@pytest.mark.quick(2)
@each_kind_of_cells
@each_attacker
@each_with_few_examples
@given(data=st.data())
def test_moving_a_node_costs_what_the_slow_twin_says(
    attacker: str, hashed: bool, data: st.DataObject
) -> None:
    """Move after move, with partners as they are found and with any others: the exact difference.

    Also where it is only looked at, which writes nothing: the records are as the slow twin left them.
    """
    problem = data.draw(problems(attacker))
    walk, k, n = walk_of(chain_on(problem, hashed=hashed)), problem.k, problem.network.node_count
    people = walk.people
    draw_usual(data, problem, people)
    find_partners(people, k)
    if data.draw(st.booleans(), label="any partners"):
        others = data.draw(st.lists(st.integers(1, n - 1), min_size=n, max_size=n))
        point(people, [(node + other) % n for node, other in enumerate(others)])
    check_pointing(people)
    costs = data.draw(cost_tables())
    before = slow_energy(recorded_states(problem, people), people, costs, k)
    for move in data.draw(moves(problem)):
        told = cost_of_moving_to(people, costs, k, *move)
        more_energy, more_risk = move_to(walk, costs, k, *move)
        assert told == more_energy
        after = slow_energy(recorded_states(problem, people), people, costs, k)
        assert (more_energy, more_risk) == (after[0] - before[0], after[1] - before[1])
        check_cells(walk, recorded_states(problem, people))
        before = after


@each_attacker
@given(data=st.data())
def test_partners_are_as_near_as_the_slow_twin_says(attacker: str, data: st.DataObject) -> None:
    """The gap is the (k - 1)-th smallest to any other node; and who points at whom is the inverse."""
    problem = data.draw(problems(attacker))
    walk = walk_of(chain_on(problem))
    people = walk.people
    draw_usual(data, problem, people)
    for node, degree, triangles in data.draw(moves(problem)):
        move_to(walk, np.ones((2, 1)), problem.k, node, degree, triangles)
    find_partners(people, problem.k)
    states = recorded_states(problem, people)
    for node, partner in enumerate(people.nodes[:, NodeColumn.PARTNER].tolist()):
        others = [gap_between(states, people, node, other) for other in range(len(states)) if other != node]
        assert partner != node
        assert gap_between(states, people, node, partner) == sorted(others)[problem.k - 2]
    check_pointing(people)


def test_triangles_that_are_usual_follow_the_power_law_of_the_network() -> None:
    """Six tenths of 2 d², which nodes have; those with few contacts or no triangles say nothing."""
    degrees = np.array([4, 5, 8, 10, 3, 2, 9])
    triangles = np.array([32, 50, 128, 200, 1, 1, 0])

    assert usual_triangles(degrees, triangles).tolist() == [round(1.2 * d * d) or 1 for d in range(11)]


@pytest.mark.parametrize(
    ("degrees", "triangles"),
    [([1, 2, 3], [1, 2, 3]), ([5, 6, 7], [0, 0, 0]), ([5, 5, 5], [1, 2, 9]), ([4, 40], [90, 2]), ([], [])],
    ids=["few contacts", "no triangles", "one degree", "falling", "nobody"],
)
def test_nothing_is_usual_where_triangles_do_not_grow_with_contacts(
    degrees: list[int], triangles: list[int]
) -> None:
    """Gaps are then plain differences."""
    assert not usual_triangles(np.array(degrees, dtype=int), np.array(triangles, dtype=int)).any()


@given(data=st.data())
def test_no_more_triangles_are_usual_than_anybody_has(data: st.DataObject) -> None:
    """However steep the power law is; and never fewer with more contacts."""
    counts = data.draw(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 10**6)), max_size=8))
    degrees, triangles = np.array(counts, dtype=np.int64).reshape(-1, 2).T
    usual = usual_triangles(degrees, triangles)

    assert len(usual) == degrees.max(initial=0) + 1
    assert (np.diff(usual) >= 0).all() and 0 <= usual.max() <= triangles.max(initial=0)


@pytest.mark.parametrize("attacker", ["count", "degree", "edge-count"])
def test_only_count_takes_triangles_for_usual(attacker: str) -> None:
    """States of the others have no number of triangles of their own."""
    network = clustered()
    problem = Problem(network, attackers_of(attacker), 2, 1, np.arange(network.edge_count))

    assert numbers_of(problem).usual.any() == (attacker == "count")


@pytest.mark.quick(1)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_partners_in_a_larger_crowd(k: int) -> None:
    """Hundreds of nodes on a few degrees and many triangles: rows above and below are looked at too."""
    rng = np.random.default_rng(k)
    problem = Problem(SQUARE, attackers_of("count"), 2, 1, np.arange(4))
    n = 300
    nodes = np.zeros((n, NODE_COLUMNS), dtype=np.int32)
    nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES] = rng.integers(0, [[12], [200]], (2, n))
    people = walk_of(chain_on(problem)).people
    numbers = people.states.numbers._replace(usual=rng.integers(0, 50, 12, dtype=np.int32))
    people = people._replace(states=people.states._replace(numbers=numbers), nodes=nodes)
    find_partners(people, k)
    states = recorded_states(problem, people)
    in_another_row = 0
    for node, partner in enumerate(nodes[:, NodeColumn.PARTNER].tolist()):
        others = [gap_between(states, people, node, other) for other in range(len(states)) if other != node]
        assert gap_between(states, people, node, partner) == sorted(others)[k - 2]
        in_another_row += states[node][0] != states[partner][0]

    assert 0 < in_another_row < n
    check_pointing(people)


@pytest.mark.quick(2)
@each_kind_of_cells
@each_attacker
@each_with_few_examples
@given(data=st.data())
def test_cells_tell_how_many_nodes_have_a_state(attacker: str, hashed: bool, data: st.DataObject) -> None:
    """Of any degree and triangles: also where no node could have them, which writes nothing."""
    problem = data.draw(problems(attacker))
    people = walk_of(chain_on(problem, hashed=hashed)).people
    states = recorded_states(problem, people)
    degree, triangles = data.draw(st.tuples(st.integers(-3, 14), st.integers(-3, 80)))
    keys = people.states.keys.copy()
    (state,) = states_of(problem, [(degree, triangles)])

    assert size_of(people.states, degree, triangles) == states.count(state)
    assert np.array_equal(people.states.keys, keys)


@pytest.mark.quick(2)
@each_kind_of_cells
@each_attacker
@each_with_few_examples
@given(data=st.data())
def test_a_new_walk_stands_where_it_should(attacker: str, hashed: bool, data: st.DataObject) -> None:
    """Nothing deleted, or what is known; and that is the best so far."""
    problem = data.draw(problems(attacker))
    walk = walk_of(chain_on(problem, hashed=hashed))
    known = [] if problem.known is None else problem.known.tolist()

    check_walk(problem, walk)
    assert sorted(problem.edge_order[walk.present == 0].tolist()) == known
    assert best_of(walk)[1] == len(known)
    assert walk.best.tolist() == walk.present.tolist()
    assert not np.shares_memory(walk.best, walk.present)


@given(data=st.data())
def test_hubs_are_the_best_connected(data: st.DataObject) -> None:
    """Nobody who is no hub knows more people than a hub; there is one if anybody knows anybody, and few."""
    problem = data.draw(problems())
    is_hub = walk_of(chain_on(problem)).people.nodes[:, NodeColumn.IS_HUB]
    degrees = problem.network.degrees
    hubs, others = degrees[is_hub == 1], degrees[is_hub == 0]

    assert len(hubs) > 0
    assert hubs.min() > max(others, default=0)
    assert (degrees > hubs.min()).sum() <= len(degrees) / 10


@each_kind_of_cells
def test_counting_anew_forgets_states_that_nobody_has(hashed: bool) -> None:
    """A triangle with a tail has three states; a fourth is forgotten, and all are in their cells."""
    problem = Problem(TRIANGLE_WITH_TAIL, attackers_of("count"), 2, 1, np.arange(4))
    walk = walk_of(chain_on(problem, hashed=hashed))
    used = [walk.edges.counts[WalkCount.CELLS_USED]]
    move_to(walk, np.ones((2, 1)), problem.k, 3, 0, 0)
    stray = walk.people.nodes[3, NodeColumn.CELL]
    move_to(walk, np.ones((2, 1)), problem.k, 3, 1, 0)
    walk.people.states.cells[stray] = 7, 2
    used.append(walk.edges.counts[WalkCount.CELLS_USED])

    assert count_cells(walk.people, problem.k, walk.edges.counts) == 2
    assert walk.people.states.cells[stray].tolist() == [0, -1]
    assert [*used, walk.edges.counts[WalkCount.CELLS_USED]] == ([3, 4, 3] if hashed else [0, 0, 0])
    assert not hashed or walk.people.states.keys[stray] == EMPTY
    check_walk(problem, walk)


def test_cells_are_hashed_where_there_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are possible states are allowed, one less is not."""
    problem = Problem(TRIANGLE_WITH_TAIL, attackers_of("count"), 2, 1, np.arange(4))
    possible = 4 * 2  # degrees 0 to 3, with one triangle or none
    for most, hashed in ((possible, False), (possible - 1, True)):
        monkeypatch.setattr("netveil.search.annealing.walk.MOST_CELLS", most)
        states = new_walk(problem).people.states
        assert (len(states.keys) > 1) is hashed
        assert (len(states.cells) == possible) is not hashed
