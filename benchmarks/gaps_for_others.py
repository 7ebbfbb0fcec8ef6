"""Do gaps in contacts and triangles help against attackers whose states are not two numbers?

    python benchmarks/gaps_for_others.py ../shared/networks/fb-reed98.txt ../shared/networks/college-msg.txt

Against these attackers the annealing is plain: it looks at who is at risk, and at no gaps. Here it has all of
the time; or half of it, beginning at what the annealing with gaps finds against `count` in the other half,
with half of the budget or with all of it. People left at risk, one row an attacker. Seconds are those of the
processor, shared out among the threads.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

import netveil as nv
from netveil.anonymity import Attackers
from timed_search import timed_search

OTHERS = {
    "degree-distribution": Attackers.of("degree-distribution", k=2),
    "vertex-refinement": Attackers.of("vertex-refinement", k=2),
    "count, fuzzy 5%": Attackers.of("count", fuzzy="5%", k=2),
}
WAYS = ("plain", "after gaps, half the budget", "after gaps, all of it")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--time", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    print("| network | attacker | " + " | ".join(WAYS) + " |\n|---|---|" + "---|" * len(WAYS))
    for file in arguments.files:
        network = nv.read(file)
        for name, attackers in OTHERS.items():
            cells = []
            for way in WAYS:
                left = [
                    left_at_risk(network, attackers, way, arguments.time, 901 + n)
                    for n in range(arguments.seeds)
                ]
                cells.append(f"{np.mean(left):.0f} ({', '.join(map(str, left))})")
            print(f"| {network.name} | {name} | " + " | ".join(cells) + " |", flush=True)


def left_at_risk(network: nv.Network, attackers: Attackers, way: str, seconds: float, seed: int) -> int:
    """People at risk after a search of so many seconds at 5% of the edges."""
    search = partial(timed_search, network, seed=seed, cpu=True)
    if way == "plain":
        return search(0.05, seconds, attackers=attackers).at_risk_after
    share = 0.05 if way.endswith("all of it") else 0.025
    start = search(share, seconds / 2).deleted_edges
    return search(0.05, seconds / 2, attackers=attackers, start=start).at_risk_after


if __name__ == "__main__":
    main()
