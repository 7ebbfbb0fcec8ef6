"""All that lists limits takes one that was added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recipes import added

import netveil as nv
from netveil.cli import main
from netveil.formatting import Share
from searches import QUICK, each_algorithm

KARATE = nv.load("karate")


@pytest.fixture
def name() -> str:
    """The limit of the recipe."""
    return added("limit")


@each_algorithm
def test_every_algorithm_keeps_it(algorithm: str, name: str) -> None:
    """Nobody is left alone; without it random deletions leave somebody, and no limit undoes another."""
    asked: dict[str, Any] = {"algorithm": algorithm, "seed": 1, "settings": QUICK[algorithm]}
    kept = nv.anonymize(KARATE, "60%", keep={name: "0%"}, **asked)
    (limit,) = kept.outcome.limits

    assert (kept.remaining.degrees > 0).all()
    assert (limit.name, limit.before, limit.after) == (name, 0.0, 0.0)
    free = nv.anonymize(KARATE, "60%", algorithm="es", keep={name: "100%"}, seed=1)
    keep: dict[str, Share] = {"degree": "90%", name: 0, "lcc": "50%"}
    beside = nv.anonymize(KARATE, "60%", algorithm="es", keep=keep, seed=1)
    assert free.outcome.limits[0].after > 0
    assert (free.remaining.degrees == 0).any() and (beside.remaining.degrees > 0).all()
    assert [limit.name for limit in beside.outcome.limits] == ["degree", name, "lcc"]


def test_command_line_and_report_tell_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What it means is in the report, its figures in the record; a misspelling is guessed."""
    command = ["anonymize", "karate", "--algorithm", "es", "--seed", "1", "--no-utility", "--no-audit"]
    assert main([*command, "--keep", f"{name}=0", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    page = Path("karate-release/private/report.html").read_text(encoding="utf-8")

    assert document["keep"] == [{"name": name, "share": "0%", "before": 0.0, "after": 0.0}]
    assert "Nobody loses the last contact, unless 100% may." in page
    assert main([*command, "--keep", "contcts=0", "--out", "other"]) == 2
    assert f"did you mean {name}?" in capsys.readouterr().err
