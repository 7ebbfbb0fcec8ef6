"""Two releases of one network: what one hides the other shows, and who is who is found without labels."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from audits import shuffled
from hypothesis import given, strategies as st
from matchings import powerlaw

import netveil as nv
from graphs import networks
from netveil.anonymity import attackers_of
from netveil.auditing.leaks import identify
from netveil.auditing.together import Pair, PublishedRelease, laid_together, linked_by_structure
from netveil.cli import main
from netveil.network import Network

KARATE = nv.load("karate")


def slow_pair(
    original: Network, sides: list[tuple[Network, dict[int, int]]], claimed: list[int]
) -> dict[str, int | list[int]]:
    """The same figures from sets of edges between people; `claimed` is from node to node."""
    person_of = [{published: person for person, published in table.items()} for _, table in sides]
    claims = {node: other for node, other in enumerate(claimed) if other >= 0}
    back = {other: node for node, other in claims.items()}

    def edges_of(network: Network, renamed: dict[int, int] | None = None) -> set[frozenset[int]]:
        pairs = network.edges.tolist()
        if renamed is not None:
            pairs = [
                [renamed[node] for node in pair] for pair in pairs if all(node in renamed for node in pair)
            ]
        return {frozenset(pair) for pair in pairs}

    whole = edges_of(original)
    shown = [edges_of(network, person) for (network, _), person in zip(sides, person_of, strict=True)]
    put_back, wrongly = [], []
    for here, translated in ((0, back), (1, claims)):
        new = edges_of(sides[1 - here][0], translated) - edges_of(sides[here][0])
        right = [frozenset(person_of[here][node] for node in edge) in whole for edge in new]
        put_back.append(sum(right))
        wrongly.append(len(right) - sum(right))
    both = Network.from_edges([(min(edge), max(edge)) for edge in shown[0] | shown[1]], original.labels)
    return {
        "deleted": [len(whole - edges) for edges in shown],
        "shown_by_other": [len((whole - shown[here]) & shown[1 - here]) for here in (0, 1)],
        "put_back": put_back,
        "put_back_wrongly": wrongly,
        "deleted_in_both": len(whole - shown[0] - shown[1]),
        "same_labels": sum(sides[0][1][person] == sides[1][1][person] for person in sides[0][1]),
        "linked": sum(person_of[0][node] == person_of[1][other] for node, other in claims.items()),
        "at_risk_together": nv.measure(both).at_risk,
    }


def laid(original: Network, sides: list[tuple[Network, dict[int, int]]]) -> Pair:
    """Both laid on each other, with the table of each."""
    one, other = (
        PublishedRelease(f"r{number}", network, identify(original, network, table))
        for number, (network, table) in enumerate(sides, start=1)
    )
    return laid_together(original, one, other, attackers_of("count"))


@given(networks(), st.data())
def test_the_figures_are_those_of_sets_of_edges(network: Network, data: st.DataObject) -> None:
    """Deletions that the other shows, edges put back, labels: as a slow twin says."""
    sides = [
        shuffled(network, data.draw(st.integers(0, 99)), data.draw(st.integers(0, network.edge_count // 2)))
        for _ in range(2)
    ]
    # Structure links hardly anybody in networks so small: any links will do, right or wrong.
    order = data.draw(st.permutations(range(network.node_count)))
    claimed = [node if data.draw(st.booleans()) else -1 for node in order]

    with mock.patch("netveil.auditing.together.linked_by_structure", return_value=np.array(claimed, int)):
        pair = laid(network, sides)

    assert pair.scored and pair.claimed == sum(other >= 0 for other in claimed)
    expected = slow_pair(network, sides, claimed)
    for name in ("deleted", "shown_by_other", "put_back", "put_back_wrongly"):
        assert [getattr(each, name) for each in pair.releases] == expected[name], name
    for name in ("deleted_in_both", "same_labels", "linked", "at_risk_together"):
        assert getattr(pair, name) == expected[name], name
    assert pair.linked_wrongly == pair.claimed - (pair.linked or 0)
    assert [each.at_risk for each in pair.releases] == [nv.measure(side).at_risk for side, _ in sides]
    assert pair.at_risk_original == nv.measure(network).at_risk


def test_most_people_of_two_releases_are_linked_without_a_label() -> None:
    """Nobody twice and hardly anybody wrongly; most deletions of each are put back by that."""
    original = powerlaw(400, 8)
    sides = [shuffled(original, seed, deleted=150) for seed in (1, 2)]
    claimed, again = (
        linked_by_structure(sides[0][0], sides[1][0], original.edge_count, np.random.default_rng(0))
        for _ in range(2)
    )
    some = claimed[claimed >= 0]

    pair = laid(original, sides)

    assert np.array_equal(claimed, again) and len(some) == len(np.unique(some)) == pair.claimed
    assert pair.linked is not None and pair.linked > 360
    assert pair.linked_wrongly is not None and pair.linked_wrongly < 4
    for each in pair.releases:
        assert each.deleted == 150 and (each.put_back or 0) > 112 and (each.put_back_wrongly or 0) < 20
    assert (pair.at_risk_together or 0) > 0.9 * pair.at_risk_original


def test_links_do_not_follow_the_order_of_nodes() -> None:
    """Where all nodes are alike there is nothing to go by, though the two files are the same."""
    ring = Network.from_edges([(node, (node + 1) % 200) for node in range(200)])

    claimed = linked_by_structure(ring, ring, 200, np.random.default_rng(3))

    assert np.count_nonzero(claimed == np.arange(200)) < 20


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("scored", [True, False])
def test_equal_labels_are_a_leak(same: bool, scored: bool) -> None:
    """With the same numbers in both nothing need be matched; random numbers agree for one or two people."""
    original = powerlaw(300, 4)
    one, table = shuffled(original, 1)
    sides = [(one, table), (one.without_edges(range(100)), table) if same else shuffled(original, 2, 100)]
    if scored:
        pair = laid(original, sides)
        assert pair.same_labels == 300 if same else (pair.same_labels or 0) < 10
    else:
        found = nv.audit_together(original, [side[0] for side in sides], measure="degree", distance=1)
        (pair,) = found.compared
        assert pair.linked is None and pair.claimed > 0
        assert [each.deleted for each in pair.releases] == [None, None]
        assert "not told who is who" in found.paragraph() and "–" in found.table()

    assert pair.scored == scored
    assert [(leak.severity, leak.kind) for leak in pair.leaks] == [("leak", "labels")] * same
    assert all("edges have the same two labels in both releases" in leak.finding for leak in pair.leaks)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two releases of the karate club, in places of their own."""
    place = tmp_path_factory.mktemp("together")
    found = []
    for seed in (1, 2):
        release = nv.anonymize(KARATE, "10%", seed=seed, effort=0.05)
        (place / str(seed)).mkdir()
        found.append(nv.save(release, place / str(seed) / "release", utility=False, audit=False))
    return found


