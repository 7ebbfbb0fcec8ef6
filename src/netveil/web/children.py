"""Processes that do the work, as the server sees them: orders go in, answers come out."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from netveil.web.answers import WebError, busy

Message = dict[str, Any]
PLACE_OF_NETVEIL = Path(__file__).parents[2]
GONE = "The process that did this ended unexpectedly; there was probably not enough memory."


class Child:
    """A worker process. What it says is heard in the thread of the server's event loop."""

    def __init__(self, on_message: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        # The worker shall find the same netveil as the server, and nothing else of its name.
        places = [str(PLACE_OF_NETVEIL), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "netveil.web.work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("NETVEIL_DEBUG") else subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
            start_new_session=True,  # Ctrl-C is for the server, which tells us
        )
        self._on_message, self._on_end, self._loop = on_message, on_end, loop
        self.has_ended = asyncio.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def order(self, message: Message) -> None:
        """Send an order; one to a process that has ended is lost, and its end is told."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def let_go(self) -> None:
        """No more orders: the process ends when it has kept what it must."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            for line in self._process.stdout:
                if not line.endswith(b"\n"):
                    break  # it was killed in the middle of a line
                self._loop.call_soon_threadsafe(self._on_message, json.loads(line))
        self._process.wait()
        self._process.stdout.close()
        self.let_go()  # if it was killed, nobody closed its pipe
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self.has_ended.set()
        self._on_end()


class Looker:
    """Answers what the page asks about networks: one process that remembers them, more for what is slow."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._alone: dict[str, tuple[Child, asyncio.Future[Any]]] = {}

    def start(self) -> Child:
        """The process that remembers networks; started early, it is ready when somebody asks."""
        if self._child is None:
            self._child = Child(self._hear, self._ended)
        return self._child

    async def ask(self, do: str, **order: Any) -> Any:
        """The answer to an order, done by the process that remembers networks."""
        child = self.start()
        self._number += 1
        answer = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = answer
        child.order({"id": self._number, "do": do, **order})
        return await asyncio.shield(answer)

    async def ask_alone(self, key: str, do: str, **order: Any) -> Any:
        """The same by a process of its own, which `cancel` ends; whoever asks the same waits too."""
        if key not in self._alone:
            answer = asyncio.get_running_loop().create_future()
            child = Child(lambda message: _settle(answer, message), lambda: self._ended_alone(key))
            self._alone[key] = child, answer
            child.order({"id": 0, "do": do, **order})
            answer.add_done_callback(lambda _: child.let_go())
        return await asyncio.shield(self._alone[key][1])

    def cancel(self, key: str) -> bool:
        """End what was asked alone under this key; whether there was such a thing."""
        if key not in self._alone or self._alone[key][1].done():
            return False
        child, answer = self._alone[key]
        answer.set_exception(busy("This was cancelled."))
        answer.exception()  # whoever waits is told; if nobody does, that is no defect
        child.kill()
        return True

    def close(self) -> None:
        """End all processes: what they look at is kept nowhere else."""
        for child in [self._child, *(child for child, _ in self._alone.values())]:
            if child is not None:
                child.kill()

    def _hear(self, message: Message) -> None:
        answer = self._waiting.pop(message["id"], None)
        if answer is not None:
            _settle(answer, message)

    def _ended(self) -> None:
        self._child = None
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            _fail(answer)

    def _ended_alone(self, key: str) -> None:
        _, answer = self._alone.pop(key)
        _fail(answer)


def _settle(answer: asyncio.Future[Any], message: Message) -> None:
    if answer.done():
        return
    if "error" in message:
        answer.set_exception(WebError(**message["error"]))
        answer.exception()  # told to whoever waits; if nobody does any more, that is no defect
    else:
        answer.set_result(message["result"])


def _fail(answer: asyncio.Future[Any]) -> None:
    if not answer.done():
        answer.set_exception(WebError("defect", GONE))
        answer.exception()
