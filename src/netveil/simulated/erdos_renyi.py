"""Erdős–Rényi G(n, p): every pair of nodes is joined by the same chance, independently of all others.

The baseline of the rest: degrees vary little, there is hardly any clustering, and distances are short.
Gilbert, Random graphs (1959).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from netveil.simulated.generator import (
    Generator,
    Pairs,
    SettingRule,
    Simulated,
    degree_rules,
    independent_pairs,
)


@dataclass(frozen=True, kw_only=True)
class ErdosRenyi(Simulated):
    """Settings of Erdős–Rényi networks."""

    degree: float  # neighbours of a node, on average

    def rules(self) -> Iterator[SettingRule]:
        """What the settings must be."""
        yield from super().rules()
        yield from degree_rules(self.nodes, self.degree)


def draw(settings: ErdosRenyi, rng: np.random.Generator) -> Pairs:
    """The edges of a network."""
    nodes = np.arange(settings.nodes)
    return independent_pairs(np.zeros_like(nodes), nodes, settings.degree / (settings.nodes - 1), rng)


GENERATOR = Generator(
    kind="erdos-renyi",
    title="every pair of nodes is joined by the same chance",
    settings=ErdosRenyi,
    draw=draw,
)
