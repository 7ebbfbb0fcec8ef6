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

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.search.annealing.build_walk import levels_of
from netveil.search.annealing.chain import Chain
from netveil.search.annealing.legs import Pace
from netveil.search.annealing.schedule import Schedule
from netveil.search.annealing.target_budgets import climb
from netveil.search.control import Control, StopReason
from netveil.search.outcome import Found
from netveil.search.problem import Problem
from netveil.search.repair_and_prune import without_needless
from netveil.search.settings import Annealing

FEWEST_PROPOSALS = 500_000  # of each chain, at effort 1
PROPOSALS_PER_EDGE = 500
MOST_PROPOSALS = 20_000_000  # of each chain, at effort 1
OF_FLIPPING, OF_JUDGING, OF_LOOKING_AROUND, OF_LOOKING_FAR, OF_PYTHON = 4, 30, 60, 500, 1000
"""By how much fewer they are where a state does not follow from degree and triangles."""


def new_chains(problem: Problem, seeds: Sequence[int], known: IntVector | None) -> list[Chain]:
    """A chain for each seed; plain ones where a state is more than a sum over degree and triangles."""
    levels = levels_of(problem)
    return [Chain(problem, levels, seed, number % 2 == 0, known) for number, seed in enumerate(seeds)]


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
        self.problem = problem
        seeds = rng.integers(2**63, size=count, dtype=np.int64).tolist()
        self.chains = new_chains(problem, seeds, known)
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
    control.start()
    at_risk = chains.best.at_risk
    control.record(0, 0, at_risk, at_risk, chains.best.deleted)
    proposals = proposals_of(settings, problem)
    if problem.target is not None:
        stopped_by = climb(problem, chains, proposals, control)
    else:
        known = problem.known is not None
        schedule = Schedule.warmed_up(problem) if known else Schedule.fit_for(problem, problem.budget)
        stopped_by = chains.walk(schedule, Pace(proposals, control, slow=problem.is_slow), control)
    solution, at_risk = without_needless(problem, chains.best_solution(), control)
    deleted_edges = problem.edges_deleted_by(solution)
    control.record(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges))
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)


def proposals_of(settings: Annealing, problem: Problem) -> int:
    """Proposals that each chain makes where time is not limited; fewer where they take longer."""
    at_effort_one = min(max(PROPOSALS_PER_EDGE * problem.edge_count, FEWEST_PROPOSALS), MOST_PROPOSALS)
    return max(1, int(settings.effort * at_effort_one / relative_cost(problem)))


def relative_cost(problem: Problem) -> int:
    """About how many times as long as usual a proposal takes. Told from its kind, not from a clock: results
    must not depend on the machine.
    """
    if problem.linear_weights is not None:
        return 1
    if problem.followers:
        return OF_PYTHON
    if problem.rule.looks:
        return OF_LOOKING_AROUND if problem.rule.around <= 1 else OF_LOOKING_FAR
    return OF_FLIPPING if problem.rule.one_table else OF_JUDGING
