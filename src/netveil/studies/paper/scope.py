"""What is run: the paper's experiment, or a small version of it that says so everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from netveil.builtin import load
from netveil.errors import NetveilError, SettingError
from netveil.experiments import NetworkSpec, Plan, PlanError, planned_algorithm, planned_network
from netveil.fetching import PAPER, find_network
from netveil.studies.paper.published import CONFIGURATIONS, GENETIC, TITLES
from netveil.words import counted

PAPER_METRICS = ("clustering", "path_length", "lcc", "centrality", "communities")
"""Those of Figure 2, the edges deleted apart, which every run tells."""

SEEDS, QUICK_SEEDS, MOST_SEEDS = 5, 2, 1000
QUICK_CONFIGURATIONS = ("conf2",)
QUICK_NETWORKS = ("fb-reed98", "blogs", "grqc")  # the others take as long again as these three
STAND_INS = ("demo", "karate")  # built in: used by the quick version where no network of the paper is there


@dataclass(frozen=True)
class Scope:
    """Which networks, configurations and how many seeds."""

    networks: tuple[NetworkSpec, ...]
    seeds: int
    configurations: tuple[str, ...] = CONFIGURATIONS
    quick: bool = False

    @property
    def plan(self) -> Plan:
        """The runs: every network × {ES, UA, GA and UGA with each configuration} × seeds, 5% of the edges."""
        genetic = [
            planned_algorithm(algorithm, config=configuration)
            for algorithm in GENETIC
            for configuration in self.configurations
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
        """What is run, for every table and figure, so that nobody takes a small version for the whole."""
        seeds = counted(self.seeds, "seed")
        if not self.quick:
            return f"{seeds}, {counted(len(self.configurations), 'configuration')} of GA and UGA"
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
    if quick:
        return Scope(_quick_networks(), chosen, QUICK_CONFIGURATIONS, quick=True)
    return Scope(_all_networks(), chosen)


def _found(*, download: bool) -> tuple[dict[str, NetworkSpec], list[str]]:
    """The paper's networks by their names, and what is wrong with those that are not there or not right."""
    found, problems = {}, []
    for known in PAPER:
        try:
            found[known.name] = planned_network(known.name, find_network(known.name, download=download))
        except NetveilError as error:
            problems.append(error.message)
    return found, problems


def _all_networks() -> tuple[NetworkSpec, ...]:
    """The five; what is missing is told all at once."""
    found, problems = _found(download=True)
    if problems:
        raise PlanError([*problems, "Or try `netveil experiment paper --quick`, which takes what is there."])
    return tuple(found.values())


def _quick_networks() -> tuple[NetworkSpec, ...]:
    """Those of the paper that are on this machine, quick ones first; built-in ones if there are none."""
    found, _ = _found(download=False)  # the page lists which ones are shown
    chosen = [found[name] for name in QUICK_NETWORKS if name in found] or list(found.values())
    return tuple(chosen) or tuple(planned_network(name, load(name)) for name in STAND_INS)
