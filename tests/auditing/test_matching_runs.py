"""A run of attackers who match whole networks: the same by the same seed, fair, and stopped on request."""

from __future__ import annotations

import threading
from collections.abc import Callable

import networkx
import numpy as np
import pytest
from matchings import mirrored, numbered, powerlaw, thinner

from netveil.auditing.matching.matcher import Claims, Knowledge, Situation
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.score import Matching
from netveil.auditing.matching.seeded import Percolation
from netveil.registries import MATCHERS
from waiting import HANG, until

ORIGINAL = powerlaw(150, 4)
RELEASED = thinner(ORIGINAL, 0.1)
ATTEMPTS = [
    Case("weighing", Knowledge(0.9), 2, 1),
    Case("weighing", Knowledge(0.5, "community", 5), 2, 1),
    Case("narayanan-shmatikov", Knowledge(seeds=20), 2, 1),
    Case("bumblebee", Knowledge(0.75, seeds=20, chosen="best-connected"), 2, 1),
    Case("percolation", Knowledge(0.9, seeds=10, chosen="best-connected"), 2, 1),
]


def run(attempts: list[Case], seed: int = 0, threads: int | None = None) -> list[Matching]:
    """What comes of these, in the order in which they are yielded."""
    return list(match_all(ORIGINAL, RELEASED, attempts, seed=seed, threads=threads))


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_on_any_number_of_threads() -> None:
    """Every figure of every row; another seed gives others."""
    one, three, usual = (run(ATTEMPTS, threads=threads) for threads in (1, 3, None))

    assert one == three == usual
    assert [row.attack for row in one] == [attempt.attack for attempt in ATTEMPTS]
    others = run(ATTEMPTS, seed=1)
    assert all(row != other for row, other in zip(one, others, strict=True))


@pytest.mark.thorough
def test_a_row_is_the_same_whatever_else_is_tried() -> None:
    """Alone, and in another order."""
    together = run(ATTEMPTS)

    assert [run([attempt])[0] for attempt in ATTEMPTS] == together
    assert run(ATTEMPTS[::-1]) == together[::-1]


def test_who_is_recognised_is_not_looked_for() -> None:
    """Ten of 150 are not counted, in the release and beside it."""
    row = run([Case("percolation", Knowledge(seeds=10), 1, 1)])[0]

    assert [score.people for score in (row.release, row.original, row.random_deletion)] == [140] * 3


def test_the_baselines_are_the_original_and_as_many_random_deletions() -> None:
    """In a release without a tie nobody is found, nor after as many deletions; in the original everybody."""
    nothing_left = ORIGINAL.without_edges(np.arange(ORIGINAL.edge_count))
    (row,) = match_all(ORIGINAL, nothing_left, [Case("weighing", Knowledge(), 1, 1)])

    assert (row.release.found, row.random_deletion.found) == (0, 0)
    assert row.original.found == (~mirrored(ORIGINAL)).sum() > 140


TWO_HUBS = numbered(networkx.complete_bipartite_graph(2, 30))
"""Thirty people with the same two contacts: none can be told from another."""


def test_nobody_gains_from_the_order_of_nodes() -> None:
    """Percolation takes the first of equals: by equal orders it finds most, in an audit one."""
    hubs = Case("percolation", Knowledge(seeds=2, chosen="best-connected"), 10, 1)
    (row,) = match_all(TWO_HUBS, TWO_HUBS, [hubs])
    in_order = Situation(TWO_HUBS, TWO_HUBS, seeds=np.array([0, 1]), seed_nodes=np.array([0, 1]))
    by_order = Percolation().claims(in_order, np.random.default_rng(1), lambda: None)

    assert (by_order.nodes == np.arange(32)).sum() > 20, "or this test would show nothing"
    assert row.release.found <= 3


@pytest.mark.parametrize("name", ["weighing", "narayanan-shmatikov", "bumblebee"])
def test_people_who_are_all_alike_are_not_claimed(name: str) -> None:
    """Neither by those who need seeds, nor without."""
    hubs = Case(name, Knowledge(seeds=2, chosen="best-connected"), 3, 1)
    (row,) = match_all(TWO_HUBS, TWO_HUBS, [hubs])

    assert (row.release.found, row.release.wrong) == (0, 0)


class Lazy:
    """Takes everybody for the node of the same number."""

    name = title = paper = "lazy"
    needs_seeds = False

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Claim that both networks have one order."""
        everybody = np.arange(situation.known.node_count)
        return Claims(everybody, np.ones(len(everybody)), everybody >= 0)


def test_the_order_of_nodes_tells_an_attacker_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 150 people in their own order, about one is guessed, in the original too."""
    monkeypatch.setitem(MATCHERS, "lazy", Lazy())
    row = run([Case("lazy", Knowledge(), 1, 1)])[0]

    assert max(row.release.found, row.original.found, row.random_deletion.found) < 8


class Endless:
    """Never comes to an end by itself."""

    name, title, paper, needs_seeds = "endless", "goes on and on", "nobody's", False

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.trials = 0

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Asks whether to go on, until that is an error."""
        self.trials += 1
        self.begun.release()
        while True:
            go_on()


@pytest.mark.parametrize("threads", [1, 2])
def test_closing_a_run_stops_its_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those at work end, those that wait are never begun, and no thread is left."""
    endless = Endless()
    monkeypatch.setitem(MATCHERS, "endless", endless)
    before = set(threading.enumerate())
    quick = Case("percolation", Knowledge(seeds=10), 1, 1)
    going = match_all(ORIGINAL, RELEASED, [quick, *[Case("endless", Knowledge(), 5, 5)] * 3], threads=threads)

    assert next(going).attack == "percolation"
    for _ in range(threads):
        assert endless.begun.acquire(timeout=HANG)
    going.close()

    until(lambda: set(threading.enumerate()) <= before)
    assert endless.trials == threads


class Failing(Endless):
    """Has an error in it."""

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """None."""
        raise ZeroDivisionError("an error of the matcher")


def test_an_error_of_a_matcher_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes to whoever asks for the row, and no thread is left."""
    monkeypatch.setitem(MATCHERS, "failing", Failing())
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError, match="of the matcher"):
        list(match_all(ORIGINAL, RELEASED, [Case("failing", Knowledge(), 1, 1), *ATTEMPTS]))
    until(lambda: set(threading.enumerate()) <= before)
