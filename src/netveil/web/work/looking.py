"""Who is at risk, by attacker: what `netveil measure` tells, for several attackers at once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from netveil.anonymity import MEASURES, Anonymity
from netveil.cores import available_cores
from netveil.network import Network
from netveil.report.summary import by_degree
from netveil.web.work.opened import attackers_of_query, measured, network_of
from netveil.words import duration

DEAR = ("ego", "hybrid")
"""Measures that compare whole surroundings, which may take long in large networks."""
SECONDS_OF_TRIAL = 0.3
NODES_AT_ONCE = 20
DRAWN_AGAIN = 3  # to tell surroundings apart, they are looked at about so often as to describe them once


def look(order: dict[str, Any]) -> dict[str, Any]:
    """All cheap measures at once, and what the dear ones would cost."""
    network = network_of(order["network"])
    each = []
    for name in MEASURES:
        if name not in DEAR:
            asked = {"measures": [name], "distance": 1, "k": order["k"], "fuzzy": None, "twins": False}
            each.append(measure({"network": order["network"], "attackers": asked}))
    seconds = seconds_of_surroundings(network)
    return {
        "k": order["k"],
        "nodes": network.node_count,
        "edges": network.edge_count,
        "measures": each,
        "dear": [_dear(name, seconds) for name in MEASURES if name in DEAR],
    }


def measure(order: dict[str, Any]) -> dict[str, Any]:
    """Who is at risk to these attackers."""
    network, anonymity = measured(order["network"], order["attackers"])
    return figures(network, anonymity, order["attackers"])


def figures(network: Network, anonymity: Anonymity, asked: dict[str, Any]) -> dict[str, Any]:
    """The document of the contract, and whom the attackers can single out by their number of contacts."""
    attackers = attackers_of_query(asked)
    return {
        "name": attackers.name,
        "title": ", or ".join(each.title for each in attackers.each),
        "knowledge": attackers.knowledge,
        "figures": anonymity.to_dict(),
        "edges_at_risk": len(anonymity.edges_at_risk(network)),
        "by_degree": [
            {"degree": row["degree"], "people": row["people"], "at_risk": row["before"]}
            for row in by_degree(network, anonymity, anonymity)
        ],
    }


def _dear(name: str, seconds: float) -> dict[str, Any]:
    found = MEASURES[name]
    return {
        "name": name,
        "title": getattr(found, "title", found.attacker),
        "knowledge": found.attacker,
        "seconds": seconds,
        "cost": "less than a second" if seconds < 1 else f"about {duration(seconds)}",
    }


def seconds_of_surroundings(network: Network) -> float:
    """About how long it takes to compare everybody's surroundings, by looking at some people's."""
    from netveil.kernels.counting.balls import ball_shapes, in_threads

    order = np.random.default_rng(0).permutation(network.node_count)
    in_threads(ball_shapes, network.csr, order[:1], 1, 1)  # compiled, or taken from the cache
    began, looked_at = time.perf_counter(), 0
    while looked_at < len(order) and time.perf_counter() - began < SECONDS_OF_TRIAL:
        some = order[looked_at : looked_at + NODES_AT_ONCE]
        in_threads(ball_shapes, network.csr, some, 1, 1)
        looked_at += len(some)
    each = (time.perf_counter() - began) / max(looked_at, 1)
    return float(f"{DRAWN_AGAIN * each * network.node_count / available_cores():.2g}")
