"""How long `compare` takes, and how far its community score can be trusted.

    python benchmarks/comparing.py ../shared/networks/fb-reed98.txt …

Deletes a twentieth of the edges at random (seed 1) and compares: the score of `communities`, its stability
(how far two halves of the runs on the original agree), and the seconds of the whole comparison.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import netveil as nv


def main() -> None:
    """Print the table."""
    nv.compare(nv.load("karate"), nv.load("karate"))  # compiles
    print("| network | score | stability | seconds |\n|---|---|---|---|")
    for file in sys.argv[1:]:
        network = nv.read(file)
        deleted = np.random.default_rng(1).permutation(network.edge_count)[: network.edge_count // 20]
        start = time.perf_counter()
        communities = nv.compare(network, network.without_edges(deleted)).metrics["communities"].to_dict()
        seconds = time.perf_counter() - start
        score, stability = communities["score"], communities["stability"]
        print(f"| {network.name} | {score:.2f} | {stability:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
