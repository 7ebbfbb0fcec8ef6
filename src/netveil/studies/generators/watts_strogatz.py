"""Watts–Strogatz: a ring where everybody knows those nearby, and some ties lead anywhere instead.

`rewiring` controls clustering and distances: at 0 both are large, a few per cent make distances short and
leave the clustering, and at 1 the network is all chance. Degrees are equal but for the rewiring.
Watts and Strogatz, Collective dynamics of 'small-world' networks (1998).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.studies.generators.base import Generator, Pairs, Rules, Share, Simulated

_ROUNDS = 100  # after which an edge without a place for its far end may move altogether


class WattsStrogatz(Simulated):
    """Settings of Watts–Strogatz networks."""

    degree: int  # neighbours of a node on the ring, half of them on each side
    rewiring: Share  # chance of an edge that its far end goes to any node instead

    def rules(self) -> Rules:
        """Rules of these settings."""
        fits = self.degree % 2 == 0 and self.degree >= 2 and 2 * self.degree <= self.nodes
        yield fits, "degree must be even, 2 or more, and at most half the nodes"
        yield self.edges_rule(self.nodes * self.degree // 2)


def draw(settings: WattsStrogatz, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    near = np.repeat(np.arange(settings.nodes), settings.degree // 2)
    steps = np.tile(np.arange(1, settings.degree // 2 + 1), settings.nodes)
    far = (near + steps) % settings.nodes
    rewired = rng.random(len(near)) < settings.rewiring
    kept = _keys(near[~rewired], far[~rewired], settings.nodes)
    keys = _with_new_ends(np.sort(kept), near[rewired], settings.nodes, rng)
    return np.column_stack(np.divmod(keys, settings.nodes))


def _with_new_ends(
    keys: NDArray[np.int64], near: NDArray[np.int64], nodes: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The edges so far and one from each of the nodes `near` to any other, such that none is there twice."""
    rounds = 0
    while len(near):
        if rounds >= _ROUNDS:  # such a node may know everybody already
            near = rng.integers(nodes, size=len(near))
        far = rng.integers(nodes, size=len(near))
        proposed = _keys(near, far, nodes)
        first = np.zeros(len(near), dtype=bool)
        first[np.unique(proposed, return_index=True)[1]] = True
        fresh = first & (near != far) & ~np.isin(proposed, keys)
        keys = np.union1d(keys, proposed[fresh])
        near = near[~fresh]
        rounds += 1
    return keys


def _keys(one: NDArray[np.int64], other: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """A number for each edge, whichever of its ends comes first."""
    return np.minimum(one, other) * nodes + np.maximum(one, other)


GENERATOR = Generator("watts-strogatz", WattsStrogatz, draw)
