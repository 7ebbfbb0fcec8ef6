"""Searches for tests: with short settings, and without the rest of a release."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from naive import count_states, nodes_at_risk, violation
from netveil.anonymity import Attackers, attackers_of
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.progress import finished
from netveil.search import ALGORITHMS, Control, Outcome, Problem, searching
from netveil.search.problem import edge_order

QUICK: dict[str, dict[str, Any]] = {
    "annealing": {"effort": 0.02},
    "ga": {"population": 12, "offspring": 14, "initial_rate": 0.05, "mutation_rate": 0.02, "patience": 10},
    "uga": {"population": 12, "offspring": 14, "initial_rate": 0.05, "mutation_rate": 0.02, "patience": 10},
    "es": {},
    "ua": {},
    "greedy": {},
    "class-targeted": {"rounds": 1},
    "sana": {"patience": 500},
}
"""Settings with which each algorithm is over at once."""

COMPARED_WITH = ("greedy", "class-targeted", "sana")
each_algorithm = pytest.mark.parametrize(
    "algorithm",
    [pytest.param(name, marks=pytest.mark.thorough if name in COMPARED_WITH else ()) for name in ALGORITHMS],
)
"""Under limits, or where states are no sums, searches to compare with need kernels that no other does."""


def search(network: Network, job: Anonymization, control: Control, start: IntVector | None = None) -> Outcome:
    """A search to its end; its progress goes to the control's watcher."""
    return finished(searching(network, job, control, start))


def outcome_of(
    network: Network,
    algorithm: str = "annealing",
    settings: dict[str, Any] | None = None,
    *,
    attacker: dict[str, Any] | None = None,
    **options: Any,
) -> Outcome:
    """A quick search on one thread, a tenth of the edges to spend, against `count` or another attacker."""
    asked = {"budget": 0.1, "seed": 1, "threads": 1, **options}
    control = asked.pop("control", None) or Control()
    attackers = Attackers.of(**{"measures": "count", "k": asked.pop("k", 2), **(attacker or {})})
    chosen, start = {**QUICK[algorithm], **(settings or {})}, asked.pop("start", None)
    job = Anonymization(measures=attackers, algorithm=algorithm, settings=chosen, **asked)
    return search(network, job, control, start)


def at_risk_without(network: Network, deleted: list[int], k: int = 2) -> int:
    """Nodes at risk without these edges, by networkx."""
    return sum(nodes_at_risk(count_states(network, deleted), k))


def needless_deletions(
    network: Network, outcome: Outcome, keep: dict[str, Fraction] | None = None
) -> list[int]:
    """The deleted edges whose return alone would put nobody too many at risk and would break no limit."""
    problem = Problem(
        network, attackers_of("count"), outcome.k, 0, np.arange(network.edge_count), keep=keep or {}
    )
    deleted = outcome.deleted_edges.tolist()
    may_be = max(outcome.at_risk_after, outcome.enough)
    returns = {edge: [other for other in deleted if other != edge] for edge in deleted}
    return [
        edge
        for edge, others in returns.items()
        if at_risk_without(network, others, outcome.k) <= may_be
        and violation(network, problem.limits, others) == 0
    ]


def small_network(edges: int, seed: int, nodes: int = 8) -> Network:
    """So many random edges among a few nodes."""
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for v in range(nodes) for u in range(v)]
    chosen = rng.choice(len(pairs), size=edges, replace=False)
    return Network.from_numbered_edges([pairs[pair] for pair in chosen], nodes)


def problem_of(network: Network, budget: int, k: int = 2, **options: Any) -> Problem:
    """The problem of a search against `count`, or against other attackers."""
    attackers = Attackers.of(**{"measures": "count", "k": k, **options.pop("attacker", {})})
    return Problem(network, attackers.each, k, budget, edge_order(network), **options)


def contacts(network: Network) -> list[int]:
    """A measure of a user's own."""
    numbers: list[int] = network.degrees.tolist()
    return numbers
