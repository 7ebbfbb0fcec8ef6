"""What is noticed about a user's own measure before a search relies on it, and what it may cost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import netveil as nv
from clocks import Clock
from netveil.network import Network

KARATE = nv.load("karate")


def degrees(network: Network, nodes: Any = None) -> list[int]:
    """The contacts of all, or of some."""
    chosen = network.degrees if nodes is None else network.degrees[nodes]
    return [int(degree) for degree in chosen]


@pytest.mark.parametrize("forgets", [lambda *_: [], lambda network, u, v: [u]], ids=["everybody", "one end"])
@pytest.mark.parametrize("algorithm", ["annealing", "es"])
def test_a_function_that_forgets_whom_a_deletion_touches_is_found_out_at_once(
    algorithm: str, forgets: Any
) -> None:
    """Not only in the end: a search that sees no change finds nothing, and would say so."""

    def forgetful(network: Network, nodes: Any) -> list[int]:
        return degrees(network, nodes)

    forgetful.touched = forgets  # type: ignore[attr-defined]
    with pytest.raises(nv.SettingError, match="touched does not name all"):
        nv.anonymize(KARATE, "10%", measure=forgetful, algorithm=algorithm, seed=1)


@pytest.mark.parametrize("algorithm", ["annealing", "ga", "es"])
def test_a_very_slow_measure_keeps_to_the_time(algorithm: str) -> None:
    """Twenty proposals of each chain before the first look at the clock would take four seconds."""
    clock = Clock()

    def slow(network: Network) -> list[int]:
        clock.spend(0.05)
        return degrees(network)

    heard: list[str] = []
    control = nv.search.Control(announcer=heard.append, clock=clock)
    release = nv.anonymize(
        KARATE, "10%", measure=slow, algorithm=algorithm, time=0.5, seed=1, control=control, threads=1
    )

    assert release.outcome.seconds < 2.0
    assert algorithm == "es" or "within the time" in heard[0]


def test_fuzzy_and_twins_do_not_go_together_for_an_own_measure() -> None:
    """Twins need not have the same state by it, so it would not be clear what counts."""

    def numbers(network: Network) -> list[int]:
        return degrees(network)

    numbers.numeric = True  # type: ignore[attr-defined]
    with pytest.raises(nv.SettingError, match="leave fuzzy or twins out"):
        nv.measure(KARATE, numbers, fuzzy="10%", twins=True)


def test_numbers_of_numpy_are_numbers() -> None:
    """In the record of a release as well."""
    settings: dict[str, Any] = {"k": np.int64(3), "distance": np.int64(2), "twins": np.bool_(True)}
    seed: Any = np.int64(1)
    release = nv.anonymize(KARATE, "5%", algorithm="es", seed=seed, threads=1, **settings)

    assert json.loads(json.dumps(release.figures()))["k"] == 3
    assert json.loads(json.dumps(nv.measure(KARATE, **settings).to_dict()))["twins"] is True
    with pytest.raises(nv.SettingError, match="twins 'no'"):
        nv.measure(KARATE, twins="no")  # type: ignore[arg-type]
