"""What a search of a large network costs and finds: through all of it, around people at risk, in groups.

    python benchmarks/scale_searching.py 1_000_000 --groups 0,1,4 --seeds 3 --time 8
    python benchmarks/scale_searching.py 10_000_000 --groups 1 --seeds 1 --time 30
    python benchmarks/scale_searching.py 1_000_000 --groups 0,1 --seeds 1 --ask curve,target,limit,start
    python benchmarks/scale_searching.py --look ../shared/networks/*.txt    # how people at risk hang together

`--groups 0` is the walk through the whole network, 1 the walk around people at risk, others are groups. Each
search has a process of its own and one thread; its time is CPU time, so that other programs do not matter.
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

import netveil as nv
from netveil.anonymity import Attackers, attackers_of
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control, Problem, searching
from netveil.search.annealing.groups import divided, excerpt_around_risk
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


def search(network: Network, groups: int, seed: int, seconds: float, asked: str) -> list[str]:
    """The cells of a row."""
    start = found_first(network, seed, seconds) if asked == "start" else None
    control = Control(clock=time.process_time, announcer=None)
    request = Anonymization(
        measures=Attackers.of(measures="count", k=2),
        seed=seed,
        time=seconds,
        threads=1,
        settings={"groups": groups},
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
    control = Control(clock=time.process_time, announcer=None)
    attackers = Attackers.of(measures="count", k=2)
    request = Anonymization(
        measures=attackers, budget="1%", seed=seed, time=seconds, threads=1, settings={"groups": 1}
    )
    return finished(searching(network, request, control)).deleted_edges


def run(file: str, nodes: int, groups: int, seed: int, seconds: float, asked: str) -> list[str]:
    """One search in this process."""
    search(population(SMALL), groups, seed, 0.5, asked)
    edges = np.load(file)
    edges.setflags(write=False)
    return search(Network(nodes, edges, range(nodes)), groups, seed, seconds, asked)


def look(files: list[str]) -> None:
    """Print how people at risk hang together, in networks from files and in made-up ones."""
    print("| network | edges | people at risk | edges around them | groups | at risk in the largest |")
    print("|---|---|---|---|---|---|")
    made = {f"made up, {edges:,}": population(edges) for edges in (100_000, 1_000_000)}
    for name, network in {**{Path(file).stem: nv.read(file) for file in files}, **made}.items():
        problem = Problem(network, attackers_of("count"), 2, 1, np.arange(network.edge_count))
        around = excerpt_around_risk(problem)
        division = divided(around, 2, may_cut=False)
        at_risk = sum(division.at_risk)
        cells = [name, f"{network.edge_count:,}", f"{at_risk:,}", f"{around.edge_count:,}"]
        largest = f"{100 * division.largest / max(at_risk, 1):.0f}%"
        print(f"| {' | '.join([*cells, str(division.found), largest])} |", flush=True)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--groups", default="0,1,4")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--time", type=float, default=8.0, help="CPU seconds of a search")
    parser.add_argument("--ask", default="budget", help=f"any of {','.join(ASKED)}")
    parser.add_argument("--look", nargs="*", metavar="FILE", help="only say how people at risk hang together")
    options = parser.parse_args()
    if options.look is not None:
        look(options.look)
        return
    print(f"load {os.getloadavg()[0]:.1f} before; {options.time:g} CPU seconds each")
    columns = "asked, groups, seed, at risk, deleted, 10⁶ proposals, set-up s, search, after, bytes an edge"
    print(f"| {' | '.join(columns.split(', '))} |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        network, file = population(options.edges), str(Path(folder, "edges.npy"))
        np.save(file, network.edges)
        nodes = network.node_count
        del network
        seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
        for asked, groups, seed in product(
            options.ask.split(","), map(int, options.groups.split(",")), seeds
        ):
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                cells = pool.submit(run, file, nodes, groups, seed, options.time, asked).result()
            print(f"| {' | '.join([asked, str(groups), str(seed), *cells])} |", flush=True)


if __name__ == "__main__":
    main()
