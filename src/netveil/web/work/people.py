"""One person after the other: who is at risk, who looks like them, and why. Private: it holds labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from netveil.anonymity import Anonymity
from netveil.anonymity.people import attackers_by_name, riskiest_first, states_in_words
from netveil.errors import SettingError
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.web.work.opened import measured, release_of
from netveil.words import counted

MOST_ROWS = 500
MOST_CONTACTS = 200
MOST_LOOKALIKES = 50


def people(order: dict[str, Any]) -> dict[str, Any]:
    """Those at risk, the riskiest first; or whoever has a text in the label."""
    network, anonymity = measured(order["network"], order["attackers"])
    wanted = order["find"].casefold()
    if wanted:
        nodes = np.array(
            [node for node, label in enumerate(network.labels) if wanted in str(label).casefold()],
            dtype=np.int64,
        )
    else:
        nodes = np.flatnonzero(anonymity.nodes_at_risk)
    in_order = riskiest_first(nodes, anonymity, network)
    first, count = order["offset"], min(order["limit"], MOST_ROWS)
    shown = in_order[first : first + count]
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
    each = anonymity.each or (anonymity,)
    told = [
        {
            "name": one.attackers[0].name,
            "title": one.attackers[0].title,
            "knowledge": one.attackers[0].knowledge,
            "state": states_in_words(network, one, alone)[0],
            "class_size": int(one.lookalikes[node]),
            "at_risk": bool(one.nodes_at_risk[node]),
        }
        for one in each
    ]
    alike = np.flatnonzero(anonymity.class_of == anonymity.class_of[node])
    alike = alike[alike != node]
    contacts = network.neighbours(node)
    in_order = riskiest_first(contacts.astype(np.int64), anonymity, network)
    return {
        **_rows(network, anonymity, alone)[0],
        "why": _why(told, anonymity.k),
        "attackers": told,
        "among": _rows(network, anonymity, in_order[:MOST_CONTACTS]),
        "lookalikes": _rows(network, anonymity, alike[:MOST_LOOKALIKES]),
        "lookalikes_total": len(alike),
    }


def people_of_release(order: dict[str, Any]) -> dict[str, Any]:
    """Who was at risk and who still is: the rows of private/people_at_risk.csv."""
    rows = release_of(order["release"]).people
    first, count = order["offset"], min(order["limit"], MOST_ROWS)
    shown = [
        {name: getattr(row, name) for name in rows.columns} | {"label": str(row.label)}
        for row in rows[first : first + count]
    ]
    return {"total": len(rows), "rows": shown}


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
    """In a sentence: what gives this person away, or hides them."""
    risky = [row for row in told if row["at_risk"]]
    if not risky:
        fewest = min(row["class_size"] for row in told)
        others = counted(fewest - 1, "other person looks", "other people look")
        return f"Not at risk: {others} the same to every attacker that was asked about."
    by = min(risky, key=lambda row: int(row["class_size"]))
    state = "" if by["state"].startswith("class ") else f" ({by['state']})"
    if by["class_size"] == 1:
        alike = "Nobody else has such surroundings"
    else:
        others = by["class_size"] - 1
        alike = f"Only {others:,} other{'s' if others > 1 else ''} of the {k - 1:,} needed" if k > 2 else ""
        alike += f" {'has' if others == 1 else 'have'} such surroundings"
    return (
        f"{alike}{state}: an attacker who {by['knowledge']} can tell who this is{_among(by['class_size'])}."
    )


def _among(size: int) -> str:
    return "" if size == 1 else f", among {size:,} people"
