"""Coarser views of states: each level refines the next, and tables count the nodes of each view."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import SQUARE, TRIANGLE_WITH_TAIL
from naive import level_states, nodes_at_risk, rounded
from netveil.anonymity import attackers_of
from netveil.kernels.annealing import levels as kernels
from netveil.kernels.annealing.walk_state import NodeColumn
from netveil.kernels.following import tables
from netveil.kernels.following.tables import EMPTY
from netveil.search import Problem
from netveil.search.annealing.build_walk import DIGITS
from walks import ATTACKERS, best_of, chain_on, check_walk, known_levels, problems, seek, walk_of
from way_in import way_in

coarse_key, count_level = way_in(kernels.coarse_key), way_in(kernels.count_level)
risk_when_left, risk_when_joined = way_in(tables.risk_when_left), way_in(tables.risk_when_joined)


@given(problems(), st.data())
def test_levels_round_to_leading_binary_digits(problem: Problem, data: st.DataObject) -> None:
    """Any state that deletions may lead to, by the slow twin."""
    levels = known_levels(problem)
    degree = data.draw(st.integers(0, levels.first.shape[1] - 1))
    triangles = data.draw(st.integers(0, levels.second.shape[1] - 1))

    assert levels.first.shape[1] == problem.original.degrees.max() + 1
    assert levels.second.shape[1] == problem.original.triangles.max() + 1
    for number, (of_degree, of_triangles) in enumerate(DIGITS):
        assert levels.first[number, degree] == rounded(degree, of_degree)
        assert levels.second[number, triangles] == rounded(triangles, of_triangles)


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 10**6)), min_size=2, max_size=2),
    st.integers(0, 9),
)
def test_states_equal_at_one_level_are_equal_at_all_above(states: list[tuple[int, int]], near: int) -> None:
    """So a walk may stop looking at the first level where nothing changes; near states meet at some level."""
    states.append((states[0][0] + near, states[0][1] + near))
    views = [level_states(states, DIGITS, level) for level in range(len(DIGITS) + 1)]
    for finer, coarser in pairwise(views):
        for one in range(3):
            for other in range(3):
                assert finer[one] != finer[other] or coarser[one] == coarser[other]


@pytest.mark.parametrize("attacker", ATTACKERS)
@given(data=st.data())
def test_a_level_refines_the_next(attacker: str, data: st.DataObject) -> None:
    """In the tables of a walk: no more classes, and no more nodes at risk, the coarser it is."""
    walk = walk_of(chain_on(data.draw(problems(attacker))))
    slots = walk.counts.nodes[:, NodeColumn.SLOT :].T.tolist()

    assert (np.diff(walk.counts.used) <= 0).all()
    assert (np.diff(walk.counts.at_risk) <= 0).all()
    for finer, coarser in pairwise(slots):
        assert len(set(zip(finer, coarser, strict=True))) == len(set(finer))


def test_weights_of_levels_add_up_to_one() -> None:
    """Smoothing is what being alone at all of them counts."""
    levels = known_levels(Problem(SQUARE, attackers_of("count"), 2, 1, np.arange(4)))

    assert levels.weights.sum() == pytest.approx(1.0)
    assert (levels.weights > 0).all()
    assert len(levels.weights) == len(levels.first) == len(levels.second) == len(DIGITS)


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)), unique=True))
def test_keys_of_different_pairs_differ(pairs: list[tuple[int, int]]) -> None:
    """And none is negative, which would be that of an empty slot."""
    keys = {int(coarse_key(first, second)) for first, second in pairs}

    assert len(keys) == len(pairs)
    assert min(keys, default=0) >= 0 > EMPTY


@given(st.lists(st.integers(0, 2**62), unique=True, max_size=16), st.integers(0, 2))
def test_every_key_has_a_slot_of_its_own_in_its_part_of_the_table(keys: list[int], level: int) -> None:
    """Also when the part is full to the last slot: the search wraps around inside it."""
    slots = 16
    table = np.full((3 * slots, 2), EMPTY, dtype=np.int64)
    found = {}
    for key in keys:
        found[key] = int(seek(table, key, level * slots, slots - 1))
        table[found[key], 0] = key

    assert len(set(found.values())) == len(keys)
    assert all(level * slots <= slot < (level + 1) * slots for slot in found.values())
    for key, slot in found.items():
        assert seek(table, key, level * slots, slots - 1) == slot


@given(st.integers(2, 6), st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_risk_follows_a_node_that_changes_its_class(k: int, classes: list[int], data: st.DataObject) -> None:
    """First it leaves, then it joins; the difference is that of the numbers of nodes at risk."""
    mover = data.draw(st.integers(0, len(classes) - 1))
    target = data.draw(st.integers(0, 3))
    states = [(number, 0) for number in classes]
    before = sum(nodes_at_risk(states, k))
    left = risk_when_left(classes.count(classes[mover]), k)
    without = [*states[:mover], *states[mover + 1 :]]

    assert before + left == sum(nodes_at_risk(without, k))

    joined = risk_when_joined(without.count((target, 0)) + 1, k)

    assert before + left + joined == sum(nodes_at_risk([*without, (target, 0)], k))


@given(problems())
def test_a_new_walk_stands_where_it_should(problem: Problem) -> None:
    """Nothing deleted, or what is known; and that is the best so far."""
    walk = walk_of(chain_on(problem))
    known = [] if problem.known is None else problem.known.tolist()

    check_walk(problem, walk)
    assert sorted(problem.edge_order[walk.present == 0].tolist()) == known
    assert best_of(walk)[1] == len(known)
    assert walk.best.tolist() == walk.present.tolist()


def test_counting_anew_forgets_states_that_nobody_has() -> None:
    """A triangle with a tail has three states; a fourth in the table is gone afterwards."""
    problem = Problem(TRIANGLE_WITH_TAIL, attackers_of("count"), 2, 1, np.arange(4))
    levels, walk = known_levels(problem), walk_of(chain_on(problem))
    stray = int(seek(walk.counts.table, 12345, 0, walk.counts.slots - 1))
    walk.counts.table[stray, 0] = 12345
    walk.counts.used[0] += 1
    walk.counts.at_risk[0] = 99
    count_level(problem.rule, levels, walk.counts, 0)

    assert walk.counts.table[stray].tolist() == [EMPTY, 0]
    assert (walk.counts.used[0], walk.counts.at_risk[0]) == (3, 2)
    check_walk(problem, walk)
