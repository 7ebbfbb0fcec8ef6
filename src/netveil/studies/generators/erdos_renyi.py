"""Erdős–Rényi G(n, p): every pair of nodes is joined by the same chance, independently of all others.

The baseline of the rest: degrees vary little, there is hardly any clustering, and distances are short.
Gilbert, Random graphs (1959).
"""

from __future__ import annotations

import numpy as np

from netveil.studies.generators.base import Generator, Pairs, Rules, Simulated, independent_pairs


class ErdosRenyi(Simulated):
    """Settings of Erdős–Rényi networks."""

    degree: float  # neighbours of a node, on average

    def rules(self) -> Rules:
        """Rules of these settings."""
        yield from self.degree_rules(self.degree)


def draw(settings: ErdosRenyi, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    nodes = np.arange(settings.nodes)
    return independent_pairs(np.zeros_like(nodes), nodes, settings.degree / (settings.nodes - 1), rng)


GENERATOR = Generator("erdos-renyi", ErdosRenyi, draw)
