"""The event stream: what changes is told to every open page, newest only where a page is slow to listen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

SECONDS_BETWEEN = 0.1  # two messages about the same thing
SECONDS_OF_SILENCE = 15.0  # after which a comment tells that the stream is alive

Told = dict[tuple[str, str], Any]
"""Messages that wait for a page, by event and thing: a newer one takes the place of an older one."""


class Events:
    """Hands out what changes. All calls are made in the thread of the server."""

    def __init__(self) -> None:
        self._pages: set[_Page] = set()
        self._number = 0
        self._is_closed = False

    def tell(self, event: str, thing: str, document: Any) -> None:
        """Something about a thing has changed."""
        for page in self._pages:
            # In the order of what happened last, so that an end is never overtaken by what came before.
            page.waiting.pop((event, thing), None)
            page.waiting[event, thing] = document
            page.is_told.set()

    def close(self) -> None:
        """End all streams, after what waits has been told."""
        self.tell("ending", "", {})
        self._is_closed = True
        for page in self._pages:
            page.is_told.set()

    async def stream(self, snapshot: Callable[[], Any]) -> AsyncIterator[str]:
        """What a page hears: first how everything stands, then what changes."""
        page = _Page()
        self._pages.add(page)
        try:
            yield self._message("snapshot", snapshot())
            while True:
                try:
                    await asyncio.wait_for(page.is_told.wait(), SECONDS_OF_SILENCE)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                page.is_told.clear()
                waiting, page.waiting = page.waiting, {}
                for (event, _), document in waiting.items():
                    yield self._message(event, document)
                if self._is_closed:
                    return
                await asyncio.sleep(SECONDS_BETWEEN)
        finally:
            self._pages.discard(page)

    def _message(self, event: str, document: Any) -> str:
        self._number += 1
        data = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
        return f"event: {event}\nid: {self._number}\ndata: {data}\n\n"


class _Page:
    def __init__(self) -> None:
        self.waiting: Told = {}
        self.is_told = asyncio.Event()
