"""How fast netveil is, as ratios against networkx, igraph, the naive way and the time given, all in one run.

    python -m benchmarks speed                                    on demo
    python -m benchmarks speed ../shared/networks/college-msg.txt --only searching,comparing

Ratios rather than seconds: machines differ and are noisy, but both sides of a ratio meet the same noise. Each
time is the best of several. Searches take the time that they are given, and a step and some pruning more.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
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
from benchmarks import best_of, header, listed, opened, parser_of, row
from netveil.anonymity import MEASURES
from netveil.studies import Plan, planned_algorithm, planned_network, run_plan
from netveil.studies.generators import GENERATORS, generate

AUTHORS_RATE = 6.7  # evaluations a second of the authors' NetworkX code on college-msg, as we measured it
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
LIMIT, ATTACKED = 1.0, 3.0  # seconds of a search, and of one against each attacker
ATTACKERS: dict[str, dict[str, Any]] = {
    **{name: {"measure": name} for name in MEASURES},
    "count, fuzzy 5%": {"measure": "count", "fuzzy": "5%"},
    "count, twin classes": {"measure": "count", "twins": True},
    "count + vertex-refinement": {"measure": ["count", "vertex-refinement"]},
    "count, distance 2": {"measure": "count", "distance": 2},
    "vertex-refinement, distance 2": {"measure": "vertex-refinement", "distance": 2},
    "ego, distance 2": {"measure": "ego", "distance": 2},
}


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


def measuring(network: nv.Network) -> None:
    """The whole of `measure` against igraph's degrees and local triangle counts, only part of it."""
    for name, large in large_networks().items():
        graph = large.to_igraph()
        nv.measure(large)
        ours = best_of(7, partial(nv.measure, large))
        theirs = best_of(7, partial(degrees_and_triangles, graph))
        row(f"measure, {large.edge_count:,} edges, {name}", f"{ours:.3f} s", f"{theirs / ours:.1f} × igraph")


def evaluate_naively(graph: nx.Graph[Any], edges: list[tuple[Hashable, Hashable]]) -> int:
    """An individual turned into a network and measured by networkx."""
    changed = graph.copy()
    changed.remove_edges_from(edges)
    triangles = cast(dict[Hashable, int], nx.triangles(changed))
    states = Counter((changed.degree(node), triangles[node]) for node in changed)
    return sum(size == 1 for size in states.values())


def searching(network: nv.Network) -> None:
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


def reading(network: nv.Network) -> None:
    """Text files of a million ties, against splitting the text into words, and against networkx."""
    draw = random.Random(1)
    pairs = [(draw.randrange(100_000), draw.randrange(100_000)) for _ in range(MANY)]
    for name, line in {"numbers": "%d %d\n", "names and weights": "p%d,p%d,0.5\n"}.items():
        text = "".join(line % pair for pair in pairs)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "ties.txt"
            file.write_text(text, encoding="ascii")
            ours = best_of(3, partial(nv.read, file), time.process_time)
            split = best_of(3, lambda: text.replace(",", " ").split(), time.process_time)  # noqa: B023
            against = f"{ours / split:.1f} × splitting it"
            if name == "numbers":
                theirs = best_of(1, partial(nx.read_edgelist, file), time.process_time)
                against += f", {theirs / ours:.1f} × networkx"
            row(f"read {MANY:,} ties, {name}", f"{ours:.2f} CPU s", against)


