"""Groups of people at risk, each annealed by itself: side by side in threads, in rounds of one leg each."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from operator import methodcaller

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.groups import Division
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.walk_and_trim import walk_and_trim
from netveil.search.control import Control
from netveil.search.excerpt import Excerpt
from netveil.search.progress import Checkpoint, Found, Step, Steps, StopReason
from netveil.threads import threads_for


class Stopwatch:
    """Tells the seconds that it has run: a group's time passes only while it is its turn."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.passed = 0.0  # until it was stopped last
        self.since: float | None = None  # when it was started, if it runs

    def __call__(self) -> float:
        """Seconds."""
        return self.passed if self.since is None else self.passed + self.clock() - self.since

    def start(self) -> None:
        """Let it run."""
        self.since = self.clock()

    def stop(self) -> None:
        """Let it stand still."""
        self.passed, self.since = self(), None


class GroupSearch:
    """One group on its way: a chain of its own, on its part of the time or of the proposals."""

    def __init__(self, excerpt: Excerpt, seed: np.random.Generator, proposals: int, control: Control) -> None:
        self.excerpt, self.control = excerpt, control
        self.watch = Stopwatch(control.clock)
        control.clock = self.watch
        chains = Chains(excerpt, 1, seed, 1, None)
        self.last = chains.step()
        self.at_risk_at_first = self.last.at_risk
        self.best: Checkpoint | None = None
        self.found: Found | None = None
        self.steps: Steps = walk_and_trim(excerpt, chains, Allowance(proposals, control, slow=False), control)
        control.start()

    def advance(self) -> None:
        """Walk one leg, if there is any left."""
        if self.found is not None:
            return
        self.watch.start()
        try:
            self.last = next(self.steps)
            self.best = self.last.best or self.best
        except StopIteration as end:
            self.found = end.value
        finally:
            self.watch.stop()

    def deleted_edges(self) -> IntVector:
        """What it would delete as things are, in numbers of the excerpt around all people at risk."""
        if self.found is not None:
            return self.excerpt.edges_there(self.found.deleted_edges)
        return self.excerpt.edges_there(self.best.deleted_edges() if self.best else np.empty(0, np.int64))


class GroupSearches:
    """All groups. The order in which threads take them makes no difference."""

    def __init__(
        self,
        division: Division,
        rng: np.random.Generator,
        proposals: int,
        share: float,
        control: Control,
        threads: int,
    ) -> None:
        """Proposals of all groups together, or that share of the time, are shared out by people at risk."""
        number, everybody = len(division.excerpts), sum(division.at_risk)
        self.threads = min(threads, number)
        self.at_risk = everybody
        self.groups = []
        at_once = number / ceil(number / self.threads)  # groups that walk at the same time, on average
        for excerpt, seed, at_risk in zip(
            division.excerpts, rng.spawn(number), division.at_risk, strict=True
        ):
            part, own = at_risk / everybody, Control(clock=control.clock, whole=control)
            if control.time_limit is not None:
                own.time_limit = share * control.time_limit * min(1.0, part * at_once)
            self.groups.append(GroupSearch(excerpt, seed, max(1, int(part * proposals)), own))

    def walk(self) -> Steps:
        """Walk all groups to their ends; what they delete together, and about how many that leaves."""
        rounds = 0
        yield self.step(rounds)
        with threads_for(self.threads) as threads:
            while any(group.found is None for group in self.groups):
                list(threads.map(methodcaller("advance"), self.groups))
                rounds += 1
                yield self.step(rounds)
        last = self.step(rounds)
        reasons = {group.found.stopped_by for group in self.groups if group.found is not None}
        stopped_by: StopReason = "interrupted" if "interrupted" in reasons else "converged"
        return Found(self.deleted_edges(), last.at_risk, stopped_by, last.evaluations)

    def deleted_edges(self) -> IntVector:
        """What all groups delete, ascending."""
        return np.sort(np.concatenate([group.deleted_edges() for group in self.groups]))

    def step(self, rounds: int) -> Step:
        """How far all have come. Who is at risk is told as if none took lookalikes from another."""
        lasts = [group.last for group in self.groups]
        saved = sum(group.at_risk_at_first - group.last.at_risk for group in self.groups)
        at_risk = max(0, self.at_risk - saved)
        weights = [group.at_risk_at_first for group in self.groups]
        share = float(np.average([last.share or 0.0 for last in lasts], weights=weights))
        evaluations, deleted = (
            sum(last.evaluations for last in lasts),
            sum(last.deleted for last in lasts),
        )
        checkpoint = Checkpoint(self.deleted_edges, at_risk)
        return Step(rounds, evaluations, at_risk, at_risk, deleted, checkpoint, share)
