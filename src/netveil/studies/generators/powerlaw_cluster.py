"""Power-law cluster (Holme–Kim): newcomers know those who are known by many, and friends of their friends.

A newcomer brings `edges_per_node` ties. The first goes to a node by its degree; each further one goes, by the
chance `triangles`, to a neighbour of the last node so chosen, and else again by degree. Degrees have a heavy
tail; at `triangles = 0` the network is that of Barabási and Albert (1999).
Holme and Kim, Growing scale-free networks with tunable clustering (2002).
"""

from __future__ import annotations

from itertools import chain, count

import numpy as np

from netveil.studies.generators.base import Generator, Pairs, Rules, Share, Simulated


class PowerlawCluster(Simulated):
    """Settings of power-law cluster networks."""

    edges_per_node: int  # ties of a newcomer; the average degree is a little below twice that
    triangles: Share  # chance that a tie after the first closes a triangle

    def rules(self) -> Rules:
        """Rules of these settings."""
        brought = self.edges_per_node
        yield 1 <= brought < self.nodes, "edges_per_node must be 1 or more, and less than nodes"
        yield self.edges_rule(self.nodes * brought)


def draw(settings: PowerlawCluster, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    brought = settings.edges_per_node
    chances = chain.from_iterable(rng.random(1 << 14).tolist() for _ in count())  # many at a time
    neighbours: list[list[int]] = [[] for _ in range(settings.nodes)]
    ends = list(range(brought))  # each node as often as it has ties, and the first ones once more
    pairs = []
    for newcomer in range(brought, settings.nodes):
        met: set[int] = set()
        known = newcomer  # the last node that was chosen by its degree; at first nobody
        while len(met) < brought:
            closes = met and next(chances) < settings.triangles
            friends = [friend for friend in neighbours[known] if friend not in met] if closes else []
            if friends:
                chosen = friends[int(next(chances) * len(friends))]
            else:
                chosen = known = ends[int(next(chances) * len(ends))]
            met.add(chosen)
        neighbours[newcomer] = sorted(met)
        for friend in neighbours[newcomer]:
            pairs.append((newcomer, friend))
            neighbours[friend].append(newcomer)
        ends += neighbours[newcomer] + [newcomer] * brought
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


GENERATOR = Generator("powerlaw-cluster", PowerlawCluster, draw)
