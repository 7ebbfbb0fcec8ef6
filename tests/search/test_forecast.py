"""What a search says beforehand of its cost."""

from __future__ import annotations

import time
from typing import Any

import pytest

import netveil as nv
from netveil.network import Network
from netveil.search import Control

KARATE = nv.load("karate")


def heard_of(measure: Any, seconds: float | None = None, algorithm: str = "es") -> list[str]:
    """What is announced before a search with this measure."""
    heard: list[str] = []
    control = Control(announcer=heard.append)
    options: dict[str, Any] = {"algorithm": algorithm, "time": seconds, "control": control}
    nv.anonymize(KARATE, "10%", measure=measure, seed=1, threads=1, **options)
    return heard


def slow(network: Network) -> list[int]:
    """Takes a while, as a careful function does."""
    time.sleep(0.06)
    return [int(degree) for degree in network.degrees]


@pytest.mark.parametrize("measure", ["count", "degree", "vertex-refinement"])
def test_nothing_is_said_of_what_takes_no_time(measure: str) -> None:
    """Nobody waits for 100 steps that take a millisecond each."""
    assert heard_of(measure) == []


def test_a_search_that_people_wait_for_says_how_long() -> None:
    """100 steps of 60 ms are 6 s."""
    (said,) = heard_of(slow)

    assert said.startswith("slow: about 6") and " ms for each solution tried; 100 take about " in said
    assert said.endswith(" s. A time limit ends it earlier.")


def test_a_time_limit_says_how_many_solutions_fit() -> None:
    """Of 60 ms each, 5 within 0.3 s or a few less."""
    (said,) = heard_of(slow, seconds=0.3)

    assert "within the time of 300 ms" in said
    assert 1 <= int(said.split("so about ")[1].split()[0]) <= 5
