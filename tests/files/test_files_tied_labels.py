"""Rows of a table in which nodes are first met in the order of their numbers."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, strategies as st

from netveil.files import labels
from netveil.network import Network


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.booleans())
def test_rows_are_sorted_by_the_larger_end_and_then_backwards(
    pairs: list[tuple[int, int]], isolated: bool
) -> None:
    """As two sorts of tuples would have them; those without ties stand among them as loops."""
    network = Network.from_numbered_edges(pairs, 10)
    with mock.patch.object(labels, "_BLOCK", 4):
        rows = labels.rows_in_order(network, isolated=isolated)
    alone = [(node, node) for node in np.flatnonzero(network.degrees == 0).tolist()] * isolated
    plain = sorted([*map(tuple, network.edges.tolist()), *alone], key=lambda row: (row[1], -row[0]))

    assert list(map(tuple, rows.tolist())) == plain


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_rows_that_are_quickly_read_are_the_same_rows(pairs: list[tuple[int, int]]) -> None:
    """Nodes are met in the same order, in a few rows at the beginning; the others are as the edges are."""
    network = Network.from_numbered_edges(pairs, 10)
    with mock.patch.object(labels, "_BLOCK", 4):
        rows = list(map(tuple, labels.rows_met_first(network).tolist()))
    plain = list(map(tuple, labels.rows_in_order(network, isolated=True).tolist()))
    met = list(dict.fromkeys(sum(plain, ())))
    few = next(count for count in range(11) if set(sum(rows[:count], ())) == set(range(10)))

    assert sorted(rows) == sorted(plain)
    assert list(dict.fromkeys(sum(rows, ()))) == met
    assert rows[few:] == sorted(rows[few:]) and few <= 10


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_nodes_are_met_row_by_row(pairs: list[tuple[int, int]]) -> None:
    """As keys of a dictionary are; all nodes are in some row."""
    rows = [*pairs, *((node, node) for node in range(10))]
    with mock.patch.object(labels, "_BLOCK", 3):
        met = labels.met_in(np.array(rows), 10)

    assert met.tolist() == list(dict.fromkeys(sum(rows, ())))


def test_a_network_without_nodes_has_no_rows() -> None:
    """Nothing is divided by nothing."""
    nobody = Network.from_numbered_edges([], 0)

    assert labels.rows_in_order(nobody, isolated=True).tolist() == []
    assert labels.rows_met_first(nobody).tolist() == []
    assert labels.met_in(nobody.edges, 0).tolist() == []
