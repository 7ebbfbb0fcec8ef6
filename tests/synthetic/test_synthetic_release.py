"""Synthetic releases: who is which node is a secret, nothing published tells it, and the folder is whole."""

from __future__ import annotations

import csv
import getpass
import hmac
import json
import socket
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import netveil as nv
from graphs import clustered
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.network import Network
from netveil.release.records import keyed_permutation, run_record
from netveil.release.synthetic_release import load_drawn
from netveil.report import Evidence, render_synthetic
from netveil.synthetic import make_table
from netveil.utility import METRICS, MetricSettings, Side, communities, metric
from netveil.utility.metric import Property
from releases import everything_below, write_contacts

BRIEF: dict[str, Any] = {"utility": False, "audit": False}
RING = clustered()
KARATE = nv.load("karate")
SEED = 918273645
PRIVATE = {
    "table.csv",
    "table-ties.csv",
    "labels.csv",
    "run.json",
    "report.html",
    "sign-off.html",
    "decision.json",
    "decision.md",
}


@pytest.fixture(autouse=True)
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of Louvain tell as much here as a hundred."""
    monkeypatch.setattr(communities, "RUNS", 10)


@pytest.fixture(scope="module")
def ring() -> nv.SyntheticRelease:
    """Three networks drawn from a table of sixty people."""
    return nv.synthesize(RING, k=4, copies=3, seed=SEED)


def of(graph: networkx.Graph[int]) -> Network:
    return Network.from_networkx(graph)


def changed(file: Path, **values: Any) -> None:
    record = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(record | values), encoding="utf-8")


# What is drawn.


def test_the_same_seed_draws_the_same_networks_under_other_numbers(ring: nv.SyntheticRelease) -> None:
    """The seed may be told: the numbers come from a secret of each release."""
    again = nv.synthesize(RING, k=4, copies=3, seed=SEED)
    other = nv.synthesize(RING, k=4, seed=SEED + 1)

    assert again.drawn == ring.drawn
    assert all(one != two for one, two in zip(again.networks, ring.networks, strict=True))
    assert other.drawn[0] != ring.drawn[0]


def test_copies_differ_and_come_from_one_table(ring: nv.SyntheticRelease) -> None:
    one, two, three = ring.drawn

    assert one != two != three != one
    assert all((each.degrees == ring.table.degree[ring.table.row_of_node]).all() for each in ring.drawn)
    assert nv.synthesize(RING, k=4, seed=SEED).drawn == (one,)


def test_true_ties_are_counted_naively(ring: nv.SyntheticRelease) -> None:
    person = {published: label for label, published in ring.labels.items()}
    ties = {frozenset(tie) for tie in RING.to_edges()}
    found = [frozenset((person[u], person[v])) in ties for u, v in ring.network.to_edges()]

    assert 0 < sum(found) < len(found)
    assert ring.true_ties == pytest.approx(sum(found) / len(found))
    compared = nv.compare(RING, ring)
    assert (compared.kind, compared.true_ties) == ("synthetic", ring.true_ties)
    assert repr(compared) == (
        f"Comparison('network', all {len(found)} edges made up, {sum(found)} of them "
        f"({100 * sum(found) / len(found):.1f}%) as in the original)"
    )


# Who is which node.


def test_each_person_is_a_node_of_the_own_row(ring: nv.SyntheticRelease) -> None:
    table, row_of_person = make_table(RING, 4)
    key = hmac.digest(ring.secret, b"numbers 0", "sha256")
    node_of_number = np.argsort(keyed_permutation(key, RING.node_count))
    node = node_of_number[np.array([ring.labels[label] for label in RING.labels])]

    assert table == ring.table
    assert sorted(node.tolist()) == list(range(RING.node_count))
    assert (table.row_of_node[node] == row_of_person).all()


def test_another_secret_assigns_others_and_all_nodes_of_a_row_alike(ring: nv.SyntheticRelease) -> None:
    """A person of a row of s is each of its nodes about as often as any other: the guarantee rests on it."""
    secrets = [number.to_bytes(32, "big") for number in range(400)]
    person = int(np.argmax(ring.row_of_person == np.argmin(ring.table.people)))
    nodes = Counter(int(replace(ring, secret=secret).node_of_person(0)[person]) for secret in secrets)

    assert len(nodes) == ring.smallest_row
    expected = len(secrets) / ring.smallest_row
    assert all(abs(times - expected) < 4 * expected**0.5 for times in nodes.values())
    one, two = (replace(ring, secret=secret) for secret in secrets[:2])
    assert one.labels != two.labels and one.drawn == two.drawn
    assert (one.node_of_person(0) != one.node_of_person(1)).any()


# What is published.


def test_nothing_private_is_published(tmp_path: Path) -> None:
    network = nv.read(write_contacts(tmp_path))
    release = nv.synthesize(network, k=3, copies=2, seed=SEED)
    nv.save(release, tmp_path / "release", extension="csv", audit=False)
    public, run = tmp_path / "release" / "public", (tmp_path / "release" / "private" / "run.json")
    record = json.loads(run.read_text(encoding="utf-8"))
    secrets = [str(SEED), record["secret"], str(tmp_path), "ward-seven", "clinic", "example.org", "alice"]
    secrets += [record["fingerprint"], record["original_sha256"]]
    secrets += [name for name in (getpass.getuser(), socket.gethostname()) if len(name) > 3]

    for file in public.iterdir():
        text = file.read_text(encoding="utf-8")
        assert not [secret for secret in secrets if secret in text], file.name
        assert stat.S_IMODE(file.stat().st_mode) & 0o444 == 0o444
    assert all(secret in run.read_text(encoding="utf-8") for secret in (str(SEED), record["secret"]))
    about = json.loads((public / "about.json").read_text(encoding="utf-8"))
    assert set(about) == {"netveil", "kind", "about", "k", "anonymity", "copies", "utility"}
    assert about["anonymity"] == {"nodes": 40}
    figures = {name for name, each in METRICS.items() if isinstance(each, Property) and name != "edges"}
    assert about["utility"].keys() == {"edges_published", *figures}
    assert all(set(about["utility"][name]) == {"after"} for name in figures)
    with (public / "network.csv").open(encoding="utf-8", newline="") as stream:
        ties = [tuple(map(int, row[:2])) for row in list(csv.reader(stream))[1:]]
    assert ties == sorted(ties)
    assert sorted(nv.read(public / "network.csv").labels, key=lambda each: int(str(each))) == list(range(40))


def test_published_figures_follow_from_the_published_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where paths are sampled: people drawn by place in the original would tell who is who."""
    for name, value in {"EXACT_WORK": 0, "SAMPLED_WORK": 0, "FEWEST_SOURCES": 20}.items():
        monkeypatch.setattr(metric, name, value)
    release = replace(nv.synthesize(RING, k=4, seed=1), secret=bytes(32))
    nv.save(release, tmp_path / "release", audit=False)
    public = tmp_path / "release" / "public"
    about = json.loads((public / "about.json").read_text(encoding="utf-8"))["utility"]
    published = nv.read(public / "network.txt")
    alone = Side(published, MetricSettings())

    assert about["path_length"]["after"] != nv.compare(RING, release).metrics["path_length"].after
    assert about["path_length"].pop("standard_error") > 0
    assert about.pop("edges_published") == published.edge_count
    for name, told in about.items():
        assert told == {"after": METRICS[name].compare(alone, alone).after}


