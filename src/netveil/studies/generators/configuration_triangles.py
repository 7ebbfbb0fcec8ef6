"""Configuration model with triangles: expected degrees and triangles are given, all else is chance.

Each node has an expected degree, drawn around the average (gamma distribution, `spread` = standard deviation
over mean). The share `triangles` of its ties comes in pairs, as corners of triangles; the rest are single
ties. Corners are put together three by three at random, and single ends two by two. So clustering changes
while the distribution of degrees stays. The few loops and repeated edges that arise are left out. They are
about the share `degree` (1 + `spread`²)² / (2 `nodes`) of all, which must be a tenth at most: where the most
connected would have to know each other several times over, the average degree would fall far short.
Newman, Random graphs with clustering (2009); Miller, Percolation and epidemics in random clustered networks
(2009).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.studies.generators.base import DegreeSpread, Generator, Pairs, Rules, Share, Simulated

MOST_LEFT_OUT = 0.1  # share of edges


class ConfigurationTriangles(Simulated):
    """Settings of the configuration model with triangles."""

    degree: float  # neighbours of a node, on average; repeated edges make it up to about a tenth less
    triangles: Share  # share of a node's ties that are sides of triangles made on purpose
    spread: DegreeSpread = 0.5  # of expected degrees: standard deviation over mean

    def rules(self) -> Rules:
        """Rules of these settings."""
        yield from self.degree_rules(self.degree)
        most = 2 * MOST_LEFT_OUT * self.nodes / (1 + self.spread**2) ** 2
        room = f"at most {most:.3g} with these nodes and this spread: nodes / (5 (1 + spread²)²)"
        yield self.degree <= most, f"degree must be {room}, or too many edges would be there twice"


def draw(settings: ConfigurationTriangles, rng: np.random.Generator) -> Pairs:
    """The edges of a network; a few are loops or there twice."""
    expected = _expected_degrees(settings, rng)
    corners = _put_together(rng.poisson(expected * settings.triangles / 2), 3, rng)
    singles = _put_together(rng.poisson(expected * (1 - settings.triangles)), 2, rng)
    return np.concatenate((corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]], singles))


def _expected_degrees(settings: ConfigurationTriangles, rng: np.random.Generator) -> NDArray[np.float64]:
    if settings.spread == 0:
        return np.full(settings.nodes, float(settings.degree))
    shape = settings.spread**-2
    return rng.gamma(shape, settings.degree / shape, settings.nodes)


def _put_together(counts: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Groups of so many nodes at random, each node in as many as it counts; a remainder is left out."""
    stubs = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(stubs)
    return stubs[: len(stubs) - len(stubs) % size].reshape(-1, size)


GENERATOR = Generator("configuration-triangles", ConfigurationTriangles, draw)
