"""HTTP with an end to patience: whoever connects must say what they want within a while.

Connections need no cookie, and each holds one of the few hundred files that a process may have open: without
an end, another user's program could keep the page's owner out by connecting and saying nothing.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_TO_ASK = 10.0  # until the headers of a request must be there


class PatientProtocol(H11Protocol):
    """uvicorn's own, which waits forever for the rest of a request that has begun."""

    waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected, and asks for nothing yet."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Some of a request has come: with all its headers, it is the server's turn."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._wait_no_longer()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self.waiting is None:
            self.waiting = self.loop.call_later(SECONDS_TO_ASK, self.transport.abort)

    def _wait_no_longer(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None
