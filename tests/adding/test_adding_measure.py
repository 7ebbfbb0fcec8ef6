"""A measure that was added is known by name to every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from recipes import PLAN, added, document, said

import netveil as nv

ANONYMIZE = "anonymize karate --measure triangles --budget 10% --seed 1 --no-utility --quiet"
KNOWS = "has counted the ties among a person's contacts, but not the contacts"


@pytest.fixture(autouse=True)
def _added() -> None:
    """The measure of the page."""
    assert added("measure") == "triangles"


def in_how_many_triangles(network: nv.Network) -> list[int]:
    """Each person of a network, by networkx."""
    triangles: Any = networkx.triangles(network.to_networkx())
    return list(triangles.values())


def alone(triangles: list[int]) -> int:
    """How many people have a number that nobody else has."""
    return sum(triangles.count(own) == 1 for own in triangles)


@pytest.mark.thorough
def test_it_is_audited_and_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """With all the others, at both distances, and exactly as well as roughly; the report tells of it."""
    said(capsys, f"{ANONYMIZE} --algorithm es --out audited")
    table = said(capsys, "audit karate audited --measure triangles")
    told = json.loads(said(capsys, "audit karate audited --json --quiet"))
    report = Path("audited/private/report.html").read_text(encoding="utf-8")

    assert "triangles" in table
    names = {attack["attacker"] for attack in told["attacks"]}
    assert {"triangles", "triangles, fuzzy 10%", "triangles, distance 2"} <= names
    assert KNOWS in " ".join(report.replace("&#39;", "'").split())


def test_a_function_that_was_added_is_a_measure_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """With its own reach: audits try it at no other; labels travel in plans, for it may look at them."""

    @nv.add("measure")
    def initial(network: nv.Network) -> list[str]:
        return [str(label)[0] for label in network.labels]

    Path("ours.csv").write_text("anna,bob\nbob,adam\nadam,cleo\n", encoding="utf-8")
    plan = PLAN.replace("karate", "ours.csv") + 'measures = ["initial"]\n'
    Path("plan.toml").write_text(plan, encoding="utf-8")
    said(capsys, "experiment plan.toml --out runs --workers 1 --quiet")
    (run,) = Path("runs").glob("runs/*/result.json")
    audit = nv.audit("karate", "karate", matching="none")

    assert document(str(run))["at_risk_before"] == nv.measure("ours.csv", "initial").at_risk == 2
    assert [each.name for each in audit.attacks if each.name.startswith("initial")] == ["initial"]


def test_it_is_measured_and_tuned_for(capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, also with doubts; the figures are those of networkx."""
    few = "--configurations 2 --finalists 1 --budget 3 --seed 1 --workers 1"
    found = json.loads(said(capsys, "measure karate --measure triangles --json"))
    sentence = said(capsys, "measure karate --measure triangles --fuzzy 5% --twins")
    tuned = json.loads(said(capsys, f"tune karate --measure triangles {few} --out tuned --json --quiet"))

    assert found["at_risk"] == alone(in_how_many_triangles(nv.load("karate")))
    assert KNOWS in " ".join(sentence.split())
    assert tuned["measure"] == "triangles"


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("algorithm", "other"),
    [
        *(("ga", "count"), ("uga", ""), ("annealing", "count")),
        *((name, other) for name in ("es", "ua") for other in ("", "count")),
    ],
)
def test_every_algorithm_searches_with_it(
    algorithm: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone or beside another: fewer are at risk afterwards, by networkx too."""
    measures = ["triangles", *filter(None, [other])]
    beside = f" --measure {other}" if other else ""
    said(capsys, f"{ANONYMIZE} --no-audit{beside} --algorithm {algorithm} --out out")
    run, released = document("out/private/run.json"), nv.read("out/public/network.txt")
    # Whoever is alone in triangles is alone in contacts and triangles, too.
    left = nv.measure(released, other).at_risk if other else alone(in_how_many_triangles(released))

    assert [attacker["measure"] for attacker in run["attackers"]] == measures
    assert run["at_risk_after"] == left < run["at_risk_before"]
