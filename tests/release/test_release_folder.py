"""How a release folder is written: whole or not at all, never over something else; and published labels."""

from __future__ import annotations

import hmac
import json
import os
import shutil
import sys
from dataclasses import replace
from hashlib import sha256
from operator import eq
from pathlib import Path
from string import ascii_letters
from typing import Any

import networkx
import numpy as np
import pytest

import netveil as nv
from netveil.attributes import NO_ATTRIBUTES, Attributes
from netveil.files import FORMATS
from netveil.job import Anonymization
from netveil.network import Network
from netveil.progress import finished
from netveil.release.folder import ReleaseFolder, release_from_curve
from netveil.release.records import keyed_permutation
from netveil.search import Control
from netveil.workflow import anonymizing
from releases import (
    FILES,
    SEED,
    anonymize,
    edge_set,
    everything_below,
    leave_out_report,
    rows,
    write_contacts,
)

KARATE = nv.load("karate")


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_report(monkeypatch)


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    return write_contacts(tmp_path)


def test_overwrite_replaces_the_whole_release(contacts: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    nv.save(nv.anonymize(KARATE, budget=2, seed=1, effort=0.05), release, extension="gml", utility=False)

    assert anonymize(contacts, release, "--overwrite") == 0

    assert {name for name in everything_below(release) if name[-1] != "/"} == FILES
    assert {path.name for path in tmp_path.iterdir()} == {"release", "ward-seven"}


def test_a_release_with_other_things_in_it_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "release" / "public").mkdir(parents=True)
    (tmp_path / "release" / "public" / "about.json").write_text("{}")
    ReleaseFolder(tmp_path / "release", overwrite=True)
    (tmp_path / "release" / "thesis.txt").write_text("hers")

    with pytest.raises(nv.FileError, match="is not a release; it is not overwritten"):
        ReleaseFolder(tmp_path / "release", overwrite=True)


def test_a_search_that_was_stopped_has_not_come_to_its_end(tmp_path: Path) -> None:
    ended = nv.anonymize("karate", budget=2, algorithm="es", seed=1)
    job = Anonymization(measures=ended.outcome.attackers)
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    found = []
    for release in (ended, replace(ended, outcome=replace(ended.outcome, stopped_by="interrupted"))):
        folder.keep_found(release, job)
        found.append(folder.found_by_unfinished(ended.original, job))
    folder.abandon()

    assert found[0] is not None and found[0].secret == ended.secret
    assert found[1] is None


@pytest.mark.quick(1)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("a defect")])
@pytest.mark.parametrize("exists", [False, True])
def test_a_write_that_fails_leaves_nothing_but_what_was_found(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, exists: bool
) -> None:
    release = tmp_path / "new" / "release"
    if exists:
        anonymize(contacts, release, seed=1)
    before = everything_below(tmp_path)

    def fail(run: object) -> str:
        raise error

    monkeypatch.setattr("netveil.release.folder.render", fail)

    code = anonymize(contacts, release, "--overwrite")

    after = everything_below(tmp_path)
    kept = "new/.release.unfinished/"
    assert code == (2 if isinstance(error, OSError) else 1)
    assert after.keys() - before.keys() - {"new/"} == {kept, f"{kept}best.json"}
    assert {name: after[name] for name in before} == before


