"""What is in a release, and what is not: files, figures, the curve, people at risk."""

from __future__ import annotations

import csv
import getpass
import json
import socket
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.files import FORMATS
from netveil.files.storage import load_file
from netveil.release.deposit import DEPOSIT
from netveil.release.records import RUNGS, published_figures, run_record, share_bound
from netveil.report import Evidence
from netveil.utility import METRICS, compare, metric
from netveil.utility.metric import Finding, Property
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

# Names of one to three letters would be found by chance.
THIS_MACHINE = [name for name in (getpass.getuser(), socket.gethostname()) if len(name) > 3]


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "with_report" not in request.fixturenames:
        leave_out_report(monkeypatch)


@pytest.fixture
def with_report() -> None:
    """Asks for the report all the same."""


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    return write_contacts(tmp_path)


def test_the_folder_holds_the_files_of_the_contract_and_no_others(contacts: Path, tmp_path: Path) -> None:
    assert anonymize(contacts, tmp_path / "release") == 0

    assert {name for name in everything_below(tmp_path / "release") if name[-1] != "/"} == FILES
    assert {path.name for path in tmp_path.iterdir()} == {"release", "ward-seven"}
    assert (tmp_path / "release" / "private").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("algorithm", ["ga", "uga", "es", "ua"])
def test_the_private_part_leads_back_to_the_original(contacts: Path, tmp_path: Path, algorithm: str) -> None:
    anonymize(contacts, tmp_path / "release", "--algorithm", algorithm)
    private = tmp_path / "release" / "private"
    original = nv.read(contacts)
    back = {int(number): label for label, number in rows(private / "labels.csv")}

    published = nv.read(tmp_path / "release" / "public" / "network.csv")
    kept = {frozenset(back[label] for label in edge) for edge in edge_set(published)}
    deleted = {frozenset(edge) for edge in rows(private / "deleted_edges.csv")}

    assert kept | deleted == edge_set(original)
    assert not kept & deleted
    run = json.loads((private / "run.json").read_text(encoding="utf-8"))
    assert len(deleted) == run["deleted"] <= run["budget"] == 12
    assert nv.measure(published).at_risk == run["at_risk_after"] <= run["at_risk_before"]
    assert nv.measure(original).at_risk == run["at_risk_before"]


def test_about_holds_what_may_be_published_and_nothing_else(contacts: Path, tmp_path: Path) -> None:
    anonymize(contacts, tmp_path / "release", "--k", "3")

    about = json.loads((tmp_path / "release" / "public" / "about.json").read_text(encoding="utf-8"))

    published = nv.read(tmp_path / "release" / "public" / "network.csv")
    after = nv.measure(published, k=3)
    assert about == {
        "netveil": nv.__version__,
        "kind": "deletion",
        "measure": "count",
        "distance": 1,
        "k": 3,
        "budget_share": 0.1,
        "anonymity": {"nodes": 40, "at_risk_after": after.at_risk, "unique_after": after.unique},
        "utility": {"edges_published": published.edge_count, "edges_deleted": 0.1},
    }
    assert 0.05 < 1 - published.edge_count / 120 <= 0.1


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_several_numbers_of_deletions_have_the_same_bound(published: int, deleted: int) -> None:
    bound = share_bound(deleted, published + deleted, published)

    assert deleted / (published + deleted) <= bound and Fraction(str(bound)) in RUNGS
    near = range(max(1, deleted - 2), deleted + 3)
    assert sum(share_bound(number, published + number, published) == bound for number in near) >= 3


def test_a_published_figure_is_that_after_the_deletion_alone() -> None:
    found = Finding("a title", 0.5, 0.25, "closer", standard_error={"before": 0.1, "after": 0.0123})

    figures = published_figures({"clustering": found, "edges": found, "communities": found})
    assert figures == {"clustering": {"after": 0.25, "standard_error": 0.012}}


