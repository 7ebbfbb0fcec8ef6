"""private/people_at_risk.csv: who was at risk, who still is, and under which published number."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import netveil as nv
from releases import leave_out_report, write_contacts


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> nv.Network:
    """Forty people with addresses."""
    return nv.read(write_contacts(tmp_path_factory.mktemp("people")))


def saved(release: nv.Release, folder: Path) -> list[dict[str, str]]:
    """The rows of the file of a saved release."""
    nv.save(release, folder, utility=False, audit=False, baselines=False)
    with (folder / "private" / "people_at_risk.csv").open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("measure", ["count", ["degree", "vertex-refinement"]])
@pytest.mark.parametrize("k", [2, 3])
def test_the_file_agrees_with_measuring_both_networks(
    network: nv.Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str | list[str], k: int
) -> None:
    """Everybody who was or is at risk, and nobody else; those who remain first, the riskiest first."""
    leave_out_report(monkeypatch)
    release = nv.anonymize(network, "5%", measure=measure, k=k, algorithm="ua", seed=1)
    rows = saved(release, tmp_path / "release")
    published = nv.read(tmp_path / "release" / "public" / "network.txt")
    before, after = nv.measure(network, measure, k), nv.measure(published, measure, k)
    number_of = {str(label): int(str(number)) for label, number in release.labels.items()}
    node_of = {label: node for node, label in enumerate(network.labels)}

    was = {str(network.labels[node]) for node in before.nodes_at_risk.nonzero()[0].tolist()}
    still = {label for label, number in number_of.items() if after.nodes_at_risk[number]}
    assert {row["label"] for row in rows} == was | still and still
    for row in rows:
        node, number = node_of[row["label"]], number_of[row["label"]]
        assert int(row["published"]) == number
        assert int(row["contacts"]) == network.degrees[node]
        assert int(row["class_size_before"]) == before.lookalikes[node]
        assert int(row["class_size_after"]) == after.lookalikes[number]
        assert (row["at_risk_before"] == "yes") == before.nodes_at_risk[node]
        assert (row["at_risk_after"] == "yes") == after.nodes_at_risk[number]
    flags = [row["at_risk_after"] for row in rows]
    assert flags == sorted(flags, reverse=True)
    remaining = [(int(row["class_size_after"]), -int(row["contacts"])) for row in rows[: len(still)]]
    safe_now = [(int(row["class_size_before"]), -int(row["contacts"])) for row in rows[len(still) :]]
    assert remaining == sorted(remaining) and safe_now == sorted(safe_now)


def test_attackers_are_those_who_can_now_or_could_before(network: nv.Network) -> None:
    """Of somebody who remains, to whom; of somebody who is safe now, to whom they were not."""
    release = nv.anonymize(network, "10%", measure=["degree", "count"], algorithm="ua", seed=1)

    for person in release.people:
        then = release.after if person.at_risk_after else release.before
        node = list(network.labels).index(person.label)
        names = [each.measure for each in then.each if each.nodes_at_risk[node]]
        assert person.attackers == " + ".join(names) != ""


def test_the_report_lists_published_numbers_and_no_label(network: nv.Network, tmp_path: Path) -> None:
    """The riskiest twenty at most, and how many more there are, with the way to their names."""
    release = nv.anonymize(network, 1, k=4, algorithm="es", seed=1)
    rows = saved(release, tmp_path / "release")
    remaining = [row for row in rows if row["at_risk_after"] == "yes"]
    page = (tmp_path / "release" / "private" / "report.html").read_text(encoding="utf-8")
    body = page.split("Who remains?")[1].split("<figure>")[0]

    assert len(remaining) > 20
    assert [line.split(">")[1].split("<")[0] for line in body.split('<th scope="row"')[1:]] == [
        row["published"] for row in remaining[:20]
    ]
    assert f"And {len(remaining) - 20} more in <code>private/people_at_risk.csv</code>" in body
    assert "private/labels.csv" in body
    assert "example.org" not in body


def test_published_labels_are_not_repeated_in_the_report(network: nv.Network, tmp_path: Path) -> None:
    """There is no number to give: the line of the private file leads to the person."""
    release = nv.anonymize(network, 1, algorithm="es", seed=1, keep_labels=True)
    rows = saved(release, tmp_path / "release")
    page = (tmp_path / "release" / "private" / "report.html").read_text(encoding="utf-8")
    body = page.split("Who remains?")[1].split("<figure>")[0]

    assert rows[0]["label"] == rows[0]["published"]
    assert '<th scope="row">2</th>' in body and "by their line in private/people_at_risk.csv" in body
    assert "example.org" not in body


def test_nothing_of_it_is_published(network: nv.Network, tmp_path: Path) -> None:
    """Neither when the release was made nor who remains."""
    saved(nv.anonymize(network, 5, seed=1, effort=0.05), tmp_path / "release")
    run = json.loads((tmp_path / "release" / "private" / "run.json").read_text(encoding="utf-8"))
    public = "".join(file.read_text() for file in (tmp_path / "release" / "public").iterdir())

    assert run["input"] == "clinic-contacts.csv" and run["made_at"][:4].isdigit()
    for secret in (run["made_at"], run["made_at"][:10], "clinic", "made_at", "remaining"):
        assert secret not in public
