"""Every attacker: how long it takes to measure, how fast GA and the annealing follow, and what they leave.

    python -m benchmarks attackers ../shared/networks/fb-simmons.txt --measure-only
    python -m benchmarks attackers ../shared/networks/college-msg.txt --time 5

Measuring is timed in this process after compiling, best of three. The searches run for the same time with
two threads, GA and UGA without their stop after 40 generations in vain.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import netveil as nv
from benchmarks import best_of, header, opened, parser_of, row
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


def main(argv: list[str]) -> None:
    """Print a row for each attacker."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("network", help="a file, or the name of a built-in network")
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--time", type=float, default=5.0)
    parser.add_argument("--attackers", nargs="+", default=list(ATTACKERS), choices=ATTACKERS)
    asked = parser.parse_args(argv)
    network = opened(asked.network)
    algorithms = () if asked.measure_only else ALGORITHMS
    header(network.name, "at risk", "measuring", *algorithms)
    for name in asked.attackers:
        attacker = ATTACKERS[name]
        at_risk = nv.measure(network, **attacker).at_risk  # compiles
        seconds = best_of(3, partial(nv.measure, network, **attacker))
        found = (searched(network, attacker, algorithm, asked.time) for algorithm in algorithms)
        row(name, f"{at_risk:,}", f"{seconds:.3f} s", *found)


def searched(network: nv.Network, attacker: dict[str, Any], algorithm: str, seconds: float) -> str:
    """Nodes at risk after a search, and solutions tried a second."""
    settings = {} if algorithm == "annealing" else {"patience": 10**9}
    outcome = nv.anonymize(
        network, algorithm=algorithm, seed=1, time=seconds, threads=2, settings=settings, **attacker
    ).outcome
    return f"{outcome.at_risk_after:,} ({outcome.evaluations / outcome.seconds:,.0f}/s)"
