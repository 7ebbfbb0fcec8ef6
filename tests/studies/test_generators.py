"""Every generator: simple networks as asked, the same for the same seed, and what each setting does.

Degrees, clustering and distances are held against theory and networkx's generators.
"""

from __future__ import annotations

import tomllib
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from netveil.errors import SettingError
from netveil.network import Dropped, Network
from netveil.studies.generators import GENERATORS, check, generate

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


each_kind = pytest.mark.parametrize("kind", GENERATORS)  # whose example is above


@each_kind
def test_networks_are_simple_and_as_asked(kind: str) -> None:
    """As many nodes as asked, no loop, no edge twice, the average degree about as asked."""
    network = example(kind, nodes=2000)
    keys = network.edges[:, 0].astype(np.int64) * network.node_count + network.edges[:, 1]

    assert (network.name, network.node_count, network.dropped) == (kind, 2000, Dropped())
    assert (network.edges[:, 0] < network.edges[:, 1]).all() and (np.diff(keys) > 0).all()
    assert network.degrees.mean() == pytest.approx(10, rel=0.05)


@each_kind
def test_the_seed_decides(kind: str) -> None:
    """The same seed gives the same network, another seed another one, and no seed is seed 0."""
    assert example(kind, seed=3) == example(kind, seed=3)
    assert example(kind, seed=3) != example(kind, seed=4)
    assert example(kind) == example(kind, seed=0)


@each_kind
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


WRONG = [
    ("erdos-renyi", "nodes=9", "generate, erdos-renyi: Object missing required field `degree`."),
    ("erdos-renyi", "nodes=9 degre=2", "unknown key 'degre': did you mean degree?"),
    ("erdos-renyi", "nodes='9' degree=2", "Expected `int`, got `str` - at `$.nodes`."),
    ("erdos-renyi", "nodes=9 degree=nan", "degree must be between 0 and nodes - 1 = 8."),
    ("erdos-renyi", "nodes=9 degree=9", "degree must be between 0 and nodes - 1 = 8."),
    ("erdos-renyi", "nodes=9 degree=2 seed=-1", "Expected `int` >= 0 - at `$.seed`."),
    ("erdos-renyi", "nodes=1000000 degree=50", "give more than 20,000,000 edges"),
    ("watts-strogatz", "nodes=9 degree=3 rewiring=0", "degree must be even"),
    ("watts-strogatz", "nodes=9 degree=2 rewiring=2", "Expected `float` <= 1.0 - at `$.rewiring`."),
    ("powerlaw-cluster", "nodes=9 edges_per_node=9 triangles=0", "edges_per_node must be 1 or more"),
    ("stochastic-blocks", "nodes=9 degree=1 blocks=5 inside=0", "blocks must be 2 or more"),
    ("stochastic-blocks", "nodes=9 degree=6 blocks=3 inside=1", "a node's group (3 nodes) has room for"),
    ("configuration-triangles", "nodes=9 degree=2 triangles=0 spread=9", "`float` <= 3.0 - at `$.spread`."),
    (
        "configuration-triangles",
        "nodes=100 degree=10 triangles=1 spread=3",
        "degree must be at most 0.2 with",
    ),
    ("similarity-circle", "nodes=9 degree=6 temperature=0", "at most half the nodes"),
    ("similarity-circle", "nodes=100000 degree=6 temperature=0", "at most 30,000"),
]
SPECS: list[tuple[dict[str, Any], str]] = [
    ({}, "it must be a table with a kind: watts-strogatz, powerlaw-cluster"),
    ({"kind": "watts-strogats"}, "unknown generator 'watts-strogats': did you mean watts-strogatz?"),
    ({"kind": ["x"]}, "generator of type list: "),
    *(({"kind": kind, **tomllib.loads(keys.replace(" ", "\n"))}, what) for kind, keys, what in WRONG),
]


@pytest.mark.parametrize(("spec", "what"), SPECS, ids=range(len(SPECS)))
def test_what_cannot_be_generated(spec: dict[str, Any], what: str) -> None:
    """One line with the key, its value and the rule, before anything is made."""
    for attempt in (check, generate):
        with pytest.raises(SettingError) as raised:
            attempt(spec)
        assert what in str(raised.value) and "\n" not in str(raised.value)


def made(kind: str, **values: Any) -> Network:
    """A network of 1,000 nodes unless told otherwise."""
    return generate({"kind": kind, "nodes": 1000, "seed": 1, **values})


