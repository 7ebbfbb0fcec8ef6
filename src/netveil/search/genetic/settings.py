"""Settings of GA and UGA: the paper's hyperparameters, its final configurations, and those it tuned over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, Self

from netveil.search.settings import Settings, check_setting

ParentalSelection = Literal["roulette", "tournament"]
EnvironmentalSelection = Literal["plus", "roulette", "tournament"]

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

    def __post_init__(self) -> None:
        check_setting("population", self.population, 2 <= self.population <= MOST, f"between 2 and {MOST:,}")
        check_setting("offspring", self.offspring, 1 <= self.offspring <= MOST, f"between 1 and {MOST:,}")
        check_setting("initial_rate", self.initial_rate, 0 <= self.initial_rate <= 1, "between 0 and 1")
        check_setting("tournament_size", self.tournament_size, self.tournament_size >= 1, "1 or more")
        cuts = self.crossover
        check_setting(
            "crossover",
            cuts,
            cuts == "uniform" or (isinstance(cuts, int) and cuts >= 1),
            "uniform, or 1 or more",
        )
        check_setting("mutation_rate", self.mutation_rate, 0 <= self.mutation_rate <= 1, "between 0 and 1")
        check_setting(
            "mutation_decay", self.mutation_decay, 0 <= self.mutation_decay < inf, "0 or more, and finite"
        )
        parental, environmental = ("roulette", "tournament"), ("plus", "roulette", "tournament")
        check_setting(
            "parental_selection", self.parental_selection, self.parental_selection in parental, parental
        )
        chosen = self.environmental_selection
        check_setting("environmental_selection", chosen, chosen in environmental, environmental)
        check_setting("patience", self.patience, self.patience >= 1, "1 or more")

    def brief(self) -> Self:
        """Stops after the first generation without gain."""
        return replace(self, patience=1)


GENETIC_PRESETS = {
    "conf1": Genetic(crossover="uniform", mutation_decay=0.000025),
    "conf2": Genetic(crossover=25, mutation_decay=0.000025),
    "conf3": Genetic(crossover="uniform", mutation_decay=0.00001),
    "conf4": Genetic(crossover=25, mutation_decay=0.00001),
}
"""The paper's four final configurations (its Table 5)."""

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
