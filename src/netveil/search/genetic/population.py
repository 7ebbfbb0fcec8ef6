"""A population of the genetic algorithm, and who bears and judges its children."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words
from netveil.search.control import Control
from netveil.search.genetic.selection import IntRow
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.following.state import FlipState
    from netveil.kernels.genetic.breed import Generation, Variation

MOST_THREADS = 64  # each has a state of its own; more would share out single pairs of parents


class Population(NamedTuple):
    """Individuals as rows, with what is known of each."""

    words: Words  # (individuals, words)
    at_risk: IntRow
    deleted: IntRow
    violation: IntRow  # by how much limits are broken
    objectives: IntRow

    def rows(self, chosen: IntRow) -> Population:
        """These individuals, in this order."""
        return Population._make(column[chosen] for column in self)

    def and_(self, other: Population) -> Population:
        """Both populations, this one's individuals first."""
        return Population._make(np.concatenate(both) for both in zip(self, other, strict=True))

    def best(self) -> Population:
        """The individual of lowest objective, alone."""
        return self.rows(np.array([np.argmin(self.objectives)]))


class Breeder:
    """Bears and judges children on several threads, each with a state of its own.

    Which thread bears a child makes no difference to it: a child depends on its parents and its seeds alone.
    """

    def __init__(self, problem: Problem, threads: int, control: Control) -> None:
        self.problem, self.control = problem, control
        self.states = [problem.fresh_state() for _ in range(min(threads, MOST_THREADS))]
        self.pool = ThreadPoolExecutor(len(self.states)) if len(self.states) > 1 else None
        self.born = 0

    def __enter__(self) -> Self:
        """Itself: its threads wait for work."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the threads."""
        if self.pool is not None:
            self.pool.shutdown()

    def children(
        self,
        population: Words,
        parents: NDArray[np.int64],
        count: int,
        variation: Variation,
        rng: np.random.Generator,
    ) -> Population:
        """`count` children of pairs of parents (pairs, 2), two a pair.

        Fewer where states are slow to follow and the caller asks to stop: those that are judged by then.
        """
        from netveil.kernels.genetic.breed import Generation

        pairs = len(parents)
        generation = Generation(
            population=population,
            parents=parents,
            seeds=rng.integers(2**64, size=pairs + count, dtype=np.uint64),
            children=np.empty((count, population.shape[1]), dtype=np.uint64),
            at_risk=np.empty(count, dtype=np.int64),
            deleted=np.empty(count, dtype=np.int64),
            violation=np.empty(count, dtype=np.int64),
        )
        bounds = np.linspace(0, pairs, len(self.states) + 1).astype(int).tolist()
        if self.pool is None:
            born = self._breed(self.states[0], variation, generation, 0, pairs)
        else:
            work = [
                self.pool.submit(self._breed, state, variation, generation, *part)
                for state, part in zip(self.states, pairwise(bounds), strict=True)
            ]
            born = np.concatenate([part.result() for part in work])
        judged = (generation.at_risk[born], generation.deleted[born], generation.violation[born])
        self.born += len(born)
        return Population(generation.children[born], *judged, self.problem.objective(*judged))

    def _breed(
        self, state: FlipState, variation: Variation, generation: Generation, first: int, last: int
    ) -> IntRow:
        """Bear and judge the children of pairs first..last-1; the numbers of those that are judged."""
        from netveil.kernels.genetic.breed import breed

        problem, count = self.problem, len(generation.at_risk)
        at_once = 1 if problem.is_slow else max(1, last - first)
        done = first
        while done < last and (done == first or self.control.asked_to_stop() is None):
            following = min(done + at_once, last)
            breed(
                problem.topology,
                problem.rule,
                problem.limits,
                state,
                variation,
                generation,
                done,
                following,
            )
            done = following
        return np.arange(2 * first, min(2 * done, count))
