"""Who knows whom, filled without sorting, against the same by sorting."""

from __future__ import annotations

import pytest
from hypothesis import given

from graphs import networks
from netveil import network as adjacency
from netveil.network import Network


@given(networks(max_nodes=20))
def test_rows_are_the_same_by_sorting_and_by_filling(network: Network) -> None:
    """Numbers and their types; large networks are filled."""
    csr = network.csr
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "EDGES_WORTH_A_KERNEL", 0)
        filled = adjacency.adjacency(network.edges, network.degrees)

    for one, other in zip(csr, filled, strict=True):
        assert one.tolist() == other.tolist()
        assert (one.dtype, one.flags.writeable) == (other.dtype, other.flags.writeable)
