"""The paper's Algorithm 1: a genetic algorithm (GA), and its uniqueness-aware version (UGA).

    initialize a population, each bit 1 with chance p
    while better individuals keep coming and the best is not perfect:
        select parents, cross them over, mutate the children, compute their objective
        keep the best individual; select the next population; let the mutation rate decay

UGA differs in mutation alone: it flips only deleted edges and edges of nodes that are at risk in the child's
own network (E_u). The paper's α_u is 0 elsewhere; deleted edges stay undoable, or none could ever return.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words
from netveil.search.control import Control, StopReason
from netveil.search.genetic.selection import IntRow, fittest, roulette_wheel, tournament
from netveil.search.outcome import Found
from netveil.search.problem import Problem
from netveil.search.repair_and_prune import within_budget, without_needless
from netveil.search.settings import Genetic

if TYPE_CHECKING:
    from netveil.kernels.following.state import FlipState
    from netveil.kernels.genetic.breed import Generation, Variation

MOST_THREADS = 64  # each has a state of its own; more would share out single pairs of parents


@dataclass(frozen=True)
class Population:
    """Individuals as rows, with what is known of each."""

    words: Words  # (individuals, words)
    at_risk: IntRow
    deleted: IntRow
    violation: IntRow  # by how much limits are broken
    objectives: IntRow

    def rows(self, chosen: IntRow) -> Population:
        """These individuals, in this order."""
        return Population(
            self.words[chosen],
            self.at_risk[chosen],
            self.deleted[chosen],
            self.violation[chosen],
            self.objectives[chosen],
        )

    def and_(self, other: Population) -> Population:
        """Both populations, this one's individuals first."""
        return Population(
            np.concatenate((self.words, other.words)),
            np.concatenate((self.at_risk, other.at_risk)),
            np.concatenate((self.deleted, other.deleted)),
            np.concatenate((self.violation, other.violation)),
            np.concatenate((self.objectives, other.objectives)),
        )

    def best(self) -> Population:
        """The individual of lowest objective, alone."""
        return self.rows(np.array([np.argmin(self.objectives)]))


