"""A chain of the annealing: one walk through the solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.search.annealing.build_walk import new_limit_state, new_plain_walk, new_walk
from netveil.search.annealing.partners import find_partners, uncrowd
from netveil.search.annealing.schedule import Schedule
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.anneal_plainly import PlainWalk
    from netveil.kernels.annealing.leg import Leg
    from netveil.kernels.annealing.walk_state import LimitState, Walk


class SavedWalk(NamedTuple):
    """Where a chain stood at some moment, and the best that it had met."""

    arrays: list[np.ndarray[Any, Any]]
    partners_due: tuple[int, int]
    deleted: int  # edges, where it stood


class Chain:
    """One walk through the solutions, with its own random numbers."""

    walk: Walk | PlainWalk
    _anneal: Callable[[Leg, Words], Any]  # what `anneal` or `anneal_plainly` returns

    def __init__(self, problem: Problem, seed: int, known: IntVector | None = None) -> None:
        """A walk that starts from the whole network, or without the edges of the numbers `known`.

        Where states are no sums over degree and triangles it is plain: it looks at who is at risk and no
        further.
        """
        self.problem = problem
        self.limit_state: LimitState | None = None
        self.partners_due = (0, 0)  # when so many proposals are made, and accepted
        self.random = np.array([seed], dtype=np.uint64)
        topology, rule, limits = problem.topology, problem.rule, problem.limits
        if problem.linear_weights is None:
            from netveil.kernels.annealing.anneal_plainly import anneal_plainly

            plain = new_plain_walk(problem, known)
            self.walk, self._anneal = plain, partial(anneal_plainly, topology, rule, limits, plain)
        else:
            from netveil.kernels.annealing.anneal import anneal

            walk = new_walk(problem, known)
            self.limit_state = new_limit_state(problem, walk)
            self.walk = walk
            counted, k = rule.count_triangles, rule.k
            self._anneal = partial(anneal, topology, counted, k, limits, walk, self.limit_state)

    def advance(self, schedule: Schedule, proposals: int, since: float, until: float) -> None:
        """Make so many proposals, on the schedule from one share of the walk to another."""
        self.walk_along(schedule.leg(proposals, since, until))

    def walk_along(self, leg: Leg) -> None:
        """Make the proposals of a leg; partners are found anew when they have held long enough."""
        from netveil.kernels.annealing.walk_state import Walk

        if not isinstance(self.walk, Walk):
            self._anneal(leg, self.random)
            return
        people, hold = self.walk.people, leg.partners_hold
        while leg.begun < leg.proposals:
            proposed, accepted = self._made
            if proposed >= self.partners_due[0] and accepted >= self.partners_due[1]:
                find_partners(people, self.problem.k)
                self.partners_due = proposed + hold[0], accepted + hold[1]
            uncrowd(people, self.problem.k)
            rest = max(self.partners_due[0] - proposed, 0), max(self.partners_due[1] - accepted, 0)
            leg = leg._replace(begun=self._anneal(leg._replace(partners_hold=rest), self.random))

    @property
    def _made(self) -> tuple[int, int]:
        """Proposals that were made so far, and accepted."""
        from netveil.kernels.annealing.walk_state import Walk, WalkCount

        assert isinstance(self.walk, Walk)
        counts = self.walk.edges.counts
        return int(counts[WalkCount.PROPOSED]), int(counts[WalkCount.ACCEPTED])

    def adopt(self, other: Chain) -> None:
        """Go on from where the other chain stands, with its best; the random numbers remain its own."""
        self.go_back_to(SavedWalk(list(_arrays(other)), other.partners_due, other.deleted_now))

    def saved(self) -> SavedWalk:
        """A copy of where the chain stands now, and of its best."""
        return SavedWalk([array.copy() for array in _arrays(self)], self.partners_due, self.deleted_now)

    def go_back_to(self, saved: SavedWalk) -> None:
        """Go on from there, with the best that had been met by then."""
        for mine, its in zip(_arrays(self), saved.arrays, strict=True):
            mine[...] = its
        self.partners_due = saved.partners_due

    @property
    def at_risk_now(self) -> int:
        """Nodes at risk where the chain stands."""
        from netveil.kernels.annealing.walk_state import Walk, WalkCount
        from netveil.kernels.following.state import Total

        if isinstance(self.walk, Walk):
            return int(self.walk.edges.counts[WalkCount.AT_RISK])
        return int(self.walk.state.totals[Total.AT_RISK])

    @property
    def deleted_now(self) -> int:
        """Deleted edges where the chain stands."""
        from netveil.kernels.annealing.walk_state import Walk, WalkCount
        from netveil.kernels.following.state import Total

        if isinstance(self.walk, Walk):
            return int(self.walk.edges.counts[WalkCount.DELETED])
        return int(self.walk.state.totals[Total.DELETED])

    @property
    def at_risk(self) -> int:
        """Nodes at risk in the best solution met, or as many as are few enough."""
        from netveil.kernels.annealing.metropolis import Best

        return int(self.walk.best_totals[Best.AT_RISK])

    @property
    def deleted(self) -> int:
        """Deleted edges of the best solution met."""
        from netveil.kernels.annealing.metropolis import Best

        return int(self.walk.best_totals[Best.DELETED])


def _arrays(chain: Chain) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays of a chain's records, those of records in records too."""
    waiting: list[Any] = [chain.walk, chain.limit_state]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting.extend(item)
        elif isinstance(item, np.ndarray):
            yield item
