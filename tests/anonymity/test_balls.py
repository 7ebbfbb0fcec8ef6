"""Kernels on surroundings and on rows, against networkx and plain Python."""

from __future__ import annotations

from itertools import pairwise
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import networks
from naive import graph_without
from naive_measures import ball, same_partition, same_rooted
from netveil.kernels.balls import ball_degrees, ball_drawings, ball_numbers, ball_shapes
from netveil.kernels.classes import classes_of_hashed_rows, classes_of_rows, sort_rows, write_hashes
from netveil.network import Network

distances = st.integers(1, 3)


def all_edges(network: Network) -> NDArray[np.uint8]:
    """Flags that say that every edge is there."""
    return np.ones(network.edge_count, np.uint8)


def rows_of(offsets: NDArray[np.int64], values: NDArray[np.int64]) -> list[list[int]]:
    """Ragged rows as lists."""
    return [values[first:last].tolist() for first, last in pairwise(offsets)]


def ragged(rows: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lists as ragged rows."""
    lengths = [len(row) for row in rows]
    values = np.array([value for row in rows for value in row], dtype=np.int64)
    return np.cumsum([0, *lengths], dtype=np.int64), values


@given(networks(min_edges=1), distances, st.data())
def test_edges_that_are_not_present_are_not_seen(
    network: Network, distance: int, data: st.DataObject
) -> None:
    deleted = data.draw(st.sets(st.integers(0, network.edge_count - 1)))
    nodes = np.array(data.draw(st.lists(st.integers(0, network.node_count - 1))), dtype=np.int64)
    left = network.without_edges(sorted(deleted))
    present = all_edges(network)
    present[sorted(deleted)] = 0
    flagged = (network.csr, present, nodes, distance)
    without = (left.csr, all_edges(left), nodes, distance)

    assert ball_numbers(*flagged).tolist() == ball_numbers(*without).tolist()
    assert rows_of(*ball_degrees(*flagged)) == rows_of(*ball_degrees(*without))
    assert ball_shapes(*flagged).tolist() == ball_shapes(*without).tolist()
    assert rows_of(*ball_drawings(*flagged)) == rows_of(*ball_drawings(*without))


@given(networks(), distances, st.data())
def test_shapes_do_not_depend_on_numbers(network: Network, distance: int, data: st.DataObject) -> None:
    number = np.array(data.draw(st.permutations(range(network.node_count))))
    other = network.relabelled(number)
    everyone = np.arange(network.node_count)
    shapes = ball_shapes(network.csr, all_edges(network), everyone, distance)

    assert (ball_shapes(other.csr, all_edges(other), number, distance) == shapes).all()


@given(networks(max_nodes=7), distances)
def test_shapes_tell_small_surroundings_apart(network: Network, distance: int) -> None:
    """In a network of seven nodes, refinement tells all rooted surroundings apart.

    The smallest two that it cannot tell apart, a root with two triangles or with a hexagon around it, have
    seven nodes each.
    """
    graph = graph_without(network)
    shapes = ball_shapes(network.csr, all_edges(network), np.arange(network.node_count), distance)
    rooted = [ball(graph, node, distance).copy() for node in graph]
    for node, around in enumerate(rooted):
        nx.set_node_attributes(around, {other: other == node for other in around}, "root")
    for one in graph:
        for other in range(one):
            assert (shapes[one] == shapes[other]) == same_rooted(rooted[one], rooted[other])


rows = st.lists(st.lists(st.integers(-3, 3), max_size=4))


@pytest.mark.parametrize("worth_compiling", [0, 1000], ids=["compiled", "plain"])
@given(some=rows)
def test_classes_of_rows_are_those_of_equal_rows(worth_compiling: int, some: list[list[int]]) -> None:
    with patch("netveil.kernels.classes.EDGES_WORTH_COMPILING", worth_compiling):
        class_of, classes = classes_of_rows(*ragged(some))
    first = list(dict.fromkeys(map(tuple, some)))

    assert classes == len(first)
    assert class_of.tolist() == [first.index(tuple(row)) for row in some]


@given(rows, st.integers(1, 3))
def test_rows_whose_hashes_collide_are_still_told_apart(some: list[list[int]], hashes: int) -> None:
    """With one, two or three different hashes for all rows, the classes are the same."""
    offsets, values = ragged(some)
    few = np.empty(len(some), np.uint64)
    write_hashes(offsets, values, few)
    few %= np.uint64(hashes)
    class_of, classes = classes_of_hashed_rows(offsets, values, few)

    assert classes == len(set(map(tuple, some)))
    assert same_partition(class_of.tolist(), list(map(tuple, some)))


@given(st.lists(st.lists(st.integers(-50, 50), max_size=40)))
def test_rows_are_sorted_each_by_itself(some: list[list[int]]) -> None:
    offsets, values = ragged(some)
    sort_rows(offsets, values)

    assert rows_of(offsets, values) == [sorted(row) for row in some]
