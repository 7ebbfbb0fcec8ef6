"""The one list of algorithms, each in a module of its own that is imported when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.search.algorithm import Algorithm

ALGORITHMS: Registry[Algorithm] = Registry(
    "netveil.search",
    {
        "annealing": (
            "annealing.annealing:ANNEALING",
            "beyond the paper: simulated annealing on the gaps to lookalikes",
        ),
        "ga": ("genetic.genetic:GA", "the paper's genetic algorithm"),
        "uga": (
            "genetic.genetic:UGA",
            "the paper's uniqueness-aware genetic algorithm: mutates edges of nodes at risk",
        ),
        "es": ("baselines.edge_sampling:EDGE_SAMPLING", "baseline: deletes random edges"),
        "ua": (
            "baselines.affected_unique:AFFECTED_UNIQUE",
            "baseline: deletes random edges, preferring those that touch many nodes at risk",
        ),
    },
)
DEFAULT_ALGORITHM = "annealing"
