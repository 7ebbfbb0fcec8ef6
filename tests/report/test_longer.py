"""What a longer search would bring: what can be told from one search, and what cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli.anonymize import summary
from netveil.report.page import why_they_remain
from netveil.report.summary import PROPOSALS_AN_EDGE, longer_search, whether_least
from netveil.search import Outcome, Progress

EDGES = 1000
ENOUGH_PROPOSALS = PROPOSALS_AN_EDGE * EDGES
FLAT = "The second half of the search found nothing better: a longer one would probably bring little"
MORE = "More time would probably leave fewer people at risk; how many cannot be told."
BY_ITSELF = "This search ends by itself, whatever the time: more of it would change nothing."


@pytest.fixture(scope="module")
def release() -> nv.Release:
    """Of the karate club, with more than nobody left."""
    return nv.anonymize(nv.load("karate"), 3, effort=0.02, seed=1, threads=1)


@pytest.fixture
def outcome(release: nv.Release) -> Outcome:
    """Of a search that came to its end, found something all the time and left 100 of 700 people."""
    return replace(
        release.outcome,
        budget=900,
        at_risk_before=700,
        at_risk_after=100,
        evaluations=ENOUGH_PROPOSALS,
        least=False,
        seconds=60.0,
        stopped_by="time",
        history=falling([*range(700, 100, -12), 100]),
    )


def falling(objectives: Sequence[int]) -> tuple[Progress, ...]:
    """A history with these best objectives, at equal intervals."""
    each = ENOUGH_PROPOSALS // (len(objectives) - 1)
    return tuple(Progress(60.0, step, step * each, left, left, 9) for step, left in enumerate(objectives))


# The last gain of the second is right after half of the solutions tried: that of the first half counts.
HALF, LATE = ([*range(start, 100, -10), *[100] * 20] for start in (300, 310))
OTHER: dict[str, Any] = {"algorithm": "uga", "evaluations": 9}


@pytest.mark.parametrize(
    ("changes", "objectives", "sentence"),
    [
        ({}, None, MORE),
        ({}, [*HALF, 100], FLAT),
        ({}, LATE, MORE),
        ({"evaluations": ENOUGH_PROPOSALS - 1}, [700, *[100] * 40], MORE),  # too short to judge by
        ({"stopped_by": "interrupted"}, None, MORE),
        ({**OTHER, "stopped_by": "interrupted"}, range(140, 99, -1), MORE),
        (
            {"at_risk_after": 0},
            None,
            "Nobody is left at risk to count with k = 2: a longer search could only",
        ),
        (
            {"at_risk_after": 37, "enough": 37, "target": "95%", "stopped_by": "interrupted"},
            None,
            "The target is reached: a longer search could only save deletions.",
        ),
        *(
            ({**OTHER, "algorithm": name, "stopped_by": "budget"}, range(140, 99, -1), BY_ITSELF)
            for name in ("uga", "no longer there")
        ),
        (OTHER, range(140, 99, -1), MORE),
        (OTHER, [140, *[100] * 40], FLAT),
    ],
)
def test_what_more_time_would_bring(
    outcome: Outcome, changes: dict[str, Any], objectives: Sequence[int] | None, sentence: str
) -> None:
    history = outcome.history if objectives is None else falling(objectives)

    assert longer_search(replace(outcome, history=history, **changes), EDGES).startswith(sentence)
    assert longer_search(replace(outcome, history=(), **changes), EDGES) == ""


def test_the_report_tells_it(release: nv.Release, outcome: Outcome) -> None:
    told = replace(release, outcome=replace(outcome, budget=99))
    page = told.report(utility=False, audit=False, baselines=False).html
    open_part, folded = page.split("Is it a good deal?")[1].split("<details>")

    assert f"<p>{MORE}</p>" in open_part and "It cannot simply be drawn on" in folded


LEAST_OF_ALL = (
    "Shown to be the least: no deletion that was allowed leaves fewer people at risk, and none of fewer "
    "edges as few."
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Best found, not proven optimal; a longer search may do better."),
        ({"least": True}, LEAST_OF_ALL),
        (
            {"least": True, "at_risk_after": 0},
            "Shown to be the least: all deletions of fewer edges that were allowed leave somebody at risk.",
        ),
        (
            {"least": True, "target": "80%", "enough": 100},
            "Shown to be the least: all deletions of fewer edges that were allowed miss the target.",
        ),
        ({"least": True, "target": "90%", "enough": 99}, LEAST_OF_ALL),
        ({"least": True, "evaluations": 1}, ""),
    ],
)
def test_whether_it_is_the_least_is_said(outcome: Outcome, changes: dict[str, Any], sentence: str) -> None:
    """What that means depends on whether few enough are left; nothing where nothing was searched."""
    assert whether_least(replace(outcome, **changes)) == sentence


def test_what_is_the_least_is_told_and_no_longer_search_advised(release: nv.Release) -> None:
    terminal = summary(release, Path("r")).split("\n")
    page = release.report(utility=False, audit=False, baselines=False).html
    unknown = replace(release, outcome=replace(release.outcome, least=False))

    assert release.outcome.least and release.figures()["least"] is True
    assert terminal.count(LEAST_OF_ALL) == 1
    assert f"<p>{LEAST_OF_ALL}</p>" in page and "longer" not in page
    assert longer_search(release.outcome, EDGES) == ""
    assert why_they_remain(release.figures()).startswith("Every deletion within the budget was tried")
    assert unknown.figures()["least"] is False
    assert whether_least(unknown.outcome) in summary(unknown, Path("r")).split("\n")
    assert "longer search, may leave fewer" in why_they_remain(unknown.figures())
