"""What a search says beforehand of its cost."""

from __future__ import annotations

from typing import Any

import pytest

import netveil as nv
from clocks import Clock
from netveil.network import Network
from netveil.search import Control

KARATE = nv.load("karate")


class EachLook(Clock):
    """A clock by which all that is done between two looks takes the same time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def __call__(self) -> float:
        """What the clock shows, later each time."""
        self.spend(self.seconds)
        return self.now


def heard_of(measure: Any, clock: Clock, seconds: float | None = None, algorithm: str = "es") -> list[str]:
    """What is announced before a search with this measure, by this clock."""
    heard: list[str] = []
    control = Control(announcer=heard.append, clock=clock)
    options: dict[str, Any] = {"algorithm": algorithm, "time": seconds, "control": control}
    nv.anonymize(KARATE, "10%", measure=measure, seed=1, threads=1, **options)
    return heard


def slow_by(clock: Clock) -> Any:
    """A measure that takes 60 ms by this clock, as a careful function does."""

    def slow(network: Network) -> list[int]:
        clock.spend(0.06)
        return [int(degree) for degree in network.degrees]

    return slow


def test_nothing_is_said_of_what_takes_no_time() -> None:
    """Nobody waits for 100 steps that take a millisecond each; 60 ms are another matter."""
    assert heard_of("vertex-refinement", EachLook(0.001)) == []
    assert len(heard_of("vertex-refinement", EachLook(0.06))) == 1


@pytest.mark.parametrize("measure", ["count", "degree"])
def test_nothing_is_said_where_states_are_sums(measure: str) -> None:
    """They follow at once, so nothing is tried beforehand."""
    assert heard_of(measure, EachLook(0.06)) == []


def test_a_search_that_people_wait_for_says_how_long() -> None:
    """100 steps of 60 ms are 6 s."""
    clock = Clock()

    assert heard_of(slow_by(clock), clock) == [
        "slow: about 60 ms for each solution tried; 100 take about 6 s. A time limit ends it earlier."
    ]


def test_a_time_limit_says_how_many_solutions_fit() -> None:
    """Of 60 ms each, 5 within 0.3 s."""
    clock = Clock()

    assert heard_of(slow_by(clock), clock, seconds=0.3) == [
        "slow: about 60 ms for each solution tried, so about 5 within the time of 300 ms."
    ]
