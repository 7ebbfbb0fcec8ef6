"""Does the order of the bits matter to n-point crossover? Unique nodes left under different orders.

    python benchmarks/edge_order.py ../shared/networks/college-msg.txt … --seeds 10

Each order runs GA and UGA with conf2 (25 points) at a budget of 5%. A mean differs from another by chance
alone up to about twice the standard error in brackets.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.progress import finished
from netveil.search import ALGORITHMS, Control, Problem

Order = NDArray[np.int64]


def by_endpoints(network: nv.Network, rng: np.random.Generator) -> Order:
    """As the network numbers them: sorted by endpoints, nodes in order of first appearance."""
    return np.arange(network.edge_count)


def at_random(network: nv.Network, rng: np.random.Generator) -> Order:
    """Shuffled: bits that lie together have nothing to do with each other."""
    return rng.permutation(network.edge_count)


def by_lower_degree(network: nv.Network, rng: np.random.Generator) -> Order:
    """By the degree of the end with fewer neighbours: edges of nodes that may become alike lie together."""
    ends = np.sort(network.degrees[network.edges], axis=1)
    return np.lexsort((ends[:, 1], ends[:, 0]))


def by_higher_degree(network: nv.Network, rng: np.random.Generator) -> Order:
    """By the degree of the end with more neighbours: a hub's edges lie together."""
    ends = np.sort(network.degrees[network.edges], axis=1)
    return np.lexsort((ends[:, 0], ends[:, 1]))


def by_community(network: nv.Network, rng: np.random.Generator) -> Order:
    """By the Louvain communities of both ends: edges that share triangles lie together."""
    community = np.array(network.to_igraph().community_multilevel().membership)
    ends = np.sort(community[network.edges], axis=1)
    return np.lexsort((ends[:, 1], ends[:, 0]))


ORDERS: dict[str, Callable[[nv.Network, np.random.Generator], Order]] = {
    "endpoints": by_endpoints,
    "random": at_random,
    "lower degree": by_lower_degree,
    "higher degree": by_higher_degree,
    "community": by_community,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    print("| network | algorithm | " + " | ".join(ORDERS) + " |\n|---|---|" + "---|" * len(ORDERS))
    for file in arguments.networks:
        network = nv.read(file)
        for algorithm in ("ga", "uga"):
            cells = [_cell(network, algorithm, order, arguments.seeds) for order in ORDERS.values()]
            print(f"| {network.name} | {algorithm} | " + " | ".join(cells) + " |", flush=True)


def _cell(
    network: nv.Network, algorithm: str, order: Callable[[nv.Network, np.random.Generator], Order], seeds: int
) -> str:
    left = []
    for seed in range(seeds):
        edge_order = order(network, np.random.default_rng(seed))
        problem = Problem(network, attackers_of("count"), 2, network.edge_count // 20, edge_order)
        chosen = ALGORITHMS[algorithm]
        rng = np.random.default_rng(seed)
        found = finished(chosen.search(problem, chosen.presets["conf2"], rng, Control(), 2))
        left.append(problem.recount(found.deleted_edges)[0])
    return f"{np.mean(left):.0f} ({np.std(left, ddof=1) / np.sqrt(seeds):.0f})"


if __name__ == "__main__":
    main()
