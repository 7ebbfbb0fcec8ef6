"""What a release gives away beside its edges: each leak is planted and found; a clean release has none."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from audits import published, shuffled

import netveil as nv
from graphs import clustered
from netveil.auditing import Leak
from netveil.files import write_published
from netveil.network import Network

ORIGINAL = clustered()
NAMED = Network.from_numbered_edges(
    ORIGINAL.edges, ORIGINAL.node_count, tuple(f"person{number}@example.org" for number in range(60))
)

HASHES = [sha256(str(label).encode()).hexdigest()[:12] for label in NAMED.labels]


def leaks(
    original: Network, released: Network, file: Path | None = None, labels: dict[Any, int] | None = None
) -> list[Leak]:
    """Findings of an audit with the quickest attacker."""
    found = nv.audit(original, released, labels=labels, measure=["degree"], distance=[1], file=file)
    return list(found.leaks)


def kinds(findings: list[Leak]) -> list[tuple[str, str]]:
    return [(leak.severity, leak.kind) for leak in findings]


def relabelled(network: Network, labels: list[str], seed: int = 3) -> Network:
    """The network with other labels, its nodes in another order."""
    moved, _ = shuffled(network, seed)
    return Network.from_numbered_edges(moved.edges, moved.node_count, tuple(labels))


@pytest.mark.quick(6)
@pytest.mark.parametrize("original", [NAMED, ORIGINAL, nv.load("karate"), nv.load("demo")])
@pytest.mark.parametrize(
    "name", ["network.txt", "network.csv.gz", "network.graphml", "network.gml", "network.net"]
)
def test_a_clean_release_has_no_finding(original: Network, name: str, tmp_path: Path) -> None:
    """Fresh numbers in random order, written by netveil in any format."""
    released, table = shuffled(original, deleted=10)
    file = published(released, tmp_path / "release", name)

    assert leaks(original, nv.read(file), file, labels=table) == []
    assert leaks(original, nv.read(file), file) == []


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(40))
def test_a_random_order_is_no_finding(seed: int) -> None:
    released, table = shuffled(ORIGINAL, seed)

    assert leaks(ORIGINAL, released, labels=table) == []


NAMES = ["Anna", "Bob de Vries", "O'Neill, Jo", "Łukasz", "Мария"]
KINDS_OF_LABELS = [
    ("somebody{}@example.net", "e-mail addresses"),
    ("https://example.net/u/{}", "internet addresses"),
    ("10.0.0.{}", "internet addresses"),
    ("@user{}", "account names"),
    ("+31 6 1234 56{:02}", "telephone, account or identity numbers"),
]
LABELS = [
    *(
        ([pattern.format(n) for n in range(60)], [f"60 of 60 labels look like {kind}."])
        for pattern, kind in KINDS_OF_LABELS
    ),
    ([*NAMES, *(f"x{n}" for n in range(55))], ["5 of 60 labels look like names."]),
    (
        [str(label) if place % 2 else f"x{place}" for place, label in enumerate(NAMED.labels)],
        [
            "30 of 60 labels (50%) repeat those of the original.",
            "30 of 60 labels look like e-mail addresses.",
        ],
    ),
]


@pytest.mark.parametrize(("labels", "findings"), LABELS)
def test_labels_that_tell_who_somebody_is_are_found(labels: list[str], findings: list[str]) -> None:
    """Counted, of whatever script, and not quoted; the remedy is fresh numbers."""
    found = leaks(NAMED, relabelled(NAMED, labels))

    assert [leak.finding for leak in found] == findings
    assert kinds(found) == [("leak", "labels")] * len(findings)
    assert all("fresh numbers" in leak.remedy for leak in found)
    assert not any(name in str(leak) for leak in found for name in NAMES)


def test_labels_that_may_be_made_from_names_are_a_warning() -> None:
    """A hash is undone by hashing everybody; in the order of the file, files are laid side by side."""
    in_order = Network.from_numbered_edges(NAMED.edges, 60, tuple(HASHES))

    assert kinds(leaks(NAMED, relabelled(NAMED, HASHES))) == [("warning", "labels")]
    assert kinds(leaks(NAMED, in_order)) == [("warning", "labels"), ("leak", "order")]
    assert kinds(leaks(NAMED, NAMED.without_edges([1]))) == [("leak", "labels")]  # who is who is told anyway


@pytest.mark.parametrize("with_table", [True, False])
@pytest.mark.parametrize("order", ["nodes", "reversed nodes", "labels"])
def test_numbers_in_the_order_of_the_original_are_found(order: str, with_table: bool) -> None:
    """With who is who by rank correlation, without by edges that coincide; also if a few edges are gone."""
    rng = np.random.default_rng(5)
    labels = [f"p{number:02}" for number in rng.permutation(60)]
    original = Network.from_numbered_edges(ORIGINAL.edges, 60, tuple(labels))
    orders = {"nodes": np.arange(60), "reversed nodes": np.arange(60)[::-1]}
    numbers = orders.get(order, np.argsort(np.argsort(labels)))
    table = dict(zip(labels, numbers.tolist(), strict=True))
    released = original.without_edges([1, 5, 9]).relabelled(numbers)

    (leak,) = leaks(original, released, labels=table if with_table else None)

    assert (leak.severity, leak.kind) == ("leak", "order")
    assert ("labels" if order == "labels" else "nodes") in leak.finding
    assert ("rank correlation" in leak.finding) == with_table
    assert "random order" in leak.remedy


def test_numbers_backwards_are_found_by_the_edges_alone() -> None:
    """In a network that is not nearly the same from both ends; nobody says who is who."""
    pairs = np.random.default_rng(1).integers(0, 60, (150, 2))
    original = Network.from_numbered_edges(pairs, 60, tuple(HASHES))
    released = original.without_edges([1, 5, 9]).relabelled(np.arange(60)[::-1])

    assert kinds(leaks(original, released)) == [("leak", "order")]


WITH_EXTRAS = {
    "weights.txt": "# nodes: 4\n0 1 0.5\n1 2 0.25\n2 3 1\n",
    "times.csv": "source,target,time\n0,1,1083499200\n1,2,1083499201\n2,3,1083499202\n",
    "values.mtx": "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 0.5\n3 2 2\n4 3 1\n",
    "weights.net": "*Vertices 4\n*Edges\n1 2 5\n2 3 1\n3 4 2\n",
    "places.net": '*Vertices 4\n1 "0" 0.5 0.25\n2 "1" 0 1\n3 "2" 1 1\n4 "3" 1 0\n*Edges\n1 2\n2 3\n3 4\n',
    "ages.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="d0" for="node" attr.name="age" attr.type="int"/>'
        '<graph edgedefault="undirected"><node id="0"><data key="d0">41</data></node><node id="1"/>'
        '<node id="2"/><node id="3"/><edge source="0" target="1"/><edge source="1" target="2"/>'
        '<edge source="2" target="3"/></graph></graphml>'
    ),
    "weights.gml": (
        "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 0 target 1 value 3 ] "
        "edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]"
    ),
    "drawn.gml": "graph [ node [ id 0 graphics [ x 1 ] ] node [ id 1 ] edge [ source 0 target 1 ] ]",
    "weights.json": '[{"from": 0, "to": 1, "w": 1}, {"from": 1, "to": 2, "w": 2}]',
    "ages.json": '{"nodes": [{"id": 0, "age": 3}, {"id": 1}], "links": [{"source": 0, "target": 1}]}',
}


@pytest.mark.parametrize("name", WITH_EXTRAS)
def test_extra_columns_and_attributes_are_found(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(WITH_EXTRAS[name], encoding="utf-8")

    assert ("leak", "columns") in kinds(leaks(ORIGINAL, nv.read(file), file))


@pytest.mark.parametrize("suffix", ["txt", "net", "mtx", "graphml", "gml"])
def test_comments_are_found(suffix: str, tmp_path: Path) -> None:
    """They may say where the data are from; they are not quoted."""
    comment = "from /home/alice/ward-seven/contacts.csv"
    file = published(shuffled(ORIGINAL)[0], tmp_path / "release", f"network.{suffix}")
    lines = file.read_text(encoding="utf-8").split("\n", 1)
    mark = {"graphml": f"<!-- {comment} -->", "gml": f"# {comment}"}.get(suffix, f"% {comment}")
    lines.insert(0 if suffix == "gml" else 1, mark)
    file.write_text("\n".join(lines), encoding="utf-8")

    (leak,) = leaks(ORIGINAL, nv.read(file), file)

    assert (leak.severity, leak.kind) == ("leak", "comments")
    assert comment not in str(leak)


def test_what_a_document_says_of_itself_is_found(tmp_path: Path) -> None:
    book, file = openpyxl.Workbook(), tmp_path / "network.json"
    for row in (["from", "to"], ["0", "1"], ["1", "2"]):
        book.worksheets[0].append(row)
    book.save(tmp_path / "network.xlsx")
    file.write_text('{"by": "ward seven", "links": [{"source": 0, "target": 1}]}', encoding="utf-8")

    for each in (file, tmp_path / "network.xlsx"):
        assert ("leak", "comments") in kinds(leaks(ORIGINAL, nv.read(each), each))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda lines: lines, []),
        (lambda lines: [f"{line},41" for line in lines], [("leak", "columns")]),
        (lambda lines: [lines[0], *reversed(lines[1:])], [("warning", "order")]),
    ],
)
def test_the_table_of_nodes_is_looked_through(
    tmp_path: Path, change: Callable[[list[str]], list[str]], found: list[tuple[str, str]]
) -> None:
    """It belongs to a release, and holds labels in ascending order and nothing else."""
    file = tmp_path / "release" / "public" / "network.csv"
    file.parent.mkdir(parents=True)
    (file.parent / "about.json").write_text("{}", encoding="utf-8")
    write_published(shuffled(ORIGINAL)[0], file)
    nodes = file.parent / "nodes.csv"
    nodes.write_text("\n".join(change(nodes.read_text().splitlines())) + "\n", encoding="utf-8")

    assert kinds(leaks(ORIGINAL, nv.read(file), file)) == found


@pytest.mark.parametrize(("name", "time"), [("ward-seven.txt", 0), ("", 1)])
def test_a_compressed_file_that_names_its_source_is_found(tmp_path: Path, name: str, time: int) -> None:
    """Gzip keeps the name and the time of what it packs."""
    plain = published(shuffled(ORIGINAL)[0], tmp_path / "release")
    packed = tmp_path / "network.txt.gz"
    with packed.open("wb") as stream, gzip.GzipFile(name, "wb", fileobj=stream, mtime=time) as archive:
        archive.write(plain.read_bytes())

    assert kinds(leaks(ORIGINAL, nv.read(packed), packed)) == [("warning", "comments")]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("labels.csv", "original,published\n", [("leak", "files")]),
        ("run.json", "{}", [("leak", "files")]),
        ("notes.txt", "hello", [("warning", "files")]),
        ("about.json", '{"netveil": "1", "anonymity": {"seed": 7}}', [("leak", "files")]),
        ("about.json", '{"netveil": "1", "mood": "good"}', [("warning", "files")]),
        ("about.json", '{"netveil": "1", "anonymity": {"at_risk_before": 7}}', [("leak", "figures")]),
        ("about.json", '{"utility": {"lcc": {"before": 9, "after": 8}}}', [("leak", "figures")]),
        (
            "about.json",
            '{"anonymity": [{"unique_before": null, "seed": 1}]}',
            [("leak", "files"), ("leak", "figures")],
        ),
        ("about.json", '{"utility": {"lcc": {"after": 8}, "edges_deleted": 0.1}, "kind": "deletion"}', []),
        ("about.json", "no json", [("warning", "files")]),
        ("about.json", '{"kind": "synthetic", "about": "drawn", "copies": 2}', []),
        ("network-2.txt", "0 1\n", []),
        ("nodes.csv", "node\n0\n", [("warning", "files")]),  # beside no table of ties
        ("decision.json", "{}", [("leak", "files")]),
        ("table.csv", "row,people\n", [("leak", "files")]),
        ("README.md", "# A network", []),
        ("datapackage.json", '{"resources": [{"path": "network.txt"}]}', []),
        ("datapackage.json", '{"resources": [{"path": "network.txt", "seed": 4}]}', [("leak", "files")]),
        ("datacite.json", '{"descriptions": [{"at_risk_before": 4}]}', [("leak", "figures")]),
    ],
)
def test_what_does_not_belong_into_a_public_folder_is_found(
    name: str, text: str, found: list[tuple[str, str]], tmp_path: Path
) -> None:
    file = published(shuffled(ORIGINAL)[0], tmp_path / "release")
    (file.parent / name).write_text(text, encoding="utf-8")

    assert kinds(leaks(ORIGINAL, nv.read(file), file)) == found
