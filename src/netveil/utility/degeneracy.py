"""Metric degeneracy: the depth of the dense centre (Seidman, Network structure and minimum degree, 1983)."""

from __future__ import annotations

import numpy as np

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


class Degeneracy(Property):
    """The largest k with a k-core: a part in which everybody has at least k neighbours within that part."""

    name = "degeneracy"
    title = "degeneracy (largest k-core)"
    meaning = "How tightly knit the densest part of the network is."

    def value(self, side: Side) -> float:
        """The largest core number."""
        if side.network.node_count == 0:
            raise Undefined("the network has no nodes")
        return int(side.core_numbers.max())

    def details(self, before: Side, after: Side) -> dict[str, float]:
        """The share of nodes in that densest part."""
        return {"main_core_before": _main_core(before), "main_core_after": _main_core(after)}


def _main_core(side: Side) -> float:
    numbers = side.core_numbers
    return int(np.count_nonzero(numbers == numbers.max())) / len(numbers)
