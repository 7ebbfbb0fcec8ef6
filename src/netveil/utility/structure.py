"""Metric edges: how many there are (Section 3.4 of the paper: the actual number of edges deleted)."""

from __future__ import annotations

import math

import numpy as np

from netveil.utility.metric import LOWER, Finding, Metric, Property, Undefined
from netveil.utility.side import Side


class Edges(Property):
    """The number of edges; its relative change is minus the share of edges deleted."""

    name = "edges"
    title = "edges"
    meaning = "How many of the relations between people are still in the data."

    def value(self, side: Side) -> float:
        """m."""
        return side.network.edge_count


# Metric average_degree: neighbours per node (Table 1 of the paper).


class AverageDegree(Property):
    """2 m / n."""

    name = "average_degree"
    title = "average degree"
    meaning = "How many contacts a person has on average."

    def value(self, side: Side) -> float:
        """The mean of the degrees."""
        if side.network.node_count == 0:
            raise Undefined("the network has no nodes")
        return 2 * side.network.edge_count / side.network.node_count


# Metric degree_distribution: the Kolmogorov-Smirnov distance between the degrees before and after.


class DegreeDistribution(Metric):
    """The largest difference, over all k, between the shares of nodes with at most k neighbours.

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
        largest = int(max(before.network.degrees.max(), after.network.degrees.max()))
        counts_before = np.bincount(before.network.degrees, minlength=largest + 1)
        counts_after = np.bincount(after.network.degrees, minlength=largest + 1)
        apart = int(np.abs(np.cumsum(counts_before - counts_after)).max())
        return Finding(self.title, 0.0, apart / nodes, self.better, note="Kolmogorov-Smirnov")


# Assortativity: do the well-connected know each other? (Newman, Assortative mixing in networks, 2002).


class Assortativity(Property):
    """Pearson's correlation between the degrees at the two ends of an edge."""

    name = "assortativity"
    title = "degree assortativity"
    meaning = "Whether people with many contacts know each other (above 0) or people with few (below 0)."

    def value(self, side: Side) -> float:
        """r, between -1 and 1."""
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


# Metric degeneracy: the depth of the dense centre (Seidman, Network structure and minimum degree, 1983).


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


# Metric components: the number of connected components.


class Components(Property):
    """Sets of nodes that paths connect; an isolated node is one of its own."""

    name = "components"
    title = "connected components"
    meaning = "Into how many separate pieces the network falls."

    def value(self, side: Side) -> float:
        """The number of components."""
        return len(side.component_sizes)


# Metric isolated: nodes without any edge.


class IsolatedNodes(Property):
    """The number of nodes of degree 0."""

    name = "isolated"
    title = "isolated nodes"
    meaning = "How many people have no contact left in the data."

    def value(self, side: Side) -> float:
        """The number of such nodes."""
        return side.isolated_count


# Metric lcc: robustness, the share of nodes in the largest component (Section 3.4 of the paper).


class LargestComponent(Property):
    """Nodes in the largest connected component over all nodes."""

    name = "lcc"
    title = "share of nodes in the largest component"
    meaning = "How many people are part of the largest connected piece."

    def value(self, side: Side) -> float:
        """The share, between 0 and 1."""
        if side.network.node_count == 0:
            raise Undefined("the network has no nodes")
        return int(side.component_sizes.max()) / side.network.node_count


# Metric clustering: the average clustering coefficient (Watts & Strogatz 1998; Section 3.1 of the paper).
#
# The clustering coefficient of a node is the number of its triangles over its pairs of neighbours, which is
# 0/0 for a node with fewer than two neighbours. Textbooks and the formula in Section 3.1 count
# that as 0; the figures in the paper's Table 1 leave such nodes out of the average (GRQC: 0.69, not 0.53).


class Clustering(Property):
    """The mean over nodes of triangles / (degree (degree - 1) / 2)."""

    name = "clustering"
    title = "average clustering coefficient"
    meaning = "How often two contacts of the same person also know each other."

    def value(self, side: Side) -> float:
        """cc(G), over the nodes with two neighbours or more, or over all."""
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
        """Which of the two definitions it is."""
        if before.settings.clustering == "paper":
            return "over nodes with at least two neighbours, as in the paper"
        return "over all nodes; fewer than two neighbours count as 0, as in textbooks"
