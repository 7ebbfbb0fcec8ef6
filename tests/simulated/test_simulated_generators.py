"""Every generator: simple networks of the asked size and degree, and the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from netveil.errors import SettingError
from netveil.network import Dropped, Network
from netveil.simulated import GENERATORS, check, generate

EXAMPLES: dict[str, dict[str, Any]] = {
    "watts-strogatz": {"degree": 10, "rewiring": 0.2},
    "powerlaw-cluster": {"edges_per_node": 5, "triangles": 0.5},
    "stochastic-blocks": {"degree": 10, "blocks": 8, "inside": 0.6},
    "configuration-triangles": {"degree": 10, "triangles": 0.5},
    "similarity-circle": {"degree": 10, "temperature": 0.5},
    "erdos-renyi": {"degree": 10},
}


def example(kind: str, nodes: int = 600, **changes: Any) -> Network:
    """A network of a kind with average degree 10."""
    return generate({"kind": kind, "nodes": nodes, **EXAMPLES[kind], **changes})


def test_every_generator_has_an_example() -> None:
    """So that none escapes the tests below."""
    assert EXAMPLES.keys() == GENERATORS.keys()


@pytest.mark.parametrize("kind", GENERATORS)
def test_networks_are_simple_and_as_asked(kind: str) -> None:
    """As many nodes as asked, no loop, no edge twice, the average degree about as asked."""
    network = example(kind, nodes=2000)
    keys = network.edges[:, 0].astype(np.int64) * network.node_count + network.edges[:, 1]

    assert (network.name, network.node_count, network.dropped) == (kind, 2000, Dropped())
    assert (network.edges[:, 0] < network.edges[:, 1]).all() and (np.diff(keys) > 0).all()
    assert network.degrees.mean() == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize("kind", GENERATORS)
def test_the_seed_decides(kind: str) -> None:
    """The same seed gives the same network, another seed another one, and no seed is seed 0."""
    assert example(kind, seed=3) == example(kind, seed=3)
    assert example(kind, seed=3) != example(kind, seed=4)
    assert example(kind) == example(kind, seed=0)


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_hundred_thousand_edges_are_made(kind: str) -> None:
    """As many as asked for; benchmarks/bounds.py says how fast."""
    degree = {"edges_per_node": 10} if kind == "powerlaw-cluster" else {"degree": 20}
    network = example(kind, nodes=10_000, **degree)

    assert network.edge_count == pytest.approx(100_000, rel=0.05)


@pytest.mark.parametrize("kind", GENERATORS)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_allowed_gives_a_simple_network(kind: str, data: st.DataObject) -> None:
    """Also the smallest and densest networks; nothing hangs."""
    nodes = data.draw(st.integers(2, 30))
    share = data.draw(st.sampled_from([0, 0.3, 1]))
    spec: dict[str, Any] = {"kind": kind, "nodes": nodes, "seed": data.draw(st.integers(0, 99))}
    for key in EXAMPLES[kind]:
        whole = key in ("edges_per_node", "blocks") or (kind, key) == ("watts-strogatz", "degree")
        spec[key] = data.draw(st.integers(0, nodes)) if whole or key == "degree" else share
    try:
        check(spec)
    except SettingError:
        return
    network = generate(spec)

    assert network.node_count == nodes
    assert (network.edges[:, 0] < network.edges[:, 1]).all()


def test_complete_networks_are_possible() -> None:
    """Where every pair has the chance 1."""
    assert example("erdos-renyi", nodes=20, degree=19).edge_count == 190
    blocks = example("stochastic-blocks", nodes=20, degree=9, blocks=2, inside=1)
    assert blocks.edge_count == 90


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({}, "it must be a table with a kind: watts-strogatz, powerlaw-cluster"),
        ({"kind": "watts-strogats"}, "unknown kind 'watts-strogats': did you mean watts-strogatz?"),
        ({"kind": "erdos-renyi", "nodes": 9}, "generate, erdos-renyi: degree is missing. The keys are "),
        (
            {"kind": "erdos-renyi", "nodes": 9, "degre": 2},
            "generate, erdos-renyi: unknown key 'degre': did you mean degree?",
        ),
        ({"kind": "erdos-renyi", "nodes": "9", "degree": 2}, "nodes = '9': it must be a whole number."),
        ({"kind": "erdos-renyi", "nodes": 9.5, "degree": 2}, "nodes = 9.5: it must be a whole number."),
        ({"kind": "erdos-renyi", "nodes": 9, "degree": True}, "degree = True: it must be a number."),
        ({"kind": "erdos-renyi", "nodes": 9, "degree": float("nan")}, "degree = nan: it must be a number."),
        ({"kind": "erdos-renyi", "nodes": 1, "degree": 0}, "nodes = 1: it must be between 2 and 1,000,000."),
        (
            {"kind": "erdos-renyi", "nodes": 9, "degree": 9},
            "degree = 9: it must be between 0 and nodes - 1 = 8.",
        ),
        ({"kind": "erdos-renyi", "nodes": 9, "degree": 2, "seed": -1}, "seed = -1: it must be between 0 and"),
        ({"kind": "erdos-renyi", "nodes": 10**6, "degree": 50}, "it gives more than 20,000,000 edges"),
        ({"kind": "watts-strogatz", "nodes": 9, "degree": 3, "rewiring": 0}, "degree = 3: it must be even"),
        (
            {"kind": "watts-strogatz", "nodes": 9, "degree": 2, "rewiring": 2},
            "rewiring = 2: it must be between",
        ),
        (
            {"kind": "powerlaw-cluster", "nodes": 9, "edges_per_node": 9, "triangles": 0},
            "edges_per_node = 9: it",
        ),
        (
            {"kind": "powerlaw-cluster", "nodes": 9, "edges_per_node": 2, "triangles": -1},
            "triangles = -1: it",
        ),
        ({"kind": "stochastic-blocks", "nodes": 9, "degree": 1, "blocks": 5, "inside": 0}, "blocks = 5: it"),
        ({"kind": "stochastic-blocks", "nodes": 9, "degree": 1, "blocks": 2, "inside": 3}, "inside = 3: it"),
        (
            {"kind": "stochastic-blocks", "nodes": 9, "degree": 6, "blocks": 3, "inside": 1},
            "degree = 6: it must be such that a node's group (3 nodes) has room for the share inside",
        ),
        ({"kind": "configuration-triangles", "nodes": 9, "degree": 2, "triangles": 2}, "triangles = 2: it"),
        (
            {"kind": "configuration-triangles", "nodes": 9, "degree": 2, "triangles": 0, "spread": 9},
            "spread = 9: it must be between 0 and 3.",
        ),
        (
            {"kind": "configuration-triangles", "nodes": 100, "degree": 10, "triangles": 1, "spread": 3},
            "degree = 10: it must be at most 0.2 with these nodes and this spread: nodes / (5 (1 + spread²)",
        ),
        (
            {"kind": "configuration-triangles", "nodes": 100, "degree": 99, "triangles": 1, "spread": 0},
            "degree = 99: it must be at most 20 with these nodes",
        ),
        ({"kind": ["x"]}, "unknown kind '['x']'"),
        ({"kind": "erdos-renyi", "nodes": 10**5000, "degree": 2}, "digits): it must be between 2 and"),
        ({"kind": "erdos-renyi", "nodes": 9, "degree": 10**400}, "digits): it must be a number."),
        (
            {"kind": "stochastic-blocks", "nodes": 1, "degree": -1, "blocks": 0, "inside": 2, "seed": -1},
            "blocks = 0: it must be 2 or more, and at most half the nodes. generate, stochastic-blocks: ",
        ),
        ({"kind": "similarity-circle", "nodes": 9, "degree": 2, "temperature": 3}, "temperature = 3: it"),
        ({"kind": "similarity-circle", "nodes": 9, "degree": 6, "temperature": 0}, "at most half the nodes"),
        ({"kind": "similarity-circle", "nodes": 10**5, "degree": 6, "temperature": 0}, "at most 30,000"),
    ],
)
def test_what_cannot_be_generated(spec: dict[str, Any], what: str) -> None:
    """One line with the key, its value and the rule, before anything is made."""
    for attempt in (check, generate):
        with pytest.raises(SettingError) as raised:
            attempt(spec)
        assert what in str(raised.value) and "\n" not in str(raised.value)
