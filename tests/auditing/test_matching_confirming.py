"""An attacker stands by claims that ties confirm, in company; settings say how many, and in which."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from matchings import numbered, side_by_side

from netveil.auditing.matching import weighing
from netveil.auditing.matching.matcher import NOBODY, Situation
from netveil.auditing.matching.weighing import confirmed
from netveil.network import Network


def who_is_left(known: Network, released: Network, claimed: list[int], **others: object) -> list[int]:
    """The people whose claims are confirmed."""
    situation = Situation(known, released, **others)  # type: ignore[arg-type]
    return np.flatnonzero(confirmed(situation, np.array(claimed)) != NOBODY).tolist()


SQUARE_AND_TAIL = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)], 6)


def test_claims_fall_one_after_another() -> None:
    """Whose contacts do not confirm the claim falls, and then who was confirmed by that one alone."""
    released = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)], 6)
    path = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (3, 4)], 5)

    assert who_is_left(SQUARE_AND_TAIL, released, list(range(6))) == [0, 1, 2, 3]
    assert who_is_left(path, path.without_edges([0, 1, 2]), list(range(5))) == []


def test_a_short_chain_with_somebody_recognised_stays() -> None:
    """Seeds need no confirmation, and are company."""
    path = numbered(networkx.path_graph(4))
    seed = {"seeds": np.array([0]), "seed_nodes": np.array([0])}

    assert who_is_left(path, path, [0, 1, 2, 3], **seed) == [0, 1, 2, 3]
    assert who_is_left(path, path.without_edges([0]), [0, 1, 2, 3], **seed) == [0]


def test_where_the_match_went_wrong_a_cycle_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many claims few are confirmed: then people need several confirmed ties, as in a complete group."""
    noise = numbered(networkx.gnm_random_graph(40, 200, seed=1))
    other_noise = numbered(networkx.empty_graph(40))
    cycle, complete = numbered(networkx.cycle_graph(6)), numbered(networkx.complete_graph(6))
    known = side_by_side([noise, cycle, complete])
    released = side_by_side([other_noise, cycle, complete])
    everybody = list(range(52))

    assert who_is_left(known, released, everybody) == everybody[46:]
    with monkeypatch.context() as patch:
        patch.setattr(weighing, "LEAST_IN_ALL", 0.05)
        assert who_is_left(known, released, everybody) == everybody[40:]
    monkeypatch.setattr(weighing, "DENSE", 3.0)
    assert who_is_left(known, released, everybody) == []


def test_a_right_match_is_confirmed_but_for_who_has_no_ties() -> None:
    """Node 5 is alone: nothing speaks for the claim."""
    assert who_is_left(SQUARE_AND_TAIL, SQUARE_AND_TAIL, list(range(6))) == [0, 1, 2, 3, 4]


def test_nobody_confirms_what_is_not_claimed() -> None:
    """Of a triangle that misses one claim, two are left, and that is no company."""
    triangle = numbered(networkx.complete_graph(3))

    assert who_is_left(triangle, triangle, [0, 1, 2]) == [0, 1, 2]
    assert who_is_left(triangle, triangle, [0, 1, NOBODY]) == []
    assert who_is_left(triangle, triangle, [NOBODY] * 3) == []


@pytest.mark.parametrize("length", [10, 19, 20, 30])
def test_a_chain_must_be_long(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the setting says; a cycle need not be."""
    path, cycle = numbered(networkx.path_graph(length)), numbered(networkx.cycle_graph(length))
    everybody = list(range(length))

    assert who_is_left(path, path, everybody) == (everybody if length >= 20 else [])
    assert who_is_left(cycle, cycle, everybody) == everybody
    monkeypatch.setattr(weighing, "LARGE", 5)
    assert who_is_left(path, path, everybody) == everybody


def test_how_many_contacts_must_confirm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of those that should: fewer where fewer ties are published."""
    monkeypatch.setattr(weighing, "LEAST_IN_ALL", 0.5)
    wheel = numbered(networkx.wheel_graph(9))  # node 0 is tied to all
    spokes = [edge for edge, (one, _) in enumerate(wheel.edges.tolist()) if one == 0]
    released = wheel.without_edges(spokes[:5])
    everybody = list(range(9))

    assert who_is_left(wheel, released, everybody) == everybody[1:]
    assert who_is_left(wheel, released, everybody, released_share=0.7) == everybody
    monkeypatch.setattr(weighing, "LEAST_CONFIRMED", 0.3)
    assert who_is_left(wheel, released, everybody) == everybody
