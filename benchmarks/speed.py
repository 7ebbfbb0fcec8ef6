"""How fast netveil is, as ratios against networkx, igraph and the naive way, all in one run.

    python benchmarks/speed.py [NETWORK]        for the genetic algorithm; demo by default

Ratios rather than seconds: machines differ and are noisy, but both sides of a ratio meet the same noise. Each
time is the best of several.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Any, cast

import igraph
import networkx as nx
import numpy as np

import netveil as nv

AUTHORS_RATE = 6.7  # evaluations a second of the authors' NetworkX code on college-msg, as we measured it


def best_of(repeats: int, task: Callable[[], object]) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def row(what: str, value: str, against: str) -> None:
    """One line of the table."""
    print(f"| {what} | {value} | {against} |", flush=True)


def large_networks() -> dict[str, nv.Network]:
    """Networks of a million edges: without triangles to speak of, clustered, and with hubs."""
    rng = np.random.default_rng(1)
    random = nv.Network.from_numbered_edges(rng.integers(0, 50_000, (1_000_200, 2)), 50_000)
    geometric = nv.Network.from_igraph(igraph.Graph.GRG(60_000, 0.0135))
    hubs = nv.Network.from_igraph(igraph.Graph.Static_Power_Law(100_000, 1_000_000, 2.3))
    return {"random": random, "geometric": geometric, "with hubs": hubs}


def degrees_and_triangles(graph: igraph.Graph) -> None:
    """What igraph offers of the states of measure count; clustering is triangles over pairs of neighbours."""
    graph.degree()
    graph.transitivity_local_undirected(mode="zero")


def measure_against_igraph(networks: dict[str, nv.Network]) -> None:
    """The whole of `measure` against igraph's degrees and local triangle counts, only part of it."""
    for name, network in networks.items():
        graph = network.to_igraph()
        nv.measure(network)
        ours = best_of(7, partial(nv.measure, network))
        theirs = best_of(7, partial(degrees_and_triangles, graph))
        what = f"measure, {network.edge_count:,} edges, {name}"
        row(what, f"{ours:.3f} s", f"{theirs / ours:.1f} × igraph")


def evaluate_naively(graph: nx.Graph[Any], edges: list[tuple[Hashable, Hashable]]) -> int:
    """An individual turned into a network and measured by networkx."""
    changed = graph.copy()
    changed.remove_edges_from(edges)
    triangles = cast(dict[Hashable, int], nx.triangles(changed))
    states = Counter((changed.degree(node), triangles[node]) for node in changed)
    return sum(size == 1 for size in states.values())


def genetic_against_naive(network: nv.Network) -> None:
    """Evaluations a second of GA and UGA against networkx on one individual."""
    graph = network.to_networkx()
    labels = network.to_edges()
    individual = [labels[edge] for edge in range(0, len(labels), 40)]
    naive = best_of(3, lambda: evaluate_naively(graph, individual))
    for algorithm in ("ga", "uga"):
        for threads in (1, 2):
            outcome = nv.anonymize(network, algorithm=algorithm, seed=1, threads=threads).outcome
            rate = outcome.evaluations / outcome.seconds
            row(
                f"{algorithm} on {network.name}, {threads} thread{'s' * (threads > 1)}",
                f"{rate:,.0f} evaluations/s, whole run {outcome.seconds:.1f} s",
                f"{rate * naive:,.0f} × networkx, {rate / AUTHORS_RATE:,.0f} × the authors' code",
            )


def reading_against_networkx(network: nv.Network) -> None:
    """A text file of a million edges."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "edges.txt"
        np.savetxt(file, network.edges, fmt="%d")
        ours = best_of(3, lambda: nv.read(file))
        theirs = best_of(1, lambda: nx.read_edgelist(file))
        row(f"read {network.edge_count:,} edges", f"{ours:.2f} s", f"{theirs / ours:.1f} × networkx")


def starting() -> None:
    """Commands as a user starts them, warm and with an empty compile cache."""
    command = [sys.executable, "-m", "netveil"]

    def start(*words: str, **environment: str) -> float:
        def run() -> object:
            return subprocess.run(
                [*command, *words], check=True, capture_output=True, env={**os.environ, **environment}
            )

        return best_of(1 if environment else 3, run)

    row("netveil --help", f"{start('--help'):.2f} s", "goal 0.5 s")
    row("netveil measure karate, warm", f"{start('measure', 'karate'):.2f} s", "goal 1.5 s")
    with tempfile.TemporaryDirectory() as cache:
        cold = start("measure", "karate", NUMBA_CACHE_DIR=cache)
        row("netveil measure karate, first run ever", f"{cold:.1f} s", "goal 20 s")
        out = str(Path(cache) / "release")
        cold = start("anonymize", "karate", "--out", out, NUMBA_CACHE_DIR=cache)
        row("netveil anonymize karate, first run ever", f"{cold:.1f} s", "goal 20 s")


def memory() -> None:
    """Searches on a million edges, each in a process of its own: `speed.py --memory NAME` is that process."""
    for algorithm, goal in (("ga", "goal 4 GB"), ("annealing", "goal 3 GB")):
        command = [sys.executable, __file__, "--memory", algorithm]
        result = subprocess.run(command, check=True, capture_output=True, text=True)
        row(f"{algorithm} on 1,000,000 edges with hubs, 10 s", result.stdout.strip(), goal)


def memory_of_search(algorithm: str) -> None:
    """Search for ten seconds and print rate and peak memory."""
    network = large_networks()["with hubs"]
    outcome = nv.anonymize(network, algorithm=algorithm, seed=1, threads=2, time=10).outcome
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{outcome.evaluations / outcome.seconds:,.0f} evaluations/s, {peak:.1f} GB at most")


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--memory"]:
        memory_of_search(sys.argv[2])
        return
    print("| what | netveil | against |\n|---|---|---|")
    networks = large_networks()
    measure_against_igraph(networks)
    reading_against_networkx(networks["random"])
    genetic_against_naive(nv.read(sys.argv[1]) if len(sys.argv) > 1 else nv.load("demo"))
    starting()
    memory()


if __name__ == "__main__":
    main()
