"""Twins: nodes with the same neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from graphs import PATH_OF_THREE, SQUARE, TRIANGLE_WITH_TAIL, networks
from naive_measures import same_partition, twin_classes
from netveil.anonymity.attackers import one_of_each_twin_class, twin_class_of
from netveil.network import Network


@given(networks())
def test_twins_are_those_of_the_definition(network: Network) -> None:
    """On any small network, against sets; one of each class stands for it."""
    class_of = twin_class_of(network)
    classes = twin_classes(network)
    chosen = one_of_each_twin_class(network, np.zeros(network.node_count, dtype=np.int64))

    assert same_partition(class_of.tolist(), classes)
    assert len(chosen) == len(set(classes)) == len(set(class_of[chosen].tolist()))
    assert (np.diff(chosen) > 0).all()


@pytest.mark.parametrize(
    ("network", "classes"),
    [
        (PATH_OF_THREE, 2),  # both ends know the middle alone
        (SQUARE, 2),  # those across know the same two
        (TRIANGLE_WITH_TAIL, 3),  # a and b know each other and c
        (Network.from_edges([], "abc"), 1),  # nobody knows anybody: all the same
        (Network.from_edges([("a", "b"), ("c", "d")]), 2),  # two pairs who know different people
        (Network.from_edges([]), 0),
    ],
)
def test_known_networks_have_known_twins(network: Network, classes: int) -> None:
    """Open twins, closed twins, isolated nodes."""
    assert len(one_of_each_twin_class(network, np.zeros(network.node_count, dtype=np.int64))) == classes
