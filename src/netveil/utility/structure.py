"""Metrics of structure, one class each (communities have their own file).

The paper's (Sections 3.1 and 3.4, Table 1): edges, clustering, path length, largest component, average
degree, diameter and centrality. Further ones: degree distribution, assortativity, degeneracy, components,
isolated nodes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError
from netveil.utility.metric import BATCHES, LOWER, Finding, Metric, Property, Side, Similarity, Undefined


def _people(side: Side) -> int:
    """Number of nodes; Undefined if there is none."""
    if side.network.node_count == 0:
        raise Undefined("the network has no nodes")
    return side.network.node_count


class NumberOfEdges(Property):
    """Number of edges; its relative change is minus the share of edges deleted (Section 3.4 of the paper)."""

    name = "edges"
    title = "edges"
    meaning = "How many of the relations between people are still in the data."

    def value(self, side: Side) -> float:
        """Count m."""
        return side.network.edge_count


class AverageDegree(Property):
    """Neighbours per node, 2 m / n (Table 1 of the paper)."""

    name = "average_degree"
    title = "average degree"
    meaning = "How many contacts a person has on average."

    def value(self, side: Side) -> float:
        """The mean of the degrees."""
        return 2 * side.network.edge_count / _people(side)


class DegreeDistance(Metric):
    """Kolmogorov-Smirnov distance between the degrees before and after.

    That is the largest difference, over all k, between the shares of nodes with at most k neighbours.
    Before is 0.0, the distance of a network from itself; after is the distance.
    """

    name = "degree_distribution"
    title = "distance between degree distributions"
    better = LOWER
    meaning = (
        "How much the picture of who has many contacts and who has few has shifted: 0 not at all, 1 wholly."
    )

    def compare(self, before: Side, after: Side) -> Finding:
        """The distance, between 0 and 1."""
        nodes = before.network.node_count
        if nodes == 0:
            return Finding(self.title, None, None, self.better, note="the networks have no nodes")
        both = [side.network.degrees for side in (before, after)]
        largest = int(max(degrees.max() for degrees in both))
        counts = [np.bincount(degrees, minlength=largest + 1) for degrees in both]
        apart = int(np.abs(np.cumsum(counts[0] - counts[1])).max())
        return Finding(self.title, 0.0, apart / nodes, self.better, note="Kolmogorov-Smirnov")


class Assortativity(Property):
    """Pearson's correlation between the degrees at the two ends of an edge.

    Newman, Assortative mixing in networks (2002).
    """

    name = "assortativity"
    title = "degree assortativity"
    meaning = "Whether people with many contacts know each other (above 0) or people with few (below 0)."

    def value(self, side: Side) -> float:
        """Compute r, between -1 and 1."""
        network = side.network
        one, other = network.degrees[network.edges].T
        # Newman's formula times 4 m^2: whole numbers, so nothing is lost and a zero variance is a zero.
        ends = int((one + other).sum())
        squares = int((one * one + other * other).sum())
        variance = 2 * network.edge_count * squares - ends * ends
        if variance == 0:
            alike = "all edges have ends of the same degree"
            raise Undefined(alike if network.edge_count else "the network has no edges")
        return (4 * network.edge_count * int((one * other).sum()) - ends * ends) / variance


class Degeneracy(Property):
    """Largest k with a k-core: a part in which every node has at least k neighbours within that part.

    Seidman, Network structure and minimum degree (1983).
    """

    name = "degeneracy"
    title = "degeneracy (largest k-core)"
    meaning = "How tightly knit the densest part of the network is."

    def value(self, side: Side) -> float:
        """The largest core number."""
        _people(side)
        return int(side.core_numbers.max())

    def details(self, before: Side, after: Side) -> dict[str, float]:
        """Share of nodes in the densest part, before and after."""
        return {"main_core_before": _main_core(before), "main_core_after": _main_core(after)}


def _main_core(side: Side) -> float:
    numbers = side.core_numbers
    return int(np.count_nonzero(numbers == numbers.max())) / len(numbers)


class Components(Property):
    """Number of connected components; an isolated node is one of its own."""

    name = "components"
    title = "connected components"
    meaning = "Into how many separate pieces the network falls."

    def value(self, side: Side) -> float:
        """The number of components."""
        return len(side.component_sizes)


class IsolatedNodes(Property):
    """Number of nodes without any edge."""

    name = "isolated"
    title = "isolated nodes"
    meaning = "How many people have no contact left in the data."

    def value(self, side: Side) -> float:
        """Count the nodes of degree 0."""
        return side.isolated_count


class LargestComponent(Property):
    """Robustness: nodes in the largest connected component over all nodes (Section 3.4 of the paper)."""

    name = "lcc"
    title = "share of nodes in the largest component"
    meaning = "How many people are part of the largest connected piece."

    def value(self, side: Side) -> float:
        """The share, between 0 and 1."""
        nodes = _people(side)
        return int(side.component_sizes.max()) / nodes


class Clustering(Property):
    """Average clustering coefficient: mean over nodes of triangles / (degree (degree - 1) / 2).

    Watts & Strogatz 1998; Section 3.1 of the paper. A node with fewer than two neighbours has 0/0. Textbooks
    and the formula in Section 3.1 count that as 0; the figures in the paper's Table 1 leave such nodes out of
    the average (GRQC: 0.69, not 0.53).
    """

    name = "clustering"
    title = "average clustering coefficient"
    meaning = "How often two contacts of the same person also know each other."

    def value(self, side: Side) -> float:
        """Average cc(G) over the nodes with two neighbours or more, or over all."""
        from netveil.kernels.triangles import triangles_per_node

        degrees = side.network.degrees
        able = degrees >= 2
        leave_out = side.settings.clustering == "paper"
        nodes = int(able.sum()) if leave_out else len(degrees)
        if nodes == 0:
            raise Undefined("no node has two neighbours" if len(degrees) else "the network has no nodes")
        triangles = triangles_per_node(side.network.edges, degrees)
        pairs = degrees * (degrees - 1) / 2
        # Summed exactly, so that the order of the nodes does not show in the last digits.
        return math.fsum(triangles[able] / pairs[able]) / nodes

    def note(self, before: Side, after: Side) -> str:
        """Say which of the two definitions it is."""
        if before.settings.clustering == "paper":
            return "over nodes with at least two neighbours, as in the paper"
        return "over all nodes; fewer than two neighbours count as 0, as in textbooks"


class PathLength(Property):
    """Mean of d(v, w) over all pairs of nodes that a path connects (Sections 3.1 and 3.4)."""

    name = "path_length"
    needs_paths = True
    title = "average shortest path length"
    meaning = "Through how many hands something passes between two people, on average."

    def value(self, side: Side) -> float:
        """Sum of the distances from all sources over the number of nodes reached."""
        pairs = int(side.paths.reached.sum())
        if pairs == 0:
            raise Undefined("no two nodes are connected")
        return int(side.paths.distance_sums.sum()) / pairs

    def note(self, before: Side, after: Side) -> str:
        """Whether it is an estimate."""
        return before.paths.says

    def standard_error(self, before: Side, after: Side) -> dict[str, float]:
        """Linearised error of a ratio of two sums over a sample of sources, drawn without repetition."""
        if not before.paths.is_sample:
            return {}
        deviations_before, deviations_after = self._deviations(before), self._deviations(after)
        return {
            "before": _standard_error(deviations_before, before),
            "after": _standard_error(deviations_after, after),
            # The sources are the same nodes in both, so most of the error cancels.
            "change": _standard_error(deviations_after - deviations_before, before),
        }

    def _deviations(self, side: Side) -> NDArray[np.float64]:
        """Deviation of each source from the ratio."""
        paths = side.paths
        deviations = paths.distance_sums - self.value(side) * paths.reached
        return np.asarray(deviations / paths.reached.mean())


def _standard_error(deviations: NDArray[np.float64], side: Side) -> float:
    return math.sqrt(float(deviations.var(ddof=1)) * side.paths.unseen_share / side.paths.sources)


class Diameter(Property):
    """Largest finite d(v, w) over all pairs of nodes (Section 3.1 of the paper)."""

    name = "diameter"
    needs_paths = True
    title = "diameter"
    meaning = "How far apart the two people are who are farthest from each other, yet connected."

    def value(self, side: Side) -> float:
        """D(G), or a lower bound on it if not all nodes were searched from."""
        if side.network.edge_count == 0:
            raise Undefined("no two nodes are connected")
        return side.paths.diameter

    def note(self, before: Side, after: Side) -> str:
        """Whether it is a lower bound."""
        says = before.paths.says
        return f"a lower bound, {says}" if says else ""


# Centrality: are the most central nodes still the same? (Section 3.4 of the paper)
#
# Betweenness (Freeman 1977; Brandes 2001) of a node is the sum, over pairs of other nodes, of the share of
# their shortest paths that lead through it. The paper compares the top 100. So do we, unless the network has
# fewer than 500 nodes: then a fifth of them is compared, because 100 of 150 would always be much the same.
#
# Nodes can be tied for the last place, and the order of the nodes must not decide then. So the top holds all
# nodes that are tied with the last, and never a node that no path leads through; the overlap is the number of
# shared nodes over the size of the larger top. Without ties that is the paper's definition.


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
        top_before, top_after = (top_nodes(side.paths.betweenness, size) for side in (before, after))
        details: dict[str, float] = {
            "top": size,
            "top_before": int(top_before.sum()),
            "top_after": int(top_after.sum()),
            "shared": int((top_before & top_after).sum()),
        }
        says = before.paths.says
        note = f"top {size:,} by betweenness" + (f"; {says}" if says else "")
        error = _error_of_overlap(before, after, size) if says else None
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


def _error_of_overlap(before: Side, after: Side, size: int) -> float:
    """Standard error of an overlap from a sample of sources: jackknife, leaving out a batch at a time."""
    scores = []
    for batch in range(BATCHES):
        without = (side.paths.betweenness_without(batch) for side in (before, after))
        scores.append(overlap(*(top_nodes(betweenness, size) for betweenness in without)))
    return math.sqrt((BATCHES - 1) * float(np.var(scores)) * before.paths.unseen_share)
