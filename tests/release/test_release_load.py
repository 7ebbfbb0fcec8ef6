"""A saved release comes back: all that can be asked of it, or one clear error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import networks
from netveil.cli import main
from netveil.files import FORMATS
from netveil.network import Network
from releases import everything_below, leave_out_report, write_contacts

KARATE = nv.load("karate")
QUICK: dict[str, Any] = {"utility": False, "audit": False, "baselines": False}


@pytest.fixture(scope="module", autouse=True)
def without_report() -> Iterator[None]:
    """A folder has one, which takes longer than all the rest, and no release is loaded from it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netveil.release.folder.render", lambda run: "a report")
        yield


def saved(release: nv.Release, folder: Path, **options: Any) -> Path:
    return nv.save(release, folder, **QUICK, **options)


def same(loaded: nv.Release, release: nv.Release) -> bool:
    """Whether two releases are the same in all that can be asked of them."""
    seconds = {"seconds": 0.0}
    return (
        loaded.original == release.original
        and loaded.original.fingerprint == release.original.fingerprint
        and loaded.network == release.network
        and loaded.remaining == release.remaining
        and loaded.labels == release.labels
        and loaded.deleted_edges == release.deleted_edges
        and loaded.figures() | seconds == release.figures() | seconds
        and loaded.outcome.history[-1:] == release.outcome.history[-1:]
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "extension", [each.suffixes[0].removeprefix(".") for each in FORMATS.values() if each.is_written]
)
@pytest.mark.parametrize("named", [False, True], ids=["numbers", "names"])
def test_a_saved_release_comes_back_from_every_format(tmp_path: Path, extension: str, named: bool) -> None:
    names = [f"person {node}, really" for node in range(8)] if named else range(8)
    edges = [(names[u], names[v]) for u, v in [(5, 1), (1, 2), (2, 5), (2, 7), (7, 0), (0, 3)]]
    network = Network.from_edges(edges, nodes=[names[6], names[4]], name="ward")
    release = nv.anonymize(network, budget=2, seed=3, effort=0.05)
    assert release.deleted_edges

    assert same(nv.load_release(saved(release, tmp_path / "out", extension=extension)), release)


@given(networks(min_nodes=3, min_edges=2), st.booleans(), st.integers(0, 3))
def test_any_release_comes_back(
    tmp_path_factory: pytest.TempPathFactory, network: Network, keep_labels: bool, seed: int
) -> None:
    release = nv.anonymize(network, "50%", algorithm="es", seed=seed, keep_labels=keep_labels)

    folder = saved(release, tmp_path_factory.mktemp("any") / "out")

    assert same(nv.load_release(folder), release)


def test_what_the_command_line_wrote_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_report(monkeypatch)
    contacts = write_contacts(tmp_path)
    (tmp_path / "stay.txt").write_text("alice@example.org\n", encoding="utf-8")
    options = ["--keep", "lcc=5%", "--protect", str(tmp_path / "stay.txt"), "--curve", "--effort", "0.01"]
    assert main(["anonymize", str(contacts), "--out", str(tmp_path / "out"), "--quiet", *options]) == 0

    loaded = nv.load_release(tmp_path / "out")

    read = nv.read(contacts)
    assert loaded.original == read
    assert (loaded.original.reading, loaded.original.sha256) == (read.reading, read.sha256)
    assert (loaded.original.name, loaded.original.dropped) == (read.name, read.dropped)
    stay = loaded.original.edge_labels(loaded.outcome.protected_edges)
    assert stay and all("alice@example.org" in edge for edge in stay)
    assert [limit.name for limit in loaded.outcome.limits] == ["lcc"]
    run = json.loads((tmp_path / "out" / "private" / "run.json").read_text(encoding="utf-8"))
    assert loaded.figures().items() <= run.items()
    again, point = (
        json.loads((saved(each, tmp_path / name) / "private" / "run.json").read_text(encoding="utf-8"))
        for name, each in {"again": loaded, "point": loaded.at(1)}.items()
    )
    assert (again["input"], again["command"]) == (contacts.name, run["command"]) != ("", "")
    assert (point["input"], point["command"]) == (contacts.name, ""), "the command made another release"


def test_a_loaded_release_can_be_worked_with(tmp_path: Path) -> None:
    release = nv.anonymize(KARATE, "10%", effort=0.05, seed=1, curve=True)
    loaded = nv.load_release(saved(release, tmp_path / "out"))

    assert nv.compare(KARATE, loaded).deleted == len(release.deleted_edges)
    assert nv.audit(KARATE, loaded, measure="count", distance=1).scored
    assert "<html" in loaded.report(**QUICK).html
    assert loaded.at("3%").labels == release.at("3%").labels != loaded.labels
    assert loaded.at("3%").network == release.at("3%").network
    again = saved(loaded, tmp_path / "again")
    first, second = everything_below(tmp_path / "out"), everything_below(again)
    for name in ("public/network.txt", "public/about.json", "private/labels.csv", "private/curve.json"):
        assert first[name] == second[name]


