"""Rows of a table in which nodes are first met in the order of their numbers."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, strategies as st

from netveil.files import tied_labels
from netveil.network import Network


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.booleans())
def test_rows_are_sorted_by_the_larger_end_and_then_backwards(
    pairs: list[tuple[int, int]], isolated: bool
) -> None:
    """As two sorts of tuples would have them; those without ties stand among them as loops."""
    network = Network.from_numbered_edges(pairs, 10)
    with mock.patch.object(tied_labels, "_BLOCK", 4):
        rows = tied_labels.rows_in_order(network, isolated=isolated)
    alone = [(node, node) for node in np.flatnonzero(network.degrees == 0).tolist()] * isolated
    plain = sorted([*map(tuple, network.edges.tolist()), *alone], key=lambda row: (row[1], -row[0]))

    assert list(map(tuple, rows.tolist())) == plain


def test_a_network_without_nodes_has_no_rows() -> None:
    """Nothing is divided by nothing."""
    assert tied_labels.rows_in_order(Network.from_numbered_edges([], 0), isolated=True).tolist() == []
