"""What each setting does: degrees, clustering and distances, against theory and networkx's generators."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest

from netveil.network import Network
from netveil.simulated import generate
from netveil.simulated.generator import distinct_numbers, independent_pairs


def made(kind: str, **values: Any) -> Network:
    """A network of 1,000 nodes unless told otherwise."""
    return generate({"kind": kind, "nodes": 1000, "seed": 1, **values})


def clustering(network: Network) -> float:
    """The average clustering coefficient."""
    return float(network.to_igraph().transitivity_avglocal_undirected(mode="zero"))


def distance(network: Network) -> float:
    """The average length of shortest paths."""
    return float(network.to_igraph().average_path_length())


def twin_clustering(graph: networkx.Graph[Any]) -> float:
    """The average clustering coefficient of networkx's network."""
    return float(networkx.average_clustering(graph))


def test_a_ring_without_rewiring_is_the_ring() -> None:
    """Degree 10 throughout, clustering 3 (k - 2) / 4 (k - 1), and everybody looks alike."""
    ring = made("watts-strogatz", degree=10, rewiring=0)

    assert set(ring.degrees.tolist()) == {10}
    assert clustering(ring) == pytest.approx(3 * 8 / (4 * 9))
    assert ring.neighbours(0).tolist() == [1, 2, 3, 4, 5, 995, 996, 997, 998, 999]


def test_rewiring_shortens_distances_long_before_it_lowers_clustering() -> None:
    """The small world of Watts and Strogatz; as many edges whatever is rewired."""
    ring, small_world, chance = (made("watts-strogatz", degree=10, rewiring=share) for share in (0, 0.03, 1))

    assert distance(small_world) < distance(ring) / 5
    assert clustering(small_world) > 0.85 * clustering(ring)
    assert clustering(chance) < 0.03
    assert ring.edge_count == small_world.edge_count == chance.edge_count == 5000


@pytest.mark.parametrize("rewiring", [0.1, 0.4])
def test_watts_strogatz_is_as_clustered_as_networkxs(rewiring: float) -> None:
    """Both near C(0) (1 - p)^3."""
    ours = clustering(made("watts-strogatz", degree=10, rewiring=rewiring))
    theirs = twin_clustering(networkx.watts_strogatz_graph(1000, 10, rewiring, seed=2))

    assert ours == pytest.approx(theirs, abs=0.03)
    assert ours == pytest.approx(2 / 3 * (1 - rewiring) ** 3, abs=0.03)


def test_powerlaw_cluster_has_hubs_and_triangles_as_networkxs_has() -> None:
    """Every newcomer brings its ties; triangles come with the setting, and hubs without it, too."""
    chance, closed = (made("powerlaw-cluster", edges_per_node=5, triangles=share) for share in (0, 0.9))
    twins = [networkx.powerlaw_cluster_graph(1000, 5, share, seed=2) for share in (0, 0.9)]

    for network, twin in zip((chance, closed), twins, strict=True):
        assert network.edge_count == 5 * 995
        assert network.degrees[5:].min() >= 5
        assert network.degrees.max() > 60
        assert clustering(network) == pytest.approx(twin_clustering(twin), abs=0.06)
    assert clustering(closed) > 4 * clustering(chance)


def test_blocks_keep_the_share_of_ties_inside() -> None:
    """Seventy per cent of the ties stay in a group of 50; the expected counts match networkx's."""
    network = made("stochastic-blocks", degree=20, blocks=20, inside=0.7)
    block = network.edges // 50
    inside = float((block[:, 0] == block[:, 1]).mean())
    within, beyond = 14 / 49, 6 / 950
    chances = np.where(np.eye(20, dtype=bool), within, beyond).tolist()
    twin = networkx.stochastic_block_model([50] * 20, chances, seed=2)

    assert inside == pytest.approx(0.7, abs=0.02)
    assert network.edge_count == pytest.approx(twin.number_of_edges(), rel=0.04)
    assert clustering(network) == pytest.approx(twin_clustering(twin), abs=0.02)


