"""What a measure is: the model of what an attacker knows about a person's surroundings."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network


class Weights(NamedTuple):
    """A state that follows an edge flip in compiled code: per_degree * degree + per_triangle * triangles.

    Two nodes must have the same sum exactly when they have the same state.
    """

    per_degree: int
    per_triangle: int
    numbers: tuple[tuple[int, int], tuple[int, int]]
    """Two numbers that tell roughly where a state lies, each as multiples of degree and triangles."""


class Measure(Protocol):
    """Gives each node a state. Nodes with equal states look alike to the attacker."""

    name: str
    attacker: str  # what the attacker knows, as the end of "an attacker who …"

    def states(self, network: Network) -> IntMatrix:
        """One row of integers a node, equal rows for nodes that look alike; never a hash."""
        ...

    def touched(self, network: Network, edge: int) -> IntVector:
        """The nodes whose state may change when the edge of this number is deleted."""
        ...

    def weights(self) -> Weights:
        """How the state follows a flip."""
        ...
