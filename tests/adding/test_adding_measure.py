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


def test_it_is_measured(copy: Copy) -> None:
    """By its name, also with doubts; the figures are those of networkx."""
    document, sentence = copy.netveil(
        "measure karate --measure triangles --json", "measure karate --measure triangles --fuzzy 5% --twins"
    )

    assert json.loads(document)["at_risk"] == alone(in_how_many_triangles(nv.load("karate")))
    assert KNOWS in " ".join(sentence.split())


def test_help_lists_it(copy: Copy) -> None:
    """Among the others, wherever the measure to protect against is chosen."""
    for said in copy.netveil("measure --help", "anonymize --help", "tune --help"):
        assert "hybrid, triangles" in " ".join(said.split())


@pytest.mark.parametrize("algorithm", ["ga", "uga", "es", "ua", "annealing"])
def test_every_algorithm_searches_with_it(copy: Copy, algorithm: str) -> None:
    """Fewer are at risk afterwards, by networkx too."""
    copy.netveil(f"{ANONYMIZE} {BRIEF} --algorithm {algorithm} --out {algorithm}")
    run = copy.document(f"{algorithm}/private/run.json")
    released = nv.read(copy.folder / algorithm / "public" / "network.txt")

    assert run["attackers"][0]["measure"] == "triangles"
    assert run["at_risk_after"] == alone(in_how_many_triangles(released)) < run["at_risk_before"]


@pytest.mark.parametrize("algorithm", ["ga", "annealing"])
def test_it_is_searched_with_beside_another(copy: Copy, algorithm: str) -> None:
    """At risk is who has a number of triangles, or of contacts and triangles, that nobody else has."""
    out = f"{algorithm}-with-another"
    copy.netveil(f"{ANONYMIZE} {BRIEF} --measure count --algorithm {algorithm} --out {out}")
    run = copy.document(f"{out}/private/run.json")
    released = nv.read(copy.folder / out / "public" / "network.txt")

    assert [attacker["measure"] for attacker in run["attackers"]] == ["triangles", "count"]
    # Whoever is alone in triangles is alone in contacts and triangles, too.
    assert run["at_risk_after"] == nv.measure(released, "count").at_risk < run["at_risk_before"]


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


def test_it_is_tuned_for(copy: Copy) -> None:
    """The winner's run is against this attacker."""
    few = "--configurations 2 --finalists 1 --budget 3 --seed 1 --workers 1"
    (document,) = copy.netveil(f"tune karate --measure triangles {few} --out tuned --json --quiet")

    assert json.loads(document)["measure"] == "triangles"


def test_plans_run_it(copy: Copy) -> None:
    """Alone and with another, in processes beside the first one."""
    (copy.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    copy.netveil("experiment plan.toml --out runs --workers 2 --collect --quiet")
    with (copy.folder / "runs" / "results.csv").open(encoding="utf-8") as opened:
        rows = {row["measure"]: row for row in csv.DictReader(opened)}

    assert set(rows) == {"triangles", "triangles + count"}
    assert int(rows["triangles"]["at_risk_before"]) == alone(in_how_many_triangles(nv.load("karate")))
