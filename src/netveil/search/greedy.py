"""Greedy deletion by exact gain: plain, and class-targeted with a large neighbourhood search.

    while the budget lasts: delete the edge of the best score, as things are
    return the best prefix met
    class-targeted only, 16 times: restore a random 80% of the deletions, do the same from there,
    and go on from what is no worse

Both are OptiAnon's (Alkema, de Jong, Rietveld & Takes 2026). Scores are exact and computed incrementally: one
is kept until a state or the size of a class that it depends on changes. Written from notes on the paper's
rules, without its code. They leave open how unique nodes count where k > 2 (here: nodes at risk), and what
becomes of an edge whose deletion breaks a limit (here: it stays for good, as in the baselines).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import NamedTuple, Self

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.flips import flip_edges
from netveil.kernels.limits import delete_allowed, violation
from netveil.kernels.search_steps import Scores, best_edge, mark_stale, score_by_flips, score_sums
from netveil.kernels.states import Total
from netveil.search.algorithm import Algorithm, Settings, check_setting
from netveil.search.control import Checkpoint, Control, Found, Step, Steps, StopReason
from netveil.search.problem import Problem

EDGES_AT_ONCE = 5_000  # scored, or tried against limits, before the caller is asked whether to go on
EDGES_AT_ONCE_IF_SLOW = 5
RESTORED = 0.8  # share of the deletions that a round restores
STEPS_TOLD = 100  # for each time that the budget is spent


class Worth(NamedTuple):
    """Worth of an edge: -change * (nodes at risk more) + exposed * (nodes at risk that it touches)."""

    change: int
    exposed: int


class Prefix(NamedTuple):
    """Solution met on the way; of two, the lesser one is better."""

    at_risk_or_enough: int
    deleted: int
    at_risk: int
    words: Words


by_rank = itemgetter(0, 1)
"""Sort key of prefixes: few enough at risk, then few deletions."""


@dataclass(eq=False)
class Descent:
    """Deletes the edge of the best score again and again."""

    problem: Problem
    worth: Worth
    control: Control
    rounds: int
    evaluations: int = 1
    deletions: int = 0  # in all rounds
    best: Prefix = field(init=False)  # of all rounds

    def __post_init__(self) -> None:
        edges = self.problem.edge_count
        self.state, self.may_go = self.problem.fresh_state(), self.problem.topology.movable.copy()
        changes, exposed, common = np.zeros((3, edges), dtype=np.int64)
        altered = np.zeros(len(self.state.table), dtype=np.int64)
        self.scores = Scores(changes, exposed, common, np.ones(edges, dtype=np.uint8), altered)
        touched = 2 + int(np.diff(self.problem.topology.first_row).max(initial=0))
        # One deletion takes so many from a class at most, and a score reads what another would take.
        self.safe = self.problem.k + 2 * touched
        self.at_once = EDGES_AT_ONCE_IF_SLOW if self.problem.is_slow else EDGES_AT_ONCE
        self.best = self.prefix()

    def prefix(self) -> Prefix:
        """The deletions so far."""
        at_risk, deleted = int(self.state.totals[Total.AT_RISK]), int(self.state.totals[Total.DELETED])
        return Prefix(max(at_risk, self.problem.enough), deleted, at_risk, self.state.words.copy())

    def to_the_budget(self, number: int) -> Generator[Step, None, tuple[Prefix, StopReason]]:
        """Delete up to the budget; return the best prefix and the reason to stop. `number` is the round."""
        best, between = self.prefix(), max(1, self.problem.budget // STEPS_TOLD)
        while True:
            now = self.prefix()
            best, self.best = min(best, now, key=by_rank), min(self.best, now, key=by_rank)
            if self.deletions and (now.deleted % between == 0 or now.deleted == self.problem.budget):
                share = (number + now.deleted / self.problem.budget) / (self.rounds + 1)
                best_edges = partial(self.problem.edges_deleted_by, self.best.words)
                figures = self.evaluations, self.best.at_risk, now.at_risk, now.deleted
                yield Step(self.deletions, *figures, Checkpoint(best_edges, self.best.at_risk), share)
            if now.at_risk <= self.problem.enough:
                return best, "solved"
            if now.deleted >= self.problem.budget:
                return best, "budget"
            if not self.score():
                return best, self.control.asked_to_stop() or "interrupted"
            if not self.delete():
                return best, self.control.asked_to_stop() or "converged"

    def score(self) -> bool:
        """Compute the scores that are stale; False if the caller asked to stop before the end."""
        problem, state = self.problem, self.state
        if state.general is not None:
            self.scores.stale[:] = 1
        edges = np.flatnonzero(self.scores.stale & state.present & self.may_go)
        for first in range(0, len(edges), self.at_once):
            if self.control.asked_to_stop() is not None:
                return False
            some = edges[first : first + self.at_once]
            if state.general is None:
                score_sums(problem.topology, problem.rule, state, self.scores, some)
            else:
                score_by_flips(problem.topology, problem.rule, state, state.general, self.scores, some)
            self.evaluations += len(some)
        return self.control.asked_to_stop() is None

    def delete(self) -> bool:
        """Delete the best edge that may go, and mark the scores that may change; False if there is none."""
        problem, state = self.problem, self.state
        if problem.limits is None:
            edge = best_edge(self.scores, state.present, self.may_go, problem.edge_order, *self.worth)
            if edge >= 0:
                flip_edges(problem.topology, problem.rule, state, np.array([edge]))
        else:
            edge = self._first_allowed()
        if state.general is None:
            # Also where nothing may go, as limits have it in the tiny search that compiles all for this one.
            topology, rule = problem.topology, problem.rule
            mark_stale(topology, rule, state, self.scores, edge, self.deletions + 1, self.safe)
        self.deletions += edge >= 0
        return edge >= 0

    def _first_allowed(self) -> int:
        """Delete the best edge that breaks no limit; return its bit or -1. Others tried stay for good."""
        problem, scores = self.problem, self.scores
        edges = np.flatnonzero(self.state.present & self.may_go)
        changes = scores.changes[edges]
        values = self.worth.exposed * scores.exposed[edges] - self.worth.change * changes
        in_order = edges[np.lexsort((problem.edge_order[edges], changes, -values))]
        assert problem.limits is not None
        arrays = problem.topology, problem.rule, problem.limits, self.state
        for first in range(0, len(in_order), self.at_once):
            if self.control.asked_to_stop() is not None:
                break
            some = in_order[first : first + self.at_once]
            if delete_allowed(*arrays, some, 1, self.may_go):
                return int(some[self.state.present[some] == 0][0])
        return -1

    def restore_all_but(self, kept: IntVector) -> None:
        """Restore all deletions but these bits, or all of them if that breaks a limit."""
        problem, state = self.problem, self.state
        flip_edges(problem.topology, problem.rule, state, np.setxor1d(problem.bits_set_in(state.words), kept))
        if violation(problem.topology, problem.limits, state) > 0:
            flip_edges(problem.topology, problem.rule, state, kept)
        self.scores.stale[:] = 1
        self.may_go[:] = problem.topology.movable


def by_gain(problem: Problem, worth: Worth, rounds: int, rng: np.random.Generator, control: Control) -> Steps:
    """Delete up to the budget, then restore and delete again in so many rounds; the best met counts."""
    descent = Descent(problem, worth, control, rounds)
    control.start()
    yield Step(0, 1, descent.best.at_risk, descent.best.at_risk, 0)
    current, stopped_by = yield from descent.to_the_budget(0)
    for number in range(1, rounds + 1):
        if control.asked_to_stop() is not None:
            break
        deleted = problem.bits_set_in(current.words)
        kept = rng.choice(deleted, len(deleted) - round(RESTORED * len(deleted)), replace=False)
        descent.restore_all_but(kept)
        found, stopped_by = yield from descent.to_the_budget(number)
        current = min(found, current, key=by_rank)
    best = descent.best
    if best.at_risk <= problem.enough:
        stopped_by = "solved"
    return Found(problem.edges_deleted_by(best.words), best.at_risk, stopped_by, descent.evaluations)


def greedy(
    problem: Problem, settings: Settings, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Greedy: each time the edge that leaves the fewest at risk, of equals the first. Draws nothing."""
    return by_gain(problem, Worth(1, 0), 0, rng, control)


GREEDY = Algorithm(name="greedy", search=greedy, default=Settings())


@dataclass(frozen=True, kw_only=True)
class ClassTargeted(Settings):
    """Settings of the class-targeted search."""

    rounds: int = 16  # of the large neighbourhood search; 0 for none

    def __post_init__(self) -> None:
        check_setting("rounds", self.rounds, self.rounds >= 0, "0 or more")

    def brief(self) -> Self:
        """Restores once."""
        return replace(self, rounds=min(self.rounds, 1))


def class_targeted(
    problem: Problem, settings: ClassTargeted, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Class-targeted: greedy that prefers edges which touch unique nodes; 25 of them weigh as one saved.

    The score is -100 * (unique nodes more) + 4 * (unique nodes among ends and common neighbours); ties go to
    the fewest unique nodes, then to the first edge.
    """
    return by_gain(problem, Worth(100, 4), settings.rounds, rng, control)


CLASS_TARGETED = Algorithm(
    name="class-targeted", search=class_targeted, default=ClassTargeted(), grid={"rounds": (0, 4, 16, 64)}
)