@pytest.mark.thorough
def test_published_figures_are_those_of_the_published_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the original was: computed from the release alone; estimates with an error of two digits."""
    monkeypatch.setattr(metric, "EXACT_WORK", 1_000)
    monkeypatch.setattr(metric, "SAMPLED_WORK", 1_000)
    demo = nv.load("demo")
    release = nv.anonymize(demo, "5%", seed=7, effort=0.01)
    comparison, alone = compare(demo, release.remaining), compare(release.remaining, release.remaining)
    utility = release.public_record(Evidence(comparison=comparison))["utility"]
    error = comparison.metrics["path_length"].standard_error["after"]

    assert utility["path_length"].pop("standard_error") == float(f"{error:.2g}") > 0
    assert {type(utility.pop(name)) for name in ("edges_published", "edges_deleted")} == {int, float}
    assert utility.keys() == {name for name, each in METRICS.items() if isinstance(each, Property)} - {
        "edges"
    }
    for name, entry in utility.items():
        assert entry == {"after": alone.metrics[name].before}


@pytest.mark.parametrize(
    ("budget", "published"),
    [("5%", 0.05), (0.07, 0.1), ("12.5%", 0.2), (3, 0.05), (5, 0.1), (3 / 78, 0.05), ("2%", 0.05), (0, 0.0)],
)
def test_a_published_budget_is_a_bound(budget: str | float, published: float, tmp_path: Path) -> None:
    release = nv.anonymize(nv.load("karate"), budget, seed=1, algorithm="es")
    folder = nv.save(release, tmp_path / "release", utility=False, audit=False)

    told = release.public_record(Evidence())
    assert told["budget_share"] == published
    assert nv.load_release(folder).public_record(Evidence()) == told


def secrets_of(contacts: Path, release: Path) -> set[str]:
    """What nobody may read in a published file, wherever this test runs."""
    labels = {str(label) for label in nv.read(contacts).labels}
    return {
        *labels,
        *(label.split("@")[0] for label in labels),
        "example.org",
        str(SEED),
        f"{SEED:,}",
        str(contacts),
        contacts.parent.name,
        contacts.stem,
        str(release),
        release.name,
        *THIS_MACHINE,
        "some-user",
        "some-host",
    }


@pytest.mark.usefixtures("with_report")
def test_no_published_file_tells_who_made_it_or_whom_it_is_about(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, "some-user")
    monkeypatch.setattr(socket, "gethostname", lambda: "some-host")
    release = tmp_path / "monday-release"

    anonymize(contacts, release, "--utility", "--budget", "9%")  # told as 10%

    published = everything_below(release / "public")
    assert published.keys() == {"about.json", "network.csv", "nodes.csv", *DEPOSIT}
    about = json.loads(published["about.json"])
    assert "clustering" in about["utility"]
    for name, content in published.items():
        for secret in secrets_of(contacts, release):
            assert secret.lower() not in content.decode().lower(), f"{name} holds '{secret}'"
    record = (release / "private" / "run.json").read_text(encoding="utf-8")
    assert str(SEED) in record  # the search above would have found it
    run = json.loads(record)
    assert run["input"] == contacts.name and run["made_at"][:4].isdigit()
    made_at = run["made_at"][:10].encode()
    assert not any(made_at in content or b"remaining" in content for content in published.values())
    told = set(numbers_in(about))
    rows_of_report = run["report"]["utility"]
    public = {run[name] for name in ("at_risk_after", "unique_after", "nodes", "k", "distance")}
    public |= {row["after"] for row in rows_of_report}
    exact = {run[name] for name in ("at_risk_before", "unique_before", "deleted", "edges", "budget")}
    exact |= {row[when] for row in rows_of_report for when in ("before", "change", "relative_change")}
    assert len(exact - public) > 10 and not (exact - public) & told
    assert run["deleted"] / run["edges"] not in told


def numbers_in(record: Any) -> Iterator[float]:
    if isinstance(record, dict):
        for value in record.values():
            yield from numbers_in(value)
    elif isinstance(record, int | float):
        yield record


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "extension", ["csv", "tsv.xz", *(each.suffixes[0][1:] for each in FORMATS.values() if each.is_written)]
)
def test_no_format_publishes_labels_or_deleted_edges(contacts: Path, tmp_path: Path, extension: str) -> None:
    release = nv.anonymize(nv.read(contacts), budget="10%", seed=SEED)

    folder = nv.save(release, tmp_path / "monday-release", extension=extension, utility=False)

    file = folder / "public" / f"network.{extension}"
    for each in (folder / "public").iterdir():
        content = load_file(str(each)).lower()
        secrets = secrets_of(contacts, folder)
        assert not [secret for secret in secrets if secret.lower().encode() in content], each
    published = nv.read(file)
    deleted = {frozenset(release.labels[label] for label in edge) for edge in release.deleted_edges}
    edges = {frozenset(int(str(label)) for label in edge) for edge in edge_set(published)}
    assert {int(str(label)) for label in published.labels} == set(range(40))
    assert len(deleted) > 0
    assert not edges & deleted
    assert len(edges) + len(deleted) == 120


def test_the_history_ends_at_the_release_and_stays_small() -> None:
    settings = {"patience": 1500, "population": 4, "offspring": 2}
    release = nv.anonymize(nv.load("karate"), 1, algorithm="ga", seed=1, settings=settings)
    run = run_record(release, Evidence())

    assert len(release.outcome.history) > 1000
    assert len(run["history"]) <= 1000
    last = run["history"][-1]
    assert (last["at_risk"], last["deleted"]) == (run["at_risk_after"], run["deleted"])


CURVE = ("--algorithm", "annealing", "--effort", "0.05", "--curve")


@pytest.fixture(scope="module")
def whole_curve() -> nv.Release:
    """Of the karate club, for a tenth of its edges."""
    return nv.anonymize(nv.load("karate"), "10%", effort=0.05, seed=3, curve=True)


def test_every_point_is_a_release_that_measures_as_it_says(whole_curve: nv.Release) -> None:
    assert [point.budget for point in whole_curve.outcome.curve] == [1, 2, 3, 5, 7]
    for point in whole_curve.outcome.curve:
        release = whole_curve.at(point.budget)
        figures, measured = release.figures(), nv.measure(release.network)

        assert figures["at_risk_after"] == figures["objective"] == measured.at_risk == point.at_risk
        assert figures["unique_after"] == measured.unique
        assert figures["deleted"] == len(release.deleted_edges) == 78 - measured.edges <= point.budget
        assert (figures["budget"], figures["seed"], figures["at_risk_before"]) == (point.budget, 3, 15)
        assert figures["curve"] == whole_curve.figures()["curve"]
        last = run_record(release, Evidence())["history"][-1]
        assert (last["at_risk"], last["deleted"]) == (figures["at_risk_after"], figures["deleted"])


@pytest.mark.parametrize(
    ("budget", "edges"), [("1.5%", 1), (0.03, 2), ("0.05", 3), (4, 3), ("5", 5), ("7%", 5), (6, 5), (7, 7)]
)
def test_the_largest_point_not_above_the_budget_is_taken(
    whole_curve: nv.Release, budget: str | int | float, edges: int
) -> None:
    assert whole_curve.at(budget).outcome.budget == edges


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        (0, "budget 0 is less than the first point of the curve; give 1 edges"),
        ("0.5%", "budget 0.5% is less than the first point"),
        (79, "more than the network's 78 edges"),
        ("little", "budget 'little' is not a number"),
    ],
)
def test_no_point_is_for_such_a_budget(whole_curve: nv.Release, budget: str | int, what: str) -> None:
    with pytest.raises(nv.SettingError, match=what):
        whole_curve.at(budget)


def test_the_curve_is_kept_by_original_labels_and_not_published(contacts: Path, tmp_path: Path) -> None:
    assert anonymize(contacts, tmp_path / "plain", "--algorithm", "annealing", "--effort", "0.05") == 0
    assert anonymize(contacts, tmp_path / "curved", *CURVE, "--target", "90%") == 0

    plain, curved = (everything_below(tmp_path / name) for name in ("plain", "curved"))
    assert {name for name in plain if name[-1] != "/"} == FILES
    assert {name for name in curved if name[-1] != "/"} == FILES | {"private/curve.json"}
    record = json.loads(curved["private/curve.json"])
    edges = {frozenset(edge) for edge in nv.read(contacts).to_edges()}
    for point in record["points"]:
        assert {frozenset(edge) for edge in point["deleted_edges"]} < edges
        assert len(point["deleted_edges"]) <= point["budget"]
    about = json.loads(curved["public/about.json"])
    assert about.keys() == json.loads(plain["public/about.json"]).keys()
    secrets = {"curve", "target", "90%", "enough", "reached", "example.org", str(SEED), record["fingerprint"]}
    header, ties = curved["public/network.csv"].decode().split("\n", 1)
    assert header == "source,target"
    published = {name: content.decode() for name, content in curved.items() if name.startswith("public/")}
    for name, content in (published | {"public/network.csv": ties}).items():
        # The codebook names the column `target`, as the header does.
        told = content.replace("| target |", "").replace('"name": "target"', "")
        for secret in secrets:
            assert secret not in told, f"{name} holds '{secret}'"
    for secret in ("curve", "90%", str(SEED), "enough"):
        assert secret in curved["private/run.json"].decode()  # the search above would have found it


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> nv.Network:
    """Forty people with addresses."""
    return nv.read(write_contacts(tmp_path_factory.mktemp("people")))


def people_of(release: nv.Release, folder: Path) -> list[dict[str, str]]:
    """The rows of the file of a people_of release."""
    nv.save(release, folder, utility=False, audit=False, baselines=False)
    with (folder / "private" / "people_at_risk.csv").open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("measure", ["count", ["degree", "vertex-refinement"]])
@pytest.mark.parametrize("k", [2, 3])
def test_the_file_agrees_with_measuring_both_networks(
    network: nv.Network, tmp_path: Path, measure: str | list[str], k: int
) -> None:
    release = nv.anonymize(network, "5%", measure=measure, k=k, algorithm="ua", seed=1)
    rows = people_of(release, tmp_path / "release")
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
    release = nv.anonymize(network, "10%", measure=["degree", "count"], algorithm="ua", seed=1)

    for person in release.people:
        then = release.after if person.at_risk_after else release.before
        node = list(network.labels).index(person.label)
        names = [each.measure for each in then.each if each.nodes_at_risk[node]]
        assert person.attackers == " + ".join(names) != ""


@pytest.mark.usefixtures("with_report")
def test_the_report_lists_published_numbers_and_no_label(network: nv.Network, tmp_path: Path) -> None:
    release = nv.anonymize(network, 1, k=4, algorithm="es", seed=1)
    rows = people_of(release, tmp_path / "release")
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


@pytest.mark.usefixtures("with_report")
def test_published_labels_are_not_repeated_in_the_report(network: nv.Network, tmp_path: Path) -> None:
    release = nv.anonymize(network, 1, algorithm="es", seed=1, keep_labels=True)
    rows = people_of(release, tmp_path / "release")
    page = (tmp_path / "release" / "private" / "report.html").read_text(encoding="utf-8")
    body = page.split("Who remains?")[1].split("<figure>")[0]

    assert rows[0]["label"] == rows[0]["published"]
    assert '<th scope="row">2</th>' in body and "by their line in private/people_at_risk.csv" in body
    assert "example.org" not in body
