"""The paper's Algorithm 1: a genetic algorithm (GA), and its uniqueness-aware version (UGA).

    initialize a population, each bit 1 with chance p
    while better individuals keep coming and the best is not perfect:
        select parents, cross them over, mutate the children, compute their objective
        keep the best individual; select the next population; let the mutation rate decay

UGA differs in mutation alone: it flips only edges of nodes that are at risk in the child's own network (E_u)
and, beyond the paper, any deleted edge. The preset `faithful` turns off all that is not in the paper, which
docs/paper.md lists. Crossover and mutation work on packed bits and live in `kernels.search_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words
from netveil.kernels.search_steps import Generation, Variation, breed
from netveil.kernels.states import FlipState
from netveil.search.algorithm import Algorithm, Settings, check_setting
from netveil.search.control import Checkpoint, Control, Found, Step, Steps
from netveil.search.finishing import within_budget, without_needless
from netveil.search.problem import Problem
from netveil.threads import side_by_side

ParentalSelection = Literal["roulette", "tournament"]
EnvironmentalSelection = Literal["plus", "roulette", "tournament"]
Ties = Literal["deletions", "chance"]

MOST = 100_000  # individuals: each takes a bit an edge


@dataclass(frozen=True, kw_only=True)
class Genetic(Settings):
    """Hyperparameters of GA and UGA, with the symbols of the paper's appendix in brackets."""

    population: int = 100  # individuals kept each generation (μ)
    offspring: int = 150  # children born each generation (λ)
    initial_rate: float = 0.005  # chance that a bit is 1 in the first population (p)
    tournament_size: int = 5  # entrants of a tournament (t)
    crossover: int | Literal["uniform"] = 25  # number of cuts, or uniform (c)
    mutation_rate: float = 0.0005  # chance that a bit flips, at first (α; the paper's 0.05%)
    mutation_decay: float = 0.000025  # α becomes α(1 - η·generation), 1/|E| at least (η; 0.0025%)
    parental_selection: ParentalSelection = "roulette"  # S_p
    environmental_selection: EnvironmentalSelection = "plus"  # S_e; plus is (μ + λ)
    patience: int = 40  # generations without gain before stopping (τ)

    # What the paper does not do, or leaves open: see docs/paper.md. `FAITHFUL` has its ways.
    prune: bool = True  # restore each deletion that is not needed in the end
    ties: Ties = "deletions"  # of equals, (μ + λ) keeps those with more deletions, or lets chance decide
    drop_twins: bool = True  # (μ + λ) keeps identical individuals only where distinct ones run out
    sort_bits: bool = True  # edges of nodes of like degree lie together; else in the file's order
    flip_deleted: bool = True  # UGA may restore any deleted edge; else only in E_u

    def __post_init__(self) -> None:
        parental, environmental = get_args(ParentalSelection), get_args(EnvironmentalSelection)
        can_cross = self.crossover == "uniform" or (isinstance(self.crossover, int) and self.crossover >= 1)
        share = "between 0 and 1"
        rules: dict[str, tuple[bool, str | tuple[str, ...]]] = {
            "population": (2 <= self.population <= MOST, f"between 2 and {MOST:,}"),
            "offspring": (1 <= self.offspring <= MOST, f"between 1 and {MOST:,}"),
            "initial_rate": (0 <= self.initial_rate <= 1, share),
            "tournament_size": (self.tournament_size >= 1, "1 or more"),
            "crossover": (can_cross, "uniform, or 1 or more"),
            "mutation_rate": (0 <= self.mutation_rate <= 1, share),
            "mutation_decay": (0 <= self.mutation_decay < inf, "0 or more, and finite"),
            "parental_selection": (self.parental_selection in parental, parental),
            "environmental_selection": (self.environmental_selection in environmental, environmental),
            "patience": (self.patience >= 1, "1 or more"),
            "ties": (self.ties in get_args(Ties), get_args(Ties)),
        }
        for name, (holds, rule) in rules.items():
            check_setting(name, getattr(self, name), holds, rule)

    def brief(self) -> Self:
        """Stops after the first generation without gain."""
        return replace(self, patience=1)

    @property
    def keeps_order(self) -> bool:
        """Whether bits are in the file's order."""
        return not self.sort_bits


CONFIGURATIONS = {
    "conf1": Genetic(crossover="uniform", mutation_decay=0.000025),
    "conf2": Genetic(crossover=25, mutation_decay=0.000025),
    "conf3": Genetic(crossover="uniform", mutation_decay=0.00001),
    "conf4": Genetic(crossover=25, mutation_decay=0.00001),
}
"""The paper's four final configurations (tab:finalconfs in its appendix)."""

FAITHFUL = partial(replace, prune=False, ties="chance", drop_twins=False, sort_bits=False, flip_deleted=False)
"""Settings with nothing in them that goes beyond the paper."""

