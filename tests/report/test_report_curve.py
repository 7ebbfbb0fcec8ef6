"""What the report tells of a target and of a curve."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import netveil as nv
from netveil.formatting import counted
from netveil.job import Anonymization
from netveil.release.gather import gather
from netveil.release.records import run_record
from netveil.report import render

TITLE = "What each deleted edge buys"


@pytest.fixture(scope="module")
def release() -> nv.Release:
    """Of the karate club, with a curve and a target that is not reached."""
    return nv.anonymize(nv.load("karate"), "10%", target="100%", effort=0.02, seed=1, curve=True)


@pytest.fixture(scope="module")
def made_once(release: nv.Release) -> dict[str, Any]:
    """Its record."""
    return run_record(release, gather(release, Anonymization(utility=False, audit=False, baselines=True)))


@pytest.fixture
def run(made_once: dict[str, Any]) -> dict[str, Any]:
    """A copy of it, to be changed at will."""
    return copy.deepcopy(made_once)


def test_every_point_is_in_the_table_and_told_to_whoever_cannot_see(run: dict[str, Any]) -> None:
    """Budget, edges deleted, people at risk; the release's own row is marked."""
    page = render(run)

    for point in run["curve"]:
        assert (
            f"<td>{point['deleted']}</td><td>{point['deleted'] / 78:.2%}</td><td>{point['at_risk']}</td>"
            in page
        )
        assert f"{counted(point['deleted'], 'edge')}: {point['at_risk']:,} at risk" in page
    assert page.count("(this release)") == 2  # in the table of algorithms and in that of points


def test_a_rival_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also each baseline: hardly any time, hardly a step."""
    monkeypatch.setattr("netveil.release.gather.SECONDS_OF_BASELINE", 1e-9)
    release = nv.anonymize(nv.load("karate"), 3, effort=0.01, seed=1, curve=True)
    others = gather(release, Anonymization(utility=False, audit=False, baselines=True)).baselines

    assert others.keys() == {"uga", "es", "ua"}
    assert {other.stopped_by for other in others.values()} == {"time"}


@pytest.mark.parametrize(("reached", "said"), [(True, "It is reached."), (False, "It is not reached.")])
def test_a_target_is_told_in_the_first_answer(run: dict[str, Any], reached: bool, said: str) -> None:
    """With how many people it leaves at risk."""
    run.update(target="95%", enough=1, reached=reached)
    answer = render(run).split("What did it cost?")[0]

    assert "The target was that 95% of the people have lookalikes, so 1 may be at risk." in answer
    assert f"<strong>{said}</strong>" in answer
