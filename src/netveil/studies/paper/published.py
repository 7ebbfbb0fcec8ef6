"""Published figures of the paper (Bonello et al., Table 1 and appendix), and the scope of running it again.

Numbers are as printed, odd ones included (0.9 for what is 0.99 by its own columns); a test reads the paper's
LaTeX and compares every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from netveil.errors import NetveilError, SettingError
from netveil.fetching import PAPER, find_network
from netveil.formatting import counted
from netveil.network import Network
from netveil.opening import load
from netveil.studies import Plan, PlanError, planned_algorithm, planned_network

PAIRS = (("es", "ga"), ("es", "uga"), ("ua", "ga"), ("ua", "uga"), ("ga", "uga"))
"""Which algorithms Table 1 compares, in the order of its columns: by how much the second is better."""

PAPER_ALGORITHMS = ("es", "ua", "ga", "uga")
BASELINES = ("es", "ua")
GENETIC = ("ga", "uga")
CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")
OURS, FAITHFUL, PUBLISHED = "netveil", "faithful", "published"  # whose figures a row shows
SOURCES = {OURS: "", FAITHFUL: "faithful-"}
"""Versions of GA and UGA that are run, with what the names of their configurations begin with."""

TUNED_NETWORKS = ("grqc", "college-msg", "blogs")
"""Networks on which the paper tunes hyperparameters, in the order of its figure."""


@dataclass(frozen=True)
class Properties:
    """A row of the left half of Table 1."""

    nodes: int
    edges: int
    average_degree: float
    clustering: float
    lcc: float  # share of the nodes in the largest component
    diameter: int
    path_length: float
    uniqueness: float
    unique: int


@dataclass(frozen=True)
class Reductions:
    """A row of the right half of Table 1: reductions of unique nodes, and improvement factors."""

    by: Mapping[str, int]  # the algorithm
    factors: tuple[float | None, ...]  # for each of PAIRS; None where the divisor is 0
    not_significant: frozenset[tuple[str, str]]  # the pairs that are marked


@dataclass(frozen=True)
class TopConfiguration:
    """A column of the appendix's table of the three best configurations of each network."""

    algorithm: str
    network: str
    number: int  # among the eight that were run to the end
    initial_rate: float
    crossover: int | Literal["uniform"]
    mutation_rate: float
    mutation_decay: float
    parental_selection: Literal["roulette", "tournament"]
    unique: int
    deviation: int


TITLES = {
    "fb-reed98": "FB Reed98",
    "blogs": "Blogs",
    "fb-simmons": "FB Simmons",
    "college-msg": "College msg.",
    "grqc": "GRQC collab.",
}
"""The networks as the paper calls them, in its order, by the names that they have here."""

PROPERTIES = {
    "fb-reed98": Properties(962, 18_812, 39.11, 0.33, 1.00, 6, 2.46, 0.78, 748),
    "blogs": Properties(1_224, 16_715, 27.31, 0.36, 1.00, 8, 2.74, 0.49, 598),
    "fb-simmons": Properties(1_518, 32_988, 43.46, 0.33, 1.00, 7, 2.57, 0.79, 1_192),
    "college-msg": Properties(1_899, 13_838, 14.57, 0.14, 1.00, 8, 3.06, 0.24, 454),
    "grqc": Properties(5_242, 14_484, 5.53, 0.69, 0.79, 17, 6.05, 0.05, 285),
}
"""Table 1 (tab:combined), left half."""


def _reductions(by: tuple[int, int, int, int], factors: tuple[float | None, ...], marked: bool) -> Reductions:
    """A row; only the last pair, GA and UGA, is ever marked."""
    return Reductions(
        dict(zip(PAPER_ALGORITHMS, by, strict=True)), factors, frozenset(PAIRS[-1:] if marked else ())
    )


