"""Drawing sees a table and nothing else, keeps what it must keep and what is asked for, and counts right."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from typing import Any, get_type_hints

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import netveil as nv
from graphs import clustered, networks
from naive import triangles_by_networkx
from netveil.errors import SettingError
from netveil.kernels.swaps import anneal_swaps, spanning_forest
from netveil.network import Network
from netveil.progress import finished
from netveil.synthetic import RowTable, draw_network, drawing, make_table, row_table
from netveil.synthetic.draw_network import _aim, _joined, _random_edges, edges_of, half_edges
from netveil.synthetic.kept_figures import bounds_of, figure_of

RING = clustered(nodes=120, edges=500)
TABLE, _ = make_table(RING, 5, communities=[node // 30 for node in range(120)])


def drawn(table: RowTable, seed: int = 1, copy: int = 0) -> Network:
    return finished(drawing(table, seed, copy))


def inside_of(network: Network, community: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """Neighbours in the own community, node by node."""
    nodes = range(network.node_count)
    return [int((community[network.neighbours(node)] == community[node]).sum()) for node in nodes]


# The border.


def test_drawing_imports_nothing_that_sees_a_network() -> None:
    imported = {
        module: {
            node.module if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(ast.parse(inspect.getsource(module)))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        for module in (draw_network, row_table)
    }
    standard = {
        "__future__",
        "collections.abc",
        "itertools",
        "numpy",
        "numpy.typing",
        "csv",
        "dataclasses",
        "pathlib",
    }

    assert imported[draw_network] - standard == {
        "netveil.kernels.arrays", "netveil.kernels.swaps", "netveil.kernels.triangles", "netveil.network",
        "netveil.progress", "netveil.synthetic.kept_figures", "netveil.synthetic.row_table",
    }  # fmt: skip
    assert imported[row_table] - standard == {"netveil.errors", "netveil.formatting"}


def test_drawing_takes_a_table_and_nothing_of_a_network() -> None:
    assert list(inspect.signature(drawing).parameters) == ["table", "seed", "copy"]
    for _, function in inspect.getmembers(draw_network, inspect.isfunction):
        if function.__module__ == draw_network.__name__:
            hints = get_type_hints(function)
            assert Network not in [hint for name, hint in hints.items() if name != "return"]


# What is drawn.


def test_degrees_ties_inside_and_triangles_are_the_tables() -> None:
    network = drawn(TABLE)
    row = TABLE.row_of_node
    triangles = np.array(list(triangles_by_networkx(network.to_networkx()).values()))
    at_random: nx.Graph[int] = nx.Graph(_random_edges(TABLE, np.random.default_rng(1)).tolist())
    random = np.array(list(triangles_by_networkx(at_random).values()))
    wanted = TABLE.triangles[row]

    assert (network.degrees != TABLE.degree[row]).sum() <= 1  # an odd sum of degrees leaves one out
    assert np.count_nonzero(
        np.array(inside_of(network, TABLE.community[row])) != TABLE.inside[row]
    ) <= 2 * len(TABLE.between)
    assert abs(triangles - wanted).sum() < 0.1 * wanted.sum()
    assert abs(random.sum() - wanted.sum()) > 0.3 * wanted.sum()  # so swaps did it


def test_largest_component_is_the_tables() -> None:
    """A network that falls apart at random is joined, and people apart stay apart."""
    graph = nx.disjoint_union_all(
        [nx.random_labeled_tree(150, seed=1), *(nx.complete_graph(3) for _ in range(8))]
    )
    table, _ = make_table(Network.from_networkx(graph), 3)
    network = drawn(table)
    edges = _random_edges(table, np.random.default_rng(1))
    before: nx.Graph[int] = nx.Graph(edges.tolist())

    largest = max(len(part) for part in nx.connected_components(network.to_networkx()))
    assert max(len(part) for part in nx.connected_components(before)) < largest <= table.largest == 150
    assert largest > 120


@given(networks(min_nodes=6, max_nodes=24, min_edges=4), st.integers(0, 9))
@settings(max_examples=25)
def test_any_network_is_drawn_simple(network: Network, seed: int) -> None:
    table, _ = make_table(network, 2)
    result = drawn(table, seed)

    assert result.dropped.self_loops == result.dropped.duplicates == 0
    assert (result.degrees <= table.degree[table.row_of_node]).all()


def test_cliques_of_the_table_are_drawn_as_cliques(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten groups in which all know each other come back; without cliques at first swaps find few of them."""
    table, _ = make_table(Network.from_networkx(nx.caveman_graph(10, 6)), 5, communities=[0] * 60)
    triangles = []
    for in_clique in (draw_network.IN_CLIQUE, 2.0):
        monkeypatch.setattr(draw_network, "IN_CLIQUE", in_clique)
        edges = _random_edges(table, np.random.default_rng(1))
        triangles.append(sum(triangles_by_networkx(nx.Graph(edges.tolist())).values()))

    assert triangles[0] == 60 * 10 > 3 * triangles[1]


