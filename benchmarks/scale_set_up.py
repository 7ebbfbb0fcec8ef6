"""What it takes to set up a search around people at risk, step by step: CPU seconds, and memory an edge.

    python benchmarks/scale_set_up.py 10_000_000

For each step: the most memory beyond what was there before, what is kept of it, and the most of the whole
process, the network, Python and compiled code included. Needs Linux, where the peak can be set back.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from netveil.anonymity import attackers_of
from netveil.kernels.balls import mark_around
from netveil.network import Network
from netveil.search import Problem
from netveil.search.annealing.around_risk import restricted_to
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.walk import nearest, numbers_of
from scale_counting import population

Returned = TypeVar("Returned")
NOTHING = np.empty(0, dtype=np.int64)


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
            print(f"| {' | '.join([name, *cells])} |", flush=True)
        return found


def set_up(network: Network, quiet: bool) -> None:
    """All steps, as `annealing_around_risk` takes them."""
    edges = network.edge_count
    steps = Steps(edges, quiet)
    order = np.arange(edges, dtype=network.edges.dtype)
    problem = Problem(network, attackers_of("count"), 2, edges // 100, order, protected_edges=NOTHING)
    counts, lookalikes = steps.do("who is at risk", lambda: problem.at_first)
    at_risk = np.flatnonzero(lookalikes < 2)
    numbers = numbers_of(problem)
    nearby = steps.do("nearest states", lambda: nearest(numbers, counts.degrees, counts.triangles, 2))
    csr = steps.do("who knows whom", lambda: network.csr)
    marks = np.zeros(edges, np.uint8)
    steps.do("edges around people at risk", lambda: mark_around(csr, at_risk, True, marks))
    mark_around(csr, nearby[at_risk], False, marks)
    del nearby
    around = steps.do("excerpt", lambda: restricted_to(problem, marks == 1))
    steps.do("its triangles and states", around.prepare)
    steps.do("two chains", lambda: Chains(around, 2, np.random.default_rng(1), 2, None))
    steps.do("recount at the end", lambda: problem.recount(np.arange(edges // 100)))
    if not quiet:
        print(f"\n{len(at_risk):,} people at risk; the excerpt: {around.network}")


def main() -> None:
    """Print the table; the network is made in a process of its own, which leaves no memory behind."""
    edges = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if len(sys.argv) < 3:
        file = str(Path(tempfile.mkdtemp(), "edges.npy"))
        np.save(file, population(edges).edges)
        os.execv(sys.executable, [sys.executable, *sys.argv[:1], str(edges), file])
    set_up(population(20_000), quiet=True)  # so that all is compiled
    ends = np.load(sys.argv[2])
    Path(sys.argv[2]).unlink()
    ends.setflags(write=False)
    nodes = max(40, edges // 10)
    print("| step | CPU s | bytes an edge, at most | kept | of the process |\n|---|---|---|---|---|")
    set_up(Network(nodes, ends, range(nodes)), quiet=False)


if __name__ == "__main__":
    main()
