"""What must not take long, as ratios: tests do not judge time, since machines differ and are busy.

    python benchmarks/bounds.py

Both sides of a ratio are measured in this run. A search takes its time, and a step and some pruning more.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

import netveil as nv
from netveil.studies.generators import GENERATORS, generate
from speed import best_of, row

MANY = 1_000_000
NODES, EDGES = 10_000, 100_000
PARAMETERS: dict[str, dict[str, Any]] = {
    "watts-strogatz": {"degree": 20, "rewiring": 0.2},
    "powerlaw-cluster": {"edges_per_node": 10, "triangles": 0.5},
    "stochastic-blocks": {"degree": 20, "blocks": 8, "inside": 0.6},
    "configuration-triangles": {"degree": 20, "triangles": 0.5},
    "similarity-circle": {"degree": 20, "temperature": 0.5},
    "erdos-renyi": {"degree": 20},
}
SEARCHES: dict[str, dict[str, Any]] = {
    "annealing": {},
    "annealing with a curve": {"curve": True},
    "ga": {"algorithm": "ga", "settings": {"patience": 10**9}},
}
LIMIT = 1.0  # seconds of a search


def isolated_people() -> None:
    """They take part in every figure and in next to no work."""
    network = nv.Network.from_numbered_edges([(0, 1), (1, 2)], MANY)
    numbers = np.random.default_rng(1).integers(0, MANY, MANY)
    fewer = network.without_edges([1])
    small = nv.Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    nv.measure(small)
    nv.compare(small, small)
    sorting = best_of(5, partial(np.sort, numbers))
    measuring = best_of(5, partial(nv.measure, network))
    comparing = best_of(1, partial(nv.compare, network, fewer))
    against = f"{measuring / sorting:.1f} × sorting as many numbers"
    row(f"measure, {MANY:,} isolated people", f"{measuring:.3f} s", against)
    against = f"{comparing / measuring:.0f} × measuring them"
    row(f"compare, {MANY:,} isolated people", f"{comparing:.1f} s", against)


def generators() -> None:
    """Each against networkx, which draws as many random edges."""
    theirs = best_of(3, partial(nx.gnm_random_graph, NODES, EDGES, seed=1))
    for kind in GENERATORS:
        generate({"kind": kind, "nodes": 1000, **PARAMETERS[kind]})
        ours = best_of(1, partial(generate, {"kind": kind, "nodes": NODES, **PARAMETERS[kind]}))
        row(f"{kind}, {EDGES:,} edges", f"{ours:.2f} s", f"{ours / theirs:.1f} × networkx's G(n, m)")


def searches() -> None:
    """What a search takes of the time it is given, on demo, when nothing is left to compile."""
    network = nv.load("demo")
    for name, options in SEARCHES.items():
        seconds = nv.anonymize(network, seed=1, time=LIMIT, **options).outcome.seconds
        row(f"{name}, {LIMIT:g} s", f"{seconds:.2f} s", f"{seconds / LIMIT:.2f} × its time")

    def slow(network: nv.Network) -> list[int]:
        time.sleep(0.01)
        return [int(degree) for degree in network.degrees]

    karate = nv.load("karate")
    for algorithm in ("annealing", "ga"):
        seconds = nv.anonymize(
            karate, "10%", measure=slow, algorithm=algorithm, seed=1, time=LIMIT
        ).outcome.seconds
        what = f"{algorithm}, a measure of 10 ms, {LIMIT:g} s"
        row(what, f"{seconds:.2f} s", f"{seconds / LIMIT:.2f} × its time")


def main() -> None:
    """Print the table."""
    print("| what | netveil | against |\n|---|---|---|")
    isolated_people()
    generators()
    searches()


if __name__ == "__main__":
    main()
