"""An excerpt of a problem: some edges that may be deleted, all whom they touch, and stand-ins for the rest.

Deleting edge {u, v} changes the states of u, v and their common neighbours, and nobody else's. So a search
that deletes only some of the edges needs only these edges, those that close triangles with them, and the
people at their ends. All others keep their states. Of those who share a state, k + 1 stand in for all: a
class is compared with k and with nothing else, so that more would change nothing. Who is at risk in an
excerpt is who is at risk in the network without the same edges, but for those left out.

That holds for one attacker whose state is a sum over degree and triangles (`Problem.linear_weights`). Of
limits, those on contacts that each person may lose (`Problem.most_lost`) are the same in an excerpt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.limits.limit import limits_on_contacts
from netveil.search.problem import Counts, Problem
from netveil.threads import available_cores

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits

NOTHING: IntVector = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Excerpt(Problem):
    """A problem on part of a network, whose people have more edges and triangles than can be seen."""

    more: Counts = field(kw_only=True)  # than the excerpt has, of each of its nodes
    node_numbers: IntVector = field(kw_only=True)  # in the network that it was taken from
    edge_numbers: IntVector = field(kw_only=True)
    few_enough: int = field(kw_only=True)  # nodes at risk, in the whole network
    may_lose: IntVector | None = field(kw_only=True)  # contacts, each node; None where nothing is limited

    @property
    def enough(self) -> int:
        """As many as in the network: nobody at risk is left out."""
        return self.few_enough

    @property
    def most_lost(self) -> IntVector | None:
        """Contacts that each node may lose, of all that it has in the whole network."""
        return self.may_lose

    @cached_property
    def limits(self) -> Limits | None:
        """The same, as kernels take it.

        Kernels take what a node has in the excerpt for what it had at first. They believe that it lost fewer
        than it did, by those that the excerpt does not show, so it may lose as many fewer.
        """
        return None if self.may_lose is None else limits_on_contacts(self.may_lose - self.more.degrees)

    def counts(self) -> Counts:
        """What its people have in the whole network."""
        seen = super().counts()
        return Counts(seen.degrees + self.more.degrees, seen.triangles + self.more.triangles)

    def recount(self, deleted_edges: IntVector) -> tuple[int, int]:
        """Nobody sees enough of the network for that."""
        raise NotImplementedError("an excerpt is recounted in the network that it was taken from")

    def edges_there(self, edges: IntVector) -> IntVector:
        """The numbers of some of its edges in the network that it was taken from."""
        return self.edge_numbers[edges]

    def edges_here(self, edges: IntVector) -> IntVector:
        """The numbers that edges of that network have here, those that are not in it left out."""
        return np.flatnonzero(np.isin(self.edge_numbers, edges))


def excerpt_of(
    problem: Problem,
    counts: Counts,
    candidates: NDArray[np.bool_],
    budget: int,
    left_out: NDArray[np.bool_] | None = None,
) -> Excerpt:
    """The excerpt in which the edges marked as candidates (m) may be deleted, and no others.

    `counts` are those of `problem`. People who are `left_out` (n) do not stand in for anybody; those whom
    candidates touch are there all the same.
    """
    from netveil.kernels.balls import mark_closing
    from netveil.kernels.triangles import triangles_per_node

    network = problem.network
    edges = candidates.astype(np.uint8)
    mark_closing(network.csr, network.edges[candidates].astype(np.int64), edges)
    numbers = np.flatnonzero(edges)
    ends = network.edges[numbers]
    is_there = np.zeros(network.node_count, dtype=bool)
    is_there[ends.ravel()] = True
    others = ~is_there if left_out is None else ~is_there & ~left_out
    is_there[_stand_ins(problem, counts, np.flatnonzero(others))] = True
    nodes = np.flatnonzero(is_there)
    number_here = np.zeros(network.node_count, dtype=network.edges.dtype)
    number_here[nodes] = np.arange(len(nodes))
    here = number_here[ends]  # in ascending order, as nodes keep theirs
    here.setflags(write=False)
    excerpt = Network(len(nodes), here, range(len(nodes)), network.name)
    fixed = np.flatnonzero(~candidates[numbers])
    degrees = excerpt.degrees
    more = Counts(
        counts.degrees[nodes] - degrees,
        counts.triangles[nodes] - triangles_per_node(here, degrees, available_cores()),
    )
    return Excerpt(
        excerpt,
        problem.attackers,
        problem.k,
        budget,
        np.arange(len(here)),
        protected_edges=fixed,
        target=problem.target,
        keep=problem.keep,
        few_enough=problem.enough,
        may_lose=None if problem.most_lost is None else problem.most_lost[nodes],
        more=more,
        node_numbers=nodes,
        edge_numbers=numbers,
    )


def _stand_ins(problem: Problem, counts: Counts, nodes: IntVector) -> IntVector:
    """Of these nodes, k + 1 of each state, or all where there are fewer: those with the lowest numbers."""
    assert problem.linear_weights is not None
    per_degree, per_triangle = problem.linear_weights[:2]
    states = per_degree * counts.degrees[nodes] + per_triangle * counts.triangles[nodes]
    order = np.argsort(states, kind="stable")
    states = states[order]
    first = np.concatenate(([0], np.flatnonzero(np.diff(states)) + 1)) if len(nodes) else NOTHING
    place = np.arange(len(nodes)) - np.repeat(first, np.diff(np.append(first, len(nodes))))
    chosen: IntVector = nodes[order[place <= problem.k]]
    return chosen