GENETIC_PRESETS = {
    **CONFIGURATIONS,
    "faithful": FAITHFUL(CONFIGURATIONS["conf2"]),
    **{f"faithful-{name}": FAITHFUL(settings) for name, settings in CONFIGURATIONS.items()},
}

GRID = {
    "initial_rate": (0.0025, 0.005, 0.02),  # p
    "crossover": (10, 25, 100, "uniform"),  # c
    "mutation_rate": (0.0001, 0.0005),  # α
    "mutation_decay": (0.0, 0.00001, 0.000025),  # η
    "parental_selection": ("roulette", "tournament"),  # S_p
    "environmental_selection": ("roulette", "tournament", "plus"),  # S_e
}
"""The paper's 432 configurations (its table of parameters for tuning); all else is as in its final ones."""

GENERATIONS_BETWEEN_HALVINGS = 10  # the paper's, in tuning


IntRow = NDArray[np.int64]


class Population(NamedTuple):
    """Individuals as rows, with what is known of each."""

    words: Words  # (individuals, words)
    at_risk: IntRow
    deleted: IntRow
    violation: IntRow  # by how much limits are broken
    objectives: IntRow

    def rows(self, chosen: IntRow) -> Population:
        """Take these individuals, in this order."""
        return Population._make(column[chosen] for column in self)

    def and_(self, other: Population) -> Population:
        """Join two populations, this one's individuals first."""
        return Population._make(np.concatenate(both) for both in zip(self, other, strict=True))

    def best(self) -> Population:
        """The individual of lowest objective, alone."""
        return self.rows(np.array([np.argmin(self.objectives)]))


def roulette_wheel(objectives: IntRow, count: int, rng: np.random.Generator) -> IntRow:
    """Draw `count` rows with chance proportional to (largest objective - objective), with replacement.

    Where all objectives are equal, each row has the same chance.
    """
    merit = (objectives.max() - objectives).astype(float)
    if not merit.any():
        return rng.integers(len(objectives), size=count)
    wheel = np.cumsum(merit)
    # side="right": a row of merit 0 has no width on the wheel and is never hit.
    hits: IntRow = np.searchsorted(wheel, rng.random(count) * wheel[-1], side="right")
    return hits


def tournament(objectives: IntRow, count: int, size: int, rng: np.random.Generator) -> IntRow:
    """Hold `count` tournaments among `size` distinct rows each; the lowest objective wins."""
    size = min(size, len(objectives))
    entrants = np.argsort(rng.random((count, len(objectives))), axis=1)[:, :size]
    won: IntRow = entrants[np.arange(count), np.argmin(objectives[entrants], axis=1)]
    return won


def fittest(population: Population, count: int, settings: Genetic, rng: np.random.Generator) -> IntRow:
    """The `count` rows of lowest objective, as in (μ + λ)-selection.

    Chance decides among equals, after the number of edges deleted if `settings.ties` says so; with
    `drop_twins`, a row that repeats another one comes only where distinct rows run out. See
    docs/decisions.md, "Equals in the population".
    """
    objectives, words = population.objectives, population.words
    first = -population.deleted * (settings.ties == "deletions")
    ranking = np.lexsort((rng.random(len(objectives)), first, objectives))
    if not settings.drop_twins:
        return ranking[:count]
    first_of_its_kind: dict[bytes, int] = {}
    twins = []
    for row in ranking.tolist():
        if first_of_its_kind.setdefault(words[row].tobytes(), row) != row:
            twins.append(row)
    return np.array([*first_of_its_kind.values(), *twins][:count])


MOST_THREADS = 64  # each has a state of its own; more would share out single pairs of parents


