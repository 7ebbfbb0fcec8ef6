"""Metric centrality: are the most central nodes still the same? (Section 3.4 of the paper)

Betweenness (Freeman 1977; Brandes 2001) of a node is the sum, over pairs of other nodes, of the share of
their shortest paths that lead through it. The paper compares the top 100. So do we, unless the network has
fewer than 500 nodes: then a fifth of them is compared, because 100 of 150 would always be much the same.

Nodes can be tied for the last place, and the order of the nodes must not decide then. So the top holds all
nodes that are tied with the last, and never a node that no path leads through; the overlap is the number of
shared nodes over the size of the larger top. Without ties that is the paper's definition.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError
from netveil.utility.metric import Finding, Similarity, Undefined
from netveil.utility.side import BATCHES, Side

LARGEST_TOP = 100
SMALLEST_DIFFERENCE = 1e-9  # relative; what differs by less differs by rounding only, and is a tie


class Centrality(Similarity):
    """Overlap of the tops by betweenness: shared nodes over the size of the larger top."""

    name = "centrality"
    needs_paths = True
    title = "overlap of the most central nodes"
    meaning = "Whether a study of the data would still find that the same people connect the others."

    def similarity(self, before: Side, after: Side) -> Finding:
        """Compute the share of nodes that are in the top both before and after."""
        network = before.network
        if network.edge_count == 0:
            raise Undefined("the original has no edges, so no node is between others")
        size = size_of_top(network.node_count, before.settings.top)
        top_before = top_nodes(before.paths.betweenness, size)
        top_after = top_nodes(after.paths.betweenness, size)
        details: dict[str, float] = {
            "top": size,
            "top_before": int(top_before.sum()),
            "top_after": int(top_after.sum()),
            "shared": int((top_before & top_after).sum()),
        }
        says = before.paths.says
        note = f"top {size:,} by betweenness" + (f"; {says}" if says else "")
        error = _standard_error(before, after, size) if says else None
        return self.found(overlap(top_before, top_after), note, details, error)


def size_of_top(nodes: int, wished: int | None) -> int:
    """Number of central nodes to compare."""
    if wished is not None and wished > nodes:
        raise SettingError(f"top {wished:,}: the network has {nodes:,} nodes; give at most that.")
    return max(1, min(LARGEST_TOP, nodes // 5)) if wished is None else wished


def top_nodes(betweenness: NDArray[np.float64], size: int) -> NDArray[np.bool_]:
    """Whether a node is among the first `size` or tied with the last of them, and above zero, per node."""
    last = float(np.partition(betweenness, -size)[-size])
    top: NDArray[np.bool_] = (betweenness > 0) & (betweenness >= last * (1 - SMALLEST_DIFFERENCE))
    return top


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Shared nodes over the size of the larger set; two empty sets are the same."""
    larger = int(max(one.sum(), other.sum()))
    return int((one & other).sum()) / larger if larger else 1.0


def _standard_error(before: Side, after: Side, size: int) -> float:
    """Standard error of an overlap from a sample of sources: jackknife, leaving out a batch at a time."""
    scores = np.array(
        [
            overlap(
                top_nodes(before.paths.betweenness_without(batch), size),
                top_nodes(after.paths.betweenness_without(batch), size),
            )
            for batch in range(BATCHES)
        ]
    )
    return math.sqrt((BATCHES - 1) * float(scores.var()) * before.paths.unseen_share)
