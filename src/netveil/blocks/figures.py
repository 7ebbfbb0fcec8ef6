"""The figures of a network in blocks: what `Anonymity` says of one in memory, without arrays of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np

from netveil.anonymity import Attacker
from netveil.anonymity.partition import documented
from netveil.blocks.classes import lookalikes_in
from netveil.blocks.manifest import Pair
from netveil.blocks.states import Part
from netveil.blocks.tasks import Place

Sizes = dict[int, int]
"""Number of lookalikes → how many nodes have that many."""


@dataclass(frozen=True)
class BlockAnonymity:
    """Who can be singled out in a network in blocks: how many people, not which."""

    network: str
    nodes: int
    edges: int
    measure: str
    distance: int
    k: int
    fuzzy: Fraction | None
    twins: bool
    classes: int  # number of equivalence classes
    class_sizes: Sizes  # in ascending order
    edges_at_risk: int | None  # edges with an end at risk; None to one of several attackers
    attackers: tuple[Attacker, ...]
    each: tuple[BlockAnonymity, ...] = ()  # to each attacker alone, where there are several

    @property
    def unique(self) -> int:
        """Nodes without any lookalike."""
        return self._with_fewer(2)

    @property
    def at_risk(self) -> int:
        """Nodes with fewer than k lookalikes, themselves included."""
        return self._with_fewer(self.k)

    @property
    def uniqueness(self) -> float:
        """The share of nodes at risk."""
        return self.at_risk / self.nodes if self.nodes else 0.0

    def _with_fewer(self, lookalikes: int) -> int:
        return sum(nodes for size, nodes in self.class_sizes.items() if size < lookalikes)

    def to_dict(self) -> dict[str, object]:
        """The figures under their names in the contract."""
        return documented(self)


class Asked(NamedTuple):
    """What a task must know of an attacker to tell how many look like a node."""

    fuzzy: Fraction | None
    width: int  # numbers of a state; 0 where states differ in that


def judge_part(
    place: Place, part: Part, asked: tuple[Asked, ...], partitions: int, k: int, threads: int = 1
) -> list[Sizes]:
    """How many nodes of a part have how many lookalikes: to each attacker, and to the one who knows most.

    Puts `risk-…`, whether each node is at risk. One thread is enough.
    """
    to_each = [
        lookalikes_in(place, str(attacker), part, partitions, fuzzy, width)
        for attacker, (fuzzy, width) in enumerate(asked)
    ]
    fewest = reduce(np.minimum, to_each)
    place.put(f"risk-{part.number}", fewest < k)
    return [
        dict(zip(*(found.tolist() for found in np.unique(lookalikes, return_counts=True)), strict=True))
        for lookalikes in (*to_each, fewest)
    ]


def edges_touching(
    place: Place, pair: Pair, rows_in: Sequence[int], targets_in: Sequence[int], threads: int = 1
) -> int:
    """How many edges of a pair of blocks have an end at risk, by the parts that its blocks are in."""
    rows = place.blocks().rows(pair)
    of_rows, of_targets = (
        np.concatenate([place.get(f"risk-{part}") for part in parts]).astype(bool)
        for parts in (rows_in, targets_in)
    )
    return int(np.count_nonzero(np.repeat(of_rows, np.diff(rows.offsets)) | of_targets[rows.targets]))


def summed(sizes: Sequence[Sizes]) -> Sizes:
    """The figures of all parts together.

    >>> summed([{2: 4, 1: 1}, {1: 2}])
    {1: 3, 2: 4}
    """
    total: Counter[int] = Counter()
    for part in sizes:
        total.update(part)
    return dict(sorted(total.items()))
