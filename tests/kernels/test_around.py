"""Edges around some nodes, against definitions by sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, strategies as st

from graphs import networks
from netveil.kernels.balls import mark_around, mark_closing
from netveil.network import Network


def triangles_of(network: Network) -> list[set[int]]:
    """The numbers of the three edges of each triangle."""
    number = {frozenset(pair): edge for edge, pair in enumerate(network.edges.tolist())}
    return [
        {number[frozenset(pair)] for pair in combinations(three, 2)}
        for three in combinations(range(network.node_count), 3)
        if all(frozenset(pair) in number for pair in combinations(three, 2))
    ]


def edges_at(network: Network, nodes: list[int]) -> set[int]:
    """The edges with an end among these nodes."""
    return {edge for edge, ends in enumerate(network.edges.tolist()) if set(ends) & set(nodes)}


@given(networks(), st.data())
def test_edges_at_and_over_against_nodes_are_marked(network: Network, data: st.DataObject) -> None:
    """An edge is over against a node if it closes a triangle with two of the node's."""
    nodes = data.draw(st.lists(st.integers(0, network.node_count - 1), unique=True, min_size=1))
    for opposite in (False, True):
        marks = np.zeros(network.edge_count, np.uint8)
        mark_around(network.csr, np.array(nodes), opposite, marks)
        expected = edges_at(network, nodes)
        for node in nodes if opposite else ():
            own = edges_at(network, [node])
            expected |= {edge for three in triangles_of(network) if len(three & own) == 2 for edge in three}

        assert set(np.flatnonzero(marks).tolist()) == expected


@given(networks(), st.data())
def test_edges_that_close_triangles_are_marked(network: Network, data: st.DataObject) -> None:
    """All edges that are in a triangle with one of these."""
    some = (
        data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True)) if network.edge_count else []
    )
    marks = np.zeros(network.edge_count, np.uint8)
    mark_closing(network.csr, network.edges[some].astype(np.int64).reshape(-1, 2), marks)

    expected = {
        other for three in triangles_of(network) for edge in three & set(some) for other in three - {edge}
    }
    assert set(np.flatnonzero(marks).tolist()) == expected
