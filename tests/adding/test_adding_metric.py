"""A utility metric that was added is computed wherever all are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recipes import added, document, said

import netveil as nv


def people_with_one_contact(network: nv.Network) -> int:
    """What the metric of the page counts."""
    return sum(degree == 1 for degree in network.degrees.tolist())


def test_it_is_compared_reported_and_published(capsys: pytest.CaptureFixture[str]) -> None:
    """In the table and in JSON; with its meaning in the report, and as a figure in what is published."""
    added("metric")
    said(capsys, "anonymize karate --algorithm es --seed 1 --no-audit --quiet --out release")
    table = said(capsys, "compare karate release")
    found = json.loads(said(capsys, "compare karate release --json"))["metrics"]["one_contact"]
    (row,) = (line.split() for line in table.splitlines() if line.startswith("people with one contact "))
    report = Path("release/private/report.html").read_text(encoding="utf-8")

    assert found["title"] == "people with one contact"
    assert found["before"] == people_with_one_contact(nv.load("karate"))
    assert found["after"] == people_with_one_contact(nv.read("release/public/network.txt"))
    assert row[4:6] == [str(found["before"]), str(found["after"])]
    assert "How many people are known by a single contact." in report
    assert document("release/private/run.json")["report"]["utility"][-1]["title"] == found["title"]
    assert "one_contact" in document("release/public/about.json")["utility"]
