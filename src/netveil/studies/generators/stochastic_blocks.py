"""Stochastic blocks: groups of equal size, whose members know each other more often than others.

`inside` is the share of a node's ties that stay in its group. With many small groups it also controls the
clustering. Holland, Laskey and Leinhardt, Stochastic blockmodels: first steps (1983).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.studies.generators import base
from netveil.studies.generators.base import Pairs, Rules, Share


class StochasticBlocks(base.Simulated):
    """Settings of networks of stochastic blocks."""

    degree: float  # neighbours of a node, on average
    blocks: int  # groups; their sizes differ by one at most
    inside: Share  # share of a node's neighbours in its own group, on average

    def rules(self) -> Rules:
        """Rules of these settings."""
        yield from self.degree_rules(self.degree)
        has_groups = self.blocks >= 2 and 2 * self.blocks <= self.nodes
        yield has_groups, "blocks must be 2 or more, and at most half the nodes"
        within, beyond = self.room
        fits = self.degree * self.inside <= within and self.degree * (1 - self.inside) <= beyond
        room = f"such that a node's group ({within + 1:g} nodes) has room for the share inside"
        yield fits, f"degree must be {room}, and the others for the rest"

    @property
    def room(self) -> tuple[float, float]:
        """Other nodes inside a node's group, and outside, on average."""
        within = 2 * float((np.arange(self.nodes) - self.starts).mean())
        return within, self.nodes - 1 - within

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first node of each node's group."""
        firsts = -(-np.arange(self.blocks) * self.nodes // self.blocks)
        return np.repeat(firsts, np.diff(firsts, append=self.nodes))


def draw(settings: StochasticBlocks, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    nodes, starts, (within, beyond) = np.arange(settings.nodes), settings.starts, settings.room
    inside = base.independent_pairs(starts, nodes, settings.degree * settings.inside / within, rng)
    outward = settings.degree * (1 - settings.inside) / beyond
    outside = base.independent_pairs(np.zeros_like(starts), starts, outward, rng)
    return np.concatenate((inside, outside))


GENERATOR = base.Generator("stochastic-blocks", StochasticBlocks, draw)
