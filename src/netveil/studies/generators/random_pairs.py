"""Stochastic blocks and Erdős–Rényi: pairs of nodes are joined by chance, independently of all others.

Stochastic blocks: groups of equal size, whose members know each other more often than others. `inside` is the
share of a node's ties that stay in its group. With many small groups it also controls the clustering.
Holland, Laskey and Leinhardt, Stochastic blockmodels: first steps (1983).

Erdős–Rényi G(n, p): every pair by the same chance. The baseline of the rest: degrees vary little, there is
hardly any clustering, and distances are short. Gilbert, Random graphs (1959).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.studies.generators.base import Generator, Pairs, Rules, Share, Simulated


def distinct_numbers(total: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `count` different numbers below `total`, every choice as likely, in ascending order."""
    if count > total / 2:
        kept = np.ones(total, dtype=bool)
        kept[distinct_numbers(total, total - count, rng)] = False
        return np.flatnonzero(kept)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # As many as are missing, so that none must be taken away again, which would favour some.
        drawn = np.union1d(drawn, rng.integers(total, size=count - len(drawn)))
    return drawn


def independent_pairs(
    first: NDArray[np.int64], last: NDArray[np.int64], chance: float, rng: np.random.Generator
) -> Pairs:
    """Draw pairs (u, v) with first[v] <= u < last[v], each by one chance, independently of the others."""
    ends = np.cumsum(last - first)
    total = int(ends[-1])
    numbers = distinct_numbers(total, int(rng.binomial(total, chance)), rng)
    larger = np.searchsorted(ends, numbers, side="right")
    smaller = last[larger] - (ends[larger] - numbers)
    return np.column_stack((smaller, larger))


class StochasticBlocks(Simulated):
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


def draw_blocks(settings: StochasticBlocks, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    nodes, starts, (within, beyond) = np.arange(settings.nodes), settings.starts, settings.room
    inside = independent_pairs(starts, nodes, settings.degree * settings.inside / within, rng)
    outward = settings.degree * (1 - settings.inside) / beyond
    outside = independent_pairs(np.zeros_like(starts), starts, outward, rng)
    return np.concatenate((inside, outside))


STOCHASTIC_BLOCKS = Generator("stochastic-blocks", StochasticBlocks, draw_blocks)


class ErdosRenyi(Simulated):
    """Settings of Erdős–Rényi networks."""

    degree: float  # neighbours of a node, on average

    def rules(self) -> Rules:
        """Rules of these settings."""
        yield from self.degree_rules(self.degree)


def draw_pairs(settings: ErdosRenyi, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    nodes = np.arange(settings.nodes)
    return independent_pairs(np.zeros_like(nodes), nodes, settings.degree / (settings.nodes - 1), rng)


ERDOS_RENYI = Generator("erdos-renyi", ErdosRenyi, draw_pairs)
