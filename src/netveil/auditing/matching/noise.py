"""Noise that an attacker allows for: how far features may be off, and whether ties were added or swapped.

Nothing grows by deleting ties: no degree, no number of triangles or walks. So with the whole original at
hand, the features of all people in descending order tell: one above the original's, and ties were added; as
many ties and other features, and ties were swapped. Then several shares of ties are swapped in the network
that she has, anywhere or inside communities, or deleted and replaced; the simulation whose features are
nearest tells the noise. Whoever knows a part of the ties does so with as large a part of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from netveil.auditing.matching.matcher import Situation, thinned
from netveil.kernels.arrays import IntVector
from netveil.kernels.matching import FeatureSpace, Floats, Windows
from netveil.network import Network
from netveil.threads import available_cores

# What an attacker expects a person's features to be in the release, and how far they may be off.
#
# She cannot know which ties were deleted, but she can delete as many at random from the network that she
# has, and look what becomes of everybody's features. That tells her how far each feature moves, and which
# of them move together.


MOST_BANDS = 9  # contacts with 2, 4, 8, … 256 contacts or more
PEOPLE_SIMULATED = 10_000  # as many at least, over all simulations
FEWEST_SIMULATIONS, MOST_SIMULATIONS = 2, 50
SIMILAR = 1.25  # ratio of degrees within a group
PEOPLE_A_FEATURE = 20  # of similar degree, for the noise of each feature and its covariance
RIDGE = 1e-3  # of the mean variance: keeps features that move as one from dividing by nothing
DEGREE_ERRORS = 3.0  # standard errors: how far a degree may be from what is expected
NETWORKS_SIMULATED = 100  # of one size, whose features are taken in an audit: as many at least
MOST_COMPARED = 20_000  # who looks at first sight like more people than this starts without candidates


def features_of(network: Network, bands: int) -> Floats:
    """A row of features a node, as log(1 + x); no number of them can grow when ties are deleted.

    Contacts, triangles, walks of 2, 3 and 4 steps, triangles of contacts, squared contacts of contacts, and
    how many contacts have 2, 4, 8, … contacts or more.
    """
    from netveil.kernels.triangles import triangles_per_node

    contacts, degrees = network.to_scipy(), network.degrees.astype(np.float64)
    triangles = triangles_per_node(
        network.edges, network.degrees, available_cores(), times=NETWORKS_SIMULATED
    ).astype(np.float64)
    two_steps = contacts @ degrees
    three_steps = contacts @ two_steps
    sociable = [degrees >= 2**band for band in range(1, bands)]
    beside = contacts @ np.column_stack([three_steps, triangles, degrees**2, *sociable])
    return np.asarray(np.log1p(np.column_stack([degrees, triangles, two_steps, three_steps, beside])))


def feature_space(situation: Situation, pairs: Iterable[tuple[Network, Network]]) -> FeatureSpace:
    """Features of both networks, with the noise of people of each degree.

    The noise is learnt from pairs of simulated networks: what she would know, and what would be published, by
    equal numbers. `thinned_pairs` simulates deletions.
    """
    known, bands = situation.known, bands_of(situation)
    of_known = features_of(known, bands)
    moves, degrees = [], []
    for seen, published in pairs:
        somebody = seen.degrees > 0
        before = of_known if seen is known else features_of(seen, bands)
        moves.append((features_of(published, bands) - before)[somebody])
        degrees.append(seen.degrees[somebody])
    moved, degree = np.concatenate(moves), np.concatenate(degrees)
    borders = _borders(degree, PEOPLE_A_FEATURE * moved.shape[1])
    group_of = np.minimum(np.searchsorted(borders, degree), len(borders) - 1)
    shifts, scales = zip(*(_noise(moved[group_of == group]) for group in range(len(borders))), strict=True)
    groups = np.minimum(np.searchsorted(borders, known.degrees), len(borders) - 1).astype(np.int64)
    expected = of_known + np.array(shifts)[groups]
    for group, scale in enumerate(scales):
        expected[groups == group] = expected[groups == group] @ scale
    there = features_of(situation.released, bands)
    scaled = np.stack([(there @ scale).astype(np.float32) for scale in scales])
    return FeatureSpace(expected.astype(np.float32), scaled, groups)


def bands_of(situation: Situation) -> int:
    """How many degrees of contacts are told apart."""
    largest = max(situation.known.degrees.max(initial=1), situation.released.degrees.max(initial=1))
    return int(np.clip(np.ceil(np.log2(largest + 1)), 2, MOST_BANDS))


def simulations(nodes: int) -> int:
    """How many simulations give enough people."""
    return int(np.clip(PEOPLE_SIMULATED // max(nodes, 1), FEWEST_SIMULATIONS, MOST_SIMULATIONS))


def thinned_pairs(situation: Situation, rng: np.random.Generator) -> Iterator[tuple[Network, Network]]:
    """Simulate deletions.

    The fuller of the two networks stands for the true one: ties are taken out of it at random, once as many
    as she does not know and once as many as are not published.
    """
    known, released = situation.known, situation.released
    true = known if known.edge_count >= released.edge_count else released
    for _ in range(simulations(true.node_count)):
        seen = thinned(true, situation.known_share, rng)
        yield seen, thinned(true, situation.released_share, rng)


def _borders(degrees: IntVector, least: int) -> IntVector:
    """The highest degree of each group of people of similar degree.

    A group has `least` people or more, and its degrees reach up to a quarter more than the lowest.
    """
    ascending = np.sort(degrees)
    borders: list[int] = []
    first = 0
    while first + least < len(ascending):
        highest = max(ascending[first] * SIMILAR, ascending[first + least - 1])
        first = int(np.searchsorted(ascending, highest, side="right"))
        if len(ascending) - first < least:
            break
        borders.append(int(ascending[first - 1]))
    return np.array([*borders, ascending[-1] if len(ascending) else 0])


def _noise(moved: Floats) -> tuple[Floats, Floats]:
    """Mean shift of the features, and the matrix that scales the rest to variance 1."""
    features = moved.shape[1]
    if len(moved) == 0:
        return np.zeros(features), np.eye(features)
    shift = moved.mean(axis=0)
    rest = moved - shift
    covariance = rest.T @ rest / len(rest)
    ridge = RIDGE * max(float(np.trace(covariance)) / features, RIDGE)
    scale = np.linalg.cholesky(np.linalg.inv(covariance + ridge * np.eye(features)))
    return shift, scale


def windows_of(situation: Situation) -> Windows:
    """Range of released nodes with a plausible degree, per person."""
    degrees, published = situation.known.degrees.astype(np.float64), situation.released.degrees
    known, left = situation.known_share or 1.0, situation.released_share  # who knows no tie expects none
    expected = degrees * left / known
    missing = (1 - left) + (1 - known) + 2 * situation.added_share
    reach = DEGREE_ERRORS * np.sqrt(degrees * missing / known) + 1
    highest = degrees if situation.only_deleted else expected + reach
    order = np.argsort(published, kind="stable")
    ascending = published[order]
    first = np.searchsorted(ascending, np.maximum(expected - reach, 1), side="left")
    last = np.searchsorted(ascending, highest, side="right")
    if situation.added_share >= 1:
        first, last = np.full(len(degrees), np.searchsorted(ascending, 1)), np.full(len(degrees), len(order))
    compared = (degrees > 0) & (last - first <= MOST_COMPARED)
    return Windows(order, first, np.where(compared, np.maximum(first, last), first))


# Whether ties were added or swapped, not only deleted, and how many: learnt as an attacker would.


SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # of the ties that are tried as made up
LEAST_TOLD = 0.2  # share that whoever knows a part of the ties can tell
CLEARLY_NEARER = 0.65  # distance against deletions' that whoever knows a part of the ties goes by
FEW_TRIANGLES = 0.85  # of those that random deletions leave; netveil's leave more
TRIANGLE_ERRORS = 5.0  # standard errors of a number of triangles, beyond that
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
    from netveil.utility.metric import seeded

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
    return bool(theirs < FEW_TRIANGLES * expected - TRIANGLE_ERRORS * np.sqrt(expected))


def simulated(situation: Situation, rng: Random) -> tuple[Situation, Iterator[tuple[Network, Network]]]:
    """Learn the noise and simulate it; returns what she then knows of the release, and pairs of networks."""
    noise = learnt_noise(situation, rng.spawn(1)[0])
    if noise is None:
        return situation, thinned_pairs(situation, rng)
    situation = replace(situation, added_share=noise.share, only_deleted=False)
    return situation, noisy_pairs(situation, noise, rng)


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
