"""Labels that a release publishes: fresh numbers in random order, or the original ones after a warning."""

from __future__ import annotations

import hmac
from dataclasses import replace
from pathlib import Path

import pytest

import netveil as nv
from netveil.release.fresh_numbers import keyed_permutation
from releases import SEED, anonymize, edge_set, leave_out_report, rows, write_contacts


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here asks for it."""
    leave_out_report(monkeypatch)


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    """A file with the network."""
    return write_contacts(tmp_path)


def test_published_labels_are_fresh_numbers_in_random_order(contacts: Path, tmp_path: Path) -> None:
    """All of 0..n-1, isolated nodes included, edges sorted, in an order that depends on the seed."""
    orders = []
    for seed in (1, 2):
        anonymize(contacts, tmp_path / f"release{seed}", seed=seed)
        published = nv.read(tmp_path / f"release{seed}" / "public" / "network.csv")
        labels = rows(tmp_path / f"release{seed}" / "private" / "labels.csv")
        assert published.labels == range(40)
        assert [original for original, _ in labels] == list(nv.read(contacts).labels)
        orders.append([int(number) for _, number in labels])

    text = (tmp_path / "release1" / "public" / "network.csv").read_text(encoding="utf-8").splitlines()
    edges = [tuple(map(int, line.split(","))) for line in text[1:]]
    nodes = (tmp_path / "release1" / "public" / "nodes.csv").read_text(encoding="utf-8").splitlines()
    assert text[0] == "source,target"
    assert nodes == ["node", *map(str, range(40))]
    assert edges == sorted(edges) and all(u < v for u, v in edges)
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(40))
    assert orders[0] != orders[1]
    assert list(range(40)) not in orders


def test_a_guessed_seed_does_not_give_the_order_away() -> None:
    """The same seed orders two networks of the same size differently."""
    path = nv.Network.from_numbered_edges([(node, node + 1) for node in range(30)], 31)
    star = nv.Network.from_numbered_edges([(0, node + 1) for node in range(30)], 31)
    named = replace(path, labels=tuple(f"person{node}" for node in range(31)))

    orders = {
        tuple(nv.anonymize(network, budget=0, seed=1).labels.values()) for network in (path, star, named)
    }

    assert len(orders) == 3


def test_labels_are_kept_only_after_a_warning(
    contacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --keep-labels the published network has them, and --quiet does not silence the warning."""
    anonymize(contacts, tmp_path / "release", "--keep-labels")

    warnings = capsys.readouterr().err
    original = nv.read(contacts)
    published = nv.read(tmp_path / "release" / "public" / "network.csv")
    deleted = {frozenset(edge) for edge in rows(tmp_path / "release" / "private" / "deleted_edges.csv")}
    assert warnings == "warning: the release carries the original labels (--keep-labels).\n"
    assert set(published.labels) == set(original.labels)
    assert edge_set(published) == edge_set(original) - deleted
    assert all(old == new for old, new in rows(tmp_path / "release" / "private" / "labels.csv"))
    assert str(SEED) not in (tmp_path / "release" / "public" / "network.csv").read_text(encoding="utf-8")


def test_without_keep_labels_there_is_no_warning(
    contacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to warn of."""
    anonymize(contacts, tmp_path / "release")

    assert capsys.readouterr().err == ""


def test_fresh_numbers_are_ranks_of_a_keyed_hash() -> None:
    """HMAC-SHA-256 under a key of 256 bits, four places a block: what whoever lacks the key cannot tell."""
    key = bytes(range(32))
    stream = b"".join(hmac.new(key, block.to_bytes(8, "big"), "sha256").digest() for block in range(3))
    draws = [int.from_bytes(stream[8 * place : 8 * place + 8], "big") for place in range(10)]

    assert keyed_permutation(key, 10).tolist() == [sorted(draws).index(draw) for draw in draws]
    assert keyed_permutation(key, 0).tolist() == []
    assert sorted(keyed_permutation(b"another", 1000).tolist()) == list(range(1000))


def test_two_releases_of_one_network_have_different_numbers() -> None:
    """With the same seed too: laid on each other they would show what only one of them deletes."""
    karate = nv.load("karate")
    one, other = (nv.anonymize(karate, budget, algorithm="es", seed=1, threads=1) for budget in (2, 4))

    assert one.outcome.deleted_edges.tolist() != other.outcome.deleted_edges.tolist()
    assert one.labels != other.labels
    assert one.labels == nv.anonymize(karate, 2, algorithm="es", seed=1, threads=1).labels
