"""Who is at risk to attackers with doubts, to those who know twins, and to several at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import clustered, networks
from naive_attackers import slow_risk
from netveil.anonymity import MEASURES, Attacker, anonymity_of, attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.states import EMPTY, FlipState, Total, copied, who_is_at_risk, write_signatures
from netveil.network import Network
from netveil.search import Problem

BY_SHAPE = ("ego", "hybrid")
SHARES = [Fraction(percent, 100) for percent in (0, 5, 7, 14, 28, 50, 100)] + [Fraction(1, 3)]


def attackers(names: list[str], most_distance: int = 2) -> st.SearchStrategy[Attacker]:
    """Any attacker with one of these measures: near or far, with or without doubts, with or without twins."""

    def with_measure(name: str) -> st.SearchStrategy[Attacker]:
        measure = MEASURES[name]
        doubts = st.none() | st.sampled_from(SHARES) if measure.numeric else st.none()
        return st.builds(Attacker, st.just(measure), st.integers(1, most_distance), doubts, st.booleans())

    return st.sampled_from(names).flatmap(with_measure)


@st.composite
def problems(draw: st.DrawFn, those: st.SearchStrategy[list[Attacker]], most_nodes: int) -> Problem:
    """A problem on a few nodes with some attackers."""
    network = draw(networks(min_nodes=4, max_nodes=most_nodes, min_edges=1))
    order = np.array(draw(st.permutations(range(network.edge_count))), dtype=np.int64)
    return Problem(network, tuple(draw(those)), draw(st.integers(2, 4)), 0, order)


def flip(of: Problem, state: FlipState, edges: list[int]) -> Network:
    """Flip these edges in one call; the network as it is then."""
    flip_edges(of.topology, of.rule, state, np.array(edges, dtype=np.int64))
    return of.network.without_edges(of.edge_order[state.present == 0])


def flags(of: Problem, state: FlipState) -> list[bool]:
    """Who is at risk, as the search sees it."""
    exposed: list[bool] = who_is_at_risk(of.rule, state).tolist()
    return exposed


def check_scratch(of: Problem, state: FlipState) -> None:
    """Circles and signatures are as if written from scratch; table and marks are left as they were found."""
    scratch = copied(state)
    if state.general is None or scratch.general is None:
        assert of.rule.linear  # whose keys test_signatures looks at
        return
    scratch.general.circles[:] = -1
    write_signatures(of.topology, of.rule, scratch, scratch.general)

    assert scratch.general.circles.tolist() == state.general.circles.tolist()
    assert scratch.general.signatures.tolist() == state.general.signatures.tolist()
    assert not state.general.marks.any()
    if not of.rule.one_table:
        assert (state.table == [EMPTY, 0]).all()


def check_follows(of: Problem, data: st.DataObject) -> None:
    """After every batch of flips, those at risk are those of the recount and of the definition."""
    state = of.fresh_state()
    edges = st.integers(0, of.edge_count - 1)
    assert flags(of, state) == slow_risk(of.network, of.attackers, of.k)
    for batch in data.draw(st.lists(st.lists(edges, max_size=of.network.node_count), max_size=4)):
        left = flip(of, state, batch)
        exact = anonymity_of(left, of.attackers, of.k)
        assert flags(of, state) == exact.nodes_at_risk.tolist() == slow_risk(left, of.attackers, of.k)
        assert state.totals[Total.AT_RISK] == exact.at_risk
        check_scratch(of, state)


NO_SHAPES = [name for name in MEASURES if name not in BY_SHAPE]


@settings(max_examples=120)
@given(data=st.data())
def test_one_attacker_with_any_doubts(data: st.DataObject) -> None:
    """Every measure but shapes, at distances 1 to 3; numbers off by nothing, by all, or between; twins."""
    alone = st.lists(attackers(NO_SHAPES, most_distance=3), min_size=1, max_size=1)
    check_follows(data.draw(problems(alone, most_nodes=12)), data)


@settings(max_examples=120)
@given(data=st.data())
def test_several_attackers_with_any_doubts(data: st.DataObject) -> None:
    """Two or three, each with a distance and doubts of her own, also the same one twice."""
    several = st.lists(attackers(NO_SHAPES), min_size=2, max_size=3)
    check_follows(data.draw(problems(several, most_nodes=12)), data)


@settings(max_examples=60)
@given(data=st.data())
def test_attackers_who_know_shapes(data: st.DataObject) -> None:
    """Alone and with others, on networks too small for two shapes that refinement cannot tell apart."""
    with_shapes = st.tuples(attackers(list(BY_SHAPE)), st.lists(attackers(list(MEASURES)), max_size=2))
    check_follows(data.draw(problems(with_shapes.map(lambda both: [both[0], *both[1]]), 8)), data)


@pytest.mark.parametrize(
    "those",
    [
        attackers_of(["count", "vertex-refinement"]),
        attackers_of(["degree", "count"], fuzzy="7%"),
        attackers_of(list(MEASURES), twins=True),
        attackers_of(["count", "edge-count"], distance=2, fuzzy="14%", twins=True),
        attackers_of("count", fuzzy="28%"),
        attackers_of(["count", "vertex-refinement"], distance=2),
        attackers_of("count", twins=True),
    ],
    ids=lambda those: " + ".join(attacker.name for attacker in those),
)
def test_attackers_on_a_larger_network(those: tuple[Attacker, ...]) -> None:
    """Sixty nodes, where numbers are large enough to be off by some percent; many flips at once and few."""
    network = clustered(edges=90 if those[0].distance > 1 else 200)
    of = Problem(network, those, 3, 0, np.arange(network.edge_count))
    state = of.fresh_state()
    rng = np.random.default_rng(1)
    met = set()
    for size in (1, 2, 10, 40, 1, 60, 80, 1):
        left = flip(of, state, rng.integers(0, of.edge_count, size).tolist())
        exact = anonymity_of(left, those, 3)
        assert flags(of, state) == exact.nodes_at_risk.tolist()
        assert state.totals[Total.AT_RISK] == exact.at_risk
        met.add(tuple(flags(of, state)))
    assert flags(of, state) == slow_risk(left, those, 3)

    assert len(met) > 1


@pytest.mark.parametrize(
    ("fuzzy", "larger", "smaller"),
    [
        ("5%", 20, 19),
        ("7%", 100, 93),
        ("14%", 50, 43),
        ("28%", 25, 18),
        ("29%", 100, 71),
        ("1/3", 30, 20),
        ("100%", 7, 0),
    ],
)
def test_numbers_at_the_edge_of_doubt_are_similar_and_one_more_is_not(
    fuzzy: str, larger: int, smaller: int
) -> None:
    """Two hubs, the smaller just within the share of the larger; not the other way round, and no further.

    Where floating-point numbers go wrong: 0.07 * 100 > 7 and 0.29 * 100 < 29.
    """
    spare = [(0, 2 + leaf) for leaf in range(larger)]
    others = [(1, 2 + larger + leaf) for leaf in range(smaller + 1)]
    network = Network.from_numbered_edges(spare + others, 3 + larger + smaller)
    of = Problem(network, attackers_of("degree", fuzzy=fuzzy), 2, 0, np.arange(network.edge_count))
    state = of.fresh_state()
    first_of_others = network.edges[:, 0].tolist().index(1)
    flip(of, state, [first_of_others])
    at_the_edge = flags(of, state)[:2]
    if smaller > 0:
        flip(of, state, [first_of_others + 1])
    beyond = flags(of, state)[:2]

    share = Fraction(fuzzy.rstrip("%")) / (100 if "%" in fuzzy else 1)
    alone_in_the_middle = larger - smaller > share * smaller
    assert at_the_edge == [False, alone_in_the_middle and smaller > 0]
    assert beyond == [smaller > 0, alone_in_the_middle and smaller > 0]


def test_leaves_of_a_star_are_twins_and_hide_nobody() -> None:
    """Two stars of three leaves are two classes of twins each; once a leaf is cut off, hubs are alone too."""
    network = Network.from_numbered_edges(
        [(hub, 3 * hub + 2 + leaf) for hub in (0, 1) for leaf in range(3)], 8
    )
    of = Problem(network, attackers_of("degree", twins=True), 2, 0, np.arange(6))
    state = of.fresh_state()
    before = flags(of, state)
    flip(of, state, [0])

    assert before == [False] * 8
    assert flags(of, state) == [True, True, True, False, False, False, False, False]


def test_a_number_that_is_known_is_no_member_of_a_circle() -> None:
    """Node 0 knows 1, 2, 3 and has 4 edges around; node 8 knows 1, 2, 4 and has 3: they are no twins."""
    edges = [(0, 1), (0, 2), (0, 3), (1, 5), (1, 8), (2, 3), (2, 8), (3, 4), (4, 8)]
    network = Network.from_numbered_edges(edges, 9)
    attackers = attackers_of("edge-count", twins=True)
    of = Problem(network, attackers, 2, 0, np.arange(9))

    assert flags(of, of.original) == slow_risk(network, attackers, 2)