# The folder.


@pytest.mark.quick(1)
@pytest.mark.parametrize("extension", ["txt", "csv", "graphml"])
def test_a_release_comes_back_from_its_folder(
    ring: nv.SyntheticRelease, tmp_path: Path, extension: str
) -> None:
    folder = nv.save(ring, tmp_path / "release", extension=extension, **BRIEF)
    loaded = nv.load_release(folder)

    names = {f"public/{name}" for name in ("about.json", *DEPOSIT_FILES)}
    names |= {f"public/network{copy}.{extension}" for copy in ("", "-2", "-3")}
    names |= {"public/nodes.csv"} if extension == "csv" else set()
    assert everything_below(folder).keys() == {
        *names, *(f"private/{name}" for name in PRIVATE), "public/", "private/"
    }  # fmt: skip
    private = folder / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in private.iterdir()} == {0o600}
    assert isinstance(loaded, nv.SyntheticRelease) and loaded.original is None
    assert (loaded.networks, loaded.labels, loaded.table) == (ring.networks, ring.labels, ring.table)
    assert loaded.figures() == ring.figures() | {"seconds": loaded.seconds}
    assert loaded.report().html.count("<table") == 1 and "made up" in loaded.report().html
    nv.save(loaded, tmp_path / "again", extension=extension)  # nothing is compared without the original
    assert load_drawn(tmp_path / "again").networks == ring.networks


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda at: changed(at / "private/run.json", row_of_person=[0] * 34), "does not fit its table"),
        (lambda at: changed(at / "private/run.json", row_of_person="x"), "does not fit its table"),
        (lambda at: changed(at / "private/run.json", secret="00" * 32), "does not fit its table"),
        (lambda at: changed(at / "private/run.json", edges="many"), "does not fit its table"),
        (lambda at: changed(at / "private/run.json", copies=3), "it has 2 of 3 networks"),
        (lambda at: (at / "public/network-2.txt").unlink(), "it has 1 of 2 networks"),
        (lambda at: (at / "public/network-2.txt").write_text("a b\n"), "its people are not those of"),
        (lambda at: (at / "private/labels.csv").write_text("original,published\n1,2\n"), "does not fit"),
        (lambda at: (at / "private/table.csv").write_text("community\n"), "do not make a table"),
        (lambda at: (at / "private/table-ties.csv").unlink(), "No such file or directory. Give the"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(tmp_path: Path, damage: Any, message: str) -> None:
    folder = nv.save(nv.synthesize(KARATE, k=3, copies=2, seed=1), tmp_path / "release", **BRIEF)
    damage(folder)

    with pytest.raises(nv.FileError, match=message) as told:
        nv.load_release(folder)
    assert "\n" not in str(told.value)


def test_a_second_table_is_warned_of_and_further_copies_are_not(tmp_path: Path) -> None:
    """Two tables give away what one hides; a release with deleted ties is another matter."""
    first = nv.synthesize(KARATE, k=3, seed=1)
    nv.save(first, tmp_path / "first", **BRIEF)
    nv.save(replace(first, seed=2), tmp_path / "copy", **BRIEF)
    nv.save(nv.synthesize(RING, k=3, seed=1), tmp_path / "another network", **BRIEF)
    with pytest.warns(nv.SecondReleaseWarning, match="drawn from another table of the same network"):
        nv.save(nv.synthesize(KARATE, k=5, seed=1), tmp_path / "second", **BRIEF)
    with pytest.warns(nv.SecondReleaseWarning, match="one of the two is synthetic"):
        nv.save(nv.anonymize(KARATE, 2, algorithm="es", seed=1), tmp_path / "third", **BRIEF)


@pytest.mark.filterwarnings("ignore::netveil.SecondReleaseWarning")
def test_a_policy_takes_a_further_draw_from_one_table_for_no_second_release(tmp_path: Path) -> None:
    policy = tmp_path / "one.toml"
    policy.write_text("[policy]\nsecond_release = false\n")
    first, other = (nv.synthesize(KARATE, k=k, seed=1) for k in (3, 5))
    found = []
    for name, release in (("first", first), ("further", replace(first, seed=2)), ("other", other)):
        folder = nv.save(release, tmp_path / name, policy=policy, **BRIEF)
        rules = json.loads((folder / "private" / "decision.json").read_text())["rules"]
        found += [rule["found"] for rule in rules if rule["rule"] == "second_release"]

    assert found == [False, False, True]


# Networks at the edge.


@pytest.mark.parametrize(
    ("network", "k"),
    [
        (of(networkx.empty_graph(12)), 3),
        (of(networkx.star_graph(11)), 3),
        (of(networkx.complete_graph(8)), 4),
        (of(networkx.disjoint_union(networkx.empty_graph(9), networkx.path_graph(3))), 2),
        (of(networkx.disjoint_union(networkx.cycle_graph(20), networkx.empty_graph(2))), 5),
    ],
    ids=["no ties", "star", "complete", "isolated people and a path", "two isolated people"],
)
def test_any_network_can_be_drawn_and_saved(network: Network, k: int, tmp_path: Path) -> None:
    release = nv.synthesize(network, k=k, seed=1)
    folder = nv.save(release, tmp_path / "release", audit=False)

    assert release.smallest_row >= k and release.ceiling <= 1 / k
    assert release.network.node_count == network.node_count == len(release.labels)
    assert nv.load_release(folder).network == release.network
    assert release.true_ties is not None and 0 <= release.true_ties <= 1


# What other calls say of it.


def test_nobody_is_counted_or_looked_for_in_a_synthetic_network(
    ring: nv.SyntheticRelease, tmp_path: Path
) -> None:
    folder = nv.save(ring, tmp_path / "release", **BRIEF)

    for given in (ring, folder, str(folder)):
        for count in (nv.measure, nv.cascade):
            with pytest.raises(nv.NetworkError, match="noise that belongs to nobody"):
                count(given)
        with pytest.raises(nv.NetworkError, match="ties of a synthetic release are all made up"):
            nv.audit(RING, given)
    assert nv.measure(ring.network).nodes == 60


def test_without_labels_nobody_is_taken_for_somebody_else(ring: nv.SyntheticRelease, tmp_path: Path) -> None:
    folder = nv.save(ring, tmp_path / "release", **BRIEF)
    (folder / "private" / "labels.csv").unlink()

    assert "who is who" in nv.compare(RING, folder).notes[0]
    assert nv.compare(RING, ring).notes == ()


def test_pages_say_what_the_network_is_good_for(ring: nv.SyntheticRelease) -> None:
    found = Evidence(comparison=nv.compare(RING, ring))
    run = run_record(ring, found)
    report, to_sign = (render_synthetic(run, page) for page in ("report", "sign-off"))

    for page in (report, to_sign):
        body = page.partition("<main>")[2]
        assert body.index("All ties of this network are made up") < body.index(">Not protected<")
        assert "who knows whom" in body and "unique" not in body
        assert f"{ring.rows} of 60 people" in body
    assert to_sign.count('<th scope="row">') == 3 and "Signature" in to_sign
    assert report.count('<th scope="row">') == len(METRICS) + 5
