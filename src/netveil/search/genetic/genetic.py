"""The paper's Algorithm 1: a genetic algorithm (GA), and its uniqueness-aware version (UGA).

    initialize a population, each bit 1 with chance p
    while better individuals keep coming and the best is not perfect:
        select parents, cross them over, mutate the children, compute their objective
        keep the best individual; select the next population; let the mutation rate decay

UGA differs in mutation alone: it flips only deleted edges and edges of nodes that are at risk in the child's
own network (E_u). The paper's α_u is 0 elsewhere; here any deleted edge may return, which is not an edge of
that network and so never in its E_u.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import Words
from netveil.search.algorithm import Algorithm, Work
from netveil.search.control import Control
from netveil.search.genetic.population import Breeder, Population
from netveil.search.genetic.selection import IntRow, fittest, roulette_wheel, tournament
from netveil.search.genetic.settings import GENERATIONS_BETWEEN_HALVINGS, GENETIC_PRESETS, GRID, Genetic
from netveil.search.problem import Problem
from netveil.search.progress import Checkpoint, Found, Step, Steps, StopReason
from netveil.search.repair_and_prune import within_budget, without_needless

if TYPE_CHECKING:
    from netveil.kernels.genetic.breed import Variation


def genetic_search(
    problem: Problem,
    settings: Genetic,
    rng: np.random.Generator,
    control: Control,
    threads: int,
    *,
    unique_aware: bool,
) -> Steps:
    """Algorithm 1; with `unique_aware`, the UGA."""
    with Breeder(problem, threads, control) as breeder:
        control.start()
        population = initial_population(problem, settings, breeder, rng)
        best = population.best()
        best_allowed = _better_allowed(problem, None, population)
        generation = generation_of_best = 0
        rate = settings.mutation_rate
        yield Step(generation, breeder.born, *_figures(best))

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
            yield Step(generation, breeder.born, *_figures(best), _checkpoint(problem, best_allowed))
            without_gain = generation - generation_of_best
            stopped_by = _reason_to_stop(problem, settings, control, best_allowed, without_gain)

    solution, at_risk = within_budget(problem, best.words[0], control)
    if best_allowed is not None and best_allowed.at_risk[0] < at_risk:
        # The best individual broke the budget or a limit and, repaired, is worse than one that never did.
        solution = best_allowed.words[0]
    solution, at_risk = without_needless(problem, solution, control)
    deleted_edges = problem.edges_deleted_by(solution)
    yield Step(generation, breeder.born, at_risk, at_risk, len(deleted_edges))
    return Found(deleted_edges, at_risk, stopped_by, breeder.born)


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


def _checkpoint(problem: Problem, individual: Population | None) -> Checkpoint | None:
    if individual is None:
        return None
    return Checkpoint(partial(problem.edges_deleted_by, individual.words[0]), int(individual.at_risk[0]))


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


def work_of(problem: Problem, settings: Genetic) -> Work:
    """The first population, and the generations before patience can end."""
    fewest = settings.population + settings.patience * settings.offspring
    return Work(fewest, int(2 * settings.initial_rate * problem.edge_count), is_least=True)


GA = Algorithm(
    name="ga",
    search=partial(genetic_search, unique_aware=False),
    default=GENETIC_PRESETS["conf2"],
    presets=GENETIC_PRESETS,
    work=work_of,
    grid=GRID,
    steps_between_halvings=lambda tried: GENERATIONS_BETWEEN_HALVINGS,
    unit="generation",
)
UGA = replace(GA, name="uga", search=partial(genetic_search, unique_aware=True), shown_beside="curves")
