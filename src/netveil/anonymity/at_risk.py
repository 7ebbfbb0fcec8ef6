"""Who is at risk in a network to one attacker or to several, from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from netveil.anonymity.attacker import Attacker
from netveil.anonymity.partition import Anonymity, checked_k, classes_of
from netveil.network import Network


def anonymity_of(network: Network, attackers: Sequence[Attacker], k: int) -> Anonymity:
    """Who is at risk in a network, from scratch: those whom any of the attackers can single out."""
    k = checked_k(k, network.node_count)
    each = tuple(_to_one(network, attacker, k) for attacker in attackers)
    if len(each) == 1:
        return each[0]
    class_of, _ = classes_of(np.column_stack([alone.class_of for alone in each]))
    return replace(
        each[0],
        measure=" + ".join(alone.measure for alone in each),
        class_of=class_of,
        lookalikes=reduce(np.minimum, (alone.lookalikes for alone in each)),
        each=each,
    )


def _to_one(network: Network, attacker: Attacker, k: int) -> Anonymity:
    states = attacker.states(network)
    class_of, _ = classes_of(states)
    return Anonymity(
        network=network.name,
        nodes=network.node_count,
        edges=network.edge_count,
        measure=attacker.measure.name,
        distance=attacker.distance,
        k=k,
        class_of=class_of,
        lookalikes=attacker.lookalikes(network, states, class_of),
        fuzzy=attacker.fuzzy,
        twins=attacker.twins,
    )
