"""The section of the report on the audit: rendered from the document alone, everything escaped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from audits import shuffled

import netveil as nv
from netveil.report.page import templates


def section(document: dict[str, Any]) -> str:
    """The section, as the report includes it."""
    return templates().get_template("audit.html").render(audit=json.loads(json.dumps(document)))


@pytest.mark.parametrize("scored", [True, False])
def test_the_section_tells_paragraph_and_figures(scored: bool) -> None:
    """A row an attacker in both tables; without a score, how many matches there are.

    Who allows for deletions does not look inside the release, so she has no row in the second.
    """
    karate = nv.load("karate")
    released, table = shuffled(karate, deleted=5)
    found = nv.audit(karate, released, labels=table if scored else None)

    page = section(found.to_dict())

    assert found.paragraph().split("(")[0] in page.replace("&#39;", "'")
    inside = [attack for attack in found.attacks if attack.at_risk]
    assert len(inside) == 26
    assert page.count('<th scope="row">') == len(found.matching) + len(found.attacks) + len(inside)
    assert ("misled" in page) == scored
    assert ("Note: no score" in page) != scored


def test_findings_are_listed_and_escaped() -> None:
    """Nothing that stands in a release can become part of the page."""
    karate = nv.load("karate")
    document = nv.audit(karate, karate, measure=["degree"]).to_dict()
    document["notes"] = ["<script>"]

    page = section(document)

    assert "<strong>Leak.</strong> The published numbers follow" in page
    assert "<script>" not in page
