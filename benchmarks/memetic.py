"""Does crossover between annealed solutions help? A memetic search against annealing of the same length.

    python benchmarks/memetic.py ../shared/networks fb-reed98 grqc --seeds 3

Memetic: parents are annealed for a tenth of the effort each; then, until as many proposals are made as plain
annealing makes, a child takes what both of two parents delete and each other deletion of theirs with chance
one half, is warmed up and annealed again, and replaces the worst parent if it is better.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import netveil as nv
from netveil.search import Outcome

PARENTS = 4
PART = 0.1  # of the effort, for each parent and child


def main() -> None:
    """Print unique nodes left, by network and seed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", type=float, default=1.0)
    arguments = parser.parse_args()
    print("| | plain | memetic |\n|---|---|---|")
    for name in arguments.networks:
        network = nv.read(arguments.folder / f"{name}.txt")
        plain, bred = [], []
        for seed in range(arguments.seeds):
            plain.append(annealed(network, seed, arguments.effort).at_risk_after)
            bred.append(memetic(network, seed, arguments.effort).at_risk_after)
        print(f"| {name} | {np.mean(plain):.1f} {plain} | {np.mean(bred):.1f} {bred} |", flush=True)


def annealed(
    network: nv.Network,
    seed: int,
    effort: float,
    start: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None,
) -> Outcome:
    """One annealing run at 5% of the edges."""
    release = nv.anonymize(network, "5%", seed=seed, settings={"effort": effort}, start=start)
    return release.outcome


def memetic(network: nv.Network, seed: int, effort: float) -> Outcome:
    """The best of a small population whose children are annealed."""
    rng = np.random.default_rng(seed)
    part = effort * PART
    population = [annealed(network, 1000 * seed + number, part) for number in range(PARENTS)]
    for number in range(PARENTS, round(1 / PART)):
        one, other = (population[place] for place in rng.choice(PARENTS, 2, replace=False))
        both = np.intersect1d(one.deleted_edges, other.deleted_edges)
        either = np.setxor1d(one.deleted_edges, other.deleted_edges)
        child = np.union1d(both, either[rng.random(len(either)) < 0.5])
        if len(child) > one.budget:
            child = np.sort(rng.choice(child, one.budget, replace=False))
        found = annealed(network, 1000 * seed + number, part, child)
        population.sort(key=lambda outcome: outcome.at_risk_after)
        if found.at_risk_after < population[-1].at_risk_after:
            population[-1] = found
    return min(population, key=lambda outcome: outcome.at_risk_after)


if __name__ == "__main__":
    main()
