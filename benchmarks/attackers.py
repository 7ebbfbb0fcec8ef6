"""Every attacker: how long it takes to measure, how fast GA and the annealing follow, and what they leave.

    python benchmarks/attackers.py ../shared/networks/fb-simmons.txt --measure-only
    python benchmarks/attackers.py ../shared/networks/college-msg.txt --time 5

Measuring is timed in this process after compiling, best of three. The searches run for the same time with
two threads, GA and UGA without their stop after 40 generations in vain.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import netveil as nv
from netveil.anonymity import MEASURES

ATTACKERS: dict[str, dict[str, Any]] = {
    **{name: {"measure": name} for name in MEASURES},
    "count, fuzzy 5%": {"measure": "count", "fuzzy": "5%"},
    "count, twin classes": {"measure": "count", "twins": True},
    "count + vertex-refinement": {"measure": ["count", "vertex-refinement"]},
    "count, distance 2": {"measure": "count", "distance": 2},
    "vertex-refinement, distance 2": {"measure": "vertex-refinement", "distance": 2},
    "ego, distance 2": {"measure": "ego", "distance": 2},
}
ALGORITHMS = ("annealing", "uga", "ga")


def main() -> None:
    """Print a row for each attacker."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", type=Path)
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--time", type=float, default=5.0)
    parser.add_argument("--attackers", nargs="+", default=list(ATTACKERS), choices=ATTACKERS)
    arguments = parser.parse_args()
    network = nv.read(arguments.network)
    algorithms = () if arguments.measure_only else ALGORITHMS
    print(f"| {network.name} | at risk | measuring |" + "".join(f" {name} |" for name in algorithms))
    print("|---|---|---|" + "---|" * len(algorithms))
    for name in arguments.attackers:
        attacker = ATTACKERS[name]
        at_risk, seconds = measured(network, attacker)
        cells = [searched(network, attacker, algorithm, arguments.time) for algorithm in algorithms]
        print(
            f"| {name} | {at_risk:,} | {seconds:.3f} s |" + "".join(f" {cell} |" for cell in cells),
            flush=True,
        )


def measured(network: nv.Network, attacker: dict[str, Any]) -> tuple[int, float]:
    """Nodes at risk, and how long it took to find out."""
    at_risk = nv.measure(network, **attacker).at_risk
    times = []
    for _ in range(3):
        began = time.perf_counter()
        nv.measure(network, **attacker)
        times.append(time.perf_counter() - began)
    return at_risk, min(times)


def searched(network: nv.Network, attacker: dict[str, Any], algorithm: str, seconds: float) -> str:
    """Nodes at risk after a search, and solutions tried a second."""
    settings = {} if algorithm == "annealing" else {"patience": 10**9}
    outcome = nv.anonymize(
        network, algorithm=algorithm, seed=1, time=seconds, threads=2, settings=settings, **attacker
    ).outcome
    return f"{outcome.at_risk_after:,} ({outcome.evaluations / outcome.seconds:,.0f}/s)"


if __name__ == "__main__":
    main()
