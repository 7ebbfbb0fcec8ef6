"""The curve of a release: every point of it is a release of its own, and none of it is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import netveil as nv
from netveil.release.records import run_record
from netveil.report import Evidence
from releases import FILES, SEED, anonymize, everything_below, leave_out_report, write_contacts

CURVE = ("--algorithm", "annealing", "--effort", "0.05", "--curve")


@pytest.fixture(scope="module")
def whole() -> nv.Release:
    """Of the karate club, for a tenth of its edges."""
    return nv.anonymize(nv.load("karate"), "10%", effort=0.05, seed=3, curve=True)


def test_every_point_is_a_release_that_measures_as_it_says(whole: nv.Release) -> None:
    """Budget, deletions and people at risk are the point's; the rest is the search's."""
    assert [point.budget for point in whole.outcome.curve] == [1, 2, 3, 5, 7]
    for point in whole.outcome.curve:
        release = whole.at(point.budget)
        figures, measured = release.figures(), nv.measure(release.network)

        assert figures["at_risk_after"] == figures["objective"] == measured.at_risk == point.at_risk
        assert figures["unique_after"] == measured.unique
        assert figures["deleted"] == len(release.deleted_edges) == 78 - measured.edges <= point.budget
        assert (figures["budget"], figures["seed"], figures["at_risk_before"]) == (point.budget, 3, 15)
        assert figures["curve"] == whole.figures()["curve"]
        last = run_record(release, Evidence())["history"][-1]
        assert (last["at_risk"], last["deleted"]) == (figures["at_risk_after"], figures["deleted"])


@pytest.mark.parametrize(
    ("budget", "edges"), [("1.5%", 1), (0.03, 2), ("0.05", 3), (4, 3), ("5", 5), ("7%", 5), (6, 5), (7, 7)]
)
def test_the_largest_point_not_above_the_budget_is_taken(
    whole: nv.Release, budget: str | int | float, edges: int
) -> None:
    """Shares are rounded down, as every budget is."""
    assert whole.at(budget).outcome.budget == edges


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        (0, "budget 0 is less than the first point of the curve; give 1 edges"),
        ("0.5%", "budget 0.5% is less than the first point"),
        (79, "more than the network's 78 edges"),
        ("little", "budget 'little' is not a number"),
    ],
)
def test_no_point_is_for_such_a_budget(whole: nv.Release, budget: str | int, what: str) -> None:
    """Told with what would do."""
    with pytest.raises(nv.SettingError, match=what):
        whole.at(budget)


def test_the_curve_is_kept_by_original_labels_and_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A private file more, and not one more public word: every published file is opened and searched."""
    leave_out_report(monkeypatch)
    contacts = write_contacts(tmp_path)
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
