"""About how long parts of the report of a large network take, to be said before they begin.

Rounded up from what was measured at one and at ten million edges: see docs/scale.md. Of small networks
nothing is said.
"""

from __future__ import annotations

from math import log10

from netveil.auditing.matching.plan import cases_for
from netveil.network import Network
from netveil.utility import MetricSettings, Side
from netveil.utility.communities import number_of_runs

LARGE = 500_000  # edges
TO_SET_UP_BASELINE = 3e-6  # seconds of one core for each edge
A_PATH_STEP, A_LOUVAIN_STEP = 2e-8, 2.5e-6  # for each node and edge end that is looked at
AN_ATTACK = 3.5e-5  # for each edge, all attackers who know surroundings together
A_MARK = 7e-9  # of attackers who match the whole network: `auditing.matching.plan` counts them
FITTING, TENFOLD = 1_000_000, 2.3  # edges; with ten times as many, a step takes so many times as long


def seconds_of_baselines(network: Network, number: int, seconds_of_each: float) -> float:
    """For so many other algorithms, with so much time for each."""
    return number * (seconds_of_each + TO_SET_UP_BASELINE * network.edge_count)


def seconds_of_comparison(network: Network, threads: int) -> float:
    """For all metrics: paths by all threads, communities by one of them meanwhile."""
    side = Side(network, MetricSettings())
    steps = len(side.with_edges) + 2 * network.edge_count
    paths = 2 * A_PATH_STEP * side.source_count * steps
    communities = 2 * A_LOUVAIN_STEP * number_of_runs(side) * steps
    # What does not fit into the processor's caches takes longer.
    slower = TENFOLD ** max(0.0, log10(max(network.edge_count, 1) / FITTING))
    return float(slower * max(communities, (communities + paths) / threads))


def seconds_of_audit(network: Network, threads: int) -> float:
    """For all attackers that are tried for a report."""
    cases, _ = cases_for(network, "brief")
    marks = sum(case.marks(network) for case in cases)
    return AN_ATTACK * network.edge_count + A_MARK * marks / threads
