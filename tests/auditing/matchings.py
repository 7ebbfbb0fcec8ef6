"""What tests of attackers who match whole networks share: networks, and a match whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import igraph
import networkx
import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import Claims, Knowledge, Matcher, Situation
from netveil.auditing.matching.score import Matching, Score
from netveil.network import Network
from netveil.studies.generators import generate


def nothing(share: float = 1.0) -> None:
    """Nobody asks to stop."""


def numbered(graph: networkx.Graph[Any]) -> Network:
    """A networkx graph as a network without labels."""
    whole = networkx.convert_node_labels_to_integers(graph)
    return Network.from_numbered_edges(list(whole.edges()), whole.number_of_nodes())


def side_by_side(networks: Iterable[Network]) -> Network:
    """Several networks as the components of one."""
    edges, nodes = [np.empty((0, 2), dtype=np.int64)], 0
    for network in networks:
        edges.append(network.edges.astype(np.int64) + nodes)
        nodes += network.node_count
    return Network.from_numbered_edges(np.concatenate(edges), nodes)


def powerlaw(nodes: int = 400, edges_per_node: int = 5, triangles: float = 0.5, seed: int = 1) -> Network:
    """A network like those that people have."""
    wished = {"nodes": nodes, "edges_per_node": edges_per_node, "triangles": triangles, "seed": seed}
    return generate({"kind": "powerlaw-cluster", **wished})


def thinner(network: Network, share: float, seed: int = 1) -> Network:
    """The network less this share of its ties, drawn at random."""
    many = round(share * network.edge_count)
    return network.without_edges(np.random.default_rng(seed).choice(network.edge_count, many, replace=False))


def rewired(network: Network, seed: int = 1) -> Network:
    """A random network in which everybody has as many contacts, and nothing else is as it was."""
    graph = igraph.Graph(n=network.node_count, edges=network.edges)
    igraph.set_random_number_generator(random.Random(seed))
    try:
        graph.rewire(20 * network.edge_count)
    finally:
        igraph.set_random_number_generator(random)
    return Network.from_numbered_edges(graph.get_edgelist(), network.node_count)


def mirrored(network: Network) -> NDArray[np.bool_]:
    """Who has a mirror image: some automorphism takes this node to another one."""
    moved = np.zeros(network.node_count, dtype=bool)
    for generator in igraph.Graph(n=network.node_count, edges=network.edges).automorphism_group():
        moved |= np.asarray(generator) != np.arange(network.node_count)
    return moved


@dataclass(frozen=True, eq=False)
class Outcome:
    """Claims beside the truth; by numbers of the original, whatever those that the attacker was given."""

    people: NDArray[np.int64]  # the original's node that each row is about
    claims: Claims
    truth: NDArray[np.int64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whose best guess is right."""
        return np.asarray(self.claims.nodes == self.truth)

    @property
    def found(self) -> int:
        """Claimed, and right."""
        return int((self.claims.claimed & self.right).sum())

    @property
    def wrong(self) -> int:
        """Claimed to be somebody else."""
        return int((self.claims.claimed & ~self.right).sum())

    @property
    def claimed_people(self) -> NDArray[np.int64]:
        """The original's nodes that are claimed."""
        return self.people[self.claims.claimed]


def match_of(
    matcher: Matcher,
    original: Network,
    released: Network,
    seed: int = 0,
    *,
    shuffled: bool = True,
    seeds: int = 0,
) -> Outcome:
    """What comes of a match by somebody who has all of the original; `shuffled`, as in an audit."""
    rng = np.random.default_rng(seed)
    nodes = original.node_count
    her_number, number = (rng.permutation(nodes) if shuffled else np.arange(nodes) for _ in range(2))
    people = np.argsort(her_number)
    truth = number[people]
    recognised = np.sort(rng.choice(nodes, seeds, replace=False))
    situation = Situation(
        original.relabelled(her_number),
        released.relabelled(number),
        released_share=released.edge_count / max(original.edge_count, 1),
        seeds=recognised,
        seed_nodes=truth[recognised],
    )
    return Outcome(people, matcher.claims(situation, rng, nothing), truth)


def score(found: float, wrong: float = 0, people: int = 200) -> Score:
    """Of three attempts that all went the same way."""
    both = (int(found), int(found)), (int(wrong), int(wrong))
    return Score(people, found, wrong, 3, *both, (found / people, found / people))


def row(
    found: float,
    at_random: float,
    knowledge: Knowledge | None = None,
    *,
    attack: str = "weighing",
    wrong: float = 0,
    people: int = 200,
) -> Matching:
    """What an attacker finds of 200 people, in the release and after random deletions."""
    scores = (score(found, wrong, people), score(198), score(at_random))
    return Matching(attack, "weighs", knowledge or Knowledge(), *scores, curve=())
