"""What a search of a large network costs and finds: through all of it, and around people at risk.

    python benchmarks/scale_searching.py 1_000_000 --seeds 3 --time 8
    python benchmarks/scale_searching.py 10_000_000 --where around --seeds 1 --time 30
    python benchmarks/scale_searching.py 1_000_000 --seeds 1 --ask curve,target,limit,start

Each search has a process of its own and one thread; its time is CPU time: other programs do not matter.
The budget is 1% of the edges. Setting up is all before the clock starts, counting who is at risk included;
memory is the most that the process held, the network and Python included.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control, searching
from netveil.search.annealing import around_risk
from scale_counting import most_memory, population

FIRST_SEED = 901
SMALL = 10_000  # edges of a network that is searched first, so that all is compiled


ASKED: dict[str, dict[str, Any]] = {
    "budget": {},
    "curve": {"curve": True},
    "target": {"target": "99.95%", "budget": None},
    "limit": {"keep": {"degree": "10%"}},
    "start": {},
}
"""What is asked of a search; `start` goes on from what a search of the same length found around people."""


def search(network: Network, where: str, seed: int, seconds: float, asked: str) -> list[str]:
    """The cells of a row."""
    start = found_first(network, seed, seconds) if asked == "start" else None
    around_risk.LARGE = 1 if where == "around" else network.edge_count + 1
    control = Control(clock=time.process_time)
    request = Anonymization(
        measures=Attackers.of(measures="count", k=2),
        seed=seed,
        time=seconds,
        threads=1,
        **{"budget": "1%", **ASKED[asked]},
    )
    began = time.process_time()
    started: list[float] = []
    outcome = finished(
        searching(network, request, control, start),
        lambda step: started.append(time.process_time() - control.seconds),
    )
    ended = time.process_time()
    after = ended - started[0] - outcome.seconds
    found = f"{outcome.at_risk_before:,} → {outcome.at_risk_after:,}"
    costs = [started[0] - began, outcome.seconds, after]
    return [
        found,
        f"{len(outcome.deleted_edges):,}",
        f"{outcome.evaluations / 1e6:.1f}",
        *(f"{cost:.1f}" for cost in costs),
        f"{most_memory() / network.edge_count:.0f}",
    ]


def found_first(network: Network, seed: int, seconds: float) -> IntVector:
    """What a search around people at risk finds."""
    control = Control(clock=time.process_time)
    attackers = Attackers.of(measures="count", k=2)
    around_risk.LARGE = 1
    request = Anonymization(measures=attackers, budget="1%", seed=seed, time=seconds, threads=1)
    return finished(searching(network, request, control)).deleted_edges


def run(file: str, nodes: int, where: str, seed: int, seconds: float, asked: str) -> list[str]:
    """One search in this process."""
    search(population(SMALL), where, seed, 0.5, asked)
    edges = np.load(file)
    edges.setflags(write=False)
    return search(Network(nodes, edges, range(nodes)), where, seed, seconds, asked)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--where", default="whole,around", help="whole, around or both")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--time", type=float, default=8.0, help="CPU seconds of a search")
    parser.add_argument("--ask", default="budget", help=f"any of {','.join(ASKED)}")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} before; {options.time:g} CPU seconds each")
    columns = "asked, where, seed, at risk, deleted, 10⁶ proposals, set-up s, search, after, bytes an edge"
    print(f"| {' | '.join(columns.split(', '))} |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        network, file = population(options.edges), str(Path(folder, "edges.npy"))
        np.save(file, network.edges)
        nodes = network.node_count
        del network
        seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
        for asked, where, seed in product(options.ask.split(","), options.where.split(","), seeds):
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                cells = pool.submit(run, file, nodes, where, seed, options.time, asked).result()
            print(f"| {' | '.join([asked, where, str(seed), *cells])} |", flush=True)


if __name__ == "__main__":
    main()
