"""What figures become if ties are added to a network: for very many sets of ties at once.

A set is a row of `ends`: (sets, ties, 2), the two nodes of each tie; no tie of the network is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix
from netveil.network import Network

Ends = NDArray[np.int64]
Figures = NDArray[np.float64]

DENSE_NODES = 4096  # up to so many, ties are looked up in a square of bits
ROWS = 20_000  # sets that are looked at together


class AddedTies:
    """A network, and the ties that it might have had besides its own."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.nodes = network.node_count
        self.missing = comb(self.nodes, 2) - network.edge_count  # pairs of nodes without a tie

    def number_of_sets(self, ties: int) -> int:
        """How many sets of so many missing ties there are."""
        return comb(self.missing, ties)

    def all_sets(self, ties: int) -> Iterator[Ends]:
        """Every set of one, two or three missing ties, in parts."""
        if ties == 1:
            yield from map(self._missing_of, range(self.nodes - 1))
            return
        pairs = self._missing_pairs
        for first in range(len(pairs)):
            others = self._later(first + 1, ties - 1)
            for part in range(0, len(others), ROWS):
                rows = others[part : part + ROWS]
                yield pairs[np.column_stack([np.full(len(rows), first), rows])]

    def _missing_of(self, node: int) -> Ends:
        """The missing ties of a node to later ones, each as a set."""
        others = np.arange(node + 1, self.nodes)
        others = others[~self._tied(np.full(len(others), node), others)]
        return np.column_stack([np.full(len(others), node), others])[:, None]

    def _later(self, start: int, ties: int) -> IntMatrix:
        """The numbers of missing ties from `start` on, alone or two by two."""
        count = len(self._missing_pairs) - start
        if ties == 1:
            return np.arange(start, start + count)[:, None]
        return np.column_stack(np.triu_indices(count, 1)) + start

    def random_sets(self, ties: int, count: int, rng: np.random.Generator) -> Ends:
        """About so many sets of distinct missing ties, drawn at random."""
        drawn = rng.integers(0, self.nodes, (count, ties, 2))
        ends = np.sort(drawn, axis=2)
        keys = np.sort(ends[..., 0] * self.nodes + ends[..., 1], axis=1)
        fits = (ends[..., 0] < ends[..., 1]).all(axis=1) & (np.diff(keys, axis=1) > 0).all(axis=1)
        fits &= ~self._tied(ends[..., 0], ends[..., 1]).any(axis=1)
        return ends[fits]

    def assortativity(self, ends: Ends) -> Figures:
        """The degree assortativity with each set added; NaN where it does not exist."""
        ties, edges = ends.shape[1], self.network.edge_count + ends.shape[1]
        spots = np.ascontiguousarray(ends.reshape(len(ends), 2 * ties).T)
        # Of each end: its degree, and in how many ties of the set it is.
        degree = self._degrees[spots].astype(self._number)
        gained = np.ones(spots.shape, dtype=self._number)
        for one, other in combinations(range(2 * ties), 2):
            same = spots[one] == spots[other]
            gained[one] += same
            gained[other] += same
        squares, cubes, products = (self._number(total) for total in self._sums)
        squares = squares + (2 * degree + gained).sum(axis=0)
        cubes = cubes + (3 * degree * degree + 3 * degree * gained + gained * gained).sum(axis=0)
        products = products + self._around[spots].sum(axis=0).astype(self._number)
        after = degree + gained
        for tie in range(ties):
            products = products + after[2 * tie] * after[2 * tie + 1]
        for one, other in combinations(range(2 * ties), 2) if ties > 1 else ():
            products = products + self._tied(spots[one], spots[other])
        variance = 2 * edges * cubes - squares * squares
        covariance = 4 * edges * products - squares * squares
        found: Figures = np.full(len(ends), np.nan)
        np.divide(covariance, variance, out=found, where=variance != 0)
        return found

    def clustering(self, pairs: IntMatrix) -> Figures:
        """The average clustering coefficient, as in the paper, with each single tie added."""
        weights = np.divide(1.0, self._pairs_of, out=np.zeros(self.nodes), where=self._pairs_of > 0)
        adjacency = self.network.to_scipy().astype(np.float64).tocsr()
        weighted = adjacency.multiply(weights[None, :]).tocsr()
        known, able = float((self._triangles * weights).sum()), int((self._degrees >= 2).sum())
        found = np.empty(len(pairs))
        for part in range(0, len(pairs), ROWS):
            one, other = pairs[part : part + ROWS].T
            common = np.asarray(adjacency[one].multiply(adjacency[other]).sum(axis=1)).ravel()
            total = known + np.asarray(weighted[one].multiply(adjacency[other]).sum(axis=1)).ravel()
            nodes = np.full(len(one), able)
            for end in (one, other):
                degree = self._degrees[end]
                total += 2 * (self._triangles[end] + common) / np.maximum((degree + 1) * degree, 1)
                total -= self._triangles[end] * weights[end]
                nodes += degree == 1
            found[part : part + ROWS] = np.divide(
                total, nodes, out=np.full(len(one), np.nan), where=nodes > 0
            )
        return found

    def with_ties(self, ties: IntMatrix) -> Network:
        """The network with a set of ties added."""
        return Network.from_numbered_edges(np.concatenate([self.network.edges, ties]), self.nodes)

    def _tied(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether pairs of nodes have a tie."""
        if self._square is not None:
            return np.asarray(self._square[one, other])
        keys = np.minimum(one, other) * self.nodes + np.maximum(one, other)
        place = np.searchsorted(self._keys, keys)
        return np.asarray(self._keys[np.minimum(place, len(self._keys) - 1)] == keys)

    @cached_property
    def _missing_pairs(self) -> IntMatrix:
        one, other = np.triu_indices(self.nodes, 1)
        return np.column_stack([one, other])[~self._tied(one, other)]

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        edges = self.network.edges.astype(np.int64)
        return np.sort(edges[:, 0] * self.nodes + edges[:, 1])

    @cached_property
    def _square(self) -> NDArray[np.bool_] | None:
        if self.nodes > DENSE_NODES:
            return None
        square = np.zeros((self.nodes, self.nodes), dtype=np.bool_)
        one, other = self.network.edges.T
        square[one, other] = square[other, one] = True
        return square

    @cached_property
    def _degrees(self) -> NDArray[np.int64]:
        return self.network.degrees.astype(np.int64)

    @property
    def _number(self) -> type[np.int64 | np.float64]:
        """Whole numbers, in which nothing is lost, unless the sums are too large for them."""
        largest = 2 * (self.network.edge_count + 3) * (self._sums[1] + 1000 * self.nodes)
        return np.int64 if largest < 2**60 else np.float64

    @cached_property
    def _pairs_of(self) -> NDArray[np.float64]:
        return np.asarray(self._degrees * (self._degrees - 1) / 2)

    @cached_property
    def _triangles(self) -> NDArray[np.int64]:
        from netveil.kernels.counting.triangles import triangles_per_node

        return triangles_per_node(self.network.edges, self.network.degrees).astype(np.int64)

    @cached_property
    def _around(self) -> NDArray[np.int64]:
        """The degrees of each node's contacts, summed."""
        one, other = self.network.edges.T
        around = np.zeros(self.nodes, dtype=np.int64)
        np.add.at(around, one, self._degrees[other])
        np.add.at(around, other, self._degrees[one])
        return around

    @cached_property
    def _sums(self) -> tuple[int, int, int]:
        """Squares and cubes of all degrees, and the product of degrees along each edge, summed."""
        one, other = self._degrees[self.network.edges].T
        return int((self._degrees**2).sum()), int((self._degrees**3).sum()), int((one * other).sum())
