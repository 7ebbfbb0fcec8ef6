"""What is in a release, and what is not."""

from __future__ import annotations

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
    """Where a test does not ask for it."""
    if "with_report" not in request.fixturenames:
        leave_out_report(monkeypatch)


@pytest.fixture
def with_report() -> None:
    """Asks for the report all the same."""


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    """A file with the network."""
    return write_contacts(tmp_path)


def test_the_folder_holds_the_files_of_the_contract_and_no_others(contacts: Path, tmp_path: Path) -> None:
    """Also nothing hidden, in it or beside it; nobody else may look into the private part."""
    assert anonymize(contacts, tmp_path / "release") == 0

    assert {name for name in everything_below(tmp_path / "release") if name[-1] != "/"} == FILES
    assert {path.name for path in tmp_path.iterdir()} == {"release", "ward-seven"}
    assert (tmp_path / "release" / "private").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("algorithm", ["ga", "uga", "es", "ua"])
def test_the_private_part_leads_back_to_the_original(contacts: Path, tmp_path: Path, algorithm: str) -> None:
    """Published edges under their old labels and the deleted ones are exactly the original; none is both."""
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
    """Measure, k, budget share, anonymity and utility figures, the version."""
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
    """It is a bound, from a short ladder, and at least three numbers give it."""
    bound = share_bound(deleted, published + deleted, published)

    assert deleted / (published + deleted) <= bound and Fraction(str(bound)) in RUNGS
    near = range(max(1, deleted - 2), deleted + 3)
    assert sum(share_bound(number, published + number, published) == bound for number in near) >= 3


def test_a_published_figure_is_that_after_the_deletion_alone() -> None:
    """Neither the one before nor any change; edges are told elsewhere, as a bound."""
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
    """Of a share and of a number of edges; a loaded release tells the same."""
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
    """No label, no seed, no path, no user and no host: every file is opened and searched."""
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
    told = set(numbers_in(about))
    rows_of_report = run["report"]["utility"]
    public = {run[name] for name in ("at_risk_after", "unique_after", "nodes", "k", "distance")}
    public |= {row["after"] for row in rows_of_report}
    exact = {run[name] for name in ("at_risk_before", "unique_before", "deleted", "edges", "budget")}
    exact |= {row[when] for row in rows_of_report for when in ("before", "change", "relative_change")}
    assert len(exact - public) > 10 and not (exact - public) & told
    assert run["deleted"] / run["edges"] not in told


def numbers_in(record: Any) -> Iterator[float]:
    """All numbers of a record, at any depth."""
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
    """Read back, the published file has numbers for labels and none of the deleted edges."""
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


@pytest.mark.quick(1)
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_same_seed_same_deletions_whatever_the_threads(contacts: Path, tmp_path: Path, threads: str) -> None:
    """And the same figures to publish; the published numbers are drawn anew."""
    anonymize(contacts, tmp_path / "first")
    anonymize(contacts, tmp_path / "second", "--threads", threads)
    anonymize(contacts, tmp_path / "third", "--threads", threads, seed=SEED + 1)

    first, second, third = (everything_below(tmp_path / name) for name in ("first", "second", "third"))
    for name in ("public/about.json", "private/deleted_edges.csv"):
        assert first[name] == second[name]
    assert second["private/deleted_edges.csv"] != third["private/deleted_edges.csv"]
    assert first["private/labels.csv"] != second["private/labels.csv"]


def test_the_history_ends_at_the_release_and_stays_small() -> None:
    """Its last row is what is released, and a long search keeps at most a thousand rows in its record."""
    settings = {"patience": 1500, "population": 4, "offspring": 2}
    release = nv.anonymize(nv.load("karate"), 1, algorithm="ga", seed=1, settings=settings)
    run = run_record(release, Evidence())

    assert len(release.outcome.history) > 1000
    assert len(run["history"]) <= 1000
    last = run["history"][-1]
    assert (last["at_risk"], last["deleted"]) == (run["at_risk_after"], run["deleted"])
