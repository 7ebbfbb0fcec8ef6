"""Sorting for kernels and inside them does what Python's own does; components are those of networkx."""

from __future__ import annotations

from bisect import bisect_left

import networkx as nx
import numpy as np
from hypothesis import example, given, strategies as st

from graphs import networks
from naive import graph_without
from netveil.kernels import basics
from netveil.kernels.arrays import components, stable_order
from netveil.network import Network
from way_in import way_in

sort_part, first_at_least = way_in(basics.sort_part), way_in(basics.first_at_least)

NUMBERS = st.lists(st.integers(-50, 50), max_size=100)
"""Often more than a run, so that runs are merged; and with many that are equal."""


@given(before=NUMBERS, length=st.integers(0, 100), after=NUMBERS, data=st.data())
def test_a_part_is_sorted_and_the_rest_is_left_alone(
    before: list[int], length: int, after: list[int], data: st.DataObject
) -> None:
    """Whatever its length, by keys of all 64 bits; equal ones stay in order."""
    word = st.integers(0, 9) | st.just(2**64 - 1)
    keys = data.draw(st.lists(word, min_size=length, max_size=length))
    part = data.draw(st.permutations(range(length)))
    values, scratch = np.array([*before, *part, *after], dtype=np.int64), np.empty(length, dtype=np.int64)
    sort_part(values, len(before), len(before) + length, np.array(keys, dtype=np.uint64), scratch)

    expected = sorted(part, key=keys.__getitem__)
    assert values.tolist() == [*before, *expected, *after]


@given(NUMBERS.map(sorted), st.integers(-60, 60), st.data())
def test_the_first_value_that_is_large_enough_is_found(
    values: list[int], bound: int, data: st.DataObject
) -> None:
    """In any part of the values, as Python's bisection finds it."""
    first = data.draw(st.integers(0, len(values)))
    last = data.draw(st.integers(first, len(values)))

    found = first_at_least(np.array(values, dtype=np.int64), bound, first, last)

    assert found == bisect_left(values, bound, first, last)


@example([2**16, 0, 2**16 - 1])
@given(st.lists(st.sampled_from([0, 1, 2, 2**15, 2**16 - 1, 2**16, 2**16 + 1, 2**40]), max_size=50))
def test_places_are_in_a_stable_order(values: list[int]) -> None:
    """Also of numbers that 16 bits cannot hold."""
    assert stable_order(np.array(values, dtype=np.int64)).tolist() == sorted(
        range(len(values)), key=values.__getitem__
    )


@example(Network.from_numbered_edges([(node, node + 1) for node in range(6)], 8))  # a chain of smaller ones
@example(Network.from_numbered_edges([(0, 1), (2, 3), (1, 2), (4, 3)], 6))  # several rounds
@given(networks(max_nodes=30))
def test_components_are_numbered_by_their_smallest_node(network: Network) -> None:
    smallest = {node: min(part) for part in nx.connected_components(graph_without(network)) for node in part}
    found = components(network.edges, network.node_count)

    assert found.tolist() == [smallest[node] for node in range(network.node_count)]
