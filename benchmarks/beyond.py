"""The annealing beside the paper's algorithms, at equal time and budget; unique nodes left, k = 2.

    python benchmarks/beyond.py ../shared/networks --time 3 --seeds 3
    python benchmarks/beyond.py ../shared/networks --time 60 --seeds 2 --algorithms annealing
    python benchmarks/beyond.py ../shared/networks --time 60 --seeds 1 --algorithms annealing --budget 1%

GA and UGA run without their stop after 40 generations in vain. ES and UA are over at once, so they are
repeated with other seeds until the time is up, and the best counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import netveil as nv

NETWORKS = ("fb-reed98", "blogs", "fb-simmons", "college-msg", "grqc")
ALGORITHMS = ("annealing", "uga", "ga", "ua", "es")


def main() -> None:
    """Print a row for each algorithm."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    parser.add_argument("--budget", default="5%")
    parser.add_argument("--time", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    networks = {name: nv.read(arguments.folder / f"{name}.txt") for name in arguments.networks}
    print("| | " + " | ".join(networks) + " |\n|---|" + "---|" * len(networks))
    for algorithm in arguments.algorithms:
        cells = []
        for network in networks.values():
            runs = [
                unique_left(network, algorithm, arguments.budget, arguments.time, seed)
                for seed in range(1, arguments.seeds + 1)
            ]
            left, rates = zip(*runs, strict=True)
            cells.append(f"{np.mean(left):.1f} {list(left)} {np.mean(rates) / 1e6:.2f}M/s")
            print(f"<!-- {algorithm} {network.name} {cells[-1]} -->", flush=True)
        print(f"| {algorithm} | " + " | ".join(cells) + " |", flush=True)


def unique_left(
    network: nv.Network, algorithm: str, budget: str, seconds: float, seed: int
) -> tuple[int, float]:
    """Unique nodes after a search of so many seconds, and evaluations a second."""
    if algorithm in ("es", "ua"):
        end = time.perf_counter() + seconds
        best, number = network.node_count, 0
        while time.perf_counter() < end:
            release = nv.anonymize(network, budget, algorithm=algorithm, seed=10_000 * seed + number)
            best, number = min(best, release.outcome.at_risk_after), number + 1
        return best, number / seconds
    settings = {} if algorithm == "annealing" else {"patience": 10**9}
    release = nv.anonymize(network, budget, algorithm=algorithm, seed=seed, time=seconds, settings=settings)
    return release.outcome.at_risk_after, release.outcome.evaluations / release.outcome.seconds


if __name__ == "__main__":
    main()