# Bookkeeping of the swaps, against counting anew.


@given(
    networks(min_nodes=8, max_nodes=30, min_edges=10),
    st.integers(0, 2**32),
    st.sampled_from([0.05, 1.0, 50.0]),
)
@settings(max_examples=40)
def test_counts_of_the_swaps_are_right(network: Network, seed: int, heat: float) -> None:
    """Triangles and mixing that swaps keep track of equal those counted anew; the rest never changes."""
    table, _ = make_table(network, 2)
    community = table.community[table.row_of_node]
    edges = _random_edges(table, np.random.default_rng(seed))
    halves, aim = half_edges(edges, community), _aim(table, edges)
    if len(edges) == 0:
        return
    before = Network.from_numbered_edges(edges, table.node_count)
    anneal_swaps(halves, aim, 500, heat, np.array([seed], np.uint64))
    after = Network.from_numbered_edges(edges_of(halves), table.node_count)

    assert after.dropped.self_loops == after.dropped.duplicates == 0
    assert after.degrees.tolist() == before.degrees.tolist()
    assert inside_of(after, community) == inside_of(before, community)
    pairs = [
        sorted(sorted(community[[u, v]].tolist()) for u, v in net.edges.tolist()) for net in (before, after)
    ]
    assert pairs[0] == pairs[1]
    assert aim.triangles.tolist() == list(triangles_by_networkx(after.to_networkx()).values())
    mixing = np.zeros_like(aim.mixing)
    for one, other in np.sort(aim.bin[after.edges], axis=1).tolist():
        mixing[one, other] += 1
    assert np.array_equal(aim.mixing, mixing)
    assert not aim.marks.any()


