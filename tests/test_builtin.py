"""The built-in networks: all of them load, `demo` is what it claims to be, and can be made again."""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest

from netveil.errors import MissingPackageError, SettingError
from netveil.network import Dropped, Network
from netveil.opening import BUILTIN, load

SCRIPT = Path(__file__).parents[1] / "scripts" / "make_demo_network.py"
SIZES = {"demo": (1000, 16654), "karate": (34, 78), "les-miserables": (77, 254)}


@pytest.fixture(scope="module")
def demo() -> Network:
    """The network `demo`."""
    return load("demo")


@pytest.fixture(scope="module")
def demo_graph(demo: Network) -> networkx.Graph[Any]:
    """The network `demo` as networkx sees it."""
    return demo.to_networkx()


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """What the script that makes `demo` defines."""
    return runpy.run_path(str(SCRIPT))


def test_every_size_is_known() -> None:
    """The sizes below are those of all built-in networks, so that none escapes the test of its size."""
    assert BUILTIN.keys() == SIZES.keys()


@pytest.mark.parametrize("name", BUILTIN)
def test_is_a_simple_network_of_the_size_it_states(name: str) -> None:
    """A built-in network loads under its name, has the size in its description, and needs no cleaning."""
    network = load(name)
    key = network.edges[:, 0].astype(np.int64) * network.node_count + network.edges[:, 1]

    assert BUILTIN[name].available()
    assert network.name == name == BUILTIN[name].name
    assert (network.node_count, network.edge_count) == SIZES[name]
    assert all(f"{size:,} " in BUILTIN[name].description for size in SIZES[name])
    assert network.dropped == Dropped()
    assert (network.edges[:, 0] < network.edges[:, 1]).all()
    assert (np.diff(key) > 0).all()
    assert len(set(network.labels)) == network.node_count


@pytest.mark.parametrize("name", BUILTIN)
def test_describes_itself_in_one_sentence(name: str) -> None:
    """A description is one sentence, and the source is told."""
    assert BUILTIN[name].description.endswith(".")
    assert BUILTIN[name].description.count(". ") == 0
    assert BUILTIN[name].source


def test_karate_is_zacharys() -> None:
    """The two leaders of the karate club have 16 and 17 ties, and the club holds 45 triangles."""
    karate = load("karate")
    triangles: Any = networkx.triangles(karate.to_networkx())

    assert (karate.degrees[0], karate.degrees[33]) == (16, 17)
    assert sum(triangles.values()) == 3 * 45
    assert karate.edges.tolist() == sorted(map(list, igraph.Graph.Famous("Zachary").get_edgelist()))
    assert networkx.utils.graphs_equal(
        karate.to_networkx(), networkx.Graph(list(networkx.karate_club_graph().edges))
    )


def test_les_miserables_keeps_the_names() -> None:
    """Characters are labelled by name, and Valjean is the hub with 36 others."""
    characters = load("les-miserables")

    assert characters.labels[int(characters.degrees.argmax())] == "Valjean"
    assert characters.degrees.max() == 36


def test_les_miserables_without_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without networkx the network is not available, and the error says what to install."""
    monkeypatch.setitem(sys.modules, "networkx", None)

    assert not BUILTIN["les-miserables"].available()
    with pytest.raises(
        MissingPackageError, match=r"'les-miserables' .* not installed: pip install 'netveil\[networkx\]'"
    ):
        load("les-miserables")


def test_demo_and_karate_need_no_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without networkx the networks `demo` and `karate` still load."""
    monkeypatch.setitem(sys.modules, "networkx", None)

    assert [load(name).node_count for name in ("demo", "karate")] == [1000, 34]


def test_unknown_name_gets_a_suggestion() -> None:
    """A misspelt name is a mistake of the user's, answered by the nearest name and all of them."""
    with pytest.raises(
        SettingError, match=r"unknown network 'karat': did you mean karate\? .*demo, karate, les-mis"
    ):
        load("karat")


def test_demo_degrees_are_heavy_tailed(demo: Network) -> None:
    """At least 15,000 edges; most people know about 24 others, hubs ten times as many, some only 1 to 3."""
    degrees = demo.degrees

    assert demo.edge_count >= 15_000
    assert np.median(degrees) == 24
    assert degrees.max() == 251
    assert np.count_nonzero(degrees >= 150) >= 5
    assert np.count_nonzero((degrees >= 1) & (degrees <= 3)) == 31


def test_demo_is_clustered(demo_graph: networkx.Graph[Any]) -> None:
    """Friends of a person know each other about as often as in a real college network."""
    assert networkx.average_clustering(demo_graph) == pytest.approx(0.35, abs=0.005)
    assert networkx.transitivity(demo_graph) == pytest.approx(0.27, abs=0.005)


def test_demo_is_one_small_world(demo: Network) -> None:
    """Nearly everybody is in one component, a few steps apart, and three people are isolated."""
    graph = demo.to_igraph()

    assert sorted(graph.connected_components().sizes()) == [1, 1, 1, 997]
    assert graph.average_path_length() == pytest.approx(2.48, abs=0.005)
    assert graph.diameter() == 5


def test_demo_has_communities_of_different_sizes(demo_graph: networkx.Graph[Any]) -> None:
    """Louvain finds several communities, the largest at least twice as large as the smallest."""
    communities = networkx.community.louvain_communities(demo_graph, seed=1)
    sizes = sorted(len(community) for community in communities if len(community) > 1)

    assert networkx.community.modularity(demo_graph, communities) == pytest.approx(0.5, abs=0.05)
    assert len(sizes) >= 5
    assert sizes[-1] >= 2 * sizes[0]


def test_most_people_of_demo_are_unique(demo_graph: networkx.Graph[Any]) -> None:
    """741 of 1,000 people are alone with their degree and number of triangles."""
    triangles: Any = networkx.triangles(demo_graph)
    class_sizes = Counter((degree, triangles[person]) for person, degree in demo_graph.degree())

    assert list(class_sizes.values()).count(1) == 741


def test_script_makes_the_stored_file_again(script: dict[str, Any], tmp_path: Path) -> None:
    """The script writes the file that is in the package, byte for byte, and it is small."""
    again = tmp_path / "demo.npy"
    script["write_demo_network"](again)

    assert again.read_bytes() == script["DEMO_FILE"].read_bytes()
    assert again.stat().st_size < 60_000


def test_file_loses_nothing(script: dict[str, Any], demo: Network) -> None:
    """The network that is loaded has the very edges that the script made."""
    assert (demo.edges == script["friendships"]()).all()
