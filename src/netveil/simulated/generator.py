"""What every generator has: settings that are checked on entry, and a way to draw a network by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from numbers import Real
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, is_whole, unknown_name

MOST_NODES = 1_000_000
MOST_EDGES = 20_000_000
LARGEST_SEED = 2**63 - 1

Pairs = NDArray[np.int64]
"""(m, 2): the two nodes of each edge, in any order."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """Settings that all generators share."""

    nodes: int
    seed: int = 0  # the same seed gives the same network

    def __post_init__(self) -> None:
        require("nodes", self.nodes, 2 <= self.nodes <= MOST_NODES, f"between 2 and {MOST_NODES:,}")
        require("seed", self.seed, 0 <= self.seed <= LARGEST_SEED, f"between 0 and {LARGEST_SEED}")


@dataclass(frozen=True)
class Generator:
    """One way to make up a network."""

    kind: str  # its name in plans
    title: str  # one sentence on what it makes
    settings: type[Simulated]
    draw: Callable[[Any, np.random.Generator], Pairs]  # takes such settings

    def checked(self, values: Mapping[str, Any]) -> Simulated:
        """Settings with these values, if every one is known, of the right type and within its rule."""
        hints = get_type_hints(self.settings)
        for name, value in values.items():
            if name not in hints:
                raise SettingError(f"generate, {self.kind}: {unknown_name('key', name, hints)}")
            _check_type(name, value, hints[name], self.kind)
        for field in fields(self.settings):
            if field.default is MISSING and field.name not in values:
                given = ", ".join(hints)
                raise SettingError(f"generate, {self.kind}: {field.name} is missing. The keys are {given}.")
        try:
            return self.settings(**values)
        except SettingError as error:
            raise SettingError(f"generate, {self.kind}: {error}") from None


def require(name: str, value: object, holds: bool, rule: str) -> None:
    """Raise unless a value keeps to its rule."""
    if not holds:
        raise SettingError(f"{name} = {value}: it must be {rule}.")


def require_degree(nodes: int, degree: float) -> None:
    """Raise unless nodes can have so many neighbours on average, and memory their edges."""
    require("degree", degree, 0 <= degree <= nodes - 1, f"between 0 and nodes - 1 = {nodes - 1:,}")
    require_edges("degree", degree, nodes * degree / 2)


def require_edges(name: str, value: object, edges: float) -> None:
    """Raise if a setting asks for more edges than are allowed."""
    require(name, value, edges <= MOST_EDGES, f"smaller; it gives more than {MOST_EDGES:,} edges")


def _check_type(name: str, value: object, wanted: type, kind: str) -> None:
    right = is_whole(value) if wanted is int else isinstance(value, Real) and not isinstance(value, bool)
    if not right or not isfinite(value):  # type: ignore[arg-type]  # a number by now
        noun = "a whole number" if wanted is int else "a number"
        raise SettingError(f"generate, {kind}: {name} = {value!r}: it must be {noun}.")
