"""The cascade: unique nodes first, then who is the only one of its state next to an identified node."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from graphs import SQUARE, TRIANGLE_WITH_TAIL, networks
from naive_measures import cascade_rounds
from netveil.anonymity.count import Count
from netveil.anonymity.degree import Degree
from netveil.anonymity.partition import cascade
from netveil.network import Network


@given(networks(), st.data())
def test_the_cascade_is_that_of_the_definition(network: Network, data: st.DataObject) -> None:
    """For any states: the same nodes, as many in each round."""
    n = network.node_count
    states = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    found = cascade(network, np.array(states).reshape(-1, 1))
    rounds = cascade_rounds(network, states)

    assert found.rounds == tuple(map(len, rounds))
    assert set(np.flatnonzero(found.identified).tolist()) == set().union(*rounds)
    assert found.total == found.identified.sum()


def test_nobody_is_found_where_nobody_is_unique() -> None:
    """All four look alike."""
    found = cascade(SQUARE, Count().states(SQUARE, 1))

    assert (found.rounds, found.total) == ((0,), 0)


def test_twins_are_not_found_from_their_common_contact() -> None:
    """c and d are unique; a and b look alike, and both are c's."""
    found = cascade(TRIANGLE_WITH_TAIL, Count().states(TRIANGLE_WITH_TAIL, 1))

    assert (found.rounds, found.identified.tolist()) == ((2,), [False, False, True, True])


def test_one_leads_to_the_next_until_two_look_alike() -> None:
    """The hub of three is unique. Of its contacts, x and y look alike, a does not; from a, b is found.

    From b nobody is: a and c have two contacts each, and that a is known already does not help.
    """
    network = Network.from_edges([("h", "x"), ("h", "y"), ("h", "a"), ("a", "b"), ("b", "c"), ("c", "d")])
    found = cascade(network, Degree().states(network, 1))

    assert found.rounds == (1, 1, 1)
    assert [network.labels[node] for node in np.flatnonzero(found.identified).tolist()] == ["h", "a", "b"]
