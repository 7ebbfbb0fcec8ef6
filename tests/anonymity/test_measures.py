"""Every measure against its definition and against figures of others; fuzzy knowledge and twins; memory."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import naive_measures
import netveil as nv
from graphs import SHARED_NETWORKS, TRIANGLE_WITH_TAIL, clustered, needs_shared, networks
from naive import count_states, graph_without, nodes_at_risk
from naive_measures import same_partition, twin_classes
from netveil import api
from netveil.anonymity import MEASURES, circles, classes_of
from netveil.anonymity.attackers import one_of_each_twin_class, similar_counts, twin_class_of
from netveil.anonymity.count import Count
from netveil.anonymity.degree import Degree
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.edge_count import EdgeCount
from netveil.anonymity.ego import Ego
from netveil.anonymity.hybrid import Hybrid
from netveil.anonymity.measure import Measure
from netveil.anonymity.vertex_refinement import VertexRefinement
from netveil.errors import NetworkError, SettingError
from netveil.kernels import balls, triangles
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network
from netveil.progress import heard_by

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
    assert same_partition(as_tuples(measure.states(network, distance)), slow(network, distance))


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few people are alike, they count as many, so that kernels look at them."""
    monkeypatch.setattr(circles, "EDGES_WORTH_COMPILING", 0)


@pytest.mark.parametrize(("measure", "slow"), [BOTH[3], BOTH[4]], ids=["degree-distribution", "ego"])
@given(networks(), st.integers(1, 3))
def test_kernels_find_the_same_classes(measure: Measure, slow: Slow, network: Network, distance: int) -> None:
    with patch.object(circles, "EDGES_WORTH_COMPILING", 0):
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


DIFFERENT_FROM_DISTANCE_2 = [
    *[(0, 1), (1, 2), (0, 3), (3, 4), (3, 5), (3, 6), (2, 7), (2, 8), (4, 9), (4, 10)],
    *[(11, 12), (12, 13), (12, 14), (11, 15), (15, 16), (15, 17), (13, 18), (14, 19), (14, 20), (14, 21)],
]
"""Around nodes 0 and 11 are equally many nodes and edges; degrees are equal at distance 3, and not at 2."""


@pytest.mark.parametrize("worth_compiling", [0, 1_000_000], ids=["by kernels", "one by one"])
def test_degrees_at_all_distances_count(worth_compiling: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circles, "EDGES_WORTH_COMPILING", worth_compiling)
    network = Network.from_numbered_edges(DIFFERENT_FROM_DISTANCE_2, 22)
    nearest, farther = (DegreeDistribution().states(network, distance)[:, 0] for distance in (1, 3))

    assert nearest[0] == nearest[11] and farther[0] != farther[11]


def test_circles_are_compared_only_where_coarser_measures_leave_people_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On karate, at distance 2: nobody is looked at whom a coarser measure tells apart."""
    karate = nv.load("karate")
    asked: list[set[int]] = []

    def classes(network: Network, distance: int, nodes: IntVector) -> IntVector:
        asked.append(set(nodes.tolist()))
        return np.zeros(len(nodes), dtype=np.int64)

    for module, coarser in (
        ("degree_distribution._farther", Count()),
        ("ego._classes", DegreeDistribution()),
    ):
        class_of, sizes = classes_of(coarser.states(karate, 2))
        monkeypatch.setattr(f"netveil.anonymity.{module}", classes)
        Ego().states(karate, 2)
        assert asked.pop() <= set(np.flatnonzero(sizes[class_of] > 1).tolist())
        monkeypatch.undo()


def test_many_people_are_looked_at_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of them one by one; many people who are alike, or few with large circles, are not."""
    looked_at: list[str] = []

    def in_threads(kernel: Callable[..., Any], *given: Any) -> list[Any]:
        looked_at.append(kernel.__name__)
        return _in_threads(kernel, *given)

    _in_threads = balls.in_threads
    monkeypatch.setattr(balls, "in_threads", in_threads)
    for few in (nx.cycle_graph(1000), nx.complete_graph(20), nx.star_graph(30)):
        Ego().states(Network.from_networkx(few), 2)
    assert set(looked_at) <= {"ball_numbers"}
    for many in (nx.cycle_graph(10_000), nx.complete_graph(100), nx.star_graph(300)):
        looked_at.clear()
        Ego().states(Network.from_networkx(many), 2)
        assert "ball_shapes" in looked_at


@each_measure
def test_a_network_without_edges_has_one_class(measure: Measure, slow: Slow) -> None:
    """Nobody differs where nobody knows anybody; and nobody is no problem."""
    assert len(set(as_tuples(measure.states(Network.from_edges([], "abc"), 2)))) == 1
    assert len(measure.states(Network.from_edges([]), 1)) == 0


@each_measure
def test_numeric_states_are_numbers_and_others_classes(measure: Measure, slow: Slow) -> None:
    node_c = {"degree": (3,), "count": (3, 1), "edge-count": (4,)}
    states = measure.states(TRIANGLE_WITH_TAIL, 1)

    assert measure.numeric == (measure.name in node_c)
    if measure.numeric:
        assert tuple(states[2].tolist()) == node_c[measure.name]
        assert len(measure.states(TRIANGLE_WITH_TAIL, 3)[0]) == len(node_c[measure.name]) * (
            1 if measure.name == "degree" else 3
        )