REDUCTIONS = {
    "fb-reed98": _reductions((34, 38, 391, 391), (11.44, 11.42, 10.43, 10.41, 1.00), True),
    "blogs": _reductions((11, 13, 313, 310), (29.79, 29.50, 23.23, 23.01, 0.9), True),
    "fb-simmons": _reductions((26, 41, 585, 567), (22.35, 21.65, 14.15, 13.71, 0.97), True),
    "college-msg": _reductions((31, 38, 308, 318), (10.10, 10.43, 8.11, 8.38, 1.03), False),
    "grqc": _reductions((2, 0, 192, 204), (100.84, 107.16, None, None, 1.06), True),
}
"""Table 1 (tab:combined), right half: means of 5 runs."""

FINAL = {
    ("ga", "fb-reed98"): ((398, 15), (357, 8), (386, 11), (359, 14)),
    ("ga", "blogs"): ((289, 6), (285, 6), (308, 15), (312, 6)),
    ("ga", "fb-simmons"): ((607, 15), (671, 19), (673, 17), (641, 29)),
    ("ga", "college-msg"): ((153, 6), (146, 3), (147, 3), (159, 7)),
    ("ga", "grqc"): ((93, 6), (94, 11), (94, 5), (96, 3)),
    ("uga", "fb-reed98"): ((359, 5), (357, 7), (382, 18), (395, 14)),
    ("uga", "blogs"): ((288, 8), (299, 6), (297, 11), (309, 11)),
    ("uga", "fb-simmons"): ((653, 17), (667, 16), (625, 31), (686, 166)),
    ("uga", "college-msg"): ((144, 4), (136, 7), (145, 12), (146, 12)),
    ("uga", "grqc"): ((88, 6), (88, 3), (86, 3), (81, 6)),
}
"""The appendix's last table (tab:top4): unique nodes left by conf1 to conf4, mean and standard deviation."""

TOP = (
    TopConfiguration("ga", "grqc", 3, 0.0025, "uniform", 0.0005, 0.000025, "roulette", 94, 7),
    TopConfiguration("ga", "grqc", 4, 0.0025, 25, 0.0001, 0.0, "roulette", 98, 6),
    TopConfiguration("ga", "grqc", 6, 0.0025, 25, 0.0005, 0.000025, "roulette", 96, 7),
    TopConfiguration("ga", "college-msg", 4, 0.005, 10, 0.0001, 0.0, "tournament", 167, 7),
    TopConfiguration("ga", "college-msg", 6, 0.005, "uniform", 0.0005, 0.000025, "tournament", 154, 5),
    TopConfiguration("ga", "college-msg", 7, 0.005, "uniform", 0.0005, 0.000025, "roulette", 147, 5),
    TopConfiguration("ga", "blogs", 4, 0.005, "uniform", 0.0005, 0.000025, "roulette", 303, 16),
    TopConfiguration("ga", "blogs", 5, 0.005, "uniform", 0.0001, 0.0, "tournament", 311, 10),
    TopConfiguration("ga", "blogs", 6, 0.005, 100, 0.0001, 0.0, "tournament", 341, 14),
    TopConfiguration("uga", "grqc", 2, 0.005, 25, 0.0005, 0.00001, "roulette", 84, 4),
    TopConfiguration("uga", "grqc", 4, 0.005, "uniform", 0.0005, 0.00001, "tournament", 80, 3),
    TopConfiguration("uga", "grqc", 6, 0.005, "uniform", 0.0005, 0.000025, "tournament", 84, 6),
    TopConfiguration("uga", "college-msg", 1, 0.02, "uniform", 0.0001, 0.0, "roulette", 150, 10),
    TopConfiguration("uga", "college-msg", 5, 0.02, 25, 0.0005, 0.00001, "tournament", 151, 4),
    TopConfiguration("uga", "college-msg", 7, 0.02, "uniform", 0.0005, 0.00001, "roulette", 134, 12),
    TopConfiguration("uga", "blogs", 1, 0.02, "uniform", 0.0005, 0.00001, "tournament", 293, 12),
    TopConfiguration("uga", "blogs", 2, 0.005, "uniform", 0.0005, 0.00001, "tournament", 298, 5),
    TopConfiguration("uga", "blogs", 6, 0.005, "uniform", 0.0001, 0.0, "tournament", 323, 9),
)
"""The appendix's table of the three best configurations (tab: finalfinal mutation), all with (μ + λ)."""


