"""From states to equivalence classes, and who is at risk in them (Section 3.2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, is_whole
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network


@dataclass(frozen=True, eq=False, repr=False)
class Anonymity:
    """Who can be singled out in a network: its classes of nodes with equal states."""

    network: str
    nodes: int
    edges: int
    measure: str
    distance: int
    k: int
    class_of: IntVector  # (nodes): the number of each node's class
    sizes: IntVector  # (classes): how many nodes each class has

    @property
    def classes(self) -> int:
        """Number of equivalence classes."""
        return len(self.sizes)

    @cached_property
    def unique(self) -> int:
        """|V_u|: nodes alone in their class. Lower is better."""
        return int(np.count_nonzero(self.sizes == 1))

    @cached_property
    def at_risk(self) -> int:
        """Nodes in classes smaller than k; equals `unique` when k = 2. Lower is better."""
        return int(self.sizes[self.sizes < self.k].sum())

    @property
    def uniqueness(self) -> float:
        """U(G): the share of nodes at risk."""
        return self.at_risk / self.nodes if self.nodes else 0.0

    @cached_property
    def nodes_at_risk(self) -> NDArray[np.bool_]:
        """For each node, whether its class is smaller than k."""
        return (self.sizes < self.k)[self.class_of]

    @cached_property
    def class_sizes(self) -> dict[int, int]:
        """Class size → number of nodes in classes of that size, in ascending order."""
        sizes, classes = np.unique(self.sizes, return_counts=True)
        return {int(size): int(size * number) for size, number in zip(sizes, classes, strict=True)}

    def __repr__(self) -> str:
        return f"Anonymity({self.network!r}, {self.at_risk:,} of {self.nodes:,} nodes at risk, k = {self.k})"

    def edges_at_risk(self, network: Network) -> IntVector:
        """E_u: the numbers of the edges with at least one end at risk."""
        return np.flatnonzero(self.nodes_at_risk[network.edges].any(axis=1))

    def to_dict(self) -> dict[str, object]:
        """The figures under their names in the contract."""
        return {
            "network": self.network,
            "nodes": self.nodes,
            "edges": self.edges,
            "measure": self.measure,
            "distance": self.distance,
            "k": self.k,
            "classes": self.classes,
            "unique": self.unique,
            "at_risk": self.at_risk,
            "uniqueness": self.uniqueness,
            "class_sizes": {str(size): nodes for size, nodes in self.class_sizes.items()},
        }


def classes_of(states: IntMatrix) -> tuple[IntVector, IntVector]:
    """The class number of each row of `states`, equal rows in one class, and the size of each class."""
    class_of = np.zeros(len(states), dtype=np.int64)
    for column in states.T:
        spread = int(column.max(initial=0)) - int(column.min(initial=0)) + 1
        if spread * len(states) < 2**62:
            value = column - column.min(initial=0)
        else:
            value, spread = _ranks(column), len(states)
        class_of = _ranks(class_of * spread + value)
    return class_of, np.bincount(class_of)


def _ranks(keys: IntVector) -> IntVector:
    """0 for the smallest key, 1 for the next, and so on; equal keys have equal ranks."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order] = np.cumsum(np.diff(ordered, prepend=ordered[:1]) != 0)
    return ranks


def checked_k(k: int, nodes: int) -> int:
    """k itself, if a class of k nodes can hide anybody and can exist."""
    if not is_whole(k):
        raise SettingError(f"k = {k}: give a whole number, 2 or more.")
    if k < 2:
        raise SettingError(
            f"k = {k} protects nobody: a person needs at least one lookalike; give k = 2 or more."
        )
    if nodes < 2:
        size = f"{nodes} node{'s' * (nodes != 1)}"
        raise SettingError(f"k = {k}: a network of {size} has nobody to hide among; give a larger network.")
    if k > nodes:
        raise SettingError(
            f"k = {k} is more than the network's {nodes:,} nodes; give a k of at most {nodes:,}."
        )
    return k
