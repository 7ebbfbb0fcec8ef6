"""What pages hear, and processes that are asked: newest only, ends are told, nobody waits for ever."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from netveil.web import running as events_module
from netveil.web.requests import WebError
from netveil.web.running import Events, Workers

Result = TypeVar("Result")

KARATE = {"kind": "builtin", "name": "karate"}
EGO = {"measures": ["ego"], "distance": 1, "k": 2, "fuzzy": None, "twins": False}


def lived(story: Coroutine[Any, Any, Result]) -> Result:
    """What a story comes to, in a thread of its own: a browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()


def heard(message: str) -> tuple[str, Any]:
    """The event and the document of a message."""
    lines = dict(line.split(": ", 1) for line in message.strip().splitlines())
    assert int(lines["id"]) > 0
    return lines["event"], json.loads(lines["data"])


def test_a_slow_page_hears_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    """First how everything stands; then of each thing the last that was told, in that order."""
    monkeypatch.setattr(events_module, "SECONDS_BETWEEN", 0.0)

    async def story() -> list[tuple[str, Any]]:
        events = Events()
        stream = events.stream(lambda: {"runs": []})
        messages = [heard(await anext(stream))]
        for number in range(5):
            events.tell("progress", "a", number)
            events.tell("progress", "b", -number)
        events.tell("run", "a", "done")
        events.close()
        return messages + [heard(message) async for message in stream]

    async def silence() -> str:
        stream = Events().stream(dict)
        await anext(stream)
        return await anext(stream)

    told = [("progress", 4), ("progress", -4), ("run", "done"), ("ending", {})]
    assert lived(story()) == [("snapshot", {"runs": []}), *told]
    monkeypatch.setattr(events_module, "SECONDS_OF_SILENCE", 0.0)
    assert lived(silence()).startswith(": "), "a comment, which no page hears but every connection feels"


def test_whoever_waits_for_a_process_hears_of_its_end() -> None:
    """Whether it was cancelled, or ended by itself."""

    async def story() -> None:
        workers = Workers()
        waiting = asyncio.create_task(workers.ask("measure", alone="key", network=KARATE, attackers=EGO))
        await asyncio.sleep(0)
        assert workers.cancel("key") and not workers.cancel("other")
        with pytest.raises(WebError, match="cancelled"):
            await waiting
        asked = asyncio.create_task(workers.ask("look", network=KARATE, k=2))
        await asyncio.sleep(0)
        workers.close()
        with pytest.raises(WebError, match="ended unexpectedly"):
            await asked

    lived(story())


def test_a_process_that_is_killed_within_a_line_is_heard_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an answer is none: whoever waits is told, as of every other end; no pipe is left open."""
    half = [sys.executable, "-c", "print('{\"id\": 1, \"result\": [1, 2', end='', flush=True)"]
    started: list[subprocess.Popen[bytes]] = []

    class Halved(subprocess.Popen[bytes]):
        def __init__(self, _: Any, **more: Any) -> None:
            super().__init__(half, **more)
            started.append(self)

    async def story() -> str:
        with pytest.raises(WebError) as ended:
            await Workers().ask("read", network=KARATE)
        return str(ended.value.message)

    monkeypatch.setattr(subprocess, "Popen", Halved)

    assert "ended unexpectedly" in lived(story())
    assert all(pipe is not None and pipe.closed for pipe in (started[0].stdin, started[0].stdout))
