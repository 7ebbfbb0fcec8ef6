"""Every measure against its definition and against figures of others."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive_measures
import netveil as nv
from graphs import SHARED_NETWORKS, TRIANGLE_WITH_TAIL, needs_shared, networks
from naive import graph_without
from naive_measures import same_partition
from netveil.anonymity import MEASURES
from netveil.anonymity.count import Count
from netveil.anonymity.degree import Degree
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.edge_count import EdgeCount
from netveil.anonymity.ego import Ego
from netveil.anonymity.hybrid import Hybrid
from netveil.anonymity.measure import Measure
from netveil.anonymity.vertex_refinement import VertexRefinement
from netveil.kernels import balls
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network

Slow = Callable[[Network, int], list[Hashable]]

BOTH: list[tuple[Measure, Slow]] = [
    (Degree(), naive_measures.degree_states),
    (Count(), naive_measures.count_states),
    (EdgeCount(), naive_measures.edge_count_states),
    (DegreeDistribution(), naive_measures.degree_distribution_states),
    (Ego(), naive_measures.ego_states),
    (VertexRefinement(), naive_measures.vertex_refinement_states),
    (Hybrid(), naive_measures.hybrid_states),
]
each_measure = pytest.mark.parametrize(("measure", "slow"), BOTH, ids=[measure.name for measure, _ in BOTH])


def as_tuples(states: IntMatrix) -> list[Hashable]:
    """Rows that can be compared."""
    assert states.ndim == 2 and states.dtype.kind == "i"
    return list(map(tuple, states.tolist()))


@each_measure
@given(networks(), st.integers(1, 3))
def test_classes_are_those_of_the_definition(
    measure: Measure, slow: Slow, network: Network, distance: int
) -> None:
    """The same nodes look alike, on any small network."""
    assert same_partition(as_tuples(measure.states(network, distance)), slow(network, distance))


@pytest.mark.quick(7)
@each_measure
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_classes_are_those_of_the_definition_on_larger_networks(
    measure: Measure, slow: Slow, distance: int
) -> None:
    """Trees, with many twins, and networks of equal degrees, where only the whole shape tells."""
    graphs = [nx.random_labeled_tree(60, seed=1), nx.random_regular_graph(3, 40, seed=2), nx.cycle_graph(9)]
    network = Network.from_networkx(nx.disjoint_union_all(graphs))

    assert same_partition(as_tuples(measure.states(network, distance)), slow(network, distance))


@each_measure
@given(networks(max_nodes=9, min_edges=1), st.integers(1, 3), st.data())
def test_a_deletion_changes_no_state_beyond_its_reach(
    measure: Measure, slow: Slow, network: Network, distance: int, data: st.DataObject
) -> None:
    """Nodes with both ends, or either, within the distance are all that can change."""
    edge = data.draw(st.integers(0, network.edge_count - 1))
    both_networks = Network.from_networkx(
        nx.disjoint_union(graph_without(network), graph_without(network, [edge]))
    )
    states = slow(both_networks, distance)
    n = network.node_count
    changed = {node for node in range(n) if states[node] != states[node + n]}
    graph = graph_without(network)
    reach = measure.reach(distance)
    near_u, near_v = (
        set(nx.single_source_shortest_path_length(graph, end, reach.distance))
        for end in network.edges[edge].tolist()
    )

    assert changed <= (near_u & near_v if reach.both else near_u | near_v)


@each_measure
def test_a_network_without_edges_has_one_class(measure: Measure, slow: Slow) -> None:
    """Nobody differs where nobody knows anybody; and nobody is no problem."""
    assert len(set(as_tuples(measure.states(Network.from_edges([], "abc"), 2)))) == 1
    assert len(measure.states(Network.from_edges([]), 1)) == 0


@each_measure
def test_numeric_states_are_numbers_and_others_classes(measure: Measure, slow: Slow) -> None:
    """Of the triangle with a tail: c has three contacts, and one tie among them."""
    node_c = {"degree": (3,), "count": (3, 1), "edge-count": (4,)}
    states = measure.states(TRIANGLE_WITH_TAIL, 1)

    assert measure.numeric == (measure.name in node_c)
    if measure.numeric:
        assert tuple(states[2].tolist()) == node_c[measure.name]
        assert len(measure.states(TRIANGLE_WITH_TAIL, 3)[0]) == len(node_c[measure.name]) * (
            1 if measure.name == "degree" else 3
        )


@each_measure
def test_threads_change_nothing(measure: Measure, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of the nodes in several threads have the states of all in one."""
    network = Network.from_networkx(nx.gnm_random_graph(300, 700, seed=1))
    alone = measure.states(network, 2)
    monkeypatch.setattr(balls, "NODES_WORTH_A_THREAD", 10)
    for module in ("count", "degree_distribution", "ego"):
        monkeypatch.setattr(f"netveil.anonymity.{module}.available_cores", lambda: 3)

    assert (measure.states(network, 2) == alone).all()


def test_all_small_networks_have_as_many_shapes_as_there_are() -> None:
    """1 + 1 + 3 + 11 + 58 + 407 + 4306 connected networks of up to seven nodes with a root (OEIS A126100)."""
    connected = [graph for graph in nx.graph_atlas_g() if len(graph) and nx.is_connected(graph)]
    network = Network.from_networkx(nx.disjoint_union_all(connected))

    assert len(np.unique(Ego().states(network, 6))) == 4787


