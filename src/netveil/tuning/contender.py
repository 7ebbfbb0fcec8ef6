"""One configuration's run in a tournament: a search that pauses, and goes on as if it never had.

A search is a generator: to pause it is not to ask for its next step, to eliminate it is to close it.
"""

from __future__ import annotations

import time
from collections.abc import Generator

import numpy as np

from netveil.search import Algorithm, Control, Problem
from netveil.search.progress import Found, Step
from netveil.search.settings import Settings


class Contender:
    """A run of one configuration."""

    def __init__(
        self,
        number: int,
        problem: Problem,
        algorithm: Algorithm,
        settings: Settings,
        seed: int,
        tournament: Control,
        at_risk_before: int,
    ) -> None:
        self.number, self.settings = number, settings
        self.problem, self.at_risk_before = problem, at_risk_before
        self.control = Control(whole=tournament)
        rng = np.random.default_rng(seed)
        self.search: Generator[Step, None, Found] = algorithm.search(problem, settings, rng, self.control, 1)
        self.steps: list[Step] = []
        self.seconds = 0.0  # of computing, without pauses
        self.is_over = False  # whether it came to its end, or never began because all was to stop
        self.found: Found | None = None  # once it has come to its end
        self.at_risk: int | None = None  # of what it found, recounted
        self.eliminated_at: int | None = None

    @property
    def objectives(self) -> tuple[int, ...]:
        """The best objective so far, by step from 0.

        What a search yields after its last step is about the solution that it hands back: it comes too, in
        the place of that step, unless it is worse because it was made to keep the budget.
        """
        best: dict[int, int] = {}
        for step in self.steps:
            best[step.number] = min(step.objective, best.get(step.number, step.objective))
        return tuple(best.values())

    def advance(self, until: int | None) -> None:
        """Run until it has come to this step, or to its end; any thread may call this, one at a time."""
        if self.is_over or (not self.steps and self.control.asked_to_stop() is not None):
            self.is_over = True
            return
        began = time.perf_counter()
        while not self.is_over and (until is None or not self.steps or self.steps[-1].number < until):
            self._next_step()
        self.seconds += time.perf_counter() - began

    def _next_step(self) -> None:
        try:
            self.steps.append(next(self.search))
        except StopIteration as end:
            self.is_over = True
            found: Found = end.value
            # As in `anonymize`, nothing is deleted where that would be better.
            self.at_risk = min(self.problem.recount(found.deleted_edges)[0], self.at_risk_before)
            self.found = found

    def eliminate(self, step: int) -> None:
        """End it where it has paused."""
        self.eliminated_at = step
        self.close()

    def close(self) -> None:
        """Give it up; frees what its search holds."""
        self.is_over = True
        self.search.close()
