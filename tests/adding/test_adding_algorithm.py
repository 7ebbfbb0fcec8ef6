"""All that lists algorithms takes one that was added."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recipes import added

import netveil as nv
from netveil.anonymity import Attackers
from netveil.cli import main
from netveil.job import Anonymization
from netveil.progress import finished
from netveil.search import ALGORITHMS, Control, searching
from netveil.studies.tuning import tune
from pages import PAGES

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
    """Its settings, its record and its report; its mistakes are told in one line."""
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
    """Whoever iterates hears of every step, and ends it by the control."""
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
    """Over its own grid, with its own pace and in its own words."""
    result = tune(KARATE, algorithm=name, seed=1, budget="10%", finalists=2)
    assert [curve.settings["draws"] for curve in result.curves] == [10, 50, 250]
    assert (result.every, result.halvings, result.counts_generations) == (10, (10,), False)
    assert main(["tune", "karate", "--algorithm", name, "--finalists", "1", "--seed", "1"]) == 0
    assert "at draw 10" in capsys.readouterr().err


def test_the_guide_lists_every_algorithm() -> None:
    """With its settings."""
    guide = PAGES["guide.md"].read_text(encoding="utf-8")
    row = next(line for line in guide.splitlines() if line.startswith("| `--algorithm NAME`"))
    for name, algorithm in ALGORITHMS.items():
        assert f"`{name}`" in row
        assert all(f"`{setting}`" in guide for setting in asdict(algorithm.default))
