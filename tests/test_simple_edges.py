"""Edges made in the memory of the pairs are those that are made beside them, and those of a plain loop."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from netveil import network as module
from netveil.errors import NetworkError
from netveil.network import Dropped, Network, simple_edges

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


def plainly(pairs: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int, int]:
    """Edges, loops and duplicates, one pair after the other."""
    edges, loops = set(), 0
    for one, other in pairs:
        loops += one == other
        if one != other:
            edges.add((min(one, other), max(one, other)))
    return sorted(edges), loops, len(pairs) - loops - len(edges)


@given(PAIRS, st.integers(1, 20), st.integers(1, 20), st.integers(0, 60))
def test_edges_in_place_are_those_of_a_plain_loop(
    pairs: list[tuple[int, int]], block: int, worth_a_thread: int, in_order_from: int
) -> None:
    """Whatever the size of a block and the number of threads; pairs may be sorted from some place on."""
    pairs[in_order_from:] = sorted((min(pair), max(pair)) for pair in pairs[in_order_from:])
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


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(0, 60), st.integers(1, 20))
def test_the_place_from_which_on_numbers_ascend(numbers: list[int], sorted_from: int, block: int) -> None:
    """As a loop from the end finds it."""
    numbers[sorted_from:] = sorted(numbers[sorted_from:])
    place = len(numbers)
    while place > 0 and numbers[place - 1 : place + 1] == sorted(numbers[place - 1 : place + 1]):
        place -= 1
    with mock.patch.object(module, "_BLOCK", block):
        assert module._start_of_order(np.array(numbers, np.int64)) == place


def test_pairs_that_are_mostly_in_order_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those before are sorted; of others, all."""
    sorted_at_once = []
    whole = module._sort_in_threads

    def noted(keys: np.ndarray, threads: int) -> None:
        sorted_at_once.append(len(keys))
        whole(keys, threads)

    monkeypatch.setattr(module, "_sort_in_threads", noted)
    pairs = np.array([(7, 9), (0, 9), *((node, node + 1) for node in range(8))], dtype=np.int32)
    for given_pairs in (pairs.copy(), pairs[::-1].copy()):
        simple_edges(given_pairs, 10, each_way=False, find_pairs=False, in_place=True)

    assert sorted_at_once == [2, 10]


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