def test_numbers_come_back_as_numbers_and_other_labels_as_text(tmp_path: Path) -> None:
    tens = Network.from_edges([(10, 20), (20, 30), (30, 40)])
    mixed = Network.from_edges([("a", 1), (1, (2, 3))])

    back = [
        nv.load_release(saved(nv.anonymize(network, 1, seed=1, effort=0.05), tmp_path / name)).original
        for network, name in ((tens, "tens"), (mixed, "mixed"))
    ]

    assert [list(each.labels) for each in back] == [[10, 20, 30, 40], ["a", "1", "(2, 3)"]]


def own(network: Network) -> Any:
    """A measure of a user's: contacts, at most two."""
    return np.minimum(network.degrees, 2)


def test_a_measure_of_ones_own_is_asked_for(tmp_path: Path) -> None:
    release = nv.anonymize(KARATE, 2, measure=own, k=3, seed=1, effort=0.05)
    folder = saved(release, tmp_path / "out")

    assert same(nv.load_release(folder, measure=own), release)
    with pytest.raises(
        nv.FileError, match=r"measure of your own, give that: load_release\(folder, measure=…\)"
    ):
        nv.load_release(folder)


def test_a_public_part_alone_is_refused_with_what_can_be_read(tmp_path: Path) -> None:
    folder = saved(nv.anonymize(KARATE, 2, seed=1, effort=0.05), tmp_path / "out")
    shutil.copytree(folder / "public", tmp_path / "alone" / "public")

    for public in (folder / "public", tmp_path / "alone", tmp_path / "alone" / "public"):
        with pytest.raises(nv.FileError, match=r"only the public part .* nv\.read"):
            nv.load_release(public)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with its curve, whose measure is named by the attackers alone: not to be changed."""
    release = nv.anonymize(KARATE, "10%", effort=0.02, seed=1, curve=True)
    folder = saved(release, tmp_path_factory.mktemp("whole") / "out")
    run = json.loads((folder / "private" / "run.json").read_text(encoding="utf-8"))
    del run["measure"]
    (folder / "private" / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def put(name: str, text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return write


def swap(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def other_secret(folder: Path) -> None:
    """Of which other published numbers follow."""
    file = folder / "private" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"secret": "00" * 32}), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (shutil.rmtree, "is not a release: it has no private/run.json"),
        (remove("private/run.json"), "is not a release"),
        (remove("private/labels.csv"), "labels.csv cannot be read as a table of labels"),
        (remove("private/deleted_edges.csv"), "deleted_edges.csv cannot be read as a table of edges"),
        (remove("private/curve.json"), "has no curve"),
        (remove("public/network.txt"), r"without public/network\.\*"),
        (put("private/run.json", "{}"), "run.json is damaged: history is missing"),
        (put("private/run.json", "[" * 100_000), "run.json is damaged: it is nested too deeply"),
        (put("private/run.json", "{"), "run.json is damaged: it is not JSON"),
        (put("private/labels.csv", "original,published\n"), "is damaged"),
        (put("private/labels.csv", "a,b\n"), "expected the columns original,published"),
        (put("private/deleted_edges.csv", "source,target\n"), "do not belong together"),
        (put("private/deleted_edges.csv", "source,target\n0,99\n"), "is damaged"),
        (put("public/network.txt", "# nodes: 34\n0 1\n"), "do not belong together"),
        (put("public/network.txt", "anna bob\n"), "is damaged"),
        (swap("private/labels.csv", "\n0,", "\n1,"), "do not belong together"),
        (swap("private/labels.csv", "\n0,", "\n0,1"), "is damaged"),
        (swap("private/run.json", '"measure": "count"', '"measure": "cuont"'), "unknown measure 'cuont'"),
        (swap("private/run.json", '"k": 2', '"k": "two"'), "do not belong together"),
        (swap("private/run.json", '"least": false', '"least": 2'), "do not belong together"),
        (swap("private/run.json", '"secret": "', '"secret": "00'), "do not belong together"),
        (other_secret, "do not belong together"),
    ],
)
def test_a_damaged_folder_is_told_in_one_error(whole: Path, tmp_path: Path, damage: Any, what: str) -> None:
    folder = shutil.copytree(whole, tmp_path / "out")

    damage(folder)

    with pytest.raises(nv.FileError, match=what) as caught:
        nv.load_release(folder)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


def test_no_folder_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a b\n", encoding="utf-8")

    for given_as in (tmp_path / "nothing", tmp_path / "file", tmp_path, "x" * 300, ""):
        with pytest.raises(nv.FileError, match="is not a release"):
            nv.load_release(given_as)
