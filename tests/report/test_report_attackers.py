"""What the report tells of attackers: one or several, with doubts or without, and what they still achieve."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import with_attributes
from netveil.anonymity import MEASURES
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.job import Anonymization
from netveil.release.gather import gather
from netveil.release.records import run_record
from netveil.report import render


def contacts_in_pairs(network: nv.Network) -> list[int]:
    """An own measure: the contacts, counted in pairs."""
    counted: list[int] = (network.degrees // 2).tolist()
    return counted


@pytest.fixture(scope="module")
def made_once() -> dict[str, Any]:
    """The record of a release against two attackers with doubts, audited."""
    release = nv.anonymize(
        nv.load("karate"), "10%", measure=["count", "degree"], fuzzy="5%", twins=True, effort=0.02, seed=1
    )
    record: dict[str, Any] = json.loads(
        json.dumps(run_record(release, gather(release, Anonymization(utility=False, baselines=False))))
    )
    return record


@pytest.fixture
def run(made_once: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(made_once)


def test_several_attackers_are_named_in_the_verdict_and_counted_one_by_one(run: dict[str, Any]) -> None:
    page = render(run)
    rows = run["report"]["attackers"]

    assert (
        "by an attacker who has counted a person's contacts and the ties among those contacts, each number "
        "to within 5%, or one who has counted a person's contacts, each number to within 5%. In the release"
    ) in page.replace("&#39;", "'")
    assert "People with the same contacts count as one lookalike" in page
    assert "(measure count + degree, fuzzy 5%, twin classes)" in page
    assert [(row["name"], row["before"]) for row in rows] == [
        ("count, fuzzy 5%, twin classes", 15),
        ("degree, fuzzy 5%, twin classes", 6),
    ]
    for row in rows:
        assert f'{row["title"]} <span class="measure">({row["name"]})</span>' in page
        assert f"<td>{row['before']}</td><td>{row['after']}</td>" in page
    assert page.index("People at risk:") < page.index("Each attacker alone") < page.index("Bars: people by")


def test_an_attacker_who_gains_is_explained_below_the_table(run: dict[str, Any]) -> None:
    """That more are at risk to her alone must not go without a word."""
    for row in run["report"]["attackers"]:
        row["after"] = row["before"]
    without = render(run)
    run["report"]["attackers"][1]["after"] += 12
    below = render(run).split("Each attacker alone")[1].split("</table>")[1].split("</p>")[0]

    assert "To degree, fuzzy 5%, twin classes alone <strong>more</strong> people are at risk" in below
    assert "any of the attackers together" in below
    assert "any of the attackers together" not in without


@pytest.mark.quick(1)
@pytest.mark.usefixtures("whole_figures")
@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_a_report(measure: str) -> None:
    release = nv.anonymize(nv.load("karate"), 3, measure=measure, distance=2, algorithm="es", seed=1)
    page = release.report(utility=False, audit=False).html

    assert f"(measure {measure}, distance 2)" in page
    assert f"{MEASURES[measure].attacker}, up to distance 2." in page.replace("&#39;", "'")
    assert "Each attacker alone" not in page and "count as one lookalike" not in page
    assert "Contacts against ties among them, whatever the measure is." in page


@pytest.mark.filterwarnings("ignore::netveil.errors.AttributesWarning")
def test_attributes_that_are_published_are_found_by_the_audit() -> None:
    """The report does not say that nothing is given away; those that are left out give nothing away."""
    graph = with_attributes()
    kept, left_out = (
        gather(nv.anonymize(graph, 1, seed=1, keep_attributes=names), Anonymization(utility=False)).audit
        for names in (["age", "weight"], [])
    )
    assert kept is not None and left_out is not None

    assert [(leak.severity, leak.kind) for leak in kept.leaks] == [("leak", "columns")]
    assert "carries attributes (2)" in kept.leaks[0].finding
    assert "1 leak found" in kept.paragraph() and "gives nothing away" not in kept.paragraph()
    assert "netveil, which writes" not in kept.leaks[0].remedy
    assert left_out.leaks == ()


def test_nothing_of_an_own_measure_but_its_name_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ward_seven_measures.py").write_text("def contacts(network):\n    return network.degrees\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    measures = ["ward_seven_measures:contacts", "count"]
    release = nv.anonymize(nv.load("karate"), 3, measure=measures, algorithm="es", seed=1)
    folder = nv.save(release, tmp_path / "release", utility=False)
    published = {file.name: file.read_text(encoding="utf-8") for file in (folder / "public").iterdir()}

    assert set(published) == {*DEPOSIT_FILES, "about.json", "network.txt"}
    assert all("ward" not in text and "audit" not in text for text in published.values())
    assert json.loads(published["about.json"])["measure"] == "contacts + count"
    assert "ward_seven_measures:contacts" in (folder / "private" / "report.html").read_text(encoding="utf-8")
