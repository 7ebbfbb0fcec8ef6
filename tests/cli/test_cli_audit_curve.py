"""`netveil anonymize --audit-curve`: whom somebody finds who has the whole network, by point of the curve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import netveil as nv
from netveil.cli import main
from netveil.formatting import percentage

COMMAND = ("anonymize", "karate", "--budget", "15%", "--seed", "1", "--effort", "0.05", "--no-utility")
BRIEF = ("--no-baselines", "--no-audit", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_point_is_attacked(capsys: pytest.CaptureFixture[str]) -> None:
    """The document, the record, the table on the terminal and the report have the same figures."""
    assert main([*COMMAND, *BRIEF, "--curve", "--audit-curve", "--json", "--out", "r"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main([*COMMAND, *BRIEF, "--curve", "--audit-curve", "--out", "again"]) == 0
    lines = capsys.readouterr().out.splitlines()

    audited, points = document["audit_curve"], document["curve"]
    assert len(audited) == len(points) > 1
    assert all(row["known"] == 1 and row["seeds"] == 0 and row["people"] == 34 for row in audited)
    assert json.loads(Path("r/private/run.json").read_text())["report"]["audit_curve"] == audited
    report = Path("r/private/report.html").read_text(encoding="utf-8")
    for row, point in zip(audited, points, strict=True):
        shares = [percentage(score["found"], 34) for score in (row, row["random_deletion"])]
        deleted = f"{point['deleted']}"
        assert any(line.split()[1:2] == [deleted] and line.split()[-2:] == shares for line in lines)
        assert f"<td>{shares[0]}</td><td>{shares[1]}</td></tr>" in report


def test_the_figures_are_those_of_an_audit_of_that_point() -> None:
    """Found at a point is what an audit of its release finds."""
    release = nv.anonymize(nv.load("karate"), "15%", seed=1, effort=0.05, curve=True)
    nv.save(release, "r", utility=False, audit=False, baselines=False, audit_curve=True)
    audited = json.loads(Path("r/private/run.json").read_text())["report"]["audit_curve"]

    for row, point in zip(audited, release.outcome.curve, strict=True):
        at_point = nv.audit(nv.load("karate"), release.at(point.budget), measure="degree", distance=1)
        assert row["found_range"][0] in range(
            at_point.matching[0].release.found_range[0], at_point.matching[0].release.found_range[1] + 1
        )


def test_without_being_asked_for_nothing_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in the document nor in the record."""
    assert main([*COMMAND, *BRIEF, "--curve", "--json", "--out", "r"]) == 0

    assert "audit_curve" not in json.loads(capsys.readouterr().out)
    assert json.loads(Path("r/private/run.json").read_text())["report"]["audit_curve"] == []


def test_it_needs_a_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and nothing written."""
    assert main([*COMMAND, "--audit-curve", "--out", "r"]) == 2

    assert "--audit-curve is about the points of a curve; give --curve as well." in capsys.readouterr().err
    assert not Path("r").exists()
