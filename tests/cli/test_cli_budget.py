"""Budgets of 1 and of 1.0, wherever a budget may be given: it is said which of the two was taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import PEOPLE, netveil, netveil_process, write

import netveil as nv
from netveil.studies.plan import read_plan
from releases import leave_out_report

ALL_EDGES = "budget 1.0 is a share: all 4 edges; for one edge give 1."
ONE_EDGE = "budget 1 is one edge; for all edges give 100%."
QUICK = ("--no-utility", "--no-audit", "--no-baselines")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the people in a file."""
    write(tmp_path / "people.csv", PEOPLE)
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path


def said_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said about budgets."""
    return [record.getMessage() for record in caplog.records if "budget" in record.getMessage()]


@pytest.mark.parametrize(("budget", "told", "edges"), [("1", ONE_EDGE, 1), ("1.0", ALL_EDGES, 4)])
def test_every_command_with_a_budget_says_how_it_was_taken(
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    budget: str,
    told: str,
    edges: int,
) -> None:
    """Once each: a search, a tournament of searches, and a point of a curve."""
    problem = ("--budget", budget, "--seed", "1")
    commands = (
        ("anonymize", "people.csv", *problem, "--algorithm", "es", *QUICK, "--out", "searched"),
        ("tune", "people.csv", *problem, "--algorithm", "es", "--out", "tuned"),
    )
    for command in commands:
        caplog.clear()
        said = netveil(capsys, *command, "--json")

        assert (said.code, said.json["budget"], said_in(caplog)) == (0, edges, [told])

    release = ("anonymize", "people.csv", *QUICK)
    netveil(capsys, *release, "--budget", "100%", "--curve", "--seed", "1", "--out", "curve")
    caplog.clear()
    point = netveil(capsys, *release, "--from-curve", "curve", "--budget", budget, "--out", "point")

    assert (point.code, said_in(caplog)) == (0, [told])


def test_it_is_on_standard_error_also_where_little_is_to_be_said() -> None:
    """--quiet is about progress; who meant the other budget must not miss it."""
    search = ("anonymize", "people.csv", "--algorithm", "es", "--budget", "1.0", "--seed", "1", *QUICK)
    said = netveil_process(*search, "--out", "r", "--json", "--quiet")

    assert (said.code, said.json["budget"], said.err) == (0, 4, f"{ALL_EDGES}\n")


def test_python_and_plans_say_it_too(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Python logs it, as a warning, which reaches standard error where nobody has asked for logs."""
    people = nv.read("people.csv")
    nv.anonymize(people, 1.0, algorithm="es", seed=1)
    nv.anonymize(people, budget=1, algorithm="es", seed=1)
    nv.anonymize(people, budget="25%", algorithm="es", seed=1)

    assert said_in(caplog) == [ALL_EDGES, ONE_EDGE]
    caplog.clear()
    read_plan(
        write(folder / "plan.toml", 'networks = ["people.csv"]\nalgorithms = ["es"]\nbudgets = [1, 1.0]\n')
    )

    assert said_in(caplog) == [ONE_EDGE, "budget 1.0 is a share: all edges; for one edge give 1."]
