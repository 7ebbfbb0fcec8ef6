"""What a longer search would probably bring: what can be told from one search, and what cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.anonymity import Attackers
from netveil.cli.anonymize import summary
from netveil.report.page import why_they_remain
from netveil.report.summary import (
    FEW,
    PROPOSALS_AN_EDGE,
    LongerSearch,
    PeopleLeft,
    longer_search,
    whether_least,
)
from netveil.search import ALGORITHMS, LimitKept, Outcome, Progress
from netveil.search.algorithm import Tenfold

EDGES = 1000
ENOUGH_PROPOSALS = PROPOSALS_AN_EDGE * EDGES
TENFOLD = (Tenfold(0.0, 0.8, 0.9, 1.0), Tenfold(0.75, 0.5, 0.7, 0.9))
CANNOT = "How many people a longer search would leave at risk cannot be told: "
FLAT = "The second half of the search found nothing better: a longer one would probably bring little"


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors that no measurement changes."""
    monkeypatch.setitem(ALGORITHMS, "annealing", replace(ALGORITHMS["annealing"], tenfold=TENFOLD))


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


def test_what_was_measured_elsewhere_is_the_forecast(outcome: Outcome) -> None:
    """With its range, and how long that would take."""
    assert longer_search(outcome, EDGES) == LongerSearch(
        "Searching ten times as long (10 min) would probably leave about 70 of these 100 people at risk, "
        "between 50 and 90, judging by searches on other networks.",
        PeopleLeft(50, 70, 90),
    )


@pytest.mark.parametrize(("budget", "left"), [(1, (80, 90, 100)), (524, (80, 90, 100)), (525, (50, 70, 90))])
def test_a_budget_that_is_small_for_those_at_risk_has_its_own_factors(
    outcome: Outcome, budget: int, left: tuple[int, ...]
) -> None:
    """By deletions for each of 700 people."""
    assert longer_search(replace(outcome, budget=budget), EDGES).left == left


def test_a_second_half_that_found_nothing_brings_probably_nothing(outcome: Outcome) -> None:
    """Half of the solutions tried, not of the time; the last one of the first half counts."""
    half = [*range(300, 100, -10), *[100] * 20]
    late = [*range(310, 100, -10), *[100] * 20]  # the last gain is right after the half

    assert longer_search(replace(outcome, history=falling([*half, 100])), EDGES).sentence.startswith(FLAT)
    assert longer_search(replace(outcome, history=falling(late)), EDGES).left is not None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"at_risk_after": 0},
            "Nobody is left at risk to count with k = 2: a longer search could only save deletions.",
        ),
        (
            {"at_risk_after": 37, "enough": 37, "target": "95%", "stopped_by": "interrupted"},
            "The target is reached: a longer search could only save deletions.",
        ),
        (
            {"stopped_by": "interrupted"},
            "The search was interrupted. Had it gone on to its end, it would probably have left fewer people "
            "at risk; how many cannot be told.",
        ),
        ({"evaluations": ENOUGH_PROPOSALS - 1}, f"{CANNOT}this one was too short to judge by."),
        (
            {"evaluations": ENOUGH_PROPOSALS - 1, "history": falling([700, *[100] * 40])},
            f"{CANNOT}this one was too short to judge by.",
        ),
        ({"resumed": True}, f"{CANNOT}this one went on from an earlier one."),
        ({"at_risk_after": FEW - 1}, f"{CANNOT}so few are left that chance decides, more than time."),
        ({"history": ()}, ""),
    ],
)
def test_what_cannot_be_told_in_figures(outcome: Outcome, changes: dict[str, Any], sentence: str) -> None:
    """Is said to be so, with the reason."""
    assert longer_search(replace(outcome, **changes), EDGES) == LongerSearch(sentence)


@pytest.mark.parametrize(
    "changes",
    [
        {"attackers": Attackers.of("count", k=3)},
        {"attackers": Attackers.of("degree")},
        {"attackers": Attackers.of(["count", "degree"])},
        {"attackers": Attackers.of("count", distance=2)},
        {"attackers": Attackers.of("count", fuzzy="5%")},
        {"attackers": Attackers.of("count", twins=True)},
        {"limits": (LimitKept("lcc", "0%", 1.0, 1.0),)},
        {"target": "95%", "enough": 37},
    ],
    ids=lambda changes: str(next(iter(changes.values())))[:60],
)
def test_what_was_not_measured_gets_no_forecast(outcome: Outcome, changes: dict[str, Any]) -> None:
    """Other attackers, other k, limits, targets that were missed."""
    assert longer_search(replace(outcome, **changes), EDGES) == LongerSearch(
        f"{CANNOT}that was tried for measure count and k = 2 only, without target and limits."
    )


@pytest.mark.parametrize(
    ("stopped_by", "objectives", "sentence"),
    [
        ("converged", range(140, 99, -1), "This search ends by itself, whatever the time: more of it"),
        ("budget", range(140, 99, -1), "This search ends by itself, whatever the time: more of it"),
        ("time", range(140, 99, -1), "More time would probably leave fewer people at risk; how many"),
        ("time", [140, *[100] * 40], FLAT),
    ],
)
@pytest.mark.parametrize("algorithm", ["uga", "no longer there"])
def test_other_algorithms_have_no_figures(
    outcome: Outcome, algorithm: str, stopped_by: Any, objectives: Sequence[int], sentence: str
) -> None:
    """Most stop by themselves; where time stopped one, its curve may be looked at."""
    searched = replace(
        outcome, algorithm=algorithm, stopped_by=stopped_by, evaluations=9, history=falling(objectives)
    )

    assert longer_search(searched, EDGES).left is None
    assert longer_search(searched, EDGES).sentence.startswith(sentence)


def test_the_report_and_the_terminal_tell_it(release: nv.Release, outcome: Outcome) -> None:
    """The page in the answer on the deal, in sight; the command in one line, where there are figures."""
    told = replace(release, outcome=replace(outcome, evaluations=ENOUGH_PROPOSALS, budget=99))
    page = told.report(utility=False, audit=False, baselines=False).html
    open_part, folded = page.split("Is it a good deal?")[1].split("<details>")
    left = longer_search(told.outcome, told.original.edge_count)

    assert left.sentence and f"<p>{left.sentence}</p>" in open_part
    assert "It cannot simply be drawn on" in folded
    line = "Best found, not proven optimal: ten times as long, it would probably leave 80 to 100 at risk."
    assert line in summary(told, Path("r")).split("\n")
    solved = replace(told, outcome=replace(told.outcome, at_risk_after=0))
    assert "ten times" not in summary(solved, Path("r"))
    assert "could only save deletions" in solved.report(utility=False, audit=False, baselines=False).html


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
    """On the terminal, in the report, on the page to sign and in the record."""
    terminal = summary(release, Path("r")).split("\n")
    page = release.report(utility=False, audit=False, baselines=False).html
    unknown = replace(release, outcome=replace(release.outcome, least=False))

    assert release.outcome.least and release.figures()["least"] is True
    assert terminal.count(LEAST_OF_ALL) == 1
    assert f"<p>{LEAST_OF_ALL}</p>" in page and "longer" not in page
    assert longer_search(release.outcome, EDGES) == LongerSearch("")
    assert why_they_remain(release.figures()).startswith("Every deletion within the budget was tried")
    assert unknown.figures()["least"] is False
    assert whether_least(unknown.outcome) in summary(unknown, Path("r")).split("\n")
    assert "longer search, may leave fewer" in why_they_remain(unknown.figures())
