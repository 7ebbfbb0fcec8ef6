"""HTTP with an end to patience: whoever connects must soon say what they want, and get on with it.

Connections need no cookie, and each holds one of the few hundred files that a process may have open: without
an end, another user's program could keep the page's owner out. It can say nothing, send a body for ever, or
never read an answer. The guard ends the connection of whoever is refused, so that only those who were let in
come as far as a body or a long answer; and of those who have not asked yet only so many are waited for.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

Timer = asyncio.TimerHandle


class PatientProtocol(H11Protocol):
    """uvicorn's own, which waits forever for the rest of a request that has begun, and to be read."""

    seconds_to_ask = 10.0  # until the headers of a request must be there
    seconds_to_go_on = 30.0  # for `least_bytes` more of a body to come, or of an answer to be read
    least_bytes = 1 << 14
    most_waiting = 96  # connections that have not asked for anything; some systems let 256 files be open

    waiting: Timer | None = None  # for the headers of a request
    receiving: Timer | None = None  # more of a body
    sending: Timer | None = None  # an answer that is not read
    received = unread = 0  # bytes since, and bytes then

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected, and asks for nothing yet; of too many such, the oldest is cut off."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # to hear of all that is not read, also of a last answer
        self._wait()
        others = [each for each in self.connections if isinstance(each, PatientProtocol)]
        deadlines = {each: each.waiting.when() for each in others if each.waiting is not None}
        if len(deadlines) > self.most_waiting:
            min(deadlines, key=deadlines.__getitem__)._cut_off()

    def data_received(self, data: bytes) -> None:
        """Some of a request has come: with all its headers, it is the server's turn."""
        super().data_received(data)
        self.received += len(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._forget("waiting")
        self._look_for_body()

    def on_response_complete(self) -> None:
        """An answer is sent; the next request, or the rest of a body, may have come already."""
        super().on_response_complete()
        self._look_for_body()

    def pause_writing(self) -> None:
        """An answer is not read as fast as it is sent."""
        super().pause_writing()
        self._watch_answer()

    def resume_writing(self) -> None:
        """All of it is read, or on its way."""
        super().resume_writing()
        self._forget("sending")

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._forget()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self.waiting is None:
            self.waiting = self.loop.call_later(self.seconds_to_ask, self._cut_off)

    def _look_for_body(self) -> None:
        """Watch a body as long as there is more to come."""
        if self.conn.their_state is not h11.SEND_BODY:
            self._forget("receiving")
        elif self.receiving is None:
            self._watch_body()

    def _watch_body(self) -> None:
        self.received = 0
        self.receiving = self.loop.call_later(self.seconds_to_go_on, self._check_body)

    def _check_body(self) -> None:
        if self.flow.read_paused or self.received >= self.least_bytes:  # paused: the server is not ready
            self._watch_body()
        else:
            self._cut_off()

    def _watch_answer(self) -> None:
        self.unread = self.transport.get_write_buffer_size()
        self.sending = self.loop.call_later(self.seconds_to_go_on, self._check_answer)

    def _check_answer(self) -> None:
        if self.unread - self.transport.get_write_buffer_size() >= self.least_bytes:
            self._watch_answer()
        else:
            self._cut_off()

    def _cut_off(self) -> None:
        self._forget()
        self.transport.abort()

    def _forget(self, *timers: str) -> None:
        for name in timers or ("waiting", "receiving", "sending"):
            timer: Timer | None = getattr(self, name)
            if timer is not None:
                timer.cancel()
                setattr(self, name, None)
