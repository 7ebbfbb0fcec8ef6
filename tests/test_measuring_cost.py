"""What measuring a large network costs is said before, and what does not fit is refused."""

from __future__ import annotations

import logging
from itertools import product

import pytest

import netveil as nv
from graphs import clustered
from netveil import api
from netveil.anonymity import MEASURES, Attackers, cost as costs_of_measures
from netveil.anonymity.cost import SAMPLED_NODES, beyond_caches, cost_of_surroundings, cost_of_triangles
from netveil.anonymity.measure import cost_of
from netveil.api import tell_cost
from netveil.errors import NetworkError
from netveil.kernels import triangles
from netveil.network import Network
from netveil.progress import heard_by
from netveil.threads import available_cores


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what tests have time for."""
    monkeypatch.setattr(api, "LARGE", 10)


def test_every_measure_says_what_it_costs(caplog: pytest.LogCaptureFixture) -> None:
    """Time and memory, in one line."""
    caplog.set_level(logging.INFO, "netveil")
    for measure, distance in product(MEASURES, (1, 2)):
        (attacker,) = Attackers.of(measure, distance).each
        caplog.clear()
        tell_cost(clustered(), [attacker])

        told = [line for line in caplog.messages if line.startswith(f"{attacker.name}: ")]
        assert len(told) == 1 and told[0].endswith(" and 0 MB …")


def test_what_looks_around_is_tried_on_some_people() -> None:
    """What these take is what all would, shared out among the cores."""
    ticks = iter((10.0, 13.0))
    cost = cost_of_surroundings(clustered(), 2, lambda: next(ticks))

    assert cost.is_least
    assert cost.seconds() == pytest.approx(3.0 / SAMPLED_NODES * 60 / available_cores())


def test_a_listener_hears_how_far_counting_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, and no more once nobody is to hear."""
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
    """Nor of a measure that does not say."""
    caplog.set_level(logging.INFO, "netveil")
    tell_cost(clustered(), Attackers.of(lambda network: network.degrees.tolist()).each)
    monkeypatch.setattr(api, "LARGE", 10**6)
    tell_cost(clustered(), Attackers.of("count").each, free=lambda: 0)

    assert caplog.messages == []


def test_what_does_not_fit_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is tried, by `nv.measure` too."""
    for measure in MEASURES:
        message = rf"^{measure} of a network with .* edges needs .* in blocks"
        with pytest.raises(NetworkError, match=message) as told:
            tell_cost(clustered(), Attackers.of(measure).each, free=lambda: 100)
        assert "netveil measure --blocks DIR" in told.value.for_command_line()
    monkeypatch.setattr(api.tell_cost, "__defaults__", (lambda: 100,))
    with pytest.raises(NetworkError, match="0 MB are free"):
        nv.measure(clustered())


def test_costs_grow_with_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory with edges and nodes, time with pairs of edges that may close a triangle, and beyond caches."""
    small, large, dense = clustered(60, 300), clustered(600, 3000), clustered(60, 3000)
    star = Network.from_numbered_edges([(0, other) for other in range(1, small.edge_count + 1)], 400)
    empty = [cost_of(MEASURES[measure], Network.from_numbered_edges([], 5), 1) for measure in MEASURES]

    assert cost_of_triangles(large).memory > 5 * cost_of_triangles(small).memory
    assert cost_of_triangles(large).seconds() > 5 * cost_of_triangles(small).seconds()
    each = [cost_of_triangles(network).seconds() / network.edge_count for network in (star, small, dense)]
    assert each == sorted(each) and each[0] < each[-1]
    # What is tried takes the time that a clock tells, the rest of an empty network none.
    assert all(cost is not None and (cost.is_least or cost.seconds() == 0) for cost in empty)
    # As was measured from 10^7 edges to 10^8; not before.
    assert [beyond_caches(edges) for edges in (0, 10**7, 10**8)] == pytest.approx([1, 1, 1.7])
    before = cost_of_triangles(clustered()).seconds()
    monkeypatch.setattr(costs_of_measures, "FITS_CACHES", clustered().edge_count / 100)
    assert cost_of_triangles(clustered()).seconds() > before
