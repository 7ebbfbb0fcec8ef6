"""Who hears how far a long piece of work is: whoever waits for it says so, and it need not be handed down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