def two_drawings() -> Network:
    """Two hubs that refinement cannot tell apart: one's contacts are two triangles, the other's a hexagon."""
    rings = [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9, 10, 11]]
    edges = [(ring[i], ring[i - 1]) for ring in rings for i in range(len(ring))]
    hubs = [(12, member) for member in range(6)] + [(13, member) for member in range(6, 12)]
    return Network.from_numbered_edges(edges + hubs, 14)


def test_shapes_that_refinement_cannot_tell_apart_are_told_apart() -> None:
    """Two triangles or a hexagon: all have two contacts among the six."""
    network = two_drawings()
    ones = np.ones(network.edge_count, np.uint8)
    shapes = balls.ball_shapes(network.csr, ones, np.array([12, 13]), 1)
    states = Ego().states(network, 1)

    assert shapes[0] == shapes[1]
    assert states[12] != states[13]


def test_the_same_shape_is_recognised_however_it_is_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of a hard network with shuffled numbers, in several batches: a node is like its copies."""
    monkeypatch.setattr("netveil.anonymity.ego.LEAST_BATCH", 10)
    rng = np.random.default_rng(1)
    graph = nx.disjoint_union(graph_without(two_drawings()), nx.petersen_graph())
    copies = [rng.permutation(len(graph)) for _ in range(4)]
    edges = [numbers[list(graph.edges)] + len(graph) * copy for copy, numbers in enumerate(copies)]
    network = Network.from_numbered_edges(np.concatenate(edges), 4 * len(graph))
    for distance in (1, 2):
        states = Ego().states(network, distance)[:, 0]
        first = states[copies[0]]

        assert same_partition(
            first.tolist(), naive_measures.ego_states(Network.from_networkx(graph), distance)
        )
        for copy, numbers in enumerate(copies):
            assert (states[numbers + len(graph) * copy] == first).all()


OURS = Path(__file__).parents[1] / "reference"
THEIRS = SHARED_NETWORKS.parent / "reference"
SCRIPT = Path(__file__).parents[2] / "scripts" / "make_reference_rows.py"
CHEAP = ("karate", "shapes", "erdos-renyi", "watts-strogatz")  # a second or so each, by brute force
LARGE = ("fb-simmons", "blogs", "college-msg", "fb-reed98", "grqc", "fb-friends", "arenas-email")

Row = dict[str, str]


@cache
def reference(folder: Path = OURS) -> dict[str, list[Row]]:
    """The rows of a table, by network; nothing where there is no table."""
    rows = defaultdict(list)
    if (folder / "anonymity.tsv").is_file():
        with (folder / "anonymity.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                rows[row["network"]].append(row)
    return rows


def check_rows(network: Network, rows: list[Row]) -> None:
    """Compare classes and nodes at risk, or identified, as a user asks for them."""
    for row in rows:
        measure, _, variant = row["measure"].partition(", ")
        if measure == "cascade from count":
            assert nv.cascade(network).total == int(row["at_risk"])
            continue
        found = nv.measure(
            network,
            measure,
            k=int(row["k"]),
            distance=int(row["distance"]),
            fuzzy=variant.removeprefix("fuzzy ") if variant.startswith("fuzzy") else None,
            twins=variant == "twin classes",
        )
        assert (found.classes, found.at_risk) == (int(row["classes"]), int(row["at_risk"])), row


@needs_shared
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough) if name in LARGE else name for name in reference(THEIRS)],
)
def test_classes_and_nodes_at_risk_are_those_of_the_reference(name: str) -> None:
    """All measures, distances and variants of one network."""
    check_rows(nv.read(SHARED_NETWORKS / f"{name}.txt"), reference(THEIRS)[name])


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", reference())
def test_every_measure_counts_what_brute_force_counts(name: str) -> None:
    """On networks that are shipped, so that every checkout shows it."""
    file = OURS / f"{name}.txt"
    network = nv.read(file) if file.is_file() else nv.load(name)
    check_rows(network, reference()[name])


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/make_reference_rows.py, imported."""
    spec = spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_has_every_measure_at_both_distances_and_every_variant_of_every_network() -> None:
    """Tests above would pass on an empty table; a new measure or file must be in it."""
    wanted = {(measure, distance, k) for measure, distance, k in product(MEASURES, "12", "235")}
    variants = ("count, fuzzy 5%", "count, fuzzy 10%", "count, twin classes")
    wanted |= {(variant, "1", k) for variant, k in product(variants, "235")} | {
        ("cascade from count", "1", "2")
    }

    assert reference().keys() == {"karate", "demo", *(file.stem for file in OURS.glob("*.txt"))}
    for name, rows in reference().items():
        assert {(row["measure"], row["distance"], row["k"]) for row in rows} == wanted, name
        assert len(rows) == len(wanted), name
    assert not THEIRS.is_dir() or sum(map(len, reference(THEIRS).values())) == 473


@pytest.mark.thorough
@pytest.mark.parametrize("name", CHEAP)
def test_the_script_still_gives_these_rows(name: str, script: ModuleType) -> None:
    """All of a small network, to the letter."""
    rows = [tuple(row.values()) for row in reference()[name]]

    assert list(script.rows_of(name, script.networks()[name]())) == rows


def test_the_script_uses_nothing_of_netveil() -> None:
    """Else it would only find that netveil agrees with itself."""
    code = (
        "import make_reference_rows, sys; print([name for name in sys.modules if name.startswith('netveil')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
