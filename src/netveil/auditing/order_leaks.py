"""An order that repeats the original's: labels are gone, yet the first person is still the first.

Fresh numbers are safe only if they were drawn at random. If it is known who is who, the numbers are compared
with the original's order directly. An attacker, who does not know, can take the two orders for the same and
count the edges that coincide; this is tried in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.identity import Identity
from netveil.auditing.label_leaks import plain_numbers
from netveil.auditing.leak import Leak
from netveil.label_order import label_order
from netveil.network import Network

STANDARD_ERRORS = 5  # by chance alone, one in millions of random orders goes that far
SAME_FILE_ORDER = 0.5  # share of coinciding edges; in files, the well connected come early anyway

REMEDY = "Number the nodes in random order and sort the edges by number, as netveil anonymize does."


def order_leaks(original: Network, released: Network, identity: Identity) -> Iterator[Leak]:
    """At most one finding. Labels of the original are not looked at: their order adds nothing."""
    if released.node_count > original.node_count or released.edge_count == 0:
        return
    numbers = plain_numbers(released)
    if numbers is None:
        if not {str(label) for label in released.labels} <= {str(label) for label in original.labels}:
            yield from _same_file_order(original, released)
        return
    published = np.array(numbers, dtype=np.int64) - min(numbers)
    for name, rank in _ranks(original).items():
        if identity.people is not None:
            correlation = _correlation(rank[identity.people], published)
            if abs(correlation) * sqrt(original.node_count - 1) >= STANDARD_ERRORS:
                finding = f"The published numbers follow {name} (rank correlation {correlation:+.2f})."
                yield Leak("leak", "order", finding, REMEDY)
                return
        if published.max() >= original.node_count:
            continue
        in_order = np.argsort(rank)
        if any(_coincides(original, released, people[published]) for people in (in_order, in_order[::-1])):
            finding = f"If the published numbers are taken for {name}, more edges coincide than by chance."
            yield Leak("leak", "order", finding, REMEDY)
            return


def _same_file_order(original: Network, released: Network) -> Iterator[Leak]:
    coinciding = original.shared_edges(released.edges) / released.edge_count
    if coinciding >= SAME_FILE_ORDER:
        finding = f"Nodes appear in the order of the original: {coinciding:.0%} of the edges coincide."
        yield Leak("leak", "order", finding, REMEDY)


def _coincides(original: Network, released: Network, person: NDArray[np.int64]) -> bool:
    """Whether the edges of both coincide far more than by chance, if released node w were `person[w]`.

    The number of edges that a random numbering makes coincide has the mean m p, p being the density of the
    original. Its variance is m p (1 - p), plus what unequal degrees add: where people with many
    contacts meet each other by chance, many edges coincide at once.
    """
    nodes = original.node_count
    if nodes < 3:
        return False
    density = original.edge_count / (nodes * (nodes - 1) / 2)
    mean = released.edge_count * density
    spreads = [float(np.square(side.degrees - side.degrees.mean()).sum()) for side in (original, released)]
    variance = mean * (1 - density) + spreads[0] * spreads[1] / ((nodes - 1) * (nodes - 2) ** 2)
    beyond = original.shared_edges(person[released.edges]) - mean
    return beyond >= STANDARD_ERRORS * (1 + sqrt(variance))


def _ranks(original: Network) -> dict[str, NDArray[np.int64]]:
    """The place of each node of the original, in each order that a release may have kept."""
    return {
        "the order of nodes in the original": np.arange(original.node_count),
        "the order of labels in the original": np.argsort(label_order(original.labels)),
    }


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Between the ranks of the same nodes in two orders (Spearman), 0 where there is nothing to rank."""
    if len(one) < 2:
        return 0.0
    ranks, other_ranks = (np.argsort(np.argsort(order)) for order in (one, other))
    return float(np.corrcoef(ranks, other_ranks)[0, 1])
