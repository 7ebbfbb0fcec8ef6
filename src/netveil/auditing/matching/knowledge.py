"""Knowledge of an attacker: which ties of the original, and whom she recognises beforehand."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import Situation
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
STANDARD_ERRORS = 3.0  # how far a degree may be from what is expected
MOST_COMPARED = 20_000  # who looks at first sight like more people than this starts without candidates


def features_of(network: Network, bands: int) -> Floats:
    """A row of features a node, as log(1 + x); no number of them can grow when ties are deleted.

    Contacts, triangles, walks of 2, 3 and 4 steps, triangles of contacts, squared contacts of contacts, and
    how many contacts have 2, 4, 8, … contacts or more.
    """
    from netveil.kernels.triangles import triangles_per_node

    one, other = network.edges.T
    nodes, degrees = network.node_count, network.degrees.astype(np.float64)

    def over_contacts(values: Floats) -> Floats:
        summed: Floats = np.bincount(one, values[other], nodes).astype(np.float64)
        return summed + np.bincount(other, values[one], nodes)

    triangles = triangles_per_node(network.edges, network.degrees, available_cores()).astype(np.float64)
    walks = [over_contacts(degrees)]
    walks.append(over_contacts(walks[-1]))
    walks.append(over_contacts(walks[-1]))
    sociable = [over_contacts((degrees >= 2**band).astype(np.float64)) for band in range(1, bands)]
    columns = [degrees, triangles, *walks, over_contacts(triangles), over_contacts(degrees**2), *sociable]
    return np.log1p(np.column_stack(columns))


def feature_space(situation: Situation, simulated: Iterable[tuple[Network, Network]]) -> FeatureSpace:
    """Features of both networks, with the noise of people of each degree.

    The noise is learnt from pairs of simulated networks: what she would know, and what would be published, by
    equal numbers. `thinned_pairs` simulates deletions.
    """
    known, released = situation.known, situation.released
    bands = bands_of(situation)
    hers, theirs, degrees = _simulated(simulated, bands)
    borders = _borders(degrees, PEOPLE_A_FEATURE * hers.shape[1])
    group_of = np.minimum(np.searchsorted(borders, degrees), len(borders) - 1)
    moved = theirs - hers
    shifts, scales = zip(*(_noise(moved[group_of == group]) for group in range(len(borders))), strict=True)
    groups = np.minimum(np.searchsorted(borders, known.degrees), len(borders) - 1).astype(np.int64)
    expected = features_of(known, bands) + np.array(shifts)[groups]
    for group, scale in enumerate(scales):
        expected[groups == group] = expected[groups == group] @ scale
    published = features_of(released, bands)
    scaled = np.stack([(published @ scale).astype(np.float32) for scale in scales])
    return FeatureSpace(expected.astype(np.float32), scaled, groups)


def bands_of(situation: Situation) -> int:
    """How many degrees of contacts are told apart."""
    largest = max(situation.known.degrees.max(initial=1), situation.released.degrees.max(initial=1))
    return int(np.clip(np.ceil(np.log2(largest + 1)), 2, MOST_BANDS))


def _simulated(simulated: Iterable[tuple[Network, Network]], bands: int) -> tuple[Floats, Floats, IntVector]:
    """Features of simulated people as the attacker sees them and as they are published, and their degrees."""
    hers, theirs, degrees = [], [], []
    for seen, published in simulated:
        somebody = seen.degrees > 0
        hers.append(features_of(seen, bands)[somebody])
        theirs.append(features_of(published, bands)[somebody])
        degrees.append(seen.degrees[somebody])
    return np.concatenate(hers), np.concatenate(theirs), np.concatenate(degrees)


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


def thinned(network: Network, share: float, rng: np.random.Generator) -> Network:
    """Keep each tie of a network with this probability."""
    if share >= 1:
        return network
    return network.without_edges(np.flatnonzero(rng.random(network.edge_count) >= share))


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
    reach = STANDARD_ERRORS * np.sqrt(degrees * missing / known) + 1
    highest = degrees if situation.only_deleted else expected + reach
    order = np.argsort(published, kind="stable")
    ascending = published[order]
    first = np.searchsorted(ascending, np.maximum(expected - reach, 1), side="left")
    last = np.searchsorted(ascending, highest, side="right")
    if situation.added_share >= 1:
        first, last = np.full(len(degrees), np.searchsorted(ascending, 1)), np.full(len(degrees), len(order))
    compared = (degrees > 0) & (last - first <= MOST_COMPARED)
    return Windows(order, first, np.where(compared, np.maximum(first, last), first))


Chosen = Literal["random", "best-connected"]
"""How seeds are chosen: people whom the attacker recognises beforehand."""


@dataclass(frozen=True)
class Knowledge:
    """Kind of knowledge: share and choice of ties, number and choice of seeds."""

    known: float = 1.0  # share of the original's ties
    ties: Literal["random", "community"] = "random"  # which: any, or all within one group of people
    seeds: int = 0  # people whom she recognises beforehand
    chosen: Chosen = "random"  # which people those are

    def __str__(self) -> str:
        share = f"{100 * self.known:g}% of the ties"
        where = ", one community" if self.ties == "community" else ""
        seeds = f", {self.seeds:,} {self.chosen} seeds" if self.seeds else ""
        return f"{share}{where}{seeds}"


@dataclass(frozen=True, eq=False)
class Known:
    """Knowledge drawn from one original: a network of her people, by numbers of her own."""

    network: Network
    people: IntVector  # the original's node that each of hers is
    share: float  # of the ties of her people, how many she knows
    seeds: IntVector  # her nodes whom she recognises


def draw_known(original: Network, knowledge: Knowledge, rng: np.random.Generator) -> Known:
    """Draw an attacker's knowledge; the order of her people tells nothing."""
    if knowledge.ties == "community" and knowledge.known < 1:
        members = np.sort(grow_community(original, knowledge.known, rng))
    else:
        members = np.arange(original.node_count)
    within = _induced(original, members)
    if knowledge.ties == "random":
        within = thinned(within, knowledge.known, rng)
    new_number = rng.permutation(len(members))
    network = within.relabelled(new_number)
    people = members[np.argsort(new_number)]
    ends = int(original.degrees[members].sum())
    share = 2 * network.edge_count / ends if ends else 1.0
    return Known(network, people, share, _seeds(network, knowledge, rng))