@given(networks(min_nodes=2, max_nodes=14), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_spanning_forest(network: Network, random: object) -> None:
    """Edges that join are a forest of as many trees as there are components; roots tell the components."""
    root = np.arange(network.node_count, dtype=np.int32)
    edges = np.random.default_rng(3).permutation(network.edges).astype(np.int64)
    joins = spanning_forest(edges, root)

    components = list(nx.connected_components(network.to_networkx()))
    assert joins.sum() == network.node_count - len(components)
    assert sorted(map(sorted, components)) == sorted(
        np.flatnonzero(root == each).tolist() for each in np.unique(root)
    )


def test_joining_keeps_degrees_and_cuts_nothing() -> None:
    """Swaps with spare edges only add to the largest component."""
    graph = nx.disjoint_union_all([nx.cycle_graph(60), *(nx.path_graph(4) for _ in range(10))])
    graph.add_edges_from((node, (node + 7) % 60) for node in range(60))
    graph.add_edges_from((60 + 4 * path, 6 * path) for path in range(10))
    table, _ = make_table(Network.from_networkx(graph), 2, communities=[0] * 100)
    apart = graph.copy()
    apart.remove_edges_from([(60 + 4 * path, 6 * path) for path in range(10)])
    edges = np.array(apart.edges)

    joined = _joined(edges.copy(), np.zeros(100, np.int64), table, np.random.default_rng(1))

    assert np.bincount(joined.ravel()).tolist() == np.bincount(edges.ravel()).tolist()
    assert nx.is_connected(nx.Graph(joined.tolist()))
    assert len({tuple(sorted(edge)) for edge in joined.tolist()}) == len(edges)


# Progress, interruption, length.


def test_progress_is_told() -> None:
    heard = list(drawing(TABLE, 1))

    assert heard == sorted(heard) and heard[0] == 0.0 and heard[-1] == 1.0 and len(heard) > 3


GRAPH = RING.to_networkx()


def test_bounds_are_around_the_figures_of_the_network() -> None:
    bounds = bounds_of(RING, {"clustering": "5%", "path_length": 0.1, "lcc": 0, "assortativity": "20%"})

    clustering = nx.average_clustering(GRAPH)
    assert bounds["clustering"] == pytest.approx((0.95e6 * clustering, 1.05e6 * clustering), abs=1)
    paths = nx.average_shortest_path_length(GRAPH)
    assert bounds["path_length"] == pytest.approx((0.9e6 * paths, 1.1e6 * paths), abs=1)
    assert bounds["lcc"] == (1_000_000, 1_000_000)
    mixing = nx.degree_assortativity_coefficient(GRAPH)
    assert bounds["assortativity"] == pytest.approx((1e6 * (mixing - 0.2), 1e6 * (mixing + 0.2)), abs=1)


def test_a_drawing_short_of_clustering_is_followed_by_one_that_aims_higher() -> None:
    table, _ = make_table(RING, 5)
    first = drawn(table)
    reached = figure_of(first, "clustering")
    wanted = {"clustering": (round(1.03e6 * reached), round(1.2e6 * reached))}

    network = drawn(replace(table, bounds=wanted))

    assert 1.03 * reached <= nx.average_clustering(network.to_networkx()) <= 1.2 * reached


def test_bounds_that_are_kept_change_nothing() -> None:
    table, _ = make_table(RING, 5)

    assert drawn(replace(table, bounds={"lcc": (0, 1_000_000)})) == drawn(table)


def test_what_cannot_be_kept_is_said_with_the_best_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[float] = []

    def spy(network: Network, name: str) -> float:
        if name == "path_length":
            reached.append(figure_of(network, name))
        return figure_of(network, name)

    monkeypatch.setattr(draw_network, "figure_of", spy)
    table, _ = make_table(RING, 5)
    bounds = {"path_length": (9_000_000, 9_500_000), "lcc": (0, 1_000_000)}

    with pytest.raises(SettingError) as error:
        drawn(replace(table, bounds=bounds))

    assert len(set(reached)) == draw_network.MOST_DRAWINGS
    said = str(error.value)
    assert f"path_length is {max(reached):.4f}, not 9.0000 to 9.5000. Allow more" in said
    assert "lcc" not in said and "\n" not in said


REFUSALS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "unknown": (RING, {"degree": "5%"}, "unknown figure 'degree'"),
    "no share": (RING, {"clustering": "x"}, "give a share from 0% to 100%"),
    "undefined": (nx.empty_graph(12), {"path_length": "5%"}, "path_length: this network has none"),
}


@pytest.mark.parametrize(("network", "keep", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(network: Any, keep: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        nv.synthesize(network, k=5, seed=1, keep=keep)


def test_a_release_keeps_what_was_asked_for() -> None:
    release = nv.synthesize(RING, k=3, seed=1, copies=2, keep={"clustering": "5%"})

    for network in release.networks:
        changed = nx.average_clustering(network.to_networkx()) / nx.average_clustering(GRAPH)
        assert changed == pytest.approx(1, abs=0.05)
