"""People at risk by attacker, single people with their lookalikes, and the network laid out to be drawn.

Private: it holds labels. A network is drawn whole if it can be seen so, else a sample around those at risk.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import MEASURES, Anonymity
from netveil.anonymity.circles import edges_around
from netveil.anonymity.partition import attackers_by_name, riskiest_first, states_in_words
from netveil.errors import SettingError
from netveil.formatting import counted, duration
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.report.summary import by_degree, nodes_around
from netveil.synthetic import ceilings
from netveil.threads import available_cores
from netveil.utility.metric import seeded
from netveil.web.loading import measured, network_of, release_of

DEAR = ("ego", "hybrid")
"""Measures that compare whole surroundings, which may take long in large networks."""
SECONDS_AN_EDGE = 3e-8  # of one core, for each edge around people who are alike by degrees
LONG = 0.5  # seconds: up to so long, dear measures are counted with the others


def look(order: dict[str, Any]) -> dict[str, Any]:
    """All measures at once; where it takes long to compare whole surroundings, what that would cost."""
    network = network_of(order["network"])
    asked = {"distance": 1, "k": order["k"], "fuzzy": None, "twins": False}
    by_degrees = asked | {"measures": ["degree-distribution"]}
    alike = measured(order["network"], by_degrees)[1].lookalikes > 1
    seconds = float(f"{SECONDS_AN_EDGE * edges_around(network, 1)[alike].sum() / available_cores():.2g}")
    dear = [name for name in MEASURES if name in DEAR and seconds > LONG]
    at_once = [asked | {"measures": [name]} for name in MEASURES if name not in dear]
    return {
        "k": order["k"],
        "nodes": network.node_count,
        "edges": network.edge_count,
        "measures": [measure({"network": order["network"], "attackers": each}) for each in at_once],
        "dear": [_dear(name, seconds) for name in dear],
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
        "cost": f"about {duration(seconds)}",
    }


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


# The network laid out.


MOST_NODES = 3000  # that a page draws smoothly
MOST_EDGES = 30_000
STARTS = 30  # people at risk, spread over all of them, around whom a sample is taken
FAR_OFF = (
    0.005  # share of the nodes that may lie beyond each border: one that flies off would shrink the rest
)

Flags = NDArray[np.bool_]


def drawing(order: dict[str, Any]) -> dict[str, Any]:
    """A network laid out, with who is at risk."""
    network, anonymity = measured(order["network"], order["attackers"])
    nobody = np.empty(0, dtype=np.int64)
    columns = (anonymity.nodes_at_risk, anonymity.lookalikes)
    drawn, edges = _drawn(network, anonymity.nodes_at_risk, nobody, columns)
    return {**drawn, "edges": edges[:, :2].tolist()}


def drawing_of_release(order: dict[str, Any]) -> dict[str, Any]:
    """The original of a release laid out, with the ties that were deleted, and who was and is at risk."""
    release = release_of(order["release"])
    before, after = release.before, release.after
    risky = after.nodes_at_risk if after.at_risk else before.nodes_at_risk
    columns = (before.nodes_at_risk, after.nodes_at_risk, before.lookalikes, after.lookalikes)
    drawn, edges = _drawn(release.original, risky, release.outcome.deleted_edges, columns)
    return {**drawn, "edges": edges.tolist()}


def _drawn(
    network: Network, at_risk: Flags, deleted: IntVector, columns: tuple[NDArray[Any], ...]
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Nodes with position, columns, degree and number, and sizes; and edges, with whether each is deleted."""
    shown, place_of, edges = _shown(network, at_risk, deleted)
    ends = place_of[network.edges[edges]]
    figures = np.column_stack([each[shown].astype(np.int64) for each in (*columns, network.degrees)])
    places = _positions(len(shown), tuple(map(tuple, ends.tolist())))
    rows = zip(places.tolist(), figures.tolist(), shown.tolist(), strict=True)
    whole = len(shown) == network.node_count
    note = f"A sample of {len(shown):,} of {network.node_count:,} people, around those at risk."
    drawn = {
        "whole": whole,
        "shown": len(shown),
        "people": network.node_count,
        "note": "" if whole else note,
        "nodes": [[*place, *row, node] for place, row, node in rows],
    }
    return drawn, np.column_stack((ends, np.isin(edges, deleted).astype(np.int64)))


def _shown(network: Network, at_risk: Flags, deleted: IntVector) -> tuple[IntVector, IntVector, IntVector]:
    """The nodes to draw, the place of each node among them, and the edges between them."""
    if network.node_count <= MOST_NODES and network.edge_count <= MOST_EDGES:
        everybody = np.arange(network.node_count)
        return everybody, everybody, np.arange(network.edge_count)
    in_order, most = _around(network, at_risk, deleted), MOST_NODES
    while True:
        shown = np.sort(in_order[:most])
        place_of = np.full(network.node_count, -1)
        place_of[shown] = np.arange(len(shown))
        edges = np.flatnonzero((place_of[network.edges] >= 0).all(axis=1))
        if len(edges) <= MOST_EDGES or most < 2:
            return shown, place_of, edges
        most = most * 2 // 3


def _around(network: Network, at_risk: Flags, deleted: IntVector) -> IntVector:
    """Nodes around some of those at risk."""
    risky = np.flatnonzero(at_risk) if at_risk.any() else np.argsort(-network.degrees, kind="stable")[:STARTS]
    is_deleted = np.zeros(network.edge_count, dtype=bool)
    is_deleted[deleted] = True
    starts = risky[np.unique(np.linspace(0, len(risky) - 1, STARTS).astype(int))].tolist()
    return nodes_around(network, starts, MOST_NODES, is_deleted, at_risk)


@lru_cache(6)
def _positions(nodes: int, edges: tuple[tuple[int, int], ...]) -> NDArray[np.float64]:
    """Lay out a graph in the unit square, always in one and the same way."""
    import igraph

    with seeded(1):
        graph = igraph.Graph(n=nodes, edges=edges)
        layout = graph.layout_fruchterman_reingold(niter=500 if nodes <= 300 else 200)
    positions = np.array(layout.coords, dtype=float).reshape(nodes, 2)
    if nodes == 0:
        return positions
    beyond = FAR_OFF if nodes > 300 else 0.0
    low, high = np.quantile(positions, (beyond, 1 - beyond), axis=0)
    placed: NDArray[np.float64] = np.round(np.clip((positions - low) / np.maximum(high - low, 1e-9), 0, 1), 4)
    return placed
