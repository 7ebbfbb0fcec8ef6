"""What may stand for a network in Python: a file, a built-in name, a release, a release folder."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest

import netveil as nv
from netveil.cli import main
from netveil.errors import MissingPackageError
from netveil.network import Dropped
from netveil.opening import BUILTIN, load
from netveil.studies.tuning import tune

KARATE = nv.load("karate")


@pytest.fixture(scope="module")
def release() -> nv.Release:
    """Of the karate club."""
    return nv.anonymize(KARATE, budget=4, seed=1, effort=0.05)


@pytest.fixture(scope="module")
def folder(release: nv.Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, saved."""
    place = tmp_path_factory.mktemp("given") / "saved"
    return nv.save(release, place, utility=False, audit=False)


def test_a_file_or_a_name_is_read(tmp_path: Path) -> None:
    file = tmp_path / "club.csv"
    nv.write(KARATE, file)

    for given in ("karate", str(file), file):
        assert nv.measure(given).at_risk == 15
        assert nv.cascade(given).total == 22
        assert nv.compare(given, KARATE).deleted == 0
    assert nv.audit(file, KARATE, measure="degree", distance=1, matching="none").scored
    release = nv.anonymize(file, budget=0, seed=1)
    assert (release.original.name, release.original.reading) == ("club", nv.read(file).reading)
    assert type(release.graph) is nv.Network


@pytest.mark.parametrize(("given", "what"), [
    ("karata", "karata: there is no such file. As a built-in: .* did you mean karate?"),
    ("people.csv", "people.csv: there is no such file"),
    ("", "is a folder. Give a file in it."),
    ("x" * 300, "it has no suffix that names a format"),
])  # fmt: skip
def test_what_is_neither_is_a_file_error(given: str, what: str) -> None:
    for call in (nv.measure, nv.anonymize, nv.cascade):
        with pytest.raises(nv.FileError, match=what):
            call(given)


@pytest.mark.thorough
def test_a_release_or_its_folder_is_compared_by_its_own_labels(release: nv.Release, folder: Path) -> None:
    """They say the same, and the labels need not be given; given ones win, and wrong ones do not fit."""
    wrong = {label: number for number, label in enumerate(reversed(KARATE.labels))}
    assert nv.compare(KARATE, folder, labels=release.labels).new == 0
    with pytest.raises(nv.NetworkError, match="do not belong together"):
        nv.compare(KARATE, folder, labels=wrong)
    for given in (release, folder, str(folder), folder / "public", folder / "public" / "network.txt"):
        comparison = nv.compare(KARATE, given)
        assert (comparison.deleted, comparison.new) == (len(release.deleted_edges), 0)
        audit = nv.audit(KARATE, given, measure="count", distance=1, matching="none")
        assert audit.scored
        assert (
            audit.attacks == nv.audit(KARATE, release, measure="count", distance=1, matching="none").attacks
        )


@pytest.mark.thorough
def test_the_file_of_a_folder_is_looked_through(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = folder / "public" / "network.txt"
    before = network.read_text(encoding="utf-8")
    try:
        network.write_text(f"# made on Monday by Anna\n{before}", encoding="utf-8")
        leaks = nv.audit(KARATE, folder, measure="degree", distance=1, matching="none").leaks
        quick = "--measure degree --distance 1 --matching none --quiet"
        assert main(["audit", "karate", str(folder), *quick.split()]) == 0
    finally:
        network.write_text(before, encoding="utf-8")

    assert [leak.kind for leak in leaks] == ["comments"]
    assert str(leaks[0]) in capsys.readouterr().out


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "call",
    [
        nv.measure,
        nv.cascade,
        lambda graph: nv.measure("karate").people(graph),
        lambda graph: nv.anonymize(graph, 0, seed=1),
        lambda graph: nv.compare(graph, graph),
        lambda graph: nv.compare(graph, KARATE),
        lambda graph: nv.compare(KARATE, graph),
        lambda graph: nv.audit(graph, graph, measure="degree", distance=1, matching="none"),
        lambda graph: nv.audit_together(graph, [graph, KARATE, graph], measure="degree", matching="none"),
        lambda graph: tune(graph, grid={"crossover": [5, "uniform"], "patience": [1]}, seed=1),
    ],
    ids=[
        *("measure", "cascade", "people", "anonymize", "compare", "original", "released", "audit"),
        *("audit together", "tune"),
    ],
)
@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_one_warning_a_call_tells_of_directions(call: Callable[[Any], object], library: str) -> None:
    graph = KARATE.to_networkx().to_directed() if library == "networkx" else KARATE.to_igraph()
    if library == "igraph":
        graph.to_directed()
    with pytest.warns(nv.DirectionsWarning, match="^directions ignored: ") as caught:
        call(graph)

    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(nv.DirectionsWarning):
        original = nv.anonymize(graph, 0, seed=1).original
    assert original.notes == ("directions ignored",)  # and both directions of a tie are no repeats
    assert (original.edge_count, original.dropped) == (78, nv.Network.from_edges([]).dropped)


def test_a_release_is_measured_as_it_is_published_and_is_no_original(
    release: nv.Release, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in (release, folder, str(folder)):
        assert nv.measure(given).at_risk == release.outcome.at_risk_after < 15
        assert nv.cascade(given).total == nv.cascade(release.network).total
    assert main(["measure", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["at_risk"] == release.outcome.at_risk_after
    calls: list[Any] = [nv.anonymize, lambda given: nv.compare(given, release)]
    for call in calls:
        with pytest.raises(
            nv.NetworkError, match=r"holds two networks; give its \.original, or its \.network"
        ):
            call(release)
        with pytest.raises(nv.FileError, match="is a folder"):
            call(folder)
    for command in (["anonymize"], ["tune"], ["compare", "karate"], ["audit", "karate"]):
        assert main([command[0], str(folder), *command[1:]]) == 2
        assert "is a folder. Give a file in it." in capsys.readouterr().err
    for compares in (nv.compare, nv.audit):
        with pytest.raises(nv.FileError, match=r"is a folder without public/network\.\*"):
            compares(KARATE, tmp_path)


def test_audit_takes_one_or_several_of_each() -> None:
    several: dict[str, Any] = {"measure": ["count", "degree"], "distance": [1, 2], "fuzzy": 0.1}

    assert len(nv.audit(KARATE, KARATE, measure="count", distance=2).attacks) == 6  # with all shares
    assert len(nv.audit(KARATE, KARATE, **several).attacks) == 8


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
    """Without it the error says what to install; `demo` and `karate` still load."""
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