def test_blocks_of_all_sizes_cover_the_nodes() -> None:
    """Ten nodes in three groups: sizes differ by one at most, and nothing joins them at `inside = 1`."""
    network = generate({"kind": "stochastic-blocks", "nodes": 10, "degree": 2.4, "blocks": 3, "inside": 1})

    assert sorted(network.to_igraph().connected_components().sizes()) == [3, 3, 4]


def test_planted_triangles_cluster_and_degrees_stay() -> None:
    """As many triangles as asked for: a node of degree k has q k / 2 of them on average."""
    chance, planted = (
        made("configuration-triangles", nodes=4000, degree=8, triangles=share) for share in (0, 1)
    )
    triangles = np.array(planted.to_igraph().list_triangles())

    assert clustering(planted) > 10 * clustering(chance)
    assert len(triangles) == pytest.approx(4000 * 8 / 2 / 3, rel=0.1)
    assert planted.degrees.mean() == pytest.approx(chance.degrees.mean(), rel=0.05)


@pytest.mark.parametrize("triangles", [0, 1])
@pytest.mark.parametrize(("degree", "spread"), [(100, 0), (64, 0.5), (25, 1), (4, 2)])
def test_the_densest_configurations_lose_about_a_tenth_of_their_edges(
    degree: float, spread: float, triangles: float
) -> None:
    """As much as is allowed with 500 nodes; the mean of ten."""
    settings = {"nodes": 500, "degree": degree, "spread": spread, "triangles": triangles}
    degrees = [made("configuration-triangles", **settings, seed=seed).degrees.mean() for seed in range(10)]

    assert 0.84 * degree < np.mean(degrees) < 0.95 * degree


@pytest.mark.parametrize("kind", ["configuration-triangles", "similarity-circle"])
def test_spread_widens_degrees(kind: str) -> None:
    """The variance is that of chance, and that of expected degrees on top; the average stays."""
    share = {"triangles": 0} if kind == "configuration-triangles" else {"temperature": 0.5}
    narrow, wide = (made(kind, nodes=3000, degree=10, spread=spread, **share) for spread in (0, 0.8))

    assert narrow.degrees.var() == pytest.approx(10, rel=0.3)
    assert wide.degrees.var() == pytest.approx(10 + 64, rel=0.3)
    assert wide.degrees.mean() == pytest.approx(narrow.degrees.mean(), rel=0.06)


def test_temperature_lowers_clustering_and_distances_and_keeps_degrees() -> None:
    """From that of real social networks to little."""
    networks = [made("similarity-circle", degree=16, temperature=share) for share in (0, 0.4, 0.7, 1)]
    clusterings, distances = [*map(clustering, networks)], [*map(distance, networks)]

    assert clusterings == sorted(clusterings, reverse=True)
    assert clusterings[0] > 0.7 and clusterings[-1] < 0.12
    assert distances[0] > 2 * distances[1] > 2 * distances[-1]
    for network in networks:
        assert network.degrees.mean() == pytest.approx(16, rel=0.05)


def test_chance_alone_gives_the_clustering_of_chance() -> None:
    """Erdős and Rényi: the clustering is the density, and degrees vary as counts do."""
    network = made("erdos-renyi", nodes=2000, degree=30)

    assert clustering(network) == pytest.approx(30 / 1999, rel=0.1)
    assert network.degrees.var() == pytest.approx(30, rel=0.15)


@pytest.mark.parametrize(("total", "count"), [(10, 0), (10, 3), (10, 7), (10, 10), (1, 1)])
def test_distinct_numbers_are_all_as_likely(total: int, count: int) -> None:
    """None twice, all below the total, each as often as any other."""
    rng = np.random.default_rng(1)
    drawn = np.concatenate([distinct_numbers(total, count, rng) for _ in range(2000)])
    counts = np.bincount(drawn, minlength=total)

    assert len(np.unique(distinct_numbers(total, count, rng))) == count
    assert counts == pytest.approx(np.full(total, 2000 * count / total), abs=150)


def test_pairs_lie_in_their_ranges() -> None:
    """With chance 1 they are all there is."""
    first, last = np.array([0, 0, 1, 0]), np.array([0, 1, 2, 2])

    pairs = independent_pairs(first, last, 1.0, np.random.default_rng(1))
    assert pairs.tolist() == [[0, 1], [1, 2], [0, 3], [1, 3]]