@dataclass
class Breeder:
    """Bears and judges children on several threads, each with a state of its own.

    Which thread bears a child makes no difference to it: a child depends on its parents and its seeds alone.
    """

    problem: Problem
    control: Control
    states: list[FlipState]
    together: Callable[..., Iterable[Any]]  # a `map` over the threads
    born: int = 0

    def children(
        self, population: Words, parents: IntRow, count: int, variation: Variation, rng: np.random.Generator
    ) -> Population:
        """`count` children of pairs of parents (pairs, 2), two a pair.

        If states are slow to follow and the caller asks to stop, only the children judged by then.
        """
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
        work = partial(self._breed, variation, generation)
        born = np.concatenate(list(self.together(work, self.states, bounds[:-1], bounds[1:])))
        judged = (generation.at_risk[born], generation.deleted[born], generation.violation[born])
        self.born += len(born)
        return Population(generation.children[born], *judged, self.problem.objective(*judged))

    def _breed(
        self, variation: Variation, generation: Generation, state: FlipState, first: int, last: int
    ) -> IntRow:
        """Bear and judge the children of pairs first..last-1; return the numbers of the judged ones."""
        problem, count = self.problem, len(generation.at_risk)
        arrays = problem.topology, problem.rule, problem.limits, state, variation, generation
        at_once = 1 if problem.is_slow else max(1, last - first)
        done = first
        while done < last and (done == first or self.control.asked_to_stop() is None):
            following = min(done + at_once, last)
            breed(*arrays, done, following)
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
) -> Steps:
    """Algorithm 1; with `unique_aware`, the UGA."""
    if settings.keeps_order:
        problem = replace(problem, edge_order=np.arange(problem.edge_count, dtype=problem.edge_order.dtype))
    states = [problem.fresh_state() for _ in range(min(threads, MOST_THREADS))]
    with side_by_side(len(states)) as together:
        breeder = Breeder(problem, control, states, together)
        control.start()
        population = initial_population(problem, settings, breeder, rng)
        best = population.best()
        best_allowed = _better_allowed(problem, None, population)
        generation = generation_of_best = 0
        rate = settings.mutation_rate
        # A network of m edges has room for m - 1 cuts.
        cuts = (
            0 if settings.crossover == "uniform" else min(settings.crossover, max(problem.edge_count - 1, 0))
        )
        while True:
            keep = None
            if best_allowed is not None:
                found = partial(problem.edges_deleted_by, best_allowed.words[0])
                keep = Checkpoint(found, int(best_allowed.at_risk[0]))
            objective, at_risk, deleted = (
                int(row[0]) for row in (best.objectives, best.at_risk, best.deleted)
            )
            yield Step(generation, breeder.born, objective, at_risk, deleted, keep)
            stopped_by = control.asked_to_stop()
            if best_allowed is not None and best_allowed.at_risk[0] <= problem.enough:
                stopped_by = "solved"
            elif generation - generation_of_best >= settings.patience:
                stopped_by = "converged"
            if stopped_by is not None:
                break
            # Two children a pair of parents.
            count = settings.offspring + settings.offspring % 2
            parents = selected(population, settings.parental_selection, count, settings, rng)
            variation = Variation(
                settings.crossover == "uniform", cuts, rate, unique_aware, settings.flip_deleted
            )
            children = breeder.children(
                population.words, parents.reshape(-1, 2), settings.offspring, variation, rng
            )
            if children.best().objectives[0] < best.objectives[0]:
                best = children.best()
                generation_of_best = generation
            best_allowed = _better_allowed(problem, best_allowed, children)
            everybody, how = population.and_(children), settings.environmental_selection
            population = everybody.rows(selected(everybody, how, settings.population, settings, rng))
            rate = decayed(rate, settings.mutation_decay, generation, problem.edge_count)
            generation += 1

    solution, at_risk = within_budget(problem, best.words[0], control)
    if best_allowed is not None and best_allowed.at_risk[0] < at_risk:
        # The best individual broke the budget or a limit and, repaired, is worse than one that never did.
        solution = best_allowed.words[0]
        at_risk = int(best_allowed.at_risk[0])
    if settings.prune:
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

    def mutants(of: Words, count: int, rate: float) -> Population:
        variation = Variation(True, 0, rate, unique_aware=False, flip_deleted=True)
        itself_twice = np.zeros(((count + 1) // 2, 2), dtype=np.int64)
        return breeder.children(of[np.newaxis], itself_twice, count, variation, rng)

    nothing = np.zeros(problem.word_count, dtype=np.uint64)
    if problem.known is None:
        return mutants(nothing, settings.population, settings.initial_rate)
    known = mutants(problem.individual_deleting(problem.known), 1, rate=0.0)
    return mutants(nothing, settings.population - 1, settings.initial_rate).and_(known)


def decayed(rate: float, decay: float, generation: int, edges: int) -> float:
    """The next mutation rate: α(1 - η·generation), but one bit in |E| at least."""
    return max(rate * (1 - decay * generation), 1 / edges)


def selected(
    population: Population, how: str, count: int, settings: Genetic, rng: np.random.Generator
) -> IntRow:
    """Select rows: parents (S_p), or survivors of parents and children (S_e)."""
    if how == "plus":
        return fittest(population, count, settings, rng)
    if how == "roulette":
        return roulette_wheel(population.objectives, count, rng)
    return tournament(population.objectives, count, settings.tournament_size, rng)


def _better_allowed(problem: Problem, best: Population | None, population: Population) -> Population | None:
    """The best individual met so far that keeps the budget and all limits, if any."""
    allowed = np.flatnonzero((population.deleted <= problem.budget) & (population.violation == 0))
    if len(allowed) == 0:
        return best
    candidate = population.rows(allowed).best()
    return candidate if best is None or candidate.at_risk[0] < best.at_risk[0] else best


GA = Algorithm(
    name="ga",
    search=partial(genetic_search, unique_aware=False),
    default=GENETIC_PRESETS["conf2"],
    presets=GENETIC_PRESETS,
    grid=GRID,
    steps_between_halvings=GENERATIONS_BETWEEN_HALVINGS,
    unit="generation",
)
UGA = replace(GA, name="uga", search=partial(genetic_search, unique_aware=True), shown_beside="curves")
