"""Long work as generators: each yields how far it has come and returns what it found.

Pausing is not asking for the next, giving up is closing it, and whoever shows progress iterates.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeVar, cast

Told = TypeVar("Told")
Retold = TypeVar("Retold")
Returned = TypeVar("Returned")


def finished(
    work: Generator[Told, None, Returned], listener: Callable[[Told], Any] | None = None
) -> Returned:
    """Run the work to its end, tell the listener each thing that it yields, and return what it returns.

    >>> def count_to(most):
    ...     yield from range(1, most + 1)
    ...     return "done"
    >>> finished(count_to(2), print)
    1
    2
    'done'
    """
    steps = work if listener is None else retold(work, listener)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Returned, end.value)


def retold(
    work: Generator[Told, None, Returned], words: Callable[[Told], Retold]
) -> Generator[Retold, None, Returned]:
    """Do the work, and tell how far it has come in other words."""
    while True:
        try:
            told = next(work)
        except StopIteration as end:
            return cast(Returned, end.value)
        yield words(told)


class Watcher:
    """Hears how far a job has come. A front overrides what it shows: terminal, page, notebook or log.

    What its methods raise ends the job, so a front may also stop it here.
    """

    wants_report_of_stopped = False  # whether a search that was stopped gets its report all the same

    def warn(self, sentence: str) -> None:
        """Hear what whoever made the job must know, options in it marked as in `netveil.errors`."""

    def announce(self, sentence: str) -> None:
        """Hear what is good to know before something long begins."""

    def prepare(self, doing: str, share: float) -> None:
        """Hear what is set up before the search, and which share of that is done, from 0 to 1."""

    def step(self, progress: Any) -> None:
        """Hear how far the search has come: a `search.Underway`."""

    def end_search(self) -> None:
        """Hear that the search is over, and the report begins."""

    def report(self, doing: str) -> AbstractContextManager[Callable[[str], None] | None]:
        """Surround the work for a part of the report; gives what is to hear how far that is.

        Where it swallows an interruption, the report does without that part.
        """
        return nullcontext()


# Share of the work that is done, for readers and measures deep below whoever waits for them.


Listener = Callable[[float], None]
"""Hears the share of the work that is done, from 0 to 1."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Readers and measures tell the listener how far they are, as far as they can, while the block lasts."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def current_listener() -> Listener | None:
    """Who is to hear how far the work is."""
    return _listener.get()