@each_measure
def test_threads_change_nothing(
    measure: Measure, slow: Slow, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a network and its copy, in which everybody has a lookalike."""
    half = nx.gnm_random_graph(150, 350, seed=1)
    network = Network.from_networkx(nx.disjoint_union(half, half))
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


def test_shapes_that_refinement_cannot_tell_apart_are_told_apart(many: None) -> None:
    """Two triangles or a hexagon: all have two contacts among the six."""
    network = two_drawings()
    ones = np.ones(network.edge_count, np.uint8)
    shapes = balls.ball_shapes(network.csr, ones, np.array([12, 13]), 1)
    states = Ego().states(network, 1)

    assert shapes[0] == shapes[1]
    assert states[12] != states[13]


def test_the_same_shape_is_recognised_however_it_is_numbered(
    many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
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


shares = st.integers(0, 100).map(lambda percent: Fraction(percent, 100)) | st.fractions(0, 1)


@st.composite
def references_and_states(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Some references and some states with as many numbers, close enough to be similar at times."""
    columns = draw(st.integers(1, 4))
    row = st.lists(
        st.integers(0, 30) | st.sampled_from([100, 107, 93, 2**40]), min_size=columns, max_size=columns
    )
    return draw(st.lists(row, min_size=1)), draw(st.lists(row, min_size=1))


@given(references_and_states(), shares)
def test_similar_states_are_those_of_the_definition(
    both: tuple[list[list[int]], list[list[int]]], fuzzy: Fraction
) -> None:
    references, states = both
    found = similar_counts(np.array(references), np.array(states), fuzzy)

    assert found.tolist() == naive_measures.similar_counts(references, states, fuzzy)


@pytest.mark.parametrize("percent", [7, 14, 28, 29, 57, 58])
def test_the_border_is_exact(percent: int) -> None:
    """Of a number a, exactly the numbers within a·percent/100 are similar; floats get some of them wrong."""
    fuzzy = Fraction(percent, 100)
    numbers = np.arange(2000).reshape(-1, 1)
    found = similar_counts(numbers, numbers, fuzzy)
    expected = [min(a + a * percent // 100, 1999) - (a - a * percent // 100) + 1 for a in range(len(numbers))]

    assert found.tolist() == expected


def test_shares_with_many_digits_do_not_overflow() -> None:
    """The product of the share's numerator with a number is beyond 64 bits."""
    share = Fraction(10**18 // 3, 10**18)
    states = np.array([[3 * 10**12], [2 * 10**12], [2 * 10**12 + 1]])

    assert similar_counts(states, states, share).tolist() == [2, 2, 2]


@pytest.mark.many_steps
def test_a_million_alike_are_quick() -> None:
    """Only different states are compared with each other; else this would not end."""
    states = np.ones((1_000_000, 2), dtype=np.int64)

    assert (similar_counts(states, states, Fraction(1, 20)) == 1_000_000).all()


@given(networks())
def test_twins_are_those_of_the_definition(network: Network) -> None:
    """On any small network, against sets; one of each class stands for it."""
    class_of = twin_class_of(network)
    classes = twin_classes(network)
    chosen = one_of_each_twin_class(network, np.zeros(network.node_count, dtype=np.int64))

    assert same_partition(class_of.tolist(), classes)
    assert len(chosen) == len(set(classes)) == len(set(class_of[chosen].tolist()))
    assert (np.diff(chosen) > 0).all()


def test_a_listener_hears_how_far_counting_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, and no more once nobody is to hear."""
    monkeypatch.setattr(triangles, "WEDGES_WORTH_COMPILING", 0)
    monkeypatch.setattr(triangles, "EDGES_WORTH_A_THREAD", 1)
    heard: list[float] = []
    with heard_by(heard.append):
        MEASURES["count"].states(clustered(), 1)
    MEASURES["count"].states(clustered(), 1)

    assert heard == sorted(heard) and heard[-1] == 1 and len(heard) == triangles.PARTS


def test_what_does_not_fit_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """States that are no sums take more; of small networks nobody asks."""
    network = clustered()
    room = [6 * network.edge_count + 130 * network.node_count]
    monkeypatch.setattr(api, "free_memory", lambda: room[0])
    nv.measure(network, "ego")
    monkeypatch.setattr(api, "LARGE", 10)
    monkeypatch.setattr(api, "BYTES_TO_COMPARE", (64, 130))
    nv.measure(network, ["degree", "count", "edge-count"])
    with pytest.raises(NetworkError, match=r"^vertex-refinement of a network with "):
        nv.measure(network, ["count", "vertex-refinement"])
    room[0] -= 1
    with pytest.raises(NetworkError, match=r"^count of a network with .* needs at least") as told:
        nv.measure(network, "count")
    assert "netveil measure --blocks DIR" in told.value.for_command_line()
