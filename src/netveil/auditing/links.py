"""Which node of one release is which of another, by structure alone: who has both needs no labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Situation
from netveil.auditing.matching.matchers import MATCHERS, STRONGEST
from netveil.network import Network


def linked_by_structure(
    first: Network, second: Network, edges: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """For each node of the first the node of the second that is claimed to be the same, or NOBODY.

    `edges` is how many the original has, of which a release tells its share. Neither release is a part of the
    other. The order of nodes and their labels are not looked at.
    """
    if first.edge_count == 0 or second.edge_count == 0:
        return np.full(first.node_count, NOBODY, dtype=np.int64)
    orders = [rng.permutation(each.node_count) for each in (first, second)]
    mixed = [each.relabelled(order) for each, order in zip((first, second), orders, strict=True)]
    shares = [min(each.edge_count / max(edges, 1), 1.0) for each in mixed]
    situation = Situation(mixed[0], mixed[1], shares[0], shares[1], only_deleted=False)
    found = MATCHERS[STRONGEST].claims(situation, rng, lambda: None)
    claimed = np.where(found.claimed, found.nodes, NOBODY)[orders[0]]
    return np.where(claimed == NOBODY, NOBODY, np.argsort(orders[1])[claimed])