def _induced(original: Network, members: IntVector) -> Network:
    """The network of these people and the ties among them, numbered in their order, without labels."""
    number = np.full(original.node_count, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    ends = number[original.edges]
    return Network.from_numbered_edges(ends[(ends >= 0).all(axis=1)], len(members))


def _seeds(network: Network, knowledge: Knowledge, rng: np.random.Generator) -> IntVector:
    """Draw seeds among people with ties, or take the best-connected; fewer if there are not enough."""
    somebody = rng.permutation(np.flatnonzero(network.degrees > 0))
    if knowledge.chosen == "best-connected":
        somebody = somebody[np.argsort(-network.degrees[somebody], kind="stable")]
    return np.sort(somebody[: knowledge.seeds])


def grow_community(original: Network, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Grow a group around somebody until it holds this share of all ties.

    Whoever has the largest part of their contacts in the group joins it next. Where nobody outside has any,
    the group goes on around somebody else. O(m log m).
    """
    goal = share * original.edge_count
    inside = np.zeros(original.node_count, dtype=bool)
    contacts_inside = [0] * original.node_count
    degrees = original.degrees.tolist()
    luck = rng.random(original.node_count).tolist()  # decides among equals
    starts = iter(rng.permutation(original.node_count).tolist())
    waiting: list[tuple[float, float, int]] = []
    ties = 0
    while ties < goal:
        joins = heapq.heappop(waiting)[-1] if waiting else next(starts)
        if inside[joins]:
            continue
        inside[joins] = True
        ties += contacts_inside[joins]
        for contact in original.neighbours(joins).tolist():
            if not inside[contact]:
                contacts_inside[contact] += 1
                heapq.heappush(
                    waiting, (-contacts_inside[contact] / degrees[contact], luck[contact], contact)
                )
    return np.flatnonzero(inside)
