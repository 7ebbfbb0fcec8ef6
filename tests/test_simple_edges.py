"""Edges made in the memory of the pairs are those that are made beside them, and those of a plain loop."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from netveil import simple_edges as module
from netveil.errors import NetworkError
from netveil.network import Dropped, Network
from netveil.simple_edges import simple_edges

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


def plainly(pairs: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int, int]:
    """Edges, loops and duplicates, one pair after the other."""
    edges, loops = set(), 0
    for one, other in pairs:
        loops += one == other
        if one != other:
            edges.add((min(one, other), max(one, other)))
    return sorted(edges), loops, len(pairs) - loops - len(edges)


@given(PAIRS, st.integers(1, 20), st.integers(1, 20))
def test_edges_in_place_are_those_of_a_plain_loop(
    pairs: list[tuple[int, int]], block: int, worth_a_thread: int
) -> None:
    """Whatever the size of a block and the number of threads."""
    given_pairs = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    with (
        mock.patch.object(module, "_BLOCK", block),
        mock.patch.object(module, "KEYS_WORTH_A_THREAD", worth_a_thread),
        mock.patch.object(module, "available_cores", return_value=3),
    ):
        in_place = simple_edges(given_pairs.copy(), 13, each_way=False, find_pairs=False, in_place=True)
        beside = simple_edges(given_pairs, 13, each_way=False, find_pairs=False)
    edges, loops, duplicates = plainly(pairs)

    for found in (in_place, beside):
        assert [tuple(edge) for edge in found.edges.tolist()] == edges
        assert (found.self_loops, found.duplicates) == (loops, duplicates)
        assert found.edges.dtype == np.int32
    assert given_pairs.tolist() == [list(pair) for pair in pairs]


def test_edges_are_made_in_the_memory_of_the_pairs() -> None:
    """Only where they are numbers of 32 bits that lie together, and nobody asks for more."""
    narrow, wide = (np.array([[5, 1], [1, 5], [2, 2]], dtype=kind) for kind in (np.int32, np.int64))
    network = Network.from_numbered_edges(narrow, 6, in_place=True)
    others = [
        Network.from_numbered_edges(pairs, 6, in_place=True) for pairs in (wide, [(5, 1), (1, 5), (2, 2)])
    ]

    assert np.shares_memory(network.edges, narrow) and not network.edges.flags.writeable
    assert not np.shares_memory(others[0].edges, wide)
    assert all(other == network and other.dropped == Dropped(1, 1) for other in (network, *others))


@pytest.mark.parametrize("pair", [(0, 6), (-1, 2)])
def test_a_number_that_is_no_node_is_told(pair: tuple[int, int]) -> None:
    """Before anything is overwritten."""
    pairs = np.array([(1, 2), pair], dtype=np.int32)

    with pytest.raises(NetworkError, match="between 0 and 5"):
        Network.from_numbered_edges(pairs, 6, in_place=True)
    assert pairs.tolist() == [[1, 2], list(pair)]
