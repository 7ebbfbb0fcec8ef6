"""Chains of the annealing side by side, and how long they walk.

A `Chain` is one walk with its own random numbers. `Chains` let several of them walk leg by leg and exchange
where they stand. How long a leg is follows from the proposals that are planned, or from the clock where time
is limited (`Legs`); an `Allowance` shares all work of a search out among its walks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from netveil.kernels.annealing.anneal import JOURNAL, PlainWalk, anneal, anneal_plainly
from netveil.kernels.annealing.proposal import Bounds, new_scene
from netveil.kernels.annealing.walk_state import Best, Leg, LimitState, Walk, WalkCount, count_cells
from netveil.kernels.arrays import IntVector, Words
from netveil.search.annealing.walk import (
    GUIDED_SLACK,
    Schedule,
    find_partners,
    new_limit_state,
    new_plain_walk,
    new_walk,
)
from netveil.search.control import Checkpoint, Control, Step, StopReason
from netveil.search.finishing import without_needless
from netveil.search.problem import Problem
from netveil.threads import side_by_side

Walking: TypeAlias = Generator[Step, None, StopReason | None]
"""Chains that walk: yields how far they have come, and returns the reason to stop, if there is one."""


# How far a search has come: by proposals made, or by the clock where time is limited.


LEGS = 200  # of a walk whose length is fixed: after each, the caller is heard
SHORTEST_LEG, LONGEST_LEG = 5_000, 100_000  # proposals, where the length is fixed
SHORTEST_SLOW_LEG = 5  # where states are slow to follow
SECONDS_OF_LEG = 0.1  # where time is limited
FIRST_GUESS = 200  # proposals a second: a short first leg tells how many there really are
ABOUT_A_SECOND = 1_000_000  # proposals of a chain, on machines of 2024: a schedule must not depend on a clock


@dataclass
class Legs:
    """Cuts a walk into legs. Of fixed length, the legs do not depend on how fast the machine is."""

    planned: int  # proposals; where time is limited, the walk takes its part of that instead
    control: Control
    part: tuple[float, float] = (0.0, 1.0)  # of the search
    slow: bool = False  # whether states are slow to follow
    made: int = 0  # proposals
    share: float = 0.0  # of the walk done

    def next_leg(self) -> tuple[int, float, float]:
        """Proposals of the next leg, and the shares of the walk at which it begins and ends."""
        since = self.share
        if self.control.time_limit is None:
            leg = max(self.planned // LEGS, SHORTEST_SLOW_LEG if self.slow else SHORTEST_LEG)
            proposals = min(leg, LONGEST_LEG, self.planned - self.made)
            self.share = (self.made + proposals) / self.planned
        else:
            start, end = (part * self.control.time_limit for part in self.part)
            passed = max(self.control.seconds - start, 0.0)
            length = min(SECONDS_OF_LEG, (end - start) / 20)
            # Of slow proposals the first is a leg of its own.
            rate = self.made / passed if self.made and passed else 0 if self.slow else FIRST_GUESS
            proposals = max(1, int(rate * length))
            is_over = end <= start  # what came before may have taken all the time
            self.share = 1.0 if is_over else min(1.0, max(since, (passed + length) / (end - start)))
        self.made += proposals
        return proposals, since, self.share

    @property
    def about(self) -> float:
        """About how many proposals the walk makes, also where a clock ends it."""
        if self.control.time_limit is None:
            return self.planned
        start, end = self.part
        return (end - start) * self.control.time_limit * ABOUT_A_SECOND

    @property
    def share_of_search(self) -> float:
        """Share of the whole search that is done, of which this walk is a part."""
        start, end = self.part
        return start + self.share * (end - start)

    @property
    def at_the_end(self) -> bool:
        """Whether the walk is over."""
        if self.control.time_limit is None:
            return self.made >= self.planned
        return self.control.seconds >= self.part[1] * self.control.time_limit


class Allowance:
    """Budget of proposals per chain, or of time, which the walks of a search share."""

    def __init__(self, proposals: int, control: Control, slow: bool) -> None:
        self.proposals, self.control, self.slow = proposals, control, slow
        self.walks: list[Legs] = []

    @property
    def done(self) -> float:
        """Share that is done, from 0 to 1."""
        if self.control.time_limit is not None:
            return min(1.0, self.control.seconds / self.control.time_limit)
        return min(1.0, sum(legs.made for legs in self.walks) / self.proposals)

    @property
    def is_left(self) -> bool:
        """Whether there is anything left to do."""
        return self.done < 1.0

    def share_of(self, proposals: int) -> float:
        """Share of the search that these proposals of each chain are; an estimate where a clock ends it."""
        limit = self.control.time_limit
        return proposals / (self.proposals if limit is None else limit * ABOUT_A_SECOND)

    def walk(self, share: float) -> Legs:
        """The next walk: this share of all work, or what is left of it, if that is less."""
        start = self.done
        end = min(start + share, 1.0)
        legs = Legs(max(1, round((end - start) * self.proposals)), self.control, (start, end), self.slow)
        self.walks.append(legs)
        return legs


# A chain of the annealing: one walk through the solutions.


class SavedWalk(NamedTuple):
    """A copy of a chain's arrays: its position, and the best that it had met."""

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
            plain = new_plain_walk(problem, known)
            self.walk, self._anneal = plain, partial(anneal_plainly, topology, rule, limits, plain)
        else:
            self.walk = walk = new_walk(problem)
            self.limit_state = new_limit_state(problem, walk)
            scene, unlisted = new_scene(topology, rule.count_triangles, rule.k, walk)
            bounds = None
            if limits is not None and self.limit_state is not None:
                bounds = Bounds(limits, self.limit_state, topology)
            best, journal = (walk.reward, walk.best, walk.best_totals), np.empty(JOURNAL, np.int64)
            slack = GUIDED_SLACK if problem.guided else None
            self._anneal = partial(anneal, scene, unlisted, bounds, slack, *best, journal)
            if known is not None:
                self.stand_at(problem.bits_of(known))

    def walk_along(self, leg: Leg) -> None:
        """Make the proposals of a leg; find partners anew when they are outdated."""
        if not isinstance(self.walk, Walk):
            self._anneal(leg, self.random)
            return
        people, counts, hold = self.walk.people, self.walk.edges.counts, leg.partners_hold
        while leg.begun < leg.proposals:
            proposed, accepted = int(counts[WalkCount.PROPOSED]), int(counts[WalkCount.ACCEPTED])
            if proposed >= self.partners_due[0] and accepted >= self.partners_due[1]:
                find_partners(people, self.problem.k)
                self.partners_due = proposed + hold[0], accepted + hold[1]
            # Most have had a state at some time.
            if 2 * counts[WalkCount.CELLS_USED] > len(people.states.cells):
                count_cells(people, self.problem.k, counts)
            rest = max(self.partners_due[0] - proposed, 0), max(self.partners_due[1] - accepted, 0)
            leg = leg._replace(begun=self._anneal(leg._replace(partners_hold=rest), self.random))

    def stand_at(self, deleted: IntVector) -> None:
        """Go to the solution that deletes the edges at these bit positions, and take it for the best."""
        walk = self.walk
        assert isinstance(walk, Walk)
        absent = walk.present == 0
        absent[deleted] ^= True
        self._flip(np.flatnonzero(absent), self.problem.edge_count, forced=True)
        if self.limit_state is not None:
            anew = new_limit_state(self.problem, walk)
            for mine, its in zip(_arrays(self.limit_state), _arrays(anew), strict=True):
                mine[...] = its
        walk.best[:] = walk.present
        walk.best_totals[:] = max(walk.at_risk, self.problem.enough), walk.deletions

    def restore_needless(self) -> None:
        """Restore every edge of the best whose return puts nobody at risk, or leaves few enough at risk.

        Definition 1 of the paper also minimizes the number of deletions: afterwards none can be undone
        without making things worse.
        """
        self.stand_at(np.flatnonzero(self.walk.best == 0))
        before = -1
        while before != self.walk.deletions:
            before = self.walk.deletions
            self._flip(np.flatnonzero(self.walk.best == 0), before, forced=False)

    def _flip(self, edges: IntVector, budget: int, *, forced: bool) -> None:
        """Flip edges that cost nothing, or all that are `forced`; partners do not matter."""
        leg = Leg(
            proposals=len(edges),
            begun=0,
            partners_hold=(len(edges) + 1, len(edges) + 1),
            budget=budget,
            allowed=budget,
            wanted=budget,
            enough=self.problem.enough,
            temperature=(1.0, 1.0),
            worth=0.0,
            guided=0.0,
            costs=np.ones((2, 1)),
            given=edges.astype(np.int64),
            forced=forced,
        )
        if len(edges) > 0:
            self.walk_along(leg)
        self.partners_due = (0, 0)

    def saved(self) -> SavedWalk:
        """A copy of where the chain stands now, and of its best."""
        arrays = [array.copy() for array in _arrays(self.walk, self.limit_state)]
        return SavedWalk(arrays, self.partners_due, self.walk.deletions)

    def go_back_to(self, saved: SavedWalk) -> None:
        """Go on from a saved position, with the best met by then; the random numbers remain its own."""
        for mine, its in zip(_arrays(self.walk, self.limit_state), saved.arrays, strict=True):
            mine[...] = its
        self.partners_due = saved.partners_due

    @property
    def at_risk(self) -> int:
        """Nodes at risk in the best solution met, or as many as are few enough."""
        return int(self.walk.best_totals[Best.AT_RISK])

    @property
    def deleted(self) -> int:
        """Deleted edges of the best solution met."""
        return int(self.walk.best_totals[Best.DELETED])