def comparing(network: nv.Network) -> None:
    """`compare` after a twentieth of the edges went at random, and how far its communities can be trusted."""
    nv.compare(nv.load("karate"), nv.load("karate"))  # compiles
    deleted = np.random.default_rng(1).permutation(network.edge_count)[: network.edge_count // 20]
    began = time.perf_counter()
    found = nv.compare(network, network.without_edges(deleted)).metrics["communities"].to_dict()
    seconds = time.perf_counter() - began
    told = f"communities: score {found['score']:.2f}, stability {found['stability']:.2f}"
    row(f"compare, {network.name}", f"{seconds:.1f} s", told)


def isolated(network: nv.Network) -> None:
    """They take part in every figure and in next to no work."""
    people = nv.Network.from_numbered_edges([(0, 1), (1, 2)], MANY)
    numbers = np.random.default_rng(1).integers(0, MANY, MANY)
    fewer = people.without_edges([1])
    small = nv.Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    nv.measure(small)
    nv.compare(small, small)
    sorting = best_of(5, partial(np.sort, numbers))
    measuring = best_of(5, partial(nv.measure, people))
    comparing = best_of(1, partial(nv.compare, people, fewer))
    against = f"{measuring / sorting:.1f} × sorting as many numbers"
    row(f"measure, {MANY:,} isolated people", f"{measuring:.3f} s", against)
    against = f"{comparing / measuring:.0f} × measuring them"
    row(f"compare, {MANY:,} isolated people", f"{comparing:.1f} s", against)


def generators(network: nv.Network) -> None:
    """Each against networkx, which draws as many random edges."""
    theirs = best_of(3, partial(nx.gnm_random_graph, NODES, EDGES, seed=1))
    for kind in GENERATORS:
        generate({"kind": kind, "nodes": 1000, **PARAMETERS[kind]})
        ours = best_of(1, partial(generate, {"kind": kind, "nodes": NODES, **PARAMETERS[kind]}))
        row(f"{kind}, {EDGES:,} edges", f"{ours:.2f} s", f"{ours / theirs:.1f} × networkx's G(n, m)")


def times(network: nv.Network) -> None:
    """What a search takes of the time it is given, when nothing is left to compile."""
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


def memory(network: nv.Network) -> None:
    """Searches on a million edges, each in a process of its own."""
    context = multiprocessing.get_context("spawn")
    for algorithm, goal in (("ga", "goal 4 GB"), ("annealing", "goal 3 GB")):
        with context.Pool(1) as pool:
            told = pool.apply(memory_of_search, (algorithm,))
        row(f"{algorithm} on 1,000,000 edges with hubs, 10 s", told, goal)


def memory_of_search(algorithm: str) -> str:
    """Rate and peak memory of a search of ten seconds."""
    network = large_networks()["with hubs"]
    outcome = nv.anonymize(network, algorithm=algorithm, seed=1, threads=2, time=10).outcome
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"{outcome.evaluations / outcome.seconds:,.0f} evaluations/s, {peak:.1f} GB at most"


def attackers(network: nv.Network) -> None:
    """Each attacker: how long it takes to measure, and what searches of equal time leave, how fast."""
    for name, attacker in ATTACKERS.items():
        at_risk = nv.measure(network, **attacker).at_risk  # compiles
        seconds = best_of(3, partial(nv.measure, network, **attacker))
        told = []
        for algorithm in ("annealing", "uga", "ga"):
            settings = {} if algorithm == "annealing" else {"patience": 10**9}
            asked: dict[str, Any] = {
                "algorithm": algorithm,
                "settings": settings,
                "time": ATTACKED,
                "seed": 1,
                "threads": 2,
            }
            found = nv.anonymize(network, **asked, **attacker).outcome
            rate = found.evaluations / found.seconds
            told.append(f"{algorithm} leaves {found.at_risk_after:,} ({rate:,.0f}/s)")
        row(f"{name}, {at_risk:,} at risk", f"{seconds:.3f} s", ", ".join(told))


def dispatching(network: nv.Network) -> None:
    """What handing out runs costs: the time of workers beside that of the runs; the goal is under 5%.

    A worker's time is that from the first task handed out to the last result written. Runs of ES on the
    karate club take no time to speak of, and tell what one run costs beyond itself.
    """
    for given, algorithm, runs in ((network, "uga", 40), (nv.load("karate"), "es", 800)):
        plan = Plan(
            name="dispatching",
            networks=(planned_network(given.name, given),),
            algorithms=(planned_algorithm(algorithm),),
            seeds=tuple(range(1, runs + 1)),
        )
        with tempfile.TemporaryDirectory() as folder:
            done = run_plan(plan, Path(folder) / "runs")
        spent = done.seconds * done.workers
        beyond = spent - done.run_seconds
        against = f"{beyond / spent:.1%} beyond the runs, {1000 * beyond / runs:.1f} ms each"
        row(f"{runs} runs of {algorithm} on {given.name}, {done.workers} workers", f"{spent:.1f} s", against)


GROUPS: dict[str, Callable[[nv.Network], None]] = {
    each.__name__: each
    for each in (
        *(measuring, reading, searching, comparing, isolated, generators, times, memory),
        *(attackers, dispatching),
    )
}


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument(
        "network", nargs="?", default="demo", help="a file, or the name of a built-in network"
    )
    parser.add_argument("--only", type=listed, default=list(GROUPS), help=f"some of {','.join(GROUPS)}")
    asked = parser.parse_args(argv)
    if unknown := set(asked.only) - GROUPS.keys():
        parser.error(f"--only {','.join(sorted(unknown))}: choose some of {','.join(GROUPS)}.")
    network = opened(asked.network)
    header("what", "netveil", "against")
    for name in asked.only:
        GROUPS[name](network)
