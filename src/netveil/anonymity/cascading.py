"""The cascade: an attacker finds the unique people first, then others among the contacts of those found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity.partition import classes_of
from netveil.errors import needing
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network
from netveil.notebook import html_view
from netveil.words import counted

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Cascade:
    """Who is identified in the end, and how many people in each round."""

    identified: NDArray[np.bool_]  # (n)
    rounds: tuple[int, ...]  # newly identified: the unique nodes, then in each round until nobody is

    @property
    def total(self) -> int:
        """How many nodes are identified in all."""
        return sum(self.rounds)

    def to_dict(self) -> dict[str, object]:
        """The figures, for JSON."""
        return {"identified": self.total, "rounds": list(self.rounds)}

    def to_pandas(self) -> pandas.DataFrame:
        """One row a round, of which 0 finds the unique: people newly identified, and all so far."""
        with needing("pandas", "a table"):
            import pandas

        columns = {"identified": self.rounds, "total": np.cumsum(self.rounds)}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self.rounds), name="round"))

    def __repr__(self) -> str:
        rounds = counted(len(self.rounds) - 1, "round")
        return f"Cascade({self.total:,} of {len(self.identified):,} nodes identified, {rounds})"

    def _repr_html_(self) -> str:
        sentence = f"{self.total:,} of {counted(len(self.identified), 'node')} identified in the end."
        rows = [[str(number), f"{found:,}"] for number, found in enumerate(self.rounds)]
        return html_view(sentence, ["round", "newly identified"], rows)


def cascade(network: Network, states: IntMatrix) -> Cascade:
    """Identify the unique nodes, then neighbours of identified nodes.

    A neighbour is identified if no other neighbour of that node has the same state. A node's neighbours are
    searched once, in the round after it is identified: states do not change.
    """
    from netveil.kernels.counting.cascade import identify_neighbours

    class_of, sizes = classes_of(states)
    identified = sizes[class_of] == 1
    found = np.flatnonzero(identified)
    rounds = [len(found)]
    while len(found := identify_neighbours(network.csr, class_of, found, identified)):
        rounds.append(len(found))
    return Cascade(identified, tuple(rounds))
