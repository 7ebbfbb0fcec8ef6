"""Successive halving: all configurations run some generations, the better half goes on, and so forth.

    while more are left than shall run to the end:
        let all that are left run `every` generations more
        eliminate the worse half; the others go on from where they are
    let the finalists run to their end

Whether a run pauses, and beside which others it computes, makes no difference to what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from netveil.search import Control
from netveil.tuning.contender import Contender

SECONDS_BETWEEN_LOOKS = 0.5  # at whether a run has paused: signals are heard in between


@dataclass(frozen=True)
class RoundStatus:
    """How far a tournament has come."""

    until: int | None  # the generation to which all run now; None: to their end
    running: int  # runs of this round
    arrived: int  # of which have come so far
    best: int | None  # the lowest objective, once there is one


RoundListener = Callable[[RoundStatus], None]


def left_after_halving(count: int, finalists: int) -> int:
    """How many of so many go on: the better half, but no fewer than shall run to the end.

    >>> [left_after_halving(count, 4) for count in (50, 25, 13, 7, 5, 3)]
    [25, 13, 7, 4, 4, 3]
    """
    return max((count + 1) // 2, min(count, finalists))


def halve(
    contenders: Sequence[Contender], every: int, finalists: int, together: Together, tournament: Control
) -> list[Contender]:
    """Run the tournament; the contenders that ran to their end, or were left when it was stopped."""
    left = list(contenders)
    step = 0
    while len(left) > finalists and tournament.asked_to_stop() is None:
        step += every
        together.advance(left, step)
        if tournament.asked_to_stop() is not None or all(contender.is_over for contender in left):
            break
        # Equally good ones are told apart by their place in the grid, never by who was first to arrive.
        left.sort(key=lambda contender: (contender.objectives[-1], contender.number))
        going_on = left_after_halving(len(left), finalists)
        for contender in left[going_on:]:
            contender.eliminate(step)
        left = sorted(left[:going_on], key=lambda contender: contender.number)
    together.advance(left, None)
    return left


class Together:
    """Lets several runs compute at once, on as many threads as there are workers."""

    def __init__(self, workers: int, listener: RoundListener | None = None) -> None:
        self.pool = ThreadPoolExecutor(workers)
        self.listener = listener

    def advance(self, contenders: Sequence[Contender], until: int | None) -> None:
        """Let all of them run until this step, or to their end, and wait for them."""
        running = [self.pool.submit(contender.advance, until) for contender in contenders]
        for arrived, run in enumerate(running, start=1):
            while not run.done():
                wait([run], SECONDS_BETWEEN_LOOKS)
            run.result()  # raises what went wrong in it
            if self.listener is not None:
                self.listener(RoundStatus(until, len(contenders), arrived, _best(contenders)))

    def end(self, contenders: Sequence[Contender]) -> None:
        """Stop what runs, begin nothing more, and give all of them up."""
        for contender in contenders:
            contender.control.interrupt()
        self.pool.shutdown(cancel_futures=True)
        for contender in contenders:
            contender.close()


def _best(contenders: Sequence[Contender]) -> int | None:
    """The lowest objective that any of them has met."""
    return min((step.objective for each in contenders for step in list(each.steps)), default=None)
