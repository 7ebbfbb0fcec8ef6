"""Chains that walk by a script, for tests of how budgets are tried and deletions cut down."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from clocks import Clock
from graphs import clustered
from netveil.anonymity import attackers_of
from netveil.progress import finished
from netveil.search import Control, Problem
from netveil.search.annealing.chains import Allowance, Legs
from netveil.search.annealing.walk import Schedule
from netveil.search.control import Step, StopReason
from searches import outcome_of

MANY = clustered(500, 3_000)


@dataclass
class Best:
    """What the chains have found: so many at risk with so many deletions."""

    at_risk: int
    deleted: int


@dataclass
class Walked:
    """A walk that the chains were asked for."""

    budget: int
    enough: int
    part: tuple[float, float]


@dataclass
class ScriptedChains:
    """Chains that find a solution as soon as a budget is large enough, at the end of their walk or early."""

    needed: int
    best: Best
    clock: Clock | None = None
    seconds: float = 0.1  # that a leg takes
    ends_after: int | None = None  # legs of a walk that finds something; all if None
    stop: StopReason | None = None  # instead of the second walk
    asked: list[Walked] = field(default_factory=list)
    stands_at: int = 0  # deletions where the last walk ended
    began_at: list[int] = field(default_factory=list)  # deletions to which the chains went back, each time

    def saved_best(self, enough: int) -> int:
        """Where the last walk ended."""
        return self.stands_at

    def go_back_to(self, saved: int) -> None:
        """Walk from there."""
        self.began_at.append(saved)

    def walk(
        self, schedule: Schedule, legs: Legs, control: Control, *, is_short: bool = False
    ) -> Generator[Step, None, StopReason | None]:
        """Make the legs, and say how it ended."""
        assert is_short == (schedule.first > 0)
        self.asked.append(Walked(schedule.budget, schedule.enough, legs.part))
        finds = schedule.budget >= self.needed
        made = 0
        while not legs.at_the_end and not (finds and made == self.ends_after):
            legs.next_leg()
            made += 1
            if self.clock is not None:
                self.clock.spend(self.seconds)
            yield Step(made, made, 0, 0, 0)
        if self.stop is not None and len(self.asked) == 2:
            return self.stop
        self.stands_at = schedule.budget
        if not finds:
            return None
        self.best = Best(schedule.enough, schedule.budget)
        return "solved"


def problem_for(budget: int, target: Fraction | None = Fraction(1)) -> Problem:
    """A problem on a larger network, whose edges are never flipped here."""
    return Problem(MANY, attackers_of("count"), 2, budget, np.arange(MANY.edge_count), target=target)


Way = Callable[[Problem, Any, Allowance, Control], Generator[Step, None, StopReason | None]]


def go(
    way: Way, chains: ScriptedChains, budget: int, proposals: int = 10**7, control: Control | None = None
) -> tuple[StopReason | None, Allowance]:
    """Find a budget, or cut down, with scripted chains."""
    control = control or Control()
    work = Allowance(proposals, control, slow=False)
    return finished(way(problem_for(budget), chains, work, control)), work


def course_of_target(effort: float) -> list[tuple[int, int, int]]:
    """Proposals, nodes at risk and deletions after each leg of a search for full anonymity."""
    outcome = outcome_of(clustered(), budget=None, target="100%", settings={"effort": effort})
    return [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]
