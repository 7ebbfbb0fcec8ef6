"""The two tables of a published network: ties in one, every node in the other, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from written_networks import by_label, labelled_networks, numbered_networks

import netveil as nv
from netveil.errors import FileError
from netveil.files import write_published
from netveil.network import Network

SUFFIXES = ("csv", "tsv", "csv.gz", "tsv.xz")
PATH = Network.from_numbered_edges([(0, 3), (1, 3)], 12)


def published(network: Network, folder: Path, suffix: str = "csv") -> Path:
    """The network in the public folder of a release; returns its file."""
    public = folder / "public"
    public.mkdir()
    (public / "about.json").write_text("{}", encoding="utf-8")
    write_published(network, public / f"network.{suffix}")
    return public / f"network.{suffix}"


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(network=numbered_networks())
def test_a_numbered_network_is_the_same_after_publishing_and_reading(suffix: str, network: Network) -> None:
    """Whole numbers in their order, isolated ones and networks without a tie too; nothing is dropped."""
    with TemporaryDirectory() as folder:
        found = nv.read(published(network, Path(folder), suffix))

    assert found == network
    assert isinstance(found.labels, range)
    assert (found.dropped.self_loops, found.dropped.duplicates) == (0, 0)


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
@given(network=labelled_networks("\0\r\n"))
def test_labels_that_are_kept_come_back_to_the_letter(suffix: str, network: Network) -> None:
    """Whatever they look like: a header, a comment, a number."""
    with TemporaryDirectory() as folder:
        found = nv.read(published(network, Path(folder), suffix))

    assert by_label(found) == by_label(network)


def test_the_tables_are_clean(tmp_path: Path) -> None:
    """To the byte: ties ascending, every node in the order of numbers and not of letters."""
    file = published(PATH, tmp_path)

    assert file.read_bytes() == b"source,target\n0,3\n1,3\n"
    assert file.with_name("nodes.csv").read_bytes() == b"node\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"


def test_kept_labels_are_in_the_order_of_letters(tmp_path: Path) -> None:
    """And not in that of the original, ties too."""
    network = Network.from_edges([("zoe", "bob"), ("bob", "7")], ["zoe", "bob", "7", "anna"])
    release = nv.anonymize(network, 0, algorithm="es", seed=1, keep_labels=True)
    file = published(release.network, tmp_path)

    assert file.read_text() == "source,target\n7,bob\nbob,zoe\n"
    assert file.with_name("nodes.csv").read_text() == "node\n7\nanna\nbob\nzoe\n"


@pytest.mark.parametrize("missing", ["about.json", "nodes.csv", "public", "network"])
def test_nodes_are_added_in_a_public_folder_only(tmp_path: Path, missing: str) -> None:
    """Elsewhere a file called nodes.csv may be anybody's; without it, who has ties is all that is known."""
    file = published(PATH, tmp_path)
    if missing in ("about.json", "nodes.csv"):
        (file.parent / missing).unlink()
    elif missing == "public":
        file = file.parent.rename(tmp_path / "mine") / file.name
    else:
        file = file.rename(file.with_name("ties.csv"))

    assert set(nv.read(file).labels) == {"0", "1", "3"}


@pytest.mark.parametrize("suffix", ["txt", "graphml", "mtx", "edges.gz"])
def test_other_formats_need_no_table_of_nodes(tmp_path: Path, suffix: str) -> None:
    """They have a place for people without ties."""
    file = published(PATH, tmp_path, suffix)

    assert sorted(path.name for path in file.parent.iterdir()) == ["about.json", f"network.{suffix}"]
    assert nv.read(file) == PATH


@pytest.mark.parametrize("text", [
    *("", "label\n0\n1\n3\n", "node\n0\n\n1\n3\n", "node\n0\n1\n3\n1\n", "node\n0\n1\n", 'node\n"0\n1'),
    "node\n" + 200_000 * "x",
], ids=range(7))  # fmt: skip
def test_a_damaged_table_of_nodes_is_told(tmp_path: Path, text: str) -> None:
    """In one line that names the file and no label."""
    file = published(PATH, tmp_path)
    file.with_name("nodes.csv").write_text(text, encoding="utf-8")
    rule = "expected the column node with a label|of the network cannot be found in it"

    with pytest.raises(FileError, match=rf"nodes.csv: .*({rule}).*\. Make the release again\.$"):
        nv.read(file)
