"""What a search of a large network costs and finds: through all of it, and around people at risk.

    python -m benchmarks large 1_000_000 --seeds 3 --time 8
    python -m benchmarks large 10_000_000 --where around --seeds 1 --time 30
    python -m benchmarks large 1_000_000 --seeds 1 --ask curve,target,limit,start
    python -m benchmarks large 10_000_000 --set-up

Each search has a process of its own and one thread; its time is CPU time: other programs do not matter.
The budget is 1% of the edges. Setting up is all before the clock starts, counting who is at risk included;
memory is the most that the process held, the network and Python included. With `--set-up`, the steps of
setting up a search around people at risk: for each the most memory beyond what was there before, what is kept
of it, and the most of the whole process. Needs Linux, where the peak can be set back.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks import header, listed, parser_of, row
from benchmarks.scale import most_memory, population
from netveil.anonymity import Attackers, attackers_of
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.kernels.balls import mark_around
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control, Problem, searching
from netveil.search.annealing import around_risk
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.walk import nearest, numbers_of

Returned = TypeVar("Returned")
NOTHING = np.empty(0, dtype=np.int64)
FIRST_SEED = 901
SMALL = 10_000  # edges of a network that is searched first, so that all is compiled


ASKED: dict[str, dict[str, Any]] = {
    "budget": {},
    "curve": {"curve": True},
    "target": {"target": "99.95%", "budget": None},
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


def loaded(file: str, nodes: int) -> Network:
    """A network whose edges are in a file."""
    edges = np.load(file)
    edges.setflags(write=False)
    return Network(nodes, edges, range(nodes))


def run(file: str, nodes: int, where: str, seed: int, seconds: float, asked: str) -> list[str]:
    """One search in this process."""
    search(population(SMALL), where, seed, 0.5, asked)
    return search(loaded(file, nodes), where, seed, seconds, asked)


def memory(name: str) -> int:
    """Bytes of this process: VmRSS, now, or VmHWM, at most since it was set back."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


class Steps:
    """Prints a row for each step."""

    def __init__(self, edges: int, quiet: bool) -> None:
        self.edges, self.quiet = edges, quiet

    def do(self, name: str, work: Callable[[], Returned]) -> Returned:
        """Do a step, and say what it took."""
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before, began = memory("VmRSS"), time.process_time()
        found = work()
        sizes = [memory("VmHWM") - before, memory("VmRSS") - before, memory("VmHWM")]
        cells = [f"{time.process_time() - began:.2f}", *(f"{size / self.edges:.0f}" for size in sizes)]
        if not self.quiet:
            row(name, *cells)
        return found


def set_up(network: Network, quiet: bool) -> None:
    """All steps, as `annealing` takes them."""
    edges = network.edge_count
    steps = Steps(edges, quiet)
    order = np.arange(edges, dtype=network.edges.dtype)
    problem = Problem(network, attackers_of("count"), 2, edges // 100, order, protected_edges=NOTHING)
    counts, _, lookalikes = steps.do("who is at risk", lambda: problem.at_first)
    at_risk = np.flatnonzero(lookalikes < 2)
    numbers = numbers_of(problem)
    nearby = steps.do("nearest states", lambda: nearest(numbers, counts.degrees, counts.triangles, 2))
    csr = steps.do("who knows whom", lambda: network.csr)
    marks = np.zeros(edges, np.uint8)
    steps.do("edges around people at risk", lambda: mark_around(csr, at_risk, True, marks))
    mark_around(csr, nearby[at_risk], False, marks)
    del nearby
    around = steps.do("excerpt", lambda: around_risk.restricted_to(problem, marks == 1))
    steps.do("its triangles and states", around.prepare)
    steps.do("two chains", lambda: Chains(around, 2, np.random.default_rng(1), 2, None))
    steps.do("recount at the end", lambda: problem.recount(np.arange(edges // 100)))
    if not quiet:
        print(f"\n{len(at_risk):,} people at risk; the excerpt: {around.network}")


def run_set_up(file: str, nodes: int) -> None:
    """All steps in this process."""
    set_up(population(SMALL), quiet=True)  # so that all is compiled
    set_up(loaded(file, nodes), quiet=False)


def main(argv: list[str]) -> None:
    """Print a table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--where", type=listed, default=["whole", "around"], help="whole, around or both")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--time", type=float, default=8.0, help="CPU seconds of a search")
    parser.add_argument("--ask", type=listed, default=["budget"], help=f"any of {','.join(ASKED)}")
    parser.add_argument("--set-up", action="store_true", help="what setting up takes, step by step")
    options = parser.parse_args(argv)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        network, file = population(options.edges), str(Path(folder, "edges.npy"))
        np.save(file, network.edges)
        nodes = network.node_count
        del network
        if options.set_up:
            header("step", "CPU s", "bytes an edge, at most", "kept", "of the process")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                pool.submit(run_set_up, file, nodes).result()
            return
        print(f"load {os.getloadavg()[0]:.1f} before; {options.time:g} CPU seconds each")
        figures = ("at risk", "deleted", "10⁶ proposals", "set-up s", "search", "after", "bytes an edge")
        header("asked", "where", "seed", *figures)
        seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
        for asked, where, seed in product(options.ask, options.where, seeds):
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                cells = pool.submit(run, file, nodes, where, seed, options.time, asked).result()
            row(asked, where, seed, *cells)
