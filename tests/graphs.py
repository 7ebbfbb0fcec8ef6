"""Networks whose answers are known by hand, and Hypothesis strategies that make others."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import strategies as st

from netveil.network import Network

SHARED_NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "networks"

needs_shared = pytest.mark.skipif(
    not SHARED_NETWORKS.is_dir(),
    reason="uses ../shared/networks, which exists on the project's machines only",
)

PATH_OF_THREE = Network.from_edges([("a", "b"), ("b", "c")])
SQUARE = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
TRIANGLE_WITH_TAIL = Network.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
PEOPLE = ("anna", "bob", "cleo", "dan", "eve")
TIES = [("bob", "anna"), ("cleo", "bob"), ("anna", "cleo"), ("dan", "cleo"), ("eve", "dan")]


# Hypothesis looks through every new strategy before it draws: those that come again and again are kept.
@cache
def edge_lists(nodes: int, min_edges: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Any edges among so many nodes, each once."""
    pairs = list(combinations(range(nodes), 2))
    return st.lists(st.sampled_from(pairs), unique=True, min_size=min(min_edges, len(pairs)))


@st.composite
def networks(draw: st.DrawFn, min_nodes: int = 2, max_nodes: int = 12, min_edges: int = 0) -> Network:
    """Any simple network of a few nodes, sparse or dense, isolated nodes included."""
    nodes = draw(st.integers(min_nodes, max_nodes))
    return Network.from_numbered_edges(draw(edge_lists(nodes, min_edges)), nodes)


def limits() -> st.SearchStrategy[dict[str, Fraction]]:
    """Some of the limits, each with a share from 0% to 100%."""
    share = st.integers(0, 20).map(lambda twentieths: Fraction(twentieths, 20))
    return st.dictionaries(st.sampled_from(["clustering", "lcc", "degree"]), share)


def clustered(nodes: int = 60, edges: int = 300, seed: int = 1) -> Network:
    """A small network with many unique nodes: people on a ring know those near them."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, nodes, edges)
    return Network.from_numbered_edges(
        np.column_stack((first, (first + rng.integers(1, 9, edges)) % nodes)), nodes
    )


def with_attributes() -> networkx.Graph[Any]:
    """Five people with ages, one of them unknown, and ties that are the longer the later they come."""
    graph: networkx.Graph[Any] = networkx.Graph()
    for number, person in enumerate(PEOPLE):
        graph.add_node(person, age=20 + number, town=f"town of {person} <&>")
    del graph.nodes["bob"]["age"]
    for number, (source, target) in enumerate(TIES):
        graph.add_edge(source, target, weight=number + 0.5, work=number % 2 == 0)
    return graph
