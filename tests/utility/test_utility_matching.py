"""Who is who: nodes matched by label, through a table, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from utility_graphs import reordered

from graphs import SQUARE, networks
from netveil.errors import NetworkError
from netveil.network import Network
from netveil.utility.comparison import matched


@given(networks(), st.data())
def test_a_network_in_another_order_is_matched_by_label(network: Network, data: st.DataObject) -> None:
    """Numbers in the one and text in the other are the same label."""
    order = data.draw(st.permutations(range(network.node_count)))

    assert matched(network, reordered(network, order), None) == network


@given(networks(), st.data())
def test_fresh_labels_are_matched_through_a_table(network: Network, data: st.DataObject) -> None:
    """Which may hold text where the networks hold numbers."""
    order = data.draw(st.permutations(range(network.node_count)))
    released = network.relabelled(np.array(order, dtype=np.int64))
    table = {str(old): str(new) for old, new in enumerate(order)}

    assert matched(network, released, table) == network
    assert matched(network, released, dict(enumerate(order))) == network


def test_a_node_that_is_missing_is_counted_and_not_named() -> None:
    """A file without its isolated nodes."""
    released = Network.from_edges([("a", "b"), ("b", "c")])

    with pytest.raises(NetworkError) as error:
        matched(SQUARE, released, None)
    assert str(error.value) == (
        "the networks do not have the same nodes: 4 in the original, 3 in the released network, 3 in both by "
        "label. Nodes without edges must be in the released file too."
    )


def test_fresh_labels_without_a_table_are_a_mistake_with_a_remedy() -> None:
    """The release folder or its table."""
    with pytest.raises(NetworkError, match=r"0 in both by label\. If the release has fresh labels, give its"):
        matched(SQUARE, SQUARE.relabelled(np.array([3, 2, 1, 0])), None)


def test_a_table_of_another_original_is_a_mistake() -> None:
    """It lacks nodes of this one."""
    with pytest.raises(NetworkError, match=r"has 1 of the original's 4 nodes; give the table"):
        matched(SQUARE, SQUARE, {"a": "0", "x": "1"})


def test_a_table_of_another_release_is_a_mistake() -> None:
    """It knows other published labels."""
    with pytest.raises(NetworkError, match=r"0 in both by label\. Give the table of labels that belongs"):
        matched(SQUARE, SQUARE, dict(zip("abcd", range(4), strict=True)))


@pytest.mark.parametrize("twice", ["original", "released network"])
def test_labels_that_are_the_same_as_text_are_a_mistake(twice: str) -> None:
    """The number 1 and the text 1: nobody could tell which is meant."""
    odd, fine = Network.from_edges([(1, "1")]), Network.from_edges([("1", "2")])

    with pytest.raises(NetworkError, match=f"1 label of the {twice} is not unique"):
        matched(odd, fine, None) if twice == "original" else matched(fine, odd, None)
