"""Restricts a large network to what is around the people at risk: few edges can help them.

Deleting edge {u, v} changes the states of u, v and their common neighbours, and nobody else's. So a search
that deletes only some of the edges needs only these edges, those that close triangles with them, and the
people at their ends. All others keep their states. Of those who share a state, k + 1 stand in for all: a
class is compared with k and with nothing else, so that more would change nothing. Who is at risk in the
restricted problem is who is at risk in the network without the same edges, but for those left out.

That holds for one attacker whose state is a sum over degree and triangles (`Problem.linear_weights`). Under
limits the whole network is searched.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.kernels.balls import mark_around, mark_closing
from netveil.kernels.triangles import triangles_per_node
from netveil.network import Network
from netveil.search.annealing.walk import nearest, numbers_of
from netveil.search.control import Control
from netveil.search.problem import Counts, Problem
from netveil.threads import available_cores

LARGE = 500_000  # edges: from here on a search keeps to the surroundings of people at risk


@dataclass(frozen=True, eq=False)
class RestrictedProblem(Problem):
    """A problem on part of a network; its nodes have further edges and triangles outside of it."""

    whole: Problem = field(kw_only=True)  # the problem that it restricts
    more: Counts = field(kw_only=True)  # edges and triangles of each of its nodes that are not in it
    node_numbers: IntVector = field(kw_only=True)  # in the whole network

    @property
    def enough(self) -> int:
        """Nodes at risk that are few enough, as in the whole network: nobody at risk is left out."""
        return self.whole.enough

    @property
    def contacts(self) -> IntVector:
        """Contacts that its nodes have in the whole network."""
        return self.whole.contacts[self.node_numbers]

    @cached_property
    def apart(self) -> IntVector | None:
        """None: `more` already keeps the groups of the whole network apart."""
        return None if self.whole.apart is None else np.zeros(self.network.node_count, dtype=np.int64)

    def counts(self) -> Counts:
        """Degrees and triangles that its nodes have in the whole network, as states have them."""
        seen = super().counts()
        return Counts(seen.degrees + self.more.degrees, seen.triangles + self.more.triangles)


def restricted_to(problem: Problem, candidates: NDArray[np.bool_]) -> RestrictedProblem:
    """Restrict a problem so that only edges marked as candidates (m) may be deleted."""
    network, counts = problem.network, problem.at_first.counts
    edges = candidates.astype(np.uint8)
    mark_closing(network.csr, network.edges[candidates].astype(np.int64), edges)
    numbers = np.flatnonzero(edges)
    ends = network.edges[numbers]
    is_there = np.zeros(network.node_count, dtype=bool)
    is_there[ends.ravel()] = True
    is_there[_stand_ins(problem, np.flatnonzero(~is_there))] = True
    nodes = np.flatnonzero(is_there)
    number_here = np.zeros(network.node_count, dtype=network.edges.dtype)
    number_here[nodes] = np.arange(len(nodes))
    here = number_here[ends]  # in ascending order, as nodes keep theirs
    here.setflags(write=False)
    part = Network(len(nodes), here, range(len(nodes)), network.name)
    triangles = triangles_per_node(here, part.degrees, available_cores())
    asked = numbers if problem.numbers is None else problem.numbers[numbers]
    return RestrictedProblem(
        part,
        problem.attackers,
        problem.k,
        problem.budget,
        np.arange(len(here)),
        protected_edges=asked[~candidates[numbers]],
        target=problem.target,
        whole=problem,
        more=Counts(counts.degrees[nodes] - part.degrees, counts.triangles[nodes] - triangles),
        node_numbers=nodes,
        numbers=asked,
    )


def _stand_ins(problem: Problem, nodes: IntVector) -> IntVector:
    """Choose k + 1 of these nodes for each state, or all where there are fewer: the lowest numbers."""
    states = problem.at_first.states[nodes]
    order = np.argsort(states, kind="stable")
    _, first, place_of = np.unique(states[order], return_index=True, return_inverse=True)
    chosen: IntVector = nodes[order[np.arange(len(nodes)) - first[place_of] <= problem.k]]
    return chosen


def around_people_at_risk(problem: Problem, control: Control) -> RestrictedProblem:
    """Restrict a problem to edges that can help nodes at risk; progress goes to the control.

    Candidates are the edges at people at risk, those over against them, which close a triangle with two of
    theirs, and those at the people whose states are nearest to theirs. Where there is a solution to go on
    from, also the edges that it deletes, and those around people who are at risk without them.
    """
    control.watcher.prepare("finding whose states are near", 0.5)
    counted = [problem.at_first]
    if problem.known is not None:
        counted.append(replace(problem, network=problem.without(problem.known)).at_first)
    numbers, at_risk, nearby = numbers_of(problem), np.empty(0, np.int64), np.empty(0, np.int64)
    for counts, _, lookalikes in counted:
        exposed = np.flatnonzero(lookalikes < problem.k)
        at_risk = np.union1d(at_risk, exposed)
        nearby = np.union1d(nearby, nearest(numbers, counts.degrees, counts.triangles, problem.k)[exposed])
    control.watcher.prepare("listing who knows whom", 0.6)
    csr = problem.network.csr
    control.watcher.prepare("finding what is around people at risk", 0.9)
    marks = np.zeros(problem.edge_count, dtype=np.uint8)
    mark_around(csr, at_risk, problem.rule.count_triangles, marks)
    mark_around(csr, nearby, False, marks)
    if problem.known is not None:
        marks[problem.edge_order[problem.bits_of(problem.known)]] = 1
    marks[problem.edge_order[problem.protected]] = 0
    return restricted_to(problem, marks.astype(bool))


def is_searched_around(problem: Problem) -> bool:
    """Whether a search keeps to the surroundings of people at risk: in large networks, where it is exact."""
    return problem.edge_count >= LARGE and problem.linear_weights is not None and not problem.keep
