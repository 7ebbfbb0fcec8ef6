"""A release whose network is a table: every command sees those without ties, who stand in another table."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import PEOPLE, netveil, write


def test_every_command_sees_the_people_without_ties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """measure, compare and audit agree with the release, whose network has people without ties."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", PEOPLE)
    quick = ("--no-utility", "--no-audit", "--no-baselines", "--seed", "1", "--json")
    release = netveil("anonymize", "people.csv", "--budget", "25%", *quick, "--out", "r").json
    measured = netveil("measure", "r/public/network.csv", "--json").json
    compared = netveil("compare", "people.csv", "r", "--json").json
    audited = netveil("audit", "people.csv", "r", "--measure", "degree", "--json").json

    assert (measured["nodes"], measured["at_risk"]) == (5, release["at_risk_after"])
    assert compared["edges_deleted"] == 0.25
    assert audited["scored"] and audited["leaks"] == []
