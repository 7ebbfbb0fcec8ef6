"""What measuring a large network costs is said before, and what does not fit is refused."""

from __future__ import annotations

import logging
from itertools import product

import pytest

import netveil as nv
from graphs import clustered
from netveil import api
from netveil.anonymity import MEASURES, Attackers
from netveil.anonymity.cost import SAMPLED_NODES, cost_of_surroundings
from netveil.api import tell_cost
from netveil.errors import NetworkError
from netveil.kernels import triangles
from netveil.progress import heard_by
from netveil.threads import available_cores


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what tests have time for."""
    monkeypatch.setattr(api, "LARGE", 10)


def test_every_measure_says_what_it_costs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "netveil")
    for measure, distance in product(MEASURES, (1, 2)):
        (attacker,) = Attackers.of(measure, distance).each
        caplog.clear()
        tell_cost(clustered(), [attacker])

        told = [line for line in caplog.messages if line.startswith(f"{attacker.name}: ")]
        assert len(told) == 1 and told[0].endswith(" and 0 MB …")


def test_what_looks_around_is_tried_on_some_people() -> None:
    ticks = iter((10.0, 13.0))
    cost = cost_of_surroundings(clustered(), 2, lambda: next(ticks))

    assert cost.is_least
    assert cost.seconds() == pytest.approx(3.0 / SAMPLED_NODES * 60 / available_cores())


def test_a_listener_hears_how_far_counting_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triangles, "EDGES_WORTH_COMPILING", 0)
    monkeypatch.setattr(triangles, "EDGES_WORTH_A_THREAD", 1)
    heard: list[float] = []
    with heard_by(heard.append):
        MEASURES["count"].states(clustered(), 1)
    MEASURES["count"].states(clustered(), 1)

    assert heard == sorted(heard) and heard[-1] == 1 and len(heard) == triangles.PARTS


def test_nothing_is_said_of_small_networks(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "netveil")
    tell_cost(clustered(), Attackers.of(lambda network: network.degrees.tolist()).each)
    monkeypatch.setattr(api, "LARGE", 10**6)
    tell_cost(clustered(), Attackers.of("count").each, free=lambda: 0)

    assert caplog.messages == []


def test_what_does_not_fit_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for measure in MEASURES:
        message = rf"^{measure} of a network with .* edges needs .* in blocks"
        with pytest.raises(NetworkError, match=message) as told:
            tell_cost(clustered(), Attackers.of(measure).each, free=lambda: 100)
        assert "netveil measure --blocks DIR" in told.value.for_command_line()
    monkeypatch.setattr(api.tell_cost, "__defaults__", (lambda: 100,))
    with pytest.raises(NetworkError, match="0 MB are free"):
        nv.measure(clustered())
