"""Degrees and triangles of large networks: ours with one thread and with all, igraph and NetworKit beside it.

    python benchmarks/scale_counting.py 1_000_000
    python benchmarks/scale_counting.py 10_000_000 --engines netveil,netveil-1,networkit

Each engine counts in a process of its own, on a graph that it holds already: CPU and all seconds are those of
counting alone, memory is the most of the process beyond what it held with the graph. Counts must be equal.
Engines that are not installed are left out.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.network import Network
from netveil.threads import available_cores

GROUP = 40  # people who know many of each other
Counting = Callable[[], NDArray[Any]]


def population(edges: int, seed: int = 1) -> Network:
    """Ten edges a person: half with heavy-tailed ends, half inside groups of 40."""
    rng, nodes = np.random.default_rng(seed), max(GROUP, edges // 10)
    half = edges // 2
    hubs = (nodes * rng.random(half) ** 3).astype(np.int64)
    heavy = np.column_stack((rng.permutation(nodes)[hubs], rng.integers(0, nodes, half)))
    first = rng.integers(0, nodes, edges - half)
    group = first // GROUP * GROUP
    second = np.minimum(group + rng.integers(0, GROUP, edges - half), nodes - 1)
    return Network.from_numbered_edges(np.concatenate((heavy, np.column_stack((first, second)))), nodes)


def of_netveil(network: Network, threads: int) -> Counting:
    """Ours."""
    from netveil.kernels.triangles import triangles_per_node

    def count() -> NDArray[Any]:
        fresh = replace(network)  # whose degrees nobody has counted
        return triangles_per_node(fresh.edges, fresh.degrees, threads)

    return count


def _from_shares(shares: NDArray[Any], degrees: NDArray[Any]) -> NDArray[Any]:
    """Triangles by node from the share of pairs of contacts that know each other."""
    triangles: NDArray[Any] = np.rint(shares * (degrees * (degrees - 1) // 2)).astype(np.int64)
    return triangles


def of_igraph(network: Network) -> Counting:
    """igraph has triangles by node only as shares of the pairs of contacts; one thread."""
    graph, degrees = network.to_igraph(), network.degrees

    def count() -> NDArray[Any]:
        shares = np.array(graph.transitivity_local_undirected(mode="zero"))
        return _from_shares(shares, degrees)

    return count


def of_networkit(network: Network) -> Counting:
    """NetworKit's local clustering coefficient, in its quick way, with all threads."""
    import networkit

    first, second = (np.ascontiguousarray(end, dtype=np.uint64) for end in network.edges.T)
    graph = networkit.GraphFromCoo((np.ones(len(first)), (first, second)), n=network.node_count)
    degrees = network.degrees

    def count() -> NDArray[Any]:
        shares = np.array(networkit.centrality.LocalClusteringCoefficient(graph, turbo=True).run().scores())
        return _from_shares(shares, degrees)

    return count


ENGINES: dict[str, Callable[[Network], Counting]] = {
    "netveil": lambda network: of_netveil(network, available_cores()),
    "netveil-1": lambda network: of_netveil(network, 1),
    "igraph": of_igraph,
    "networkit": of_networkit,
}


def most_memory() -> int:
    """Bytes that this process has held at most; `ru_maxrss` has that of its parent, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def run(engine: str, file: str, nodes: int, answers: Any) -> None:
    """Count on a small network first, so that all is compiled and loaded; then on the large one."""
    ENGINES[engine](population(1000))()
    network = Network(nodes, np.load(file), range(nodes))
    network.edges.setflags(write=False)
    count = ENGINES[engine](network)
    before = most_memory()
    cpu, began = time.process_time(), time.perf_counter()
    counts = count()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - began
    answers.put((cpu, wall, most_memory() - before, int(counts.sum()) // 3))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--engines", default=",".join(ENGINES))
    options = parser.parse_args()
    print(f"{available_cores()} cores, load {os.getloadavg()[0]:.1f} before")
    print("| engine | edges | CPU s | wall s | million edges a CPU second | bytes an edge more | triangles |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        network, file = population(options.edges), str(Path(folder, "edges.npy"))
        np.save(file, network.edges)
        nodes, edges = network.node_count, network.edge_count
        del network
        found = {_row(engine, file, nodes, edges) for engine in options.engines.split(",")} - {None}
    if len(found) > 1:
        raise SystemExit("engines do not agree")


def _row(engine: str, file: str, nodes: int, edges: int) -> int | None:
    """Print the row of an engine; returns how many triangles it found, if it is installed."""
    if engine in ("igraph", "networkit") and find_spec(engine) is None:
        print(f"| {engine} | not installed |")
        return None
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    process = context.Process(target=run, args=(engine, file, nodes, answers))
    process.start()
    cpu, wall, more, triangles = answers.get()
    process.join()
    figures = [f"{cpu:.2f}", f"{wall:.2f}", f"{edges / 1e6 / cpu:.1f}", f"{more / edges:.0f}"]
    print(f"| {' | '.join([engine, f'{edges:,}', *figures])} | {triangles:,} |", flush=True)
    return int(triangles)


if __name__ == "__main__":
    main()