def clustering(network: Network | networkx.Graph[Any]) -> float:
    """The average clustering coefficient, by igraph or networkx."""
    if not isinstance(network, Network):
        return float(networkx.average_clustering(network))
    return float(network.to_igraph().transitivity_avglocal_undirected(mode="zero"))


def distance(network: Network) -> float:
    """The average length of shortest paths."""
    return float(network.to_igraph().average_path_length())


def test_a_ring_without_rewiring_is_the_ring() -> None:
    """Degree 10 throughout, clustering 3 (k - 2) / 4 (k - 1), and everybody looks alike."""
    ring = made("watts-strogatz", degree=10, rewiring=0)

    assert set(ring.degrees.tolist()) == {10}
    assert clustering(ring) == pytest.approx(3 * 8 / (4 * 9))
    assert ring.neighbours(0).tolist() == [1, 2, 3, 4, 5, 995, 996, 997, 998, 999]


@pytest.mark.parametrize("rewiring", [0.1, 0.4])
def test_watts_strogatz_is_as_clustered_as_networkxs(rewiring: float) -> None:
    """Both near C(0) (1 - p)^3."""
    ours = clustering(made("watts-strogatz", degree=10, rewiring=rewiring))
    theirs = clustering(networkx.watts_strogatz_graph(1000, 10, rewiring, seed=2))

    assert ours == pytest.approx(theirs, abs=0.03)
    assert ours == pytest.approx(2 / 3 * (1 - rewiring) ** 3, abs=0.03)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0, 0.9])
def test_powerlaw_cluster_has_hubs_and_triangles_as_networkxs_has(share: float) -> None:
    """Every newcomer brings its ties."""
    network = made("powerlaw-cluster", edges_per_node=5, triangles=share)
    twin = networkx.powerlaw_cluster_graph(1000, 5, share, seed=2)

    assert (network.edge_count, network.degrees[5:].min() >= 5) == (5 * 995, True)
    assert network.degrees.max() > 60
    assert clustering(network) == pytest.approx(clustering(twin), abs=0.06)


def test_blocks_keep_the_share_of_ties_inside() -> None:
    """Seventy per cent of the ties stay in a group of 50; the expected counts match networkx's."""
    network = made("stochastic-blocks", degree=20, blocks=20, inside=0.7)
    block = network.edges // 50
    chances = np.where(np.eye(20, dtype=bool), 14 / 49, 6 / 950).tolist()
    twin = networkx.stochastic_block_model([50] * 20, chances, seed=2)

    assert float((block[:, 0] == block[:, 1]).mean()) == pytest.approx(0.7, abs=0.02)
    assert network.edge_count == pytest.approx(twin.number_of_edges(), rel=0.04)
    assert clustering(network) == pytest.approx(clustering(twin), abs=0.02)


def test_planted_triangles_cluster_and_degrees_stay() -> None:
    """As many triangles as asked for: a node of degree k has q k / 2 of them on average."""
    chance, planted = (
        made("configuration-triangles", nodes=4000, degree=8, triangles=share) for share in (0, 1)
    )

    assert clustering(planted) > 10 * clustering(chance)
    assert len(planted.to_igraph().list_triangles()) == pytest.approx(4000 * 8 / 2 / 3, rel=0.1)
    assert planted.degrees.mean() == pytest.approx(chance.degrees.mean(), rel=0.05)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "share"), [("configuration-triangles", "triangles"), ("similarity-circle", "temperature")]
)
def test_spread_widens_degrees(kind: str, share: str) -> None:
    """The variance is that of chance, and that of expected degrees on top; the average stays."""
    narrow, wide = (made(kind, nodes=3000, degree=10, spread=each, **{share: 0.5}) for each in (0, 0.8))

    assert (wide.degrees.var() - narrow.degrees.var()) == pytest.approx(64, rel=0.3)
    assert wide.degrees.mean() == pytest.approx(narrow.degrees.mean(), rel=0.06)


@pytest.mark.thorough
def test_temperature_lowers_clustering_and_distances_and_keeps_degrees() -> None:
    """From that of real social networks to little."""
    networks = [made("similarity-circle", degree=16, temperature=share) for share in (0, 0.4, 0.7, 1)]
    clusterings, distances = [*map(clustering, networks)], [*map(distance, networks)]

    assert clusterings == sorted(clusterings, reverse=True)
    assert clusterings[0] > 0.7 and clusterings[-1] < 0.12
    assert distances[0] > 2 * distances[1] > 2 * distances[-1]
    assert [each.degrees.mean() for each in networks] == pytest.approx([16] * 4, rel=0.05)
