"""Measure count: states, classes, unique nodes and edges."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import netveil as nv
from graphs import SHARED_NETWORKS, TRIANGLE_WITH_TAIL, needs_shared, networks
from naive import count_states, nodes_at_risk
from netveil.anonymity import classes_of
from netveil.errors import SettingError
from netveil.network import Network


def test_a_triangle_with_a_tail_has_two_unique_nodes() -> None:
    """a and b are alike; c has three contacts, d one: both unique, and so are all edges that touch them."""
    anonymity = nv.measure(TRIANGLE_WITH_TAIL)

    assert anonymity.class_sizes == {1: 2, 2: 2}
    assert (anonymity.classes, anonymity.unique, anonymity.at_risk, anonymity.uniqueness) == (3, 2, 2, 0.5)
    assert TRIANGLE_WITH_TAIL.edge_labels(anonymity.edges_at_risk(TRIANGLE_WITH_TAIL)) == [
        ("a", "c"),
        ("b", "c"),
        ("c", "d"),
    ]


@given(networks(min_nodes=5), st.integers(2, 5))
def test_classes_and_nodes_at_risk_equal_their_definition(network: Network, k: int) -> None:
    """Against networkx and a counter, for any k."""
    states = count_states(network)
    anonymity = nv.measure(network, k=k)

    assert anonymity.classes == len(set(states))
    assert anonymity.nodes_at_risk.tolist() == nodes_at_risk(states, k)
    assert anonymity.at_risk == sum(nodes_at_risk(states, k))
    assert anonymity.unique == sum(size == 1 for size in Counter(states).values())
    assert sum(anonymity.class_sizes.values()) == network.node_count


@example([(number, value, 0) for number in range(5) for value in (0, 2**62 - 1)])  # beyond 64 bits
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**40), st.integers(-5, 5)), min_size=1))
def test_equal_rows_and_no_others_share_a_class(rows: list[tuple[int, int, int]]) -> None:
    """For states of any width and size."""
    class_of, sizes = classes_of(np.array(rows))

    for i, row in enumerate(rows):
        assert [class_of[j] == class_of[i] for j in range(len(rows))] == [other == row for other in rows]
        assert sizes[class_of[i]] == rows.count(row)


@pytest.mark.parametrize("k", [-1, 0, 1, 5])
def test_k_must_hide_somebody_and_fit_the_network(k: int) -> None:
    """k below 2 protects nobody, and four nodes cannot hide in groups of five."""
    with pytest.raises(SettingError, match=f"k = {k}"):
        nv.measure(TRIANGLE_WITH_TAIL, k=k)


PAPER = [
    ("fb-reed98.txt", 962, 18812, 748),
    ("blogs.txt", 1224, 16715, 598),
    ("fb-simmons.txt", 1518, 32988, 1192),
    ("college-msg.txt", 1899, 13838, 454),
    ("grqc.txt", 5242, 14484, 285),
    ("raw/CA-GrQc.txt", 5242, 14484, 285),
    ("raw/CollegeMsg_noTime.txt", 1899, 13838, 454),
    ("raw/moreno_blogs.txt", 1224, 16715, 598),
    ("raw/socfb-Reed98.nauty", 962, 18812, 748),
]


@pytest.mark.quick(1)
@needs_shared
@pytest.mark.parametrize(("file", "nodes", "edges", "unique"), PAPER)
def test_the_papers_networks_have_its_numbers(file: str, nodes: int, edges: int, unique: int) -> None:
    """|V|, |E| and |V_u| of Table 1, from the cleaned files and from those that people publish."""
    network = nv.read(SHARED_NETWORKS / file)

    assert (network.node_count, network.edge_count, nv.measure(network).unique) == (nodes, edges, unique)
