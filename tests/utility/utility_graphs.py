"""What the tests of utility share: networks as pairs, in other orders, and as networkx has them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from graphs import networks
from netveil.network import Network
from netveil.utility import MetricSettings, Side

# Two groups of four who all know each other, joined by one edge from d to e; i is a contact of a, j has none.
BARBELL = Network.from_edges(
    [*combinations("abcd", 2), *combinations("efgh", 2), ("d", "e"), ("a", "i")], nodes="abcdefghij"
)
BRIDGE = BARBELL.edge_labels(range(BARBELL.edge_count)).index(("d", "e"))


def side(network: Network, like: Side | None = None, **settings: Any) -> Side:
    return Side(network, MetricSettings(**settings), like)


def plain(network: Network) -> nx.Graph[int]:
    """The same network for networkx, by node number."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.node_count))
    graph.add_edges_from(network.edges.tolist())
    return graph


def reordered(network: Network, order: Sequence[int]) -> Network:
    """The same network whose node v is now node order[v], with its labels."""
    labels = [""] * network.node_count
    for old, new in enumerate(order):
        labels[new] = str(network.labels[old])
    numbers = np.array(order, dtype=np.int64)
    return Network.from_numbered_edges(numbers[network.edges], network.node_count, tuple(labels))


@st.composite
def releases(draw: st.DrawFn, max_nodes: int = 12) -> tuple[Network, Network]:
    """A network, and what is left of it after some edges were deleted."""
    network = draw(networks(max_nodes=max_nodes))
    deleted = draw(st.sets(st.integers(0, max(network.edge_count - 1, 0)), max_size=network.edge_count))
    return network, network.without_edges(sorted(deleted))
