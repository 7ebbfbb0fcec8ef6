"""Measures: models of what an attacker knows about a person's surroundings.

A measure gives each node a state, and tells a search how to follow the state while edges go and come back:
of which parts it consists, and whose state a deletion can change. `OwnMeasure` makes one of a user's
function. `MEASURES` lists all of netveil's, the weakest attacker first.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from contextlib import redirect_stdout
from typing import Any, NamedTuple

import numpy as np

from netveil.errors import SettingError, is_whole
from netveil.extensions import in_one_line
from netveil.kernels.arrays import IntMatrix, IntVector, numbered_by_appearance
from netveil.kernels.states import GIVEN
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


class Measure(ABC):
    """Gives each node a state. Nodes with equal states look alike to the attacker.

    With distance d the attacker knows everything up to d: the state is the tuple of states at 1..d.
    """

    name: str  # by which users choose it
    attacker: str  # what the attacker knows, as the end of "an attacker who …"
    numeric: bool  # whether the columns of states are numbers, which an attacker may know roughly
    title = ""  # short name for the attacker, as the end of "somebody who …"; without one, her knowledge
    only_falls = False  # whether states are numbers that deleting edges never raises

    @abstractmethod
    def states(self, network: Network, distance: int) -> IntMatrix:
        """One row of integers a node, equal rows exactly for nodes that look alike; never a hash."""

    @abstractmethod
    def reach(self, distance: int) -> Reach:
        """The nodes whose state a deletion can change."""

    @abstractmethod
    def parts(self, distance: int) -> tuple[Part, ...]:
        """Ingredients of the state, as a search follows them."""

    def column_names(self, distance: int) -> tuple[str, ...]:
        """Names of the numbers of a state; empty where nobody has named them."""
        return ()


class Surroundings(Measure):
    """Base of measures whose states tell about G_d(v) and nothing beyond."""

    def reach(self, distance: int) -> Reach:
        """An edge is in the surroundings of the nodes that have both its ends within the distance."""
        return Reach(distance, both=True)


# A user's own measure: a Python function that gives each node a state.


NOT_ONE_EACH = (str, bytes, Mapping, Set)  # can be iterated, but not over one state for each node
LARGEST = 2**62  # of a number in a state: sums of two still fit in 64 bits


class OwnMeasure(Measure):
    """States from `function(network)`, which returns one hashable state a node, in the order of node numbers.

    The function may have attributes. With `numeric = True`, states are whole numbers from 0, or tuples of
    them, all of the same length, and an attacker may know them roughly. With `touched(network, u, v)`, which
    names the nodes whose state may change when the edge {u, v} is deleted, the function is called as
    `function(network, nodes)` and returns the states of these nodes only: a search then does not ask for all
    states after each deletion. With `title`, reports name the attacker by it.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function = function
        self.name = name
        self.attacker = f"knows what measure {name} tells about a person"
        self.title = str(getattr(function, "title", self.attacker))
        self.numeric = bool(getattr(function, "numeric", False))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnMeasure) and self.function == other.function

    def __hash__(self) -> int:
        return hash(id(self.function))

    @property
    def says_touched(self) -> bool:
        """Whether the function names the nodes that a deletion touches."""
        return callable(getattr(self.function, "touched", None))

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column of class numbers, or the numbers themselves if the measure is numeric."""
        if distance != 1:
            raise SettingError(
                f"distance {distance}: measure {self.name} is your own, and its function decides how far it "
                f"looks; leave distance out."
            )
        return self._rows(self.states_of(network, None))

    def states_of_both(self, one: Network, other: Network) -> IntMatrix:
        """The states of two networks, one after the other, equal rows for equal states in either."""
        return self._rows([*self.states_of(one, None), *self.states_of(other, None)])

    def states_of(self, network: Network, nodes: IntVector | None) -> list[Hashable]:
        """Checked states of `nodes`, in their order, or of all nodes."""
        wanted = np.arange(network.node_count) if nodes is None else nodes
        given = (network, wanted) if self.says_touched else (network,)
        expected = len(wanted) if self.says_touched else network.node_count
        states = [self._checked_state(state) for state in self._called(self.function, *given)]
        if len(states) != expected:
            raise SettingError(
                f"measure {self.name} returned {len(states):,} states for {expected:,} nodes; "
                f"return one for each, in their order."
            )
        return states if self.says_touched or nodes is None else [states[node] for node in nodes.tolist()]

    def touched(self, network: Network, u: int, v: int) -> IntVector:
        """The nodes whose state the deletion of {u, v} may change, as the function names them."""
        nodes = self._called(self.function.touched, network, u, v)  # type: ignore[attr-defined]
        if not all(is_whole(node) and 0 <= node < network.node_count for node in nodes):
            raise SettingError(
                f"measure {self.name}: touched returned something other than node numbers; "
                f"return whole numbers from 0 to {network.node_count - 1:,}."
            )
        return np.array(sorted({int(node) for node in nodes}), dtype=np.int64)

    def reach(self, distance: int) -> Reach:
        """Both ends and their common neighbours; only used to draw edges at random."""
        return Reach(1, both=True)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """One part: the state that the function gives."""
        return (Part(GIVEN),)

    def _called(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call a function of the user; returns a list, rows of an array as tuples."""
        try:
            # What it prints must not get into netveil's own output.
            with redirect_stdout(sys.stderr):
                returned = function(*arguments)
                returned = returned.to_numpy() if hasattr(returned, "to_numpy") else returned
                if isinstance(returned, Iterable) and not isinstance(returned, (np.ndarray, *NOT_ONE_EACH)):
                    returned = list(returned)
        except (Exception, SystemExit) as error:
            raise SettingError(f"measure {self.name} failed: {in_one_line(error)}") from error
        if isinstance(returned, np.ndarray):
            return list(map(tuple, returned.tolist())) if returned.ndim > 1 else returned.reshape(-1).tolist()
        if not isinstance(returned, list):
            raise SettingError(
                f"measure {self.name} returned one {type(returned).__name__}; return a list or an array."
            )
        return returned

    def _checked_state(self, state: Hashable) -> Hashable:
        """Check that a state can be compared; return it with arrays as tuples."""
        if isinstance(state, np.ndarray):
            state = tuple(state.reshape(-1).tolist())
        try:
            hash(state)
            if not _has_nan(state):
                return state
            wrong = "NaN in a state, which equals nothing"
        except TypeError:
            wrong = f"a state that cannot be compared, a {type(state).__name__} or something in it"
        raise SettingError(
            f"measure {self.name} returned {wrong}; return numbers, texts or tuples of them."
        ) from None

    def _rows(self, states: list[Hashable]) -> IntMatrix:
        """States as rows of integers: their own numbers if they are numeric, else class numbers."""
        if not self.numeric:
            return numbered_by_appearance(states).reshape(-1, 1)
        rows: list[tuple[Any, ...]] = [state if isinstance(state, tuple) else (state,) for state in states]
        numbers = all(is_whole(value) and 0 <= value < LARGEST for row in rows for value in row)
        if not numbers or len(set(map(len, rows))) > 1:
            raise SettingError(
                f"measure {self.name} says that it is numeric, but some states are not whole numbers from 0; "
                f"return whole numbers from 0, or tuples of them, all of the same length."
            )
        return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def _has_nan(state: object) -> bool:
    """Whether a state is not equal to itself, or has a part that is not."""
    if isinstance(state, (tuple, frozenset)):
        return any(map(_has_nan, state))
    try:
        return bool(state != state)
    except (TypeError, ValueError):  # as with pandas.NA, which does not say whether it equals itself
        return True
