"""Parts of the report of a large network say beforehand how long they take."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytest

import netveil as nv
from graphs import clustered
from netveil.job import Anonymization
from netveil.progress import Watcher
from netveil.release import gather as module, gather as part_costs
from netveil.release.gather import (
    AUDIT,
    BASELINES,
    COMPARISON,
    gather,
    seconds_of_audit,
    seconds_of_baselines,
    seconds_of_comparison,
)

FACTORS = ("TO_SET_UP_BASELINE", "A_PATH_STEP", "A_LOUVAIN_STEP", "AN_ATTACK", "A_MARK")


@pytest.fixture(scope="module")
def release() -> nv.Release:
    """Of the karate club."""
    return nv.anonymize(nv.load("karate"), "5%", effort=0.01, seed=1)


def test_of_a_small_network_nothing_is_said(release: nv.Release) -> None:
    """The parts are what they are."""
    for part in (BASELINES, COMPARISON, AUDIT):
        assert part.with_duration(release, 2) is part


def test_of_a_large_network_the_time_is_said(release: nv.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounded up to whole seconds; for two other algorithms, what is allowed for both."""
    monkeypatch.setattr(module, "LARGE", 1)
    for factor in FACTORS:
        monkeypatch.setattr(part_costs, factor, 0.0)

    assert (
        BASELINES.with_duration(release, 2).doing
        == "trying other algorithms with the same budget, about 40 s"
    )
    monkeypatch.setattr(part_costs, "AN_ATTACK", 120 / release.original.edge_count)
    assert AUDIT.with_duration(release, 2).doing == "trying attacks on it, about 2 min"


def test_whoever_gathers_tells_it(release: nv.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is on the command line and on the page."""
    monkeypatch.setattr(module, "LARGE", 1)
    told: list[str] = []

    class Hearing(Watcher):
        def report(self, doing: str) -> AbstractContextManager[None]:
            told.append(doing)
            return nullcontext()

    gather(release, Anonymization(audit=False), Hearing())

    assert len(told) == 1 and told[0].startswith("measuring what it cost, about ")


@pytest.mark.parametrize("factor", FACTORS)
def test_every_factor_counts(factor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger one makes one estimate larger, and no other."""
    network = clustered()

    def estimates() -> list[float]:
        return [
            seconds_of_baselines(network, 2, 20.0),
            seconds_of_comparison(network, 1),
            seconds_of_audit(network, 1),
        ]

    before = estimates()
    monkeypatch.setattr(part_costs, factor, 10 * getattr(part_costs, factor))
    raised = [after > one for one, after in zip(before, estimates(), strict=True)]

    assert sum(raised) == 1


def test_threads_and_edges_make_a_difference() -> None:
    """Twice the threads, less time; but communities are found by one. More edges, more time."""
    small, large = clustered(200, 1_000), clustered(2_000, 10_000)

    for seconds in (seconds_of_comparison, seconds_of_audit):
        assert seconds(large, 2) > seconds(small, 2)
        assert seconds(small, 1) > seconds(small, 2)
    assert seconds_of_comparison(small, 1_000) == seconds_of_comparison(small, 2_000) > 0


def test_metrics_take_longer_where_a_network_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a factor for each ten times as many edges; smaller networks are no quicker."""
    network = clustered()
    fits = seconds_of_comparison(network, 2)
    monkeypatch.setattr(part_costs, "FITTING", network.edge_count / 100)
    monkeypatch.setattr(part_costs, "TENFOLD", 3.0)

    assert seconds_of_comparison(network, 2) == pytest.approx(9 * fits)
