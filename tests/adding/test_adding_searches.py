"""A measure or an algorithm that was added is known by name to every command."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from recipes import PLAN, added, document, said

import netveil as nv
from netveil.anonymity import Attackers
from netveil.cli import main
from netveil.job import Anonymization
from netveil.progress import finished
from netveil.search import ALGORITHMS, Control, searching
from netveil.studies.tuning import tune
from pages import PAGES

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
    measures = ["triangles", *filter(None, [other])]
    beside = f" --measure {other}" if other else ""
    said(capsys, f"{ANONYMIZE} --no-audit{beside} --algorithm {algorithm} --out out")
    run, released = document("out/private/run.json"), nv.read("out/public/network.txt")
    # Whoever is alone in triangles is alone in contacts and triangles, too.
    left = nv.measure(released, other).at_risk if other else alone(in_how_many_triangles(released))

    assert [attacker["measure"] for attacker in run["attackers"]] == measures
    assert run["at_risk_after"] == left < run["at_risk_before"]


KARATE = nv.load("karate")


@pytest.fixture
def name() -> str:
    """The algorithm of the recipe."""
    return added("algorithm")


def test_it_searches_within_budget_limits_and_protected_edges(name: str) -> None:
    """The same for the same seed, whatever the threads; never worse than where it started."""
    asked: dict[str, Any] = {"algorithm": name, "budget": "20%", "keep": {"degree": "50%"}, "protect": [0]}
    asked["seed"] = 3
    one, other = (nv.anonymize(KARATE, threads=threads, **asked).outcome for threads in (1, 2))

    assert one.deleted_edges.tolist() == other.deleted_edges.tolist()
    assert 0 < len(one.deleted_edges) <= one.budget
    assert one.at_risk_after < one.at_risk_before
    assert not np.isin(one.deleted_edges, one.protected_edges).any()
    going_on = nv.anonymize(KARATE, start=one.deleted_edges, **{**asked, "seed": 4}).outcome
    assert going_on.at_risk_after <= one.at_risk_after
    assert one.generations is None and one.settings == {"draws": 50}


def test_the_command_line_knows_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["anonymize", "karate", "--algorithm", name, "--seed", "1", "--budget", "10%", "--json"]
    assert main([*command, "--set", "draws=7", "--no-utility", "--no-audit"]) == 0
    document = json.loads(capsys.readouterr().out)

    assert (document["algorithm"], document["settings"]) == (name, {"draws": 7})
    page = Path("karate-release/private/report.html").read_text(encoding="utf-8")
    assert f"{name} (this release)" in page
    assert main([*command, "--set", "draws=0", "--out", "other"]) == 2
    assert "draws = 0: it must be 1 or more" in capsys.readouterr().err
    assert main(["anonymize", "karate", "--algorithm", "drawss", "--out", "other"]) == 2
    assert f"did you mean {name}?" in capsys.readouterr().err


def test_it_can_be_iterated_and_stopped(name: str) -> None:
    control = Control()
    job = Anonymization(measures=Attackers.of("count"), budget=5, algorithm=name, seed=1)
    steps = searching(KARATE, job, control)
    heard = [next(steps).step for _ in range(3)]
    control.interrupt()

    assert heard == [0, 1, 2]
    assert finished(steps).stopped_by == "interrupted"


@pytest.mark.thorough
def test_reports_of_other_algorithms_show_it_beside_if_it_says_so(name: str) -> None:
    """In the table and in the picture; most algorithms do not ask to be shown."""
    release = nv.anonymize(KARATE, "10%", algorithm="es", seed=1)
    shown = release.report(utility=False, audit=False, baselines=True).html
    nv.add("algorithm", replace(ALGORITHMS[name], shown_beside=None))
    hidden = release.report(utility=False, audit=False, baselines=True).html

    assert f'<th scope="row">{name}<span class="meaning">{ALGORITHMS.descriptions[name]}' in shown
    assert f">{name.upper()}</text>" in shown
    assert f'<th scope="row">{name}<' not in hidden


def test_it_can_be_tuned(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = tune(KARATE, algorithm=name, seed=1, budget="10%", finalists=2)
    assert [curve.settings["draws"] for curve in result.curves] == [10, 50, 250]
    assert (result.every, result.halvings, result.counts_generations) == (10, (10,), False)
    assert main(["tune", "karate", "--algorithm", name, "--finalists", "1", "--seed", "1"]) == 0
    assert "at draw 10" in capsys.readouterr().err


def test_the_guide_lists_every_algorithm() -> None:
    guide = PAGES["guide.md"].read_text(encoding="utf-8")
    row = next(line for line in guide.splitlines() if line.startswith("| `--algorithm NAME`"))
    for name, algorithm in ALGORITHMS.items():
        assert f"`{name}`" in row
        assert all(f"`{setting}`" in guide for setting in asdict(algorithm.default))