def _arrays(*records: object) -> Iterator[np.ndarray[Any, Any]]:
    """Arrays of records, those of records in records too."""
    waiting: list[Any] = [*records]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting.extend(item)
        elif isinstance(item, np.ndarray):
            yield item


EXCHANGES = (0.6, 0.7, 0.8, 0.9)
"""Shares of a walk after which all chains go on from where the best stands. Before, who is ahead says nothing
about who will be at the end: see docs/search.md."""
EXCHANGES_IF_SHORT = (1 / 3,)
"""Shares at which chains of a short walk from a good solution exchange: once, to stay diverse."""


class Chains:
    """Several chains side by side, on one result. Which thread walks which makes no difference."""

    def __init__(
        self, problem: Problem, count: int, rng: np.random.Generator, threads: int, known: IntVector | None
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
        """The numbers of the edges that the best solution deletes."""
        return self.problem.edges_deleted_by(self.best_solution())

    def set_best(self, solution: Words, at_risk: int) -> None:
        """Make an individual the best that was met; the chains stay where they are."""
        marks = self.problem.bits_set_in(solution)
        for chain in self.chains:
            chain.walk.best[:] = 1
            chain.walk.best[marks] = 0
            chain.walk.best_totals[:] = at_risk, len(marks)

    def restore_needless(self, control: Control) -> tuple[IntVector, int]:
        """The numbers of the edges that the best solution deletes, needless ones restored; nodes at risk."""
        best = self.best
        if isinstance(best.walk, Walk):
            best.restore_needless()
            return self.best_edges(), best.walk.at_risk
        solution, at_risk = without_needless(self.problem, self.best_solution(), control)
        return self.problem.edges_deleted_by(solution), at_risk

    def walk(self, schedule: Schedule, legs: Legs, control: Control, *, is_short: bool = False) -> Walking:
        """Walk to the end of the schedule, or until there is a reason to stop, which is returned."""
        exchanges = list(EXCHANGES_IF_SHORT if is_short else EXCHANGES)
        with side_by_side(self.threads) as together:
            while not self.has_solved(schedule):
                leg = schedule.leg(*legs.next_leg())
                list(together(methodcaller("walk_along", leg), self.chains))
                self.legs += 1
                self.proposals += leg.proposals * len(self.chains)
                while exchanges and legs.share >= exchanges[0]:
                    exchanges.pop(0)
                    self.go_back_to(min(self.chains, key=lambda chain: chain.walk.at_risk).saved())
                yield self.step(Checkpoint(self.best_edges, self.best.at_risk), legs.share_of_search)
                asked = control.asked_to_stop()
                if asked is not None or legs.at_the_end:
                    return asked
        self._solved = self._nearest(schedule.enough).saved()
        return "solved"

    def has_solved(self, schedule: Schedule) -> bool:
        """Whether few enough are at risk, within the budget of the schedule."""
        return self.best.at_risk <= schedule.enough and self.best.deleted <= schedule.budget

    def saved_best(self, enough: int) -> SavedWalk:
        """Saved position of the best solution, if the last walk that reached the target ended there.

        Else where the chain stands with the fewest at risk now, down to `enough`, then the fewest deletions.
        """
        if self._solved is not None and self._solved.deleted == self.best.deleted:
            return self._solved
        return self._nearest(enough).saved()

    def go_back_to(self, saved: SavedWalk) -> None:
        """Let all chains go on from a saved position; the best solution of all is not forgotten."""
        best = self.best
        solution, totals = best.walk.best.copy(), best.walk.best_totals.copy()
        for chain in self.chains:
            chain.go_back_to(saved)
            chain.walk.best[:], chain.walk.best_totals[:] = solution, totals

    def _nearest(self, enough: int) -> Chain:
        """The chain that stands best now."""
        return min(self.chains, key=lambda chain: (max(chain.walk.at_risk, enough), chain.walk.deletions))

    def step(self, checkpoint: Checkpoint | None = None, share: float = 0.0) -> Step:
        """Step to yield: progress of all chains, at this share of the search."""
        best = self.best
        return Step(self.legs, self.proposals, best.at_risk, best.at_risk, best.deleted, checkpoint, share)
