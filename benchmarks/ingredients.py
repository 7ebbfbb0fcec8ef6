"""What one constant of the annealing brings: people left at risk by single chains, as it is and with others.

    python -m benchmarks ingredients ../shared/networks/blogs.txt --proposals 12_000_000 --seeds 6 \\
        FIRST_UNIT=16 FLAT=0 FLAT=0,FIRST_UNIT=16

Each further argument is a row: one constant, or several with commas between them, of
search/annealing/walk.py. All rows have the same seeds and make as many proposals; the
last column tells what a proposal costs. Seeds that choose a constant are not those of docs/results.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

from benchmarks import header, opened, parser_of, row
from netveil.anonymity import attackers_of
from netveil.search import Problem
from netveil.search.annealing import walk
from netveil.search.annealing.chains import Chain

PROCESSES = 2
LEGS = 400


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("network", help="a file, or the name of a built-in network")
    parser.add_argument("changes", nargs="*")
    parser.add_argument("--proposals", type=int, default=12_000_000)
    parser.add_argument("--budget", type=float, default=0.05, help="share of the edges")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first-seed", type=int, default=31)
    asked = parser.parse_intermixed_args(argv)
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    header("", "left", "standard error", "each seed", "CPU µs a proposal")
    with ProcessPoolExecutor(PROCESSES) as processes:
        for change in ("", *asked.changes):
            walks = processes.map(left_by_chain, [(asked, change, seed) for seed in seeds])
            left, seconds = zip(*walks, strict=True)
            error = np.std(left, ddof=1) / len(left) ** 0.5
            cost = np.mean(seconds) / asked.proposals * 1e6
            each = ", ".join(map(str, left))
            row(change or "as it is", f"{np.mean(left):.1f}", f"{error:.1f}", each, f"{cost:.2f}")


def left_by_chain(given: tuple[argparse.Namespace, str, int]) -> tuple[int, float]:
    """People at risk in the best solution that a chain met, and CPU seconds of its walk."""
    asked, change, seed = given
    network = opened(asked.network)
    budget, order = int(asked.budget * network.edge_count), np.arange(network.edge_count)
    with changed(change):
        problem = Problem(network, attackers_of("count"), k=2, budget=budget, edge_order=order)
        chain, plan = Chain(problem, seed), walk.Schedule.fit_for(problem, budget, 0)
        chain.walk_along(plan.leg(0, 0.0, 0.0))  # compiles
        began = time.process_time()
        for leg in range(LEGS):
            chain.walk_along(plan.leg(asked.proposals // LEGS, leg / LEGS, (leg + 1) / LEGS))
    return chain.at_risk, time.process_time() - began


@contextmanager
def changed(change: str) -> Iterator[None]:
    """Other constants for a while: `NAME=number`, with commas between several."""
    pairs = [each.split("=") for each in change.split(",") if each]
    if unknown := [name for name, _ in pairs if not hasattr(walk, name)]:
        raise SystemExit(f"{', '.join(unknown)}: no constant of search/annealing/walk.py")
    before = {name: getattr(walk, name) for name, _ in pairs}
    for name, number in pairs:
        setattr(walk, name, type(before[name])(float(number)))
    yield
    for name, value in before.items():
        setattr(walk, name, value)
