"""People at risk by attacker, and single people with their lookalikes. Private: holds labels."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from netveil.anonymity import MEASURES, Anonymity
from netveil.anonymity.partition import attackers_by_name, riskiest_first, states_in_words
from netveil.errors import SettingError
from netveil.formatting import counted, duration
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.report.summary import by_degree
from netveil.synthetic import ceilings
from netveil.threads import available_cores
from netveil.web.work.loading import measured, network_of

DEAR = ("ego", "hybrid")
"""Measures that compare whole surroundings, which may take long in large networks."""
SECONDS_OF_TRIAL = 0.3
NODES_AT_ONCE = 20
DRAWN_AGAIN = 3  # to tell surroundings apart, they are looked at about so often as to describe them once


def look(order: dict[str, Any]) -> dict[str, Any]:
    """All cheap measures at once, and what the dear ones would cost."""
    network = network_of(order["network"])
    asked = {"distance": 1, "k": order["k"], "fuzzy": None, "twins": False}
    cheap = [asked | {"measures": [name]} for name in MEASURES if name not in DEAR]
    seconds = seconds_of_surroundings(network)
    return {
        "k": order["k"],
        "nodes": network.node_count,
        "edges": network.edge_count,
        "measures": [measure({"network": order["network"], "attackers": each}) for each in cheap],
        "dear": [_dear(name, seconds) for name in MEASURES if name in DEAR],
    }


def measure(order: dict[str, Any]) -> dict[str, Any]:
    """Measure a network: the document of the contract, and people by number of contacts."""
    network, anonymity = measured(order["network"], order["attackers"])
    attackers = Anonymization.from_document(order["attackers"]).attackers
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
        "title": found.title or found.attacker,
        "knowledge": found.attacker,
        "seconds": seconds,
        "cost": "less than a second" if seconds < 1 else f"about {duration(seconds)}",
    }


def seconds_of_surroundings(network: Network) -> float:
    """About how long it takes to compare everybody's surroundings, by looking at some people's."""
    from netveil.kernels.balls import ball_shapes, in_threads

    order = np.random.default_rng(0).permutation(network.node_count)
    in_threads(ball_shapes, network.csr, order[:1], 1, 1)  # compiled, or taken from the cache
    began, looked_at = time.perf_counter(), 0
    while looked_at < len(order) and time.perf_counter() - began < SECONDS_OF_TRIAL:
        some = order[looked_at : looked_at + NODES_AT_ONCE]
        in_threads(ball_shapes, network.csr, some, 1, 1)
        looked_at += len(some)
    each = (time.perf_counter() - began) / max(looked_at, 1)
    return float(f"{DRAWN_AGAIN * each * network.node_count / available_cores():.2g}")


MOST_ROWS = 500
MOST_CONTACTS = 200
MOST_LOOKALIKES = 50


def people(order: dict[str, Any]) -> dict[str, Any]:
    """People at risk, the riskiest first; or people whose label has a text in it."""
    network, anonymity = measured(order["network"], order["attackers"])
    wanted = order["find"].casefold()
    if wanted:
        chosen = np.array([wanted in str(label).casefold() for label in network.labels], dtype=bool)
    else:
        chosen = anonymity.nodes_at_risk
    in_order = riskiest_first(np.flatnonzero(chosen), anonymity, network)
    shown = in_order[order["offset"] :][: min(order["limit"], MOST_ROWS)]
    states, attackers = states_in_words(network, anonymity, shown), attackers_by_name(anonymity, shown)
    rows = [
        {**row, "state": state, "attackers": by}
        for row, state, by in zip(_rows(network, anonymity, shown), states, attackers, strict=True)
    ]
    return {"total": len(in_order), "rows": rows}


def person(order: dict[str, Any]) -> dict[str, Any]:
    """One person: contacts, lookalikes, and why they are at risk."""
    network, anonymity = measured(order["network"], order["attackers"])
    node = order["node"]
    if not 0 <= node < network.node_count:
        raise SettingError(f"person {node}: the network has {network.node_count:,}, counted from 0.")
    alone = np.array([node])
    told = [
        {
            "name": one.attackers[0].name,
            "title": one.attackers[0].title,
            "knowledge": one.attackers[0].knowledge,
            "state": states_in_words(network, one, alone)[0],
            "class_size": int(one.lookalikes[node]),
            "at_risk": bool(one.nodes_at_risk[node]),
        }
        for one in anonymity.each or (anonymity,)
    ]
    alike = np.flatnonzero(anonymity.class_of == anonymity.class_of[node])
    alike = alike[alike != node]
    contacts = riskiest_first(network.neighbours(node).astype(np.int64), anonymity, network)
    return {
        **_rows(network, anonymity, alone)[0],
        "why": _why(told, anonymity.k),
        "attackers": told,
        "among": _rows(network, anonymity, contacts[:MOST_CONTACTS]),
        "lookalikes": _rows(network, anonymity, alike[:MOST_LOOKALIKES]),
        "lookalikes_total": len(alike),
    }


def ceilings_of(order: dict[str, Any]) -> dict[str, Any]:
    """Upper bounds on people found in synthetic networks of several k; nothing is drawn."""
    return {"ceilings": [each._asdict() for each in ceilings(network_of(order["network"]))]}


def _rows(network: Network, anonymity: Anonymity, nodes: IntVector) -> list[dict[str, Any]]:
    return [
        {
            "node": node,
            "label": str(network.labels[node]),
            "contacts": int(network.degrees[node]),
            "class_size": int(anonymity.lookalikes[node]),
            "at_risk": bool(anonymity.nodes_at_risk[node]),
        }
        for node in nodes.tolist()
    ]


def _why(told: list[dict[str, Any]], k: int) -> str:
    """Sentence on what gives a person away, or hides them."""
    risky = [row for row in told if row["at_risk"]]
    if not risky:
        fewest = min(row["class_size"] for row in told)
        others = counted(fewest - 1, "other person looks", "other people look")
        return f"Not at risk: {others} the same to every attacker that was asked about."
    by = min(risky, key=lambda row: int(row["class_size"]))
    state = "" if by["state"].startswith("class ") else f" ({by['state']})"
    others, alike, among = by["class_size"] - 1, "Nobody else has", ""
    if others:  # fewer than k - 1, so k is at least 3
        other, have = ("other", "has") if others == 1 else ("others", "have")
        alike = f"Only {others:,} {other} of the {k - 1:,} needed {have}"
        among = f", among {by['class_size']:,} people"
    return f"{alike} such surroundings{state}: an attacker who {by['knowledge']} can tell who this is{among}."
