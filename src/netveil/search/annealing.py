"""Simulated annealing on exact and coarser states: what `anonymize` does unless asked otherwise.

    start each chain from the whole network, hot
    while there is time:
        propose to delete an edge, to restore one, or both
        accept what leaves fewer nodes at risk, at all levels of coarseness; what is worse, the more rarely
            the worse it is and the colder it has become
        let the temperature fall, and with it the weight of the coarser levels
    keep the best of all chains, and restore what it need not delete

docs/search.md explains why, and what was tried and did not help.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.search.control import Control, StopReason
from netveil.search.finish import without_needless
from netveil.search.ladder import climb
from netveil.search.outcome import Found
from netveil.search.pace import Pace
from netveil.search.problem import Problem
from netveil.search.schedule import Schedule
from netveil.search.settings import Annealing
from netveil.search.walk import levels_of, new_walk

if TYPE_CHECKING:
    from netveil.kernels.levels import Levels
    from netveil.kernels.walk import Walk

FEWEST_PROPOSALS = 500_000  # of each chain, at effort 1
PROPOSALS_PER_EDGE = 500
MOST_PROPOSALS = 20_000_000  # of each chain, at effort 1


class Chain:
    """One walk through the solutions, with its own random numbers."""

    def __init__(
        self, problem: Problem, levels: Levels, seed: int, picky: bool, known: IntVector | None = None
    ) -> None:
        """A walk that starts from the whole network, or without the edges of the numbers `known`.

        Where edges are on many triangles, being picky about which to flip pays off; where they are on few it
        does harm. So chains take turns.
        """
        self.problem = problem
        self.levels, self.picky = levels, picky
        self.walk: Walk = new_walk(problem, levels, known)
        self.random = np.array([seed], dtype=np.uint64)

    def advance(self, schedule: Schedule, proposals: int, since: float, until: float) -> None:
        """Make so many proposals, on the schedule from one share of the walk to another."""
        from netveil.kernels.annealing import anneal

        problem = self.problem
        plan = schedule.plan(proposals, since, until, self.picky)
        anneal(problem.topology, problem.rule, self.levels, problem.limits, self.walk, plan, self.random)

    @property
    def at_risk(self) -> int:
        """Nodes at risk in the best solution met, or as many as are few enough."""
        from netveil.kernels.walk import BEST_AT_RISK

        return int(self.walk.totals[BEST_AT_RISK])

    @property
    def deleted(self) -> int:
        """Deleted edges of the best solution met."""
        from netveil.kernels.walk import BEST_DELETED

        return int(self.walk.totals[BEST_DELETED])


class Chains:
    """Several chains side by side. Which thread walks which makes no difference."""

    def __init__(
        self,
        problem: Problem,
        count: int,
        rng: np.random.Generator,
        threads: int,
        known: IntVector | None,
    ) -> None:
        levels = levels_of(problem)
        self.problem = problem
        seeds = rng.integers(2**63, size=count, dtype=np.int64).tolist()
        self.chains = [
            Chain(problem, levels, seed, number % 2 == 0, known) for number, seed in enumerate(seeds)
        ]
        self.threads = min(threads, count)
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

    def walk(self, schedule: Schedule, pace: Pace, control: Control) -> StopReason | None:
        """Walk to the end of the schedule, or until there is a reason to stop, which is returned."""
        with ThreadPoolExecutor(self.threads) as pool:
            while True:
                proposals, since, until = pace.next_leg()
                legs = [
                    pool.submit(chain.advance, schedule, proposals, since, until) for chain in self.chains
                ]
                for leg in legs:
                    leg.result()
                best = self.best
                self.legs += 1
                self.proposals += proposals * len(self.chains)
                control.record(self.legs, self.proposals, best.at_risk, best.at_risk, best.deleted)
                control.keep(self.best_edges, best.at_risk)
                if best.at_risk == 0 and schedule.price == 0:
                    return "solved"
                asked = control.asked_to_stop()
                if asked is not None or pace.at_the_end:
                    return asked


def annealing(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Found:
    """Anneal several chains; the best solution that any of them met, without what it need not delete."""
    chains = Chains(problem, settings.chains, rng, threads, problem.known)
    at_risk = chains.best.at_risk
    control.record(0, 0, at_risk, at_risk, chains.best.deleted)
    proposals = proposals_of(settings, problem)
    if problem.target is not None:
        stopped_by = climb(problem, chains, proposals, control)
    else:
        known = problem.known is not None
        schedule = Schedule.warmed_up(problem) if known else Schedule.fit_for(problem, problem.budget)
        stopped_by = chains.walk(schedule, Pace(proposals, control), control)
    solution, at_risk = without_needless(problem, chains.best_solution())
    deleted_edges = problem.edges_deleted_by(solution)
    control.record(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges))
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)


def proposals_of(settings: Annealing, problem: Problem) -> int:
    """Proposals that each chain makes where time is not limited."""
    at_effort_one = min(max(PROPOSALS_PER_EDGE * problem.edge_count, FEWEST_PROPOSALS), MOST_PROPOSALS)
    return max(1, int(settings.effort * at_effort_one))
