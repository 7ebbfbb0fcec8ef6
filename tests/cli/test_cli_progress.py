"""What a line of progress says: people left at risk, edges spent, about how long the search still takes."""

from __future__ import annotations

from typing import Any

import pytest

from clocks import on_a_machine_of
from netveil.job import Anonymization
from netveil.opening import load
from netveil.progress import finished
from netveil.search import Underway, searching
from netveil.search.control import Shown, TimeLeft

REQUEST: dict[str, Any] = {"seed": 1, "threads": 1}
SEARCHES: dict[str, dict[str, Any]] = {
    "effort": {"effort": 1.0, "budget": 4},
    "effort, target": {"effort": 0.02, "target": "90%"},
    "effort, curve": {"effort": 1.0, "budget": "10%", "curve": True},
    "time": {"time": 1.0, "budget": 4},
    "time, target": {"time": 1.0, "target": "90%"},
    "time, curve": {"time": 1.0, "budget": "10%", "curve": True},
    "es": {"algorithm": "es", "budget": "20%"},
}


def at(seconds: float, share: float | None, **figures: int) -> Underway:
    """A search after so many seconds."""
    known = {"step": 7, "evaluations": 900, "objective": 123, "at_risk": 123, "deleted": 801, "at_first": 748}
    return Underway(seconds=seconds, share=share, **{**known, **figures})


def test_a_line_of_a_log() -> None:
    """Generations where there are any; the objective where it is not the people at risk."""
    at_risk, spent = "123 of 748 still at risk", "801 of 940 edges deleted"
    for algorithm, limit, progress, line in (
        ("annealing", None, at(0.2, 0.001), f"{at_risk} · {spent} · 0 s"),
        ("annealing", None, at(12.34, 0.5), f"{at_risk} · {spent} · 12 s, about 13 s left"),
        ("annealing", 60, at(12.34, 0.2), f"{at_risk} · {spent} · 12 s, 48 s left"),
        (
            "annealing",
            None,
            at(60, 0.5, enough=37),
            f"{at_risk} (37 may be) · {spent} · 60 s, about 60 s left",
        ),
        ("uga", None, at(3, None), f"generation 7 · {at_risk} · {spent} · 3 s"),
        (
            "ga",
            300,
            at(3, None, step=1007, objective=133),
            f"generation 1,007 · objective 133 · {at_risk} · {spent} · 3 s, at most 5 min left",
        ),
    ):
        assert Shown(algorithm, 940, limit).line(progress) == line


def test_a_bar_says_less_from_wording_to_wording() -> None:
    """The longest has everything, the shortest who is at risk; with a target, how many may be."""
    told = Shown("ga", 940, None).wordings(at(3, None, objective=133, enough=37))

    assert told[0].startswith(
        "generation 7 · objective 133 · 123 of 748 still at risk (37 may be) · 801 of 940"
    )
    assert told[2] == "123 of 748 at risk (37 may be) · 801 of 940 edges deleted · 3 s so far"
    assert told[-1] == "123 at risk"
    assert [*map(len, told)] == sorted(map(len, told), reverse=True)


def test_a_bar_fills_over_the_time_or_over_the_work() -> None:
    """And just moves where neither is known."""
    for limit, share, filled in (
        (60, 0.5, (12.0, 60)),
        (60, None, (12.0, 60)),
        (None, 0.5, (0.5, 1.0)),
        (None, None, (0.0, None)),
    ):
        assert Shown("annealing", 940, limit).on_bar(at(12.0, share))[:2] == filled


def test_time_that_is_limited_counts_down() -> None:
    """Exactly; whatever comes after it is finishing. Who may stop by himself takes at most as long."""
    left = TimeLeft(200)

    said = [left.words(at(seconds, seconds / 200)) for seconds in (0, 30.5, 140.2, 199.9, 200, 201)]
    assert said == ["3 min left", "3 min left", "60 s left", "1 s left", "finishing", "finishing"]
    assert left.words(at(30.5, None)) == "at most 3 min left"


def test_an_estimate_counts_down_and_does_not_flicker() -> None:
    """Steps that are a little quicker or slower in turn change nothing; the clock does."""
    left = TimeLeft(None)
    shares = [seconds / (50 + (-1) ** seconds) for seconds in range(1, 40)]
    said = [left.words(at(seconds, share)) for seconds, share in enumerate(shares, start=1)]
    figures = [int(words.removeprefix("about ").removesuffix(" s left")) for words in said]

    assert figures[:2] == [50, 50] and 8 <= figures[-1] <= 12
    assert figures == sorted(figures, reverse=True)
    assert all(figure % 5 == 0 for figure in figures if figure > 20)


def test_an_estimate_that_was_wrong_is_corrected_and_none_is_given_too_early_or_late() -> None:
    """As where walks with larger budgets take longer; dots while it is too early, and the end is named."""
    left, other = TimeLeft(None), TimeLeft(None)
    said = [left.words(at(*given)) for given in ((10, 0.5), (14, 0.55), (18, 0.6), (26, 0.999))]

    assert said == ["about 10 s left", "about 12 s left", "about 12 s left", "about 1 s left"]
    assert other.words(at(9, None)) == ""
    assert other.words(at(0.9, 0.3)) == other.words(at(9, 0.009)) == "about … left"
    assert other.words(at(9, 0.9)) == "about 1 s left"
    assert other.words(at(10, 1.0)) == other.words(at(10, None)) == "finishing"


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_tell_which_share_of_them_is_done(name: str) -> None:
    """From none to all, never less than before, in proportion to the work; and how many were at risk."""
    control = on_a_machine_of(20_000)
    told: list[Underway] = []
    finished(searching(load("karate"), Anonymization(**REQUEST, **SEARCHES[name]), control), told.append)
    shares = [progress.share for progress in told if progress.share is not None]

    assert len(shares) > 10
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    assert {progress.at_first for progress in told} == {15}
    assert {progress.enough for progress in told} == {3 if "target" in name else 0}
    if "es" not in name:
        done = [
            progress.evaluations / told[-1].evaluations for progress in told if progress.share is not None
        ]
        assert all(abs(one - other) < 0.2 for one, other in zip(shares, done, strict=True))
