"""Whether ties were added or swapped, not only deleted, and how many: learnt as an attacker would.

Nothing grows by deleting ties: no degree, no number of triangles or walks. So with the whole original at
hand, the features of all people in descending order tell: one above the original's, and ties were added; as
many ties and other features, and ties were swapped. Then several shares of ties are swapped in the network
that she has, anywhere or inside communities, or deleted and replaced; the simulation whose features are
nearest tells the noise. Whoever knows a part of the ties does so with as large a part of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from netveil.auditing.matching.knowledge import bands_of, features_of, simulations, thinned
from netveil.auditing.matching.matcher import Situation
from netveil.kernels.arrays import IntVector
from netveil.kernels.matching import Floats
from netveil.network import Network

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # of the ties that are tried as made up
LEAST_TOLD = 0.2  # share that whoever knows a part of the ties can tell
CLEARLY_NEARER = 0.65  # distance against deletions' that whoever knows a part of the ties goes by
FEW_TRIANGLES = 0.85  # of those that random deletions leave; netveil's leave more
STANDARD_ERRORS = 5.0  # of a number of triangles, beyond that
ROUNDING = 1e-9  # sums of many numbers differ in their last bits by the order of nodes

Random = np.random.Generator


@dataclass(frozen=True, eq=False)
class Noise:
    """Model of a release: which share of the ties was replaced, and how."""

    share: float
    replaced: Callable[[Network, float, Random], Network]

    def released(self, network: Network, ties: int, rng: Random) -> Network:
        """Simulate a release of a network that has so many ties."""
        network = self.replaced(network, self.share, rng)
        if network.edge_count > ties:
            return network.without_edges(
                rng.choice(network.edge_count, network.edge_count - ties, replace=False)
            )
        return with_random_ties(network, ties - network.edge_count, rng)


def learnt_noise(situation: Situation, rng: Random) -> Noise | None:
    """Find the noise under which people's features are most like those of the release; None for deletions.

    Whoever knows a part of the ties compares it with as large a part of the release, and must see clearly
    that deletions do not explain it. One group of people cannot be compared so.
    """
    from netveil.utility.side import seeded

    known, released, share = situation.known, situation.released, situation.known_share
    if share >= 1:
        if deletions_explain(situation):
            return None
    elif known.node_count < released.node_count or not _lacks_triangles(situation, rng):
        return None
    part = thinned(released, share, rng)
    seen = _in_order(part, situation)
    with seeded(0):
        community = detected_communities(known)
    inside = partial(swapped_inside, community)
    tried = [Noise(many, way) for way in (swapped_anywhere, inside, deleted_and_added) for many in SHARES]
    tried.append(Noise(0.0, swapped_anywhere))
    far = [
        float(np.abs(_in_order(noise.released(known, part.edge_count, rng), situation) - seen).sum())
        for noise in tried
    ]
    best = int(np.argmin(far[:-1]))
    if share < 1 and (tried[best].share < LEAST_TOLD or far[best] > CLEARLY_NEARER * far[-1]):
        return None
    return tried[best]


def deletions_explain(situation: Situation) -> bool:
    """Whether the release may be the network that she knows less some ties, if she knows all of them."""
    hers, theirs = (_in_order(network, situation) for network in (situation.known, situation.released))
    if situation.known.edge_count == situation.released.edge_count:
        return bool(np.allclose(hers, theirs, atol=ROUNDING))
    return bool((theirs <= hers + ROUNDING).all())


def _lacks_triangles(situation: Situation, rng: Random) -> bool:
    """Whether a part of the release has far fewer triangles than as large a part of the original."""
    from netveil.kernels.triangles import triangles_per_node

    hers, theirs = (
        float(triangles_per_node(network.edges, network.degrees).sum())
        for network in (situation.known, thinned(situation.released, situation.known_share, rng))
    )
    expected = situation.released_share**3 * hers
    return bool(theirs < FEW_TRIANGLES * expected - STANDARD_ERRORS * np.sqrt(expected))


def noisy_pairs(situation: Situation, noise: Noise, rng: Random) -> Iterator[tuple[Network, Network]]:
    """Simulate noise: the network that she knows stands for the true one."""
    known = situation.known
    ties = round(situation.known_share * situation.released.edge_count)
    for _ in range(simulations(known.node_count)):
        yield thinned(known, situation.known_share, rng), noise.released(known, ties, rng)


def _in_order(network: Network, situation: Situation) -> Floats:
    """Each feature of all people, ascending; the smaller network has zeros before."""
    ordered = np.sort(features_of(network, bands_of(situation)), axis=0)
    most = max(situation.known.node_count, situation.released.node_count)
    return np.pad(ordered, ((most - network.node_count, 0), (0, 0)))


def swapped_anywhere(network: Network, share: float, rng: Random) -> Network:
    """Swap so many ties, any with any other; everybody keeps as many contacts."""
    return swapped_inside(np.zeros(network.node_count, np.int64), network, share, rng)


def swapped_inside(community: IntVector, network: Network, share: float, rng: Random) -> Network:
    """Swap so many ties; everybody keeps as many contacts, and as many inside the community."""
    from netveil.kernels.swaps import random_swaps
    from netveil.synthetic.draw_network import edges_of, half_edges

    halves = half_edges(network.edges.astype(np.int64), community)
    # Each of a swap's two ties may have been swapped before.
    swaps = round(-np.log1p(-share) * network.edge_count / 2)
    random_swaps(halves, swaps, rng.integers(2**64, size=1, dtype=np.uint64))
    return Network.from_numbered_edges(edges_of(halves), network.node_count)


def deleted_and_added(network: Network, share: float, rng: Random) -> Network:
    """Delete so many ties, and add as many between anybody."""
    fewer = thinned(network, 1 - share, rng)
    return with_random_ties(fewer, network.edge_count - fewer.edge_count, rng)


def with_random_ties(network: Network, many: int, rng: Random) -> Network:
    """Add random ties; fewer where the network is nearly full."""
    if many <= 0 or network.node_count < 2:
        return network
    drawn = np.sort(rng.integers(network.node_count, size=(2 * many + 10, 2)), axis=1)
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    _, first = np.unique(drawn, axis=0, return_index=True)
    new = drawn[np.sort(first)]
    new = new[~network.are_edges(new)][:many]
    return Network.from_numbered_edges(np.concatenate((network.edges, new)), network.node_count)


def detected_communities(network: Network) -> IntVector:
    """Communities by modularity, with igraph's random generator as it is."""
    import igraph

    graph = igraph.Graph(n=network.node_count, edges=network.edges)
    return np.array(graph.community_leiden("modularity", n_iterations=-1).membership, np.int64)
