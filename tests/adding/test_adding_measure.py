"""A measure is one file and one line, as docs/measures.md says: every command then has it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

import networkx
import pytest
from recipes import Copy

import netveil as nv

pytestmark = pytest.mark.thorough  # commands in a copy of netveil that is changed

ANONYMIZE = "anonymize karate --measure triangles --budget 10% --seed 1 --no-utility --quiet"
BRIEF = "--no-audit"
KNOWS = "has counted the ties among a person's contacts, but not the contacts"
PLAN = """\
networks = ["karate"]
algorithms = ["es"]
measures = ["triangles", ["triangles", "count"]]
seeds = 1
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """netveil with the measure of the page."""
    with Copy.made_in(tmp_path_factory.mktemp("copy")) as copy:
        copy.add("anonymity/triangles.py", "measures.md", "Add a measure to netveil", "MEASURES")
        yield copy


def in_how_many_triangles(network: nv.Network) -> list[int]:
    """Each person of a network, by networkx."""
    triangles: Any = networkx.triangles(network.to_networkx())
    return list(triangles.values())


def alone(triangles: list[int]) -> int:
    """How many people have a number that nobody else has."""
    return sum(triangles.count(own) == 1 for own in triangles)


def test_it_is_audited_and_reported(copy: Copy) -> None:
    """With all the others, at both distances, and exactly as well as roughly; the report tells of it."""
    copy.netveil(f"{ANONYMIZE} --algorithm es --out audited")
    table, document = copy.netveil(
        "audit karate audited --measure triangles", "audit karate audited --json --quiet"
    )
    names = {attack["attacker"] for attack in json.loads(document)["attacks"]}
    report = (copy.folder / "audited" / "private" / "report.html").read_text(encoding="utf-8")

    assert "triangles" in table
    assert {"triangles", "triangles, fuzzy 10%", "triangles, distance 2"} <= names
    assert KNOWS in " ".join(report.replace("&#39;", "'").split())


def test_plans_run_it(copy: Copy) -> None:
    """Alone and with another; tests/adding/test_adding_metric.py has processes beside the first one."""
    (copy.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    copy.netveil("experiment plan.toml --out runs --workers 1 --collect --quiet")
    with (copy.folder / "runs" / "results.csv").open(encoding="utf-8") as opened:
        rows = {row["measure"]: row for row in csv.DictReader(opened)}

    assert set(rows) == {"triangles", "triangles + count"}
    assert int(rows["triangles"]["at_risk_before"]) == alone(in_how_many_triangles(nv.load("karate")))


def test_it_is_measured_tuned_for_and_listed(copy: Copy) -> None:
    """By its name, also with doubts; the figures are those of networkx; help has it among the others."""
    few = "--configurations 2 --finalists 1 --budget 3 --seed 1 --workers 1"
    document, sentence, tuned, *helps = copy.netveil(
        "measure karate --measure triangles --json",
        "measure karate --measure triangles --fuzzy 5% --twins",
        f"tune karate --measure triangles {few} --out tuned --json --quiet",
        *(f"{command} --help" for command in ("measure", "anonymize", "tune")),
    )

    assert json.loads(document)["at_risk"] == alone(in_how_many_triangles(nv.load("karate")))
    assert KNOWS in " ".join(sentence.split())
    assert json.loads(tuned)["measure"] == "triangles"
    assert all("hybrid, triangles" in " ".join(said.split()) for said in helps)


@pytest.mark.parametrize(
    ("algorithm", "other"),
    [
        *(("ga", "count"), ("uga", ""), ("annealing", "count")),
        *((name, other) for name in ("es", "ua") for other in ("", "count")),
    ],
)
def test_every_algorithm_searches_with_it(copy: Copy, algorithm: str, other: str) -> None:
    """Alone or beside another: fewer are at risk afterwards, by networkx too."""
    out, measures = f"{algorithm}{other}", ["triangles", *filter(None, [other])]
    beside = f" --measure {other}" if other else ""
    copy.netveil(f"{ANONYMIZE} {BRIEF}{beside} --algorithm {algorithm} --out {out}")
    run = copy.document(f"{out}/private/run.json")
    released = nv.read(copy.folder / out / "public" / "network.txt")
    # Whoever is alone in triangles is alone in contacts and triangles, too.
    left = nv.measure(released, other).at_risk if other else alone(in_how_many_triangles(released))

    assert [attacker["measure"] for attacker in run["attackers"]] == measures
    assert run["at_risk_after"] == left < run["at_risk_before"]
