"""What one constant of the annealing brings: people left at risk by single chains, as it is and with others.

    python benchmarks/ingredients.py ../shared/networks/blogs.txt --proposals 12_000_000 --seeds 6 \\
        FIRST_UNIT=16 FLAT=0 FLAT=0,FIRST_UNIT=16

Each further argument is a row: one constant, or several with commas between them, of
search/annealing/walk.py and build_walk.py. All rows have the same seeds and make as many proposals; the
last column tells what a proposal costs. Seeds that choose a constant are not those of docs/results.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.search import Problem
from netveil.search.annealing import walk
from netveil.search.annealing.chains import Chain

PROCESSES = 2
LEGS = 400


def main() -> None:
    """Print the table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("file")
    parser.add_argument("changes", nargs="*")
    parser.add_argument("--proposals", type=int, default=12_000_000)
    parser.add_argument("--budget", type=float, default=0.05, help="share of the edges")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first-seed", type=int, default=31)
    options = parser.parse_intermixed_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    print("| | left | standard error | each seed | CPU µs a proposal |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(PROCESSES) as processes:
        for change in ("", *options.changes):
            walks = processes.map(left_by_chain, [(options, change, seed) for seed in seeds])
            left, seconds = zip(*walks, strict=True)
            cells = (
                change or "as it is",
                f"{np.mean(left):.1f}",
                f"{np.std(left, ddof=1) / len(left) ** 0.5:.1f}",
                ", ".join(map(str, left)),
                f"{np.mean(seconds) / options.proposals * 1e6:.2f}",
            )
            print("| " + " | ".join(cells) + " |", flush=True)


def left_by_chain(given: tuple[argparse.Namespace, str, int]) -> tuple[int, float]:
    """People at risk in the best solution that a chain met, and CPU seconds of its walk."""
    options, change, seed = given
    network = nv.read(options.file)
    budget, order = int(options.budget * network.edge_count), np.arange(network.edge_count)
    with changed(change):
        problem = Problem(network, attackers_of("count"), k=2, budget=budget, edge_order=order)
        chain, plan = Chain(problem, seed), walk.Schedule.fit_for(problem, budget, 0)
        chain.advance(plan, 0, 0.0, 0.0)  # compiles
        began = time.process_time()
        for leg in range(LEGS):
            chain.advance(plan, options.proposals // LEGS, leg / LEGS, (leg + 1) / LEGS)
    return chain.at_risk, time.process_time() - began


@contextmanager
def changed(change: str) -> Iterator[None]:
    """Other constants for a while: `NAME=number`, with commas between several."""
    before = []
    for name, number in (each.split("=") for each in change.split(",") if each):
        modules = [module for module in (walk, walk) if hasattr(module, name)]
        if not modules:
            raise SystemExit(f"{name}: no constant of schedule.py or build_walk.py")
        for module in modules:
            before.append((module, name, getattr(module, name)))
            setattr(module, name, type(before[-1][2])(float(number)))
    yield
    for module, name, value in before:
        setattr(module, name, value)


if __name__ == "__main__":
    main()
