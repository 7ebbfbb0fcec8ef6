"""The built-in networks: all of them load, `demo` is what it claims to be, and can be made again."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest

from netveil.errors import MissingPackageError
from netveil.network import Dropped
from netveil.opening import BUILTIN, load

SCRIPT = Path(__file__).parents[1] / "scripts" / "make_demo_network.py"
SIZES = {"demo": (1000, 16654), "karate": (34, 78), "les-miserables": (77, 254)}


@pytest.mark.parametrize("name", BUILTIN)
def test_is_a_simple_network_of_the_size_it_states(name: str) -> None:
    """It loads under its name, tells size and source in one sentence, and needs no cleaning."""
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
    assert BUILTIN[name].description.endswith(".") and BUILTIN[name].description.count(". ") == 0
    assert BUILTIN[name].source and BUILTIN.keys() == SIZES.keys()


def test_karate_and_les_miserables_are_those_of_other_packages() -> None:
    """The leaders of the club have 16 and 17 ties, the club 45 triangles; Valjean knows 36 others."""
    karate, characters = load("karate"), load("les-miserables")
    triangles: Any = networkx.triangles(karate.to_networkx())

    assert (karate.degrees[0], karate.degrees[33], sum(triangles.values())) == (16, 17, 3 * 45)
    assert karate.edges.tolist() == sorted(map(list, igraph.Graph.Famous("Zachary").get_edgelist()))
    assert networkx.utils.graphs_equal(
        karate.to_networkx(), networkx.Graph(list(networkx.karate_club_graph().edges))
    )
    assert (characters.labels[int(characters.degrees.argmax())], characters.degrees.max()) == ("Valjean", 36)


def test_only_les_miserables_needs_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)

    assert [load(name).node_count for name in ("demo", "karate")] == [1000, 34]
    assert not BUILTIN["les-miserables"].available()
    with pytest.raises(
        MissingPackageError, match=r"'les-miserables' .* not installed: pip install 'netveil\[networkx\]'"
    ):
        load("les-miserables")


def test_script_makes_the_stored_file_again(tmp_path: Path) -> None:
    """Byte for byte, and small; the network that is loaded has the very edges that the script made."""
    script, again = runpy.run_path(str(SCRIPT)), tmp_path / "demo.npy"
    script["write_demo_network"](again)

    assert again.read_bytes() == script["DEMO_FILE"].read_bytes()
    assert again.stat().st_size < 60_000
    assert (load("demo").edges == script["friendships"]()).all()
