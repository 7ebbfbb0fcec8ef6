"""Several chains of the annealing side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from operator import methodcaller

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.search.annealing.chain import Chain, SavedWalk
from netveil.search.annealing.legs import Legs
from netveil.search.annealing.schedule import Schedule
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Checkpoint, Step, StopReason

EXCHANGES = (0.6, 0.7, 0.8, 0.9)
"""Shares of a walk after which all chains go on from where the best stands. Before, who is ahead says nothing
about who will be at the end: see docs/search.md."""
EXCHANGES_IF_SHORT = (1 / 3,)
"""The same for a walk that begins at a good solution, mostly one of many short ones: chains stay unlike."""


class Chains:
    """Several chains side by side, on one result. Which thread walks which makes no difference."""

    def __init__(
        self,
        problem: Problem,
        count: int,
        rng: np.random.Generator,
        threads: int,
        known: IntVector | None,
    ) -> None:
        self.problem = problem
        seeds = rng.integers(2**63, size=count, dtype=np.int64).tolist()
        self.chains = [Chain(problem, seed, known) for seed in seeds]
        self.threads = min(threads, count)
        self._solved: SavedWalk | None = None  # where the last walk ended that found few enough at risk
        self.legs = 0
        self.proposals = 0  # of all chains together

    @property
    def best(self) -> Chain:
        """The chain that met the best solution: fewest nodes at risk, then fewest deletions."""
        return min(self.chains, key=lambda chain: (chain.at_risk, chain.deleted))

    def best_solution(self) -> Words:
        """The best solution met, as an individual."""
        return self.problem.individual_marking(self.best.walk.best == 0)

    def best_edges(self) -> IntVector:
        """The numbers of the edges that it deletes."""
        return self.problem.edges_deleted_by(self.best_solution())

    def set_best(self, solution: Words, at_risk: int) -> None:
        """Make an individual the best that was met; the chains stay where they are."""
        marks = self.problem.bits_set_in(solution)
        for chain in self.chains:
            chain.walk.best[:] = 1
            chain.walk.best[marks] = 0
            chain.walk.best_totals[:] = at_risk, len(marks)

    def walk(
        self, schedule: Schedule, legs: Legs, control: Control, *, is_short: bool = False
    ) -> Generator[Step, None, StopReason | None]:
        """Walk to the end of the schedule, or until there is a reason to stop, which is returned."""
        exchanges = list(EXCHANGES_IF_SHORT if is_short else EXCHANGES)
        with self._together() as for_each_chain:
            while not self.has_solved(schedule):
                proposals, since, until = legs.next_leg()
                for_each_chain(methodcaller("advance", schedule, proposals, since, until))
                self.legs += 1
                self.proposals += proposals * len(self.chains)
                while exchanges and until >= exchanges[0]:
                    exchanges.pop(0)
                    self.go_on_from_the_best()
                yield self.step(Checkpoint(self.best_edges, self.best.at_risk), legs.share_of_search)
                asked = control.asked_to_stop()
                if asked is not None or legs.at_the_end:
                    return asked
        self._solved = self._nearest(schedule.enough).saved()
        return "solved"

    def has_solved(self, schedule: Schedule) -> bool:
        """Whether few enough are at risk, within the budget of the schedule."""
        return self.best.at_risk <= schedule.enough and self.best.deleted <= schedule.budget

    def go_on_from_the_best(self) -> None:
        """Let all chains stand where the one stands that has the fewest at risk now."""
        ahead = min(self.chains, key=lambda chain: chain.at_risk_now)
        with self._best_kept():
            for chain in self.chains:
                if chain is not ahead:
                    chain.adopt(ahead)

    def saved_best(self, enough: int) -> SavedWalk:
        """Where the best solution is, if it is where the last walk that found few enough at risk has ended.

        Else where the chain stands with the fewest at risk now, down to `enough`, then the fewest deletions.
        """
        if self._solved is not None and self._solved.deleted == self.best.deleted:
            return self._solved
        return self._nearest(enough).saved()

    def go_back_to(self, saved: SavedWalk) -> None:
        """Let all chains stand there."""
        with self._best_kept():
            for chain in self.chains:
                chain.go_back_to(saved)

    def _nearest(self, enough: int) -> Chain:
        """The chain that stands best now."""
        return min(self.chains, key=lambda chain: (max(chain.at_risk_now, enough), chain.deleted_now))

    @contextmanager
    def _best_kept(self) -> Iterator[None]:
        """Whatever the chains take over, the best that any of them has met is the best of all afterwards."""
        best = self.best
        solution, totals = best.walk.best.copy(), best.walk.best_totals.copy()
        yield
        for chain in self.chains:
            chain.walk.best[:], chain.walk.best_totals[:] = solution, totals

    def step(self, checkpoint: Checkpoint | None = None, share: float = 0.0) -> Step:
        """How far the chains have come together, and with that share of the search."""
        best = self.best
        return Step(self.legs, self.proposals, best.at_risk, best.at_risk, best.deleted, checkpoint, share)

    @contextmanager
    def _together(self) -> Iterator[Callable[[Callable[[Chain], None]], object]]:
        """A way to have something done for each chain, by as many threads as there are."""
        if self.threads == 1:
            yield lambda work: list(map(work, self.chains))
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                yield lambda work: list(pool.map(work, self.chains))
