"""Measures: models of what an attacker knows about a person's surroundings.

A measure gives each node a state, and tells a search how to follow the state while edges go and come back:
of which parts it consists, and whose state a deletion can change.

`MEASURES` lists all of them, the weakest attacker first; a measure that is added needs a line there.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from netveil.kernels.arrays import IntMatrix
from netveil.network import Network


class Weights(NamedTuple):
    """A state that is a sum over degree and triangles: per_degree * degree + per_triangle * triangles.

    Two nodes must have the same sum exactly when they have the same state.
    """

    per_degree: int
    per_triangle: int
    numbers: tuple[tuple[int, int], tuple[int, int]]
    """The two numbers of a state, each as multiples of degree and triangles; (0, 0) for a missing second."""


class Part(NamedTuple):
    """One ingredient of a state, as a search follows it while edges are deleted and restored.

    Nodes with equal states must have equal ingredients. Unequal states may have equal ingredients, such as
    two surroundings that are hard to tell apart: a search then takes some people to be safe who are not, but
    what it returns is recounted from the states themselves.
    """

    kind: int  # see kernels/states.py
    distance: int = 1
    weights: Weights | None = None  # where the kind is LINEAR


class Reach(NamedTuple):
    """The nodes whose state the deletion of an edge {u, v} can change, at most."""

    distance: int
    both: bool  # whether both u and v must be within the distance of a node, or one of them is enough


class Surroundings:
    """Base of measures whose states tell about G_d(v) and nothing beyond."""

    def reach(self, distance: int) -> Reach:
        """An edge is in the surroundings of the nodes that have both its ends within the distance."""
        return Reach(distance, both=True)


@runtime_checkable
class Measure(Protocol):
    """Gives each node a state. Nodes with equal states look alike to the attacker.

    With distance d the attacker knows everything up to d: the state is the tuple of states at 1..d.

    Three members are left to whoever wants them: `title`, a short name for the attacker that people
    understand, as the end of "somebody who …"; and, where states are numbers, `column_names(distance)`, what
    each counts, and `only_falls`, True if deleting edges never raises any of them.
    """

    name: str  # by which users choose it
    attacker: str  # what the attacker knows, as the end of "an attacker who …"
    numeric: bool  # whether the columns of states are numbers, which an attacker may know roughly

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One row of integers a node, equal rows exactly for nodes that look alike; never a hash."""

    def reach(self, distance: int) -> Reach:
        """The nodes whose state a deletion can change."""

    def parts(self, distance: int) -> tuple[Part, ...]:
        """Ingredients of the state, as a search follows them."""


def title_of(measure: Measure) -> str:
    """Short name for the attacker; without a title, her knowledge."""
    title = getattr(measure, "title", None)
    return measure.attacker if title is None else str(title)


def column_names_of(measure: Measure, distance: int) -> tuple[str, ...]:
    """Names of the numbers of a state; empty where the measure has none."""
    names = getattr(measure, "column_names", None)
    return () if names is None else tuple(names(distance))


def only_falls(measure: Measure) -> bool:
    """Whether states are numbers that deleting edges never raises, as far as the measure says."""
    return measure.numeric and bool(getattr(measure, "only_falls", False))
