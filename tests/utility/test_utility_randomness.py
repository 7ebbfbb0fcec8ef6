"""igraph's one random generator: ours for a while, and then as if we had not been there."""

from __future__ import annotations

import random
from collections.abc import Callable
from threading import Event, Thread

import igraph
import pytest

import netveil as nv
from netveil.utility.side import seeded


def _compare() -> None:
    network = nv.load("karate")
    nv.compare(network, network)


def _report() -> None:
    nv.anonymize(nv.load("karate"), budget=2, seed=1).report()


def _fail() -> None:
    with pytest.raises(ZeroDivisionError), seeded(1):
        _ = 1 / 0


@pytest.mark.parametrize("use", [_compare, _report, _fail])
def test_the_random_generator_is_pythons_own_again_afterwards(use: Callable[[], None]) -> None:
    """A seed for Python's generator decides what igraph draws: after a comparison, a report or an error."""
    use()

    assert _drawn_from(seed=5) == _drawn_from(seed=5) != _drawn_from(seed=6)


def test_what_a_user_seeded_goes_on_where_it_was() -> None:
    """A seeded part in between draws nothing from it."""
    graph = igraph.Graph.Full(4)
    random.seed(5)
    expected = [graph.random_walk(0, 20), graph.random_walk(0, 20)]
    random.seed(5)
    first = graph.random_walk(0, 20)
    with seeded(1):
        graph.random_walk(0, 20)

    assert [first, graph.random_walk(0, 20)] == expected


def test_a_second_thread_waits_for_its_turn() -> None:
    """Else each would draw from the other's seed."""
    entered = Event()

    def enter() -> None:
        with seeded(2):
            entered.set()

    waiting = Thread(target=enter)
    with seeded(1):
        waiting.start()
        assert not entered.wait(0.05)
    waiting.join()
    assert entered.is_set()


def _drawn_from(seed: int) -> list[tuple[int, int]]:
    random.seed(seed)
    edges: list[tuple[int, int]] = igraph.Graph.Erdos_Renyi(n=50, m=60).get_edgelist()
    return edges
