"""Long work as generators: each yields how far it has come and returns what it found.

Pausing is not asking for the next, giving up is closing it, and whoever shows progress iterates.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

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
    while True:
        try:
            told = next(work)
        except StopIteration as end:
            returned: Returned = end.value
            return returned
        if listener is not None:
            listener(told)


def retold(
    work: Generator[Told, None, Returned], words: Callable[[Told], Retold]
) -> Generator[Retold, None, Returned]:
    """The same work, telling how far it has come in other words."""
    while True:
        try:
            told = next(work)
        except StopIteration as end:
            returned: Returned = end.value
            return returned
        yield words(told)