@pytest.mark.thorough
def test_the_command_takes_several_releases(folders: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A document for each as of one alone, and one for both together; labels from each folder."""
    names = [str(folder) for folder in folders]

    def told(*arguments: str) -> str:
        assert main(["audit", "karate", *arguments]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    alone = [json.loads(told(name, "--json")) for name in names]
    document = json.loads(told(*names, "--json"))
    (pair,) = document["compared"]
    runs = [json.loads((folder / "private" / "run.json").read_text("utf-8")) for folder in folders]

    assert "compared" not in alone[0]
    assert document["original"] == "karate" and document["releases"] == alone
    assert pair["scored"] and pair["attackers"] == "count" and pair["at_risk_original"] == 15
    assert [(each["released"], each["deleted"], each["at_risk"]) for each in pair["releases"]] == [
        (name, run["deleted"], run["at_risk_after"]) for name, run in zip(names, runs, strict=True)
    ]
    assert pair["paragraph"] == document["paragraph"]
    text = told(*names)
    assert text.startswith(f"{names[0]}:\nNo leak found.") and f"\n{names[1]}:\nNo leak found." in text
    assert text.rstrip("\n").endswith(document["paragraph"])
    assert document["paragraph"].endswith("Publish one.")
    quiet = told(*names, "--quiet")
    assert "Whoever has both" not in quiet and "edges deleted" in quiet


@pytest.mark.thorough
def test_each_two_of_three_are_compared(folders: list[Path]) -> None:
    """In Python too: folders, releases and networks may be mixed; names are theirs or given."""
    third = nv.anonymize(KARATE, "5%", seed=3, effort=0.05, measure="degree")

    found = nv.audit_together(KARATE, [*folders, third], distance=1, fuzzy=[])

    names = [tuple(each.released for each in pair.releases) for pair in found.compared]
    assert names == [("release 1", "release 2"), ("release 1", "release 3"), ("release 2", "release 3")]
    assert {pair.attackers for pair in found.compared} == {"count + degree"}
    assert repr(found) == "Audits(3 releases, 3 pairs)"
    assert found.paragraph().count("Publish one.") == 3
    assert "<table>" in found._repr_html_()


def test_a_published_file_names_no_code_to_be_imported(tmp_path: Path) -> None:
    """A measure in about.json that is none of netveil's is passed over, and so is a damaged one."""
    folders = []
    for number, about in enumerate(('{"measure": "this:that", "distance": 1}', "[", "{}")):
        public = tmp_path / str(number) / "public"
        public.mkdir(parents=True)
        nv.write(shuffled(KARATE, number)[0], public / "network.txt")
        (public / "about.json").write_text(about, encoding="utf-8")
        folders.append(public.parent)

    found = nv.audit_together(KARATE, folders, distance=1)

    assert {pair.attackers for pair in found.compared} == {"count"}


def test_mistakes_are_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    folders = ["one", "other"]

    assert main(["audit", "karate", *folders, "--labels", "labels.csv"]) == 2
    assert "is the table of one release; leave it out" in capsys.readouterr().err
    assert main(["audit", "karate"]) == 2
    with pytest.raises(nv.SettingError, match=r"use audit_together\(original, releases\)"):
        nv.audit("karate", folders)
    for few in ([], folders[:1], "one"):
        with pytest.raises(nv.SettingError, match="give a list of two or more releases"):
            nv.audit_together("karate", few)