PAPER_METRICS = ("clustering", "path_length", "lcc", "centrality", "communities")
"""Metrics of Figure 2; its edges deleted are in every run."""

SEEDS, QUICK_SEEDS, MOST_SEEDS = 5, 2, 1000
QUICK_CONFIGURATIONS = ("conf2",)
QUICK_NETWORKS = ("fb-reed98", "blogs", "grqc")  # the others take as long again as these three
STAND_INS = ("demo", "karate")  # built in: used by the quick version where no network of the paper is there


@dataclass(frozen=True)
class Scope:
    """Networks, configurations and number of seeds of a reproduction."""

    networks: tuple[Network, ...]
    seeds: int
    configurations: tuple[str, ...] = CONFIGURATIONS
    quick: bool = False

    @property
    def plan(self) -> Plan:
        """The runs: every network × {ES, UA, GA and UGA with each configuration} × seeds, 5% of the edges.

        GA and UGA run twice, as netveil has them and faithful to the paper.
        """
        genetic = [
            planned_algorithm(algorithm, config=prefix + configuration)
            for algorithm, prefix, configuration in product(GENETIC, SOURCES.values(), self.configurations)
        ]
        return Plan(
            name="paper",
            networks=self.networks,
            algorithms=(planned_algorithm("es"), planned_algorithm("ua"), *genetic),
            budgets=("5%",),
            k=(2,),
            seeds=tuple(range(1, self.seeds + 1)),
            metrics=PAPER_METRICS,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the networks."""
        return tuple(spec.name for spec in self.networks)

    @property
    def text(self) -> str:
        """Scope in words, for every table and figure, so that nobody takes a small version for the whole."""
        seeds = counted(self.seeds, "seed")
        if not self.quick:
            return f"{seeds}, {counted(len(self.configurations), 'configuration')} of GA and UGA, twice each"
        networks = (
            f"{len(self.networks)} of the paper's {len(TITLES)} networks"
            if TITLES.keys() >= set(self.names)
            else f"networks NOT the paper's ({', '.join(self.names)})"
        )
        return f"QUICK: {seeds} instead of {SEEDS}, {', '.join(self.configurations)} only, {networks}"


def title_of(network: str) -> str:
    """The network as the paper calls it, or by its own name if it is not one of the paper's."""
    return TITLES.get(network, network)


def paper_scope(seeds: int | None = None, quick: bool = False) -> Scope:
    """The whole experiment or the quick one, with its networks loaded.

    The whole fetches what is not on this machine. The quick one fetches nothing: it takes three of the
    networks as far as they are there, else the others, and built-in ones if there is none.
    """
    chosen = (QUICK_SEEDS if quick else SEEDS) if seeds is None else seeds
    if not 1 <= chosen <= MOST_SEEDS:
        raise SettingError(f"seeds {chosen}: give a whole number between 1 and {MOST_SEEDS:,}.")
    found, problems = {}, []
    for known in PAPER:
        try:
            found[known.name] = planned_network(known.name, find_network(known.name, download=not quick))
        except NetveilError as error:
            problems.append(error.message)
    if quick:
        networks = [found[name] for name in QUICK_NETWORKS if name in found] or list(found.values())
        networks = networks or [planned_network(name, load(name)) for name in STAND_INS]
        return Scope(tuple(networks), chosen, QUICK_CONFIGURATIONS, quick=True)
    if problems:
        raise PlanError([*problems, "Or try `netveil experiment paper --quick`, which takes what is there."])
    return Scope(tuple(found.values()), chosen)