class Breeder:
    """Bears and judges children on several threads, each with a state of its own.

    Which thread bears a child makes no difference to it: a child depends on its parents and its seeds alone.
    """

    def __init__(self, problem: Problem, threads: int, control: Control) -> None:
        self.problem, self.control = problem, control
        useful = min(threads, MOST_THREADS)
        self.states = [problem.fresh_state() for _ in range(useful)]
        self.pool = ThreadPoolExecutor(useful)
        self.born = 0

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
        bounds = np.linspace(0, pairs, len(self.states) + 1).astype(int)
        work = [
            self.pool.submit(self._breed, state, variation, generation, first, last)
            for state, first, last in zip(self.states, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
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


def genetic_search(
    problem: Problem,
    settings: Genetic,
    rng: np.random.Generator,
    control: Control,
    threads: int,
    *,
    unique_aware: bool,
) -> Found:
    """Algorithm 1; with `unique_aware`, the UGA."""
    breeder = Breeder(problem, threads, control)
    control.start()
    population = initial_population(problem, settings, breeder, rng)
    best = population.best()
    best_allowed = _better_allowed(problem, None, population)
    generation = generation_of_best = 0
    rate = settings.mutation_rate
    control.record(generation, breeder.born, *_figures(best))

    stopped_by = _reason_to_stop(problem, settings, control, best_allowed, 0)
    while stopped_by is None:
        parents = select_parents(population, settings, rng)
        variation = variation_of(problem, settings, rate, unique_aware)
        children = breeder.children(population.words, parents, settings.offspring, variation, rng)
        if children.best().objectives[0] < best.objectives[0]:
            best = children.best()
            generation_of_best = generation
        best_allowed = _better_allowed(problem, best_allowed, children)
        population = select_survivors(population.and_(children), settings, rng)
        rate = decayed(rate, settings.mutation_decay, generation, problem.edge_count)
        generation += 1
        control.record(generation, breeder.born, *_figures(best))
        if best_allowed is not None:
            _keep(problem, control, best_allowed)
        without_gain = generation - generation_of_best
        stopped_by = _reason_to_stop(problem, settings, control, best_allowed, without_gain)

    breeder.pool.shutdown()
    solution, at_risk = within_budget(problem, best.words[0], control)
    if best_allowed is not None and best_allowed.at_risk[0] < at_risk:
        # The best individual broke the budget or a limit and, repaired, is worse than one that never did.
        solution = best_allowed.words[0]
    solution, at_risk = without_needless(problem, solution, control)
    deleted_edges = problem.edges_deleted_by(solution)
    control.record(generation, breeder.born, at_risk, at_risk, len(deleted_edges))
    return Found(deleted_edges, at_risk, stopped_by, breeder.born, generation)


def initial_population(
    problem: Problem, settings: Genetic, breeder: Breeder, rng: np.random.Generator
) -> Population:
    """μ individuals, each bit 1 with chance p: children of the empty individual, mutated at rate p.

    A solution that is known beforehand takes the place of the last one.
    """
    from netveil.kernels.genetic.breed import Variation

    def mutants(of: Words, count: int, rate: float) -> Population:
        variation = Variation(uniform=True, points=0, mutation_rate=rate, unique_aware=False)
        itself_twice = np.zeros(((count + 1) // 2, 2), dtype=np.int64)
        return breeder.children(of[np.newaxis], itself_twice, count, variation, rng)

    nothing = np.zeros(problem.word_count, dtype=np.uint64)
    if problem.known is None:
        return mutants(nothing, settings.population, settings.initial_rate)
    known = mutants(problem.individual_deleting(problem.known), 1, rate=0.0)
    return mutants(nothing, settings.population - 1, settings.initial_rate).and_(known)


def variation_of(problem: Problem, settings: Genetic, rate: float, unique_aware: bool) -> Variation:
    """The settings as kernels take them; a network of m edges has room for m - 1 cuts."""
    from netveil.kernels.genetic.breed import Variation

    uniform = settings.crossover == "uniform"
    points = 0 if settings.crossover == "uniform" else min(settings.crossover, max(problem.edge_count - 1, 0))
    return Variation(uniform=uniform, points=points, mutation_rate=rate, unique_aware=unique_aware)


def decayed(rate: float, decay: float, generation: int, edges: int) -> float:
    """The next mutation rate: α(1 - η·generation), but one bit in |E| at least."""
    return max(rate * (1 - decay * generation), 1 / edges)


def select_parents(population: Population, settings: Genetic, rng: np.random.Generator) -> IntRow:
    """Pairs of parents (pairs, 2) for λ children, two children a pair."""
    count = settings.offspring + settings.offspring % 2
    if settings.parental_selection == "roulette":
        chosen = roulette_wheel(population.objectives, count, rng)
    else:
        chosen = tournament(population.objectives, count, settings.tournament_size, rng)
    return chosen.reshape(-1, 2)


def select_survivors(everybody: Population, settings: Genetic, rng: np.random.Generator) -> Population:
    """The next population: μ of parents and children together."""
    if settings.environmental_selection == "plus":
        chosen = fittest(everybody.objectives, everybody.deleted, everybody.words, settings.population, rng)
    elif settings.environmental_selection == "roulette":
        chosen = roulette_wheel(everybody.objectives, settings.population, rng)
    else:
        chosen = tournament(everybody.objectives, settings.population, settings.tournament_size, rng)
    return everybody.rows(chosen)


def _keep(problem: Problem, control: Control, individual: Population) -> None:
    control.keep(partial(problem.edges_deleted_by, individual.words[0]), int(individual.at_risk[0]))


def _figures(individual: Population) -> tuple[int, int, int]:
    return int(individual.objectives[0]), int(individual.at_risk[0]), int(individual.deleted[0])


def _reason_to_stop(
    problem: Problem,
    settings: Genetic,
    control: Control,
    best_allowed: Population | None,
    generations_without_gain: int,
) -> StopReason | None:
    if best_allowed is not None and best_allowed.at_risk[0] <= problem.enough:
        return "solved"
    if generations_without_gain >= settings.patience:
        return "converged"
    return control.asked_to_stop()


def _better_allowed(problem: Problem, best: Population | None, population: Population) -> Population | None:
    """The best individual met so far that keeps the budget and all limits, if any."""
    allowed = np.flatnonzero((population.deleted <= problem.budget) & (population.violation == 0))
    if len(allowed) == 0:
        return best
    candidate = population.rows(allowed).best()
    return candidate if best is None or candidate.at_risk[0] < best.at_risk[0] else best
