"""Matchers: somebody who holds a network of the same people matches it with the release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network

NOBODY = -1  # in place of a node, where none is claimed


def _nobody() -> IntVector:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Situation:
    """Input of a matcher: both networks, how complete they are, and the seeds."""

    known: Network  # the ties that she knows; her node numbers tell nothing about the release's
    released: Network
    known_share: float = 1.0  # of the ties of the people in `known`, how many she knows
    released_share: float = 1.0  # of all ties, how many are published
    added_share: float = 0.0  # of the published ties, how many are made up; 1 if each may be, degrees too
    only_deleted: bool = True  # whether every published tie between people whom she knows is one of hers
    seeds: IntVector = field(default_factory=_nobody)  # nodes of `known` whom she recognises beforehand
    seed_nodes: IntVector = field(default_factory=_nobody)  # nodes of `released` that they are


@dataclass(frozen=True, eq=False)
class Claims:
    """Output of a matcher: guesses, certainty, and which guesses she stands by."""

    nodes: NDArray[np.int64]  # (p): the best guess for each of her people, or NOBODY
    certainty: NDArray[np.float64]  # (p): larger where she is surer; only the order counts
    claimed: NDArray[np.bool_]  # (p): whether she stands by the guess; two people never claim one node


class Matcher(Protocol):
    """Protocol of an attack on the whole network, an entry of the registry."""

    name: str  # what the registry calls it
    title: str  # what she does, as the end of "somebody who …"
    paper: str  # where it was published, or whose it is
    needs_seeds: bool  # whether she must recognise somebody beforehand

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Match everybody; `go_on` is called now and then, and raises to stop."""


def reversed_match(match: IntVector, nodes: int) -> NDArray[np.int64]:
    """Inverse of a match: the person matched to each node."""
    back = np.full(nodes, NOBODY, dtype=np.int64)
    matched = np.flatnonzero(match != NOBODY)
    back[match[matched]] = matched
    return back