def test_the_old_release_comes_back_if_the_new_one_cannot_take_its_place(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames of an overwrite, where there must be two, a failure undoes the first."""
    monkeypatch.setattr("netveil.files.staging.exchange", lambda one, other: False)
    release = tmp_path / "release"
    anonymize(contacts, release, seed=1)
    before = everything_below(tmp_path)
    rename = Path.rename
    fails = iter([True])

    def fail_once(self: Path, target: Path) -> Path:
        if target == release and next(fails, False):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)

    assert anonymize(contacts, release, "--overwrite") == 2
    shutil.rmtree(tmp_path / ".release.unfinished")
    assert everything_below(tmp_path) == before


def test_a_best_that_was_kept_survives_a_write_that_fails(tmp_path: Path) -> None:
    """Hours of search are not lost to a full disk: --resume finds it."""
    network = KARATE
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    folder.keep_best(network, np.array([3, 5]), at_risk=9)
    release = nv.anonymize(network, budget=2, seed=1, effort=0.05)

    with pytest.raises(nv.FileError, match="no format"):
        folder.save(release, extension="nonsense")

    kept = ReleaseFolder(tmp_path / "release").best_of_unfinished(network)
    assert kept is not None and kept.tolist() == [3, 5]
    assert {path.name for path in tmp_path.iterdir()} == {".release.unfinished"}


def test_a_folder_is_checked_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = nv.anonymize(KARATE, budget=2, seed=1, effort=0.05)
    monkeypatch.setattr("netveil.workflow.gather", lambda *release: pytest.fail("compared"))

    with pytest.raises(nv.FileError, match="exists already"):
        nv.save(release, tmp_path)


posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, owners and locks are those of POSIX")


@posix
def test_what_is_private_is_closed_to_others(contacts: Path, tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    (tmp_path / "usual" / "file").touch()
    folder, file = ((tmp_path / name).stat().st_mode for name in ("usual", "usual/file"))
    anonymize(contacts, tmp_path / "release")

    release = tmp_path / "release"
    assert (release.stat().st_mode, (release / "public").stat().st_mode) == (folder, folder)
    assert {path.stat().st_mode for path in (release / "public").iterdir()} == {file}
    assert (release / "private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (release / "private").iterdir()} == {0o600}


@posix
@pytest.mark.parametrize(
    "kind", ["open to others", "a link", "a file", "of somebody else", "with other things"]
)
@pytest.mark.parametrize("options", [(), ("--resume",), ("--overwrite",)], ids=["new", "resume", "overwrite"])
def test_a_hidden_folder_that_somebody_put_there_is_refused(
    contacts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    options: tuple[str, ...],
) -> None:
    """In a shared folder, anybody can make `.release.unfinished`: nothing is written through it."""
    hidden, precious = tmp_path / ".release.unfinished", tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "best.json").write_text("hers")
    if kind == "a link":
        hidden.symlink_to(precious)
    elif kind == "a file":
        hidden.touch()
    else:
        hidden.mkdir(mode=0o755 if kind == "open to others" else 0o700)
        if kind == "with other things":
            (hidden / ".best.json.part").symlink_to(precious / "best.json")
        if kind == "of somebody else":
            monkeypatch.setattr(os, "geteuid", lambda: hidden.lstat().st_uid + 1)
    before = everything_below(tmp_path)

    assert anonymize(contacts, tmp_path / "release", *options) == 2
    assert f"netveil: {hidden} is not netveil's own: " in capsys.readouterr().err
    assert everything_below(tmp_path) == before


def test_a_folder_made_while_the_report_was_written_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else was quicker: her folder stays, ours is refused, nothing of ours is left."""
    target = tmp_path / "release"

    def render_slowly(run: object) -> str:
        target.mkdir()
        (target / "precious.txt").write_text("hers")
        return ""

    monkeypatch.setattr("netveil.release.folder.render", render_slowly)
    with pytest.raises(nv.FileError, match="exists and is not a release"):
        nv.save(nv.anonymize(KARATE, 5, seed=1, effort=0.05), target, utility=False)

    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (target / "precious.txt").read_text() == "hers"


@posix
def test_what_is_kept_is_not_written_through_a_link(tmp_path: Path) -> None:
    """Neither best.json nor what it is written under: the link is replaced, and what it leads to stays."""
    precious = tmp_path / "precious"
    precious.write_text("hers")
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    (tmp_path / ".release.unfinished" / "best.json").symlink_to(precious)
    folder.keep_best(KARATE, np.array([3, 5]), at_risk=9)

    best = tmp_path / ".release.unfinished" / "best.json"
    assert precious.read_text() == "hers"
    assert not best.is_symlink() and best.stat().st_mode & 0o777 == 0o600
    folder.abandon()


def test_published_labels_are_fresh_numbers_in_random_order(contacts: Path, tmp_path: Path) -> None:
    orders = []
    for release in ("release1", "release2"):
        anonymize(contacts, tmp_path / release)
        published = nv.read(tmp_path / release / "public" / "network.csv")
        labels = rows(tmp_path / release / "private" / "labels.csv")
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


def test_the_seed_does_not_give_the_numbers_away() -> None:
    """Whoever has the original, the program, the seed and the deletions finds people by chance only.

    She runs the same search again, and tries whatever key can be made of all that she has.
    """
    truth = nv.anonymize(KARATE, 3, seed=7, effort=0.05)
    hers = nv.anonymize(KARATE, 3, seed=7, effort=0.05)
    assert hers.deleted_edges == truth.deleted_edges
    assert hers.network != truth.network, "she would know that she has guessed right"

    deleted = np.ascontiguousarray(truth.outcome.deleted_edges, dtype="<i8").tobytes()
    seed, labels = b"7", "\0".join(map(str, KARATE.labels)).encode()
    made = [seed, seed + deleted, seed + KARATE.fingerprint.encode() + labels + deleted]
    keys = [key for each in made for key in (each, sha256(each).digest())]
    guesses = [list(hers.labels.values()), *(keyed_permutation(key, 34).tolist() for key in keys)]
    secrets = [sha256(b"drawn" + bytes([number])).digest() for number in range(200)]
    numberings = [list(replace(truth, secret=secret).labels.values()) for secret in secrets]

    for guess in guesses:
        right = [sum(map(eq, guess, numbering)) for numbering in (*numberings, list(truth.labels.values()))]
        # By chance it is one person of a release on average, with a standard error of 0.07.
        assert 0.5 < np.mean(right) < 1.5 and max(right) < 15


def test_the_secret_is_private(contacts: Path, tmp_path: Path) -> None:
    """And comes back with the release: the points of its curve keep their numbers too."""
    anonymize(contacts, tmp_path / "release", "--algorithm", "annealing", "--effort", "0.05", "--curve")

    secret = json.loads((tmp_path / "release" / "private" / "run.json").read_text(encoding="utf-8"))["secret"]
    loaded, again = (nv.load_release(tmp_path / "release") for _ in range(2))
    assert len(secret) == 64 and loaded.secret.hex() == secret
    assert loaded.at(2).labels == again.at(2).labels != loaded.labels
    assert release_from_curve(nv.read(contacts), tmp_path / "release", 2, {}).labels == loaded.at(2).labels
    for name, content in everything_below(tmp_path / "release" / "public").items():
        assert secret not in name and secret.encode() not in content
        assert loaded.secret not in content and b"secret" not in content


def test_a_search_that_is_resumed_keeps_its_numbers(tmp_path: Path) -> None:
    folder = ReleaseFolder(tmp_path / "release")
    job = Anonymization(budget=3, algorithm="es", seed=1)
    folder.claim()
    release = finished(anonymizing(KARATE, job, Control()))
    folder.keep_found(release, job)

    again = folder.found_by_unfinished(KARATE, job)

    assert again is not None and again is not release and again.network == release.network
    folder.forget()


def rearranged(release: nv.Release, seed: int) -> nv.Release:
    """The same release of a file that has people, ties, ends of ties and attributes in another order."""
    original, rng = release.original, np.random.default_rng(seed)
    nodes, edges = rng.permutation(original.node_count), rng.permutation(original.edge_count)
    ends = [(v, u) if rng.random() < 0.5 else (u, v) for u, v in original.edge_labels(edges)]
    attributes = original.attributes.of_nodes(nodes).of_edges(edges)
    columns = [dict(reversed(list(each.items()))) for each in (attributes.node, attributes.edge)]
    network = Network.from_edges(
        ends, [original.labels[node] for node in nodes], name=original.name, attributes=Attributes(*columns)
    )
    deleted = {frozenset(edge) for edge in release.deleted_edges}
    numbers = [number for number, edge in enumerate(network.to_edges()) if frozenset(edge) in deleted]
    return replace(
        release, original=network, outcome=replace(release.outcome, deleted_edges=np.array(numbers))
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "suffix", [suffix for each in FORMATS.values() if each.is_written for suffix in each.suffixes]
)
def test_kept_labels_do_not_tell_the_order_of_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """Every file to publish is the same to the byte, however people and ties were arranged."""
    if suffix == ".csv":
        monkeypatch.undo()  # figures on what it cost are published too
    rng, graph = np.random.default_rng(2), networkx.gnm_random_graph(25, 50, seed=3)
    numbered = suffix in (*FORMATS["matrix-market"].suffixes, *FORMATS["nauty"].suffixes)
    names = (
        list(range(25))
        if numbered
        else [f"{name} {len(name)}" for name in rng.permutation([*ascii_letters[:25]])]
    )
    attributes = Attributes(
        {"height": rng.random(25).tolist(), "age": rng.integers(9, 99, 25).tolist()},
        {"years": rng.integers(1, 9, 50).tolist(), "since": rng.integers(1990, 2020, 50).tolist()},
    )
    edges = [(names[u], names[v]) for u, v in graph.edges]
    network = Network.from_edges(
        edges, names, attributes=attributes if suffix in (".graphml", ".gml") else NO_ATTRIBUTES
    )
    outcome = nv.anonymize(replace(network, attributes=NO_ATTRIBUTES), 5, algorithm="ua", seed=7).outcome
    release = nv.Release(network, outcome, keep_labels=True)
    quick: dict[str, Any] = {"audit": False, "baselines": False, "extension": suffix}

    published = []
    for seed in range(3):
        other = rearranged(release, seed) if seed else release
        folder = nv.save(other, tmp_path / str(seed) / "release", **quick)
        published.append(everything_below(folder / "public"))
        assert nv.load_release(folder).network == other.network == release.network

    assert len(release.deleted_edges) == 5 and "about.json" in published[0]
    assert published[0] == published[1] == published[2]


def test_labels_are_kept_only_after_a_warning(
    contacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_fresh_numbers_are_ranks_of_a_keyed_hash() -> None:
    key = bytes(range(32))
    stream = b"".join(hmac.new(key, block.to_bytes(8, "big"), "sha256").digest() for block in range(3))
    draws = [int.from_bytes(stream[8 * place : 8 * place + 8], "big") for place in range(10)]

    assert keyed_permutation(key, 10).tolist() == [sorted(draws).index(draw) for draw in draws]
    assert keyed_permutation(key, 0).tolist() == []
    assert sorted(keyed_permutation(b"another", 1000).tolist()) == list(range(1000))


def test_two_releases_of_one_network_have_different_numbers() -> None:
    """With the same secret too: laid on each other they would show what only one of them deletes."""
    one, other = (
        replace(nv.anonymize(KARATE, budget, algorithm="es", seed=1, threads=1), secret=bytes(32))
        for budget in (2, 4)
    )

    assert one.outcome.deleted_edges.tolist() != other.outcome.deleted_edges.tolist()
    assert one.labels != other.labels
